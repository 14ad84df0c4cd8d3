//! Room on disk for what does not fit in memory.

use std::env::temp_dir;
use std::fs::{File, OpenOptions, remove_file};
use std::io::{BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::Pod;

use super::writer::ContainerWriter;
use crate::{Error, Result};

const BUFFER_BYTES: usize = 1 << 17;

/// A file without a name in the directory for temporary files; it goes when it is closed, also after a crash.
///
/// # Errors
/// What the operating system says.
pub fn nameless() -> Result<File> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let directory = temp_dir();
    loop {
        let path = directory.join(format!("tolka-{}-{}", process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
        match OpenOptions::new().read(true).write(true).create_new(true).open(&path) {
            Ok(file) => {
                remove_file(&path).map_err(|error| Error::io(&path, &error))?;
                return Ok(file);
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Error::io(&path, &error)),
        }
    }
}

/// What to say when a temporary file fails.
pub fn disk(error: &std::io::Error) -> Error {
    Error::io(Path::new("temporary file"), error).hint("set TMPDIR to a directory with more room")
}

/// An array that grows at its end, in memory while it is small and in a temporary file beyond that, to become a section.
#[derive(Debug)]
pub struct Growing<T: Pod> {
    memory: Vec<T>,
    file: Option<BufWriter<File>>,
    length: u64,
    most_memory: usize,
}

impl<T: Pod> Growing<T> {
    /// Nothing yet; at most about this many bytes in memory.
    pub fn new(most_memory: usize) -> Self {
        Self { memory: Vec::new(), file: None, length: 0, most_memory }
    }

    /// How many elements there are.
    pub fn len(&self) -> u64 {
        self.length
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Appends elements.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn extend(&mut self, elements: &[T]) -> Result<()> {
        self.length += elements.len() as u64;
        self.memory.extend_from_slice(elements);
        if size_of_val(&self.memory[..]) > self.most_memory {
            if self.file.is_none() {
                self.file = Some(BufWriter::with_capacity(BUFFER_BYTES, nameless()?));
            }
            if let Some(file) = &mut self.file {
                file.write_all(bytemuck::cast_slice(&self.memory)).map_err(|error| disk(&error))?;
            }
            self.memory.clear();
        }
        Ok(())
    }

    /// Writes all of it as a section.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn write_section<W: Write + Seek>(self, writer: &mut ContainerWriter<W>, name: &str) -> Result<()> {
        let mut section = writer.begin::<T>(name)?;
        self.each_piece(1, |piece| section.extend(piece))?;
        section.end()
    }

    /// Gives all of it piece by piece. If it grew by multiples of `unit` elements, so do the pieces.
    ///
    /// # Errors
    /// What the operating system or `each` says.
    pub fn each_piece(self, unit: usize, mut each: impl FnMut(&[T]) -> Result<()>) -> Result<()> {
        if let Some(file) = self.file {
            let mut file = file.into_inner().map_err(|error| disk(error.error()))?;
            file.seek(SeekFrom::Start(0)).map_err(|error| disk(&error))?;
            let mut left = self.length - self.memory.len() as u64;
            let unit = unit.max(1);
            let mut piece = vec![T::zeroed(); (BUFFER_BYTES / size_of::<T>() / unit).max(1) * unit];
            while left > 0 {
                let count = piece.len().min(left as usize);
                let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut piece[..count]);
                file.read_exact(bytes).map_err(|error| disk(&error))?;
                left -= count as u64;
                each(&piece[..count])?;
            }
        }
        each(&self.memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{Container, Verify};

    #[test]
    fn what_went_to_disk_comes_before_what_stayed_in_memory() {
        let mut small = Growing::new(100);
        let mut large = Growing::new(1 << 20);
        for at in 0..5000_u32 {
            small.extend(&[[at, at + 1]]).unwrap();
            large.extend(&[[at, at + 1]]).unwrap();
        }
        assert_eq!(small.len(), 5000);
        let mut writer = ContainerWriter::in_memory("test", 1).unwrap();
        small.write_section(&mut writer, "small").unwrap();
        large.write_section(&mut writer, "large").unwrap();
        let container = Container::from_bytes(&writer.into_bytes().unwrap(), None, Verify::Full).unwrap();
        let wanted: Vec<[u32; 2]> = (0..5000).map(|at| [at, at + 1]).collect();
        assert_eq!(container.slice::<[u32; 2]>("small").unwrap(), wanted);
        assert_eq!(container.slice::<[u32; 2]>("large").unwrap(), wanted);
    }
}
