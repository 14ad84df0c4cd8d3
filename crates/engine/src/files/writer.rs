//! Writing containers, section by section, without holding them in memory.

use std::io::{Cursor, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use bytemuck::Pod;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::atomic::AtomicFile;
use super::layout::{
    ALIGNMENT, Element, HEADER_BYTES, Header, KIND_BYTES, MOST_SECTIONS, NAME_BYTES, SectionInfo, UNFINISHED, align,
    check_name,
};
use crate::{Error, Result};

/// Writes one container. The file gets its name in [`ContainerWriter::finish`], and only there; dropping the writer
/// before removes what was written.
#[derive(Debug)]
pub struct ContainerWriter<W: Write + Seek = AtomicFile> {
    out: W,
    path: PathBuf,
    kind: String,
    kind_version: u32,
    position: u64,
    sections: Vec<SectionInfo>,
    /// A section was begun and not ended: it is being written, or writing it failed.
    broken_off: bool,
}

impl ContainerWriter {
    /// Begins the container that will be at `path`. The kind says what the sections mean, the version which revision
    /// of that meaning.
    pub fn create(path: impl AsRef<Path>, kind: &str, kind_version: u32) -> Result<Self> {
        check_name(kind, KIND_BYTES)?;
        Self::on(AtomicFile::create(path.as_ref())?, path.as_ref(), kind, kind_version)
    }

    /// Writes the table and the header, makes sure that all is on disk and gives the file its name.
    pub fn finish(mut self) -> Result<()> {
        self.complete()?;
        self.out.commit()
    }
}

impl ContainerWriter<Cursor<Vec<u8>>> {
    /// Begins a container in memory.
    pub fn in_memory(kind: &str, kind_version: u32) -> Result<Self> {
        check_name(kind, KIND_BYTES)?;
        Self::on(Cursor::default(), Path::new("memory"), kind, kind_version)
    }

    /// Completes the container and gives its bytes.
    pub fn into_bytes(mut self) -> Result<Vec<u8>> {
        self.complete()?;
        Ok(self.out.into_inner())
    }
}

impl<W: Write + Seek> ContainerWriter<W> {
    /// Begins a container on any medium.
    pub(super) fn on(out: W, path: &Path, kind: &str, kind_version: u32) -> Result<Self> {
        let (path, kind) = (path.to_owned(), kind.to_owned());
        let mut writer = Self { out, path, kind, kind_version, position: 0, sections: Vec::new(), broken_off: false };
        let mut header = [0; HEADER_BYTES];
        header[..UNFINISHED.len()].copy_from_slice(&UNFINISHED);
        writer.put(&header)?;
        Ok(writer)
    }

    /// Adds a section of these elements.
    pub fn section<T: Pod>(&mut self, name: &str, elements: &[T]) -> Result<()> {
        let mut section = self.begin::<T>(name)?;
        section.extend(elements)?;
        section.end()
    }

    /// Adds a section of bytes.
    pub fn section_bytes(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        self.section(name, bytes)
    }

    /// Adds a section whose element type is known only at run time; `bytes` must be whole elements.
    pub fn section_of(&mut self, name: &str, element: Element, bytes: &[u8]) -> Result<()> {
        if element.size() == 0 || !bytes.len().is_multiple_of(element.size() as usize) {
            return Err(Error::settings(format!("section {name}: {} bytes are no whole {element}", bytes.len())));
        }
        let mut section = self.begin_of::<u8>(name, element)?;
        section.extend(bytes)?;
        section.end()
    }

    /// Begins a section whose elements come piece by piece.
    pub fn begin<T: Pod>(&mut self, name: &str) -> Result<SectionWriter<'_, T, W>> {
        self.begin_of(name, Element::of::<T>()?)
    }

    fn begin_of<T: Pod>(&mut self, name: &str, element: Element) -> Result<SectionWriter<'_, T, W>> {
        self.check_idle()?;
        check_name(name, NAME_BYTES)?;
        if self.sections.iter().any(|info| info.name == name) {
            return Err(Error::settings(format!("there is already a section called {name}")));
        }
        if self.sections.len() as u64 == MOST_SECTIONS {
            return Err(Error::limit(format!("a container has at most {MOST_SECTIONS} sections")));
        }
        self.broken_off = true;
        let info = SectionInfo { name: name.to_owned(), element, offset: self.position, bytes: 0, checksum: 0 };
        Ok(SectionWriter { writer: self, info, checksum: Xxh3::new(), elements: PhantomData })
    }

    fn check_idle(&self) -> Result<()> {
        if self.broken_off {
            return Err(Error::settings("a section was begun and not ended").at_path(&self.path));
        }
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.out.write_all(bytes).map_err(|error| Error::io(&self.path, &error))?;
        self.position += bytes.len() as u64;
        Ok(())
    }

    fn pad(&mut self) -> Result<()> {
        let padded = align(self.position).unwrap_or(self.position);
        self.put(&[0; ALIGNMENT][..(padded - self.position) as usize])
    }

    /// Writes the table, and last of all the header that says the file is complete.
    pub(super) fn complete(&mut self) -> Result<()> {
        self.check_idle()?;
        let table: Vec<u8> = self.sections.iter().flat_map(SectionInfo::encode).collect();
        let table_offset = self.position;
        self.put(&table)?;
        let header = Header {
            kind: self.kind.clone(),
            kind_version: self.kind_version,
            table_checksum: xxh3_64(&table),
            table_offset,
            file_length: self.position,
        };
        let written = self.out.seek(SeekFrom::Start(0)).and_then(|_| self.out.write_all(&header.encode()));
        written.and_then(|()| self.out.flush()).map_err(|error| Error::io(&self.path, &error))
    }
}

/// Receives the elements of one section. It must be [ended](SectionWriter::end); a container with a section that was
/// only begun cannot be finished.
#[must_use]
pub struct SectionWriter<'a, T: Pod, W: Write + Seek = AtomicFile> {
    writer: &'a mut ContainerWriter<W>,
    info: SectionInfo,
    checksum: Xxh3,
    elements: PhantomData<T>,
}

impl<T: Pod, W: Write + Seek> SectionWriter<'_, T, W> {
    /// Appends elements.
    pub fn extend(&mut self, elements: &[T]) -> Result<()> {
        let bytes = bytemuck::cast_slice(elements);
        self.checksum.update(bytes);
        self.info.bytes += bytes.len() as u64;
        self.writer.put(bytes)
    }

    /// How many elements there are so far.
    pub fn len(&self) -> u64 {
        self.info.len()
    }

    /// Whether there are none so far.
    pub fn is_empty(&self) -> bool {
        self.info.is_empty()
    }

    /// Ends the section.
    pub fn end(mut self) -> Result<()> {
        self.info.checksum = self.checksum.digest();
        self.writer.pad()?;
        self.writer.sections.push(self.info);
        self.writer.broken_off = false;
        Ok(())
    }
}
