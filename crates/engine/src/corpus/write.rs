//! Writing text so that reading it gives the same lines: strictly, atomically, compressed as the name asks.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;
use liblzma::write::XzEncoder;
use memchr::memchr2;

use super::signature::{Compression, UTF8_BOM};
use crate::files::AtomicFile;
use crate::{Error, Result};

const GZIP_LEVEL: u32 = 6;
const XZ_LEVEL: u32 = 6;
const ZSTD_LEVEL: i32 = 6;

/// Writes lines of text. A file takes its name only when the writer is [finished](TextWriter::finish); dropped before,
/// it leaves nothing behind.
///
/// ```
/// use tolka_engine::corpus::{LineReader, ReadLimits, TextWriter};
/// # let directory = tempfile::tempdir().unwrap();
/// # let path = directory.path().join("a.de.zst");
/// let mut writer = TextWriter::create(&path)?;
/// writer.write_line("ein Haus")?;
/// writer.finish()?;
/// assert_eq!(LineReader::open(&path, &ReadLimits::default())?.next_line()?, Some("ein Haus"));
/// # Ok::<(), tolka_engine::Error>(())
/// ```
pub struct TextWriter {
    encoder: Encoder,
    name: PathBuf,
    lines: u64,
    begun: bool,
}

enum Encoder {
    Plain(Target),
    Gzip(GzEncoder<Target>),
    Xz(XzEncoder<Target>),
    Zstd(zstd::stream::write::Encoder<'static, Target>),
}

enum Target {
    Atomic(AtomicFile),
    /// What cannot be replaced: a pipe, a terminal, a device.
    Stream(BufWriter<Box<dyn Write + Send>>),
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Atomic(file) => file.write(bytes),
            Self::Stream(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Atomic(file) => file.flush(),
            Self::Stream(stream) => stream.flush(),
        }
    }
}

/// The compression that a file name asks for.
fn compression(path: &Path) -> Compression {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("gz") => Compression::Gzip,
        Some("xz") => Compression::Xz,
        Some("zst") => Compression::Zstd,
        _ => Compression::None,
    }
}

impl TextWriter {
    /// Begins the file at `path`, compressed if its name ends in `.gz`, `.xz` or `.zst`.
    pub fn create(path: &Path) -> Result<Self> {
        let target = match fs::metadata(path).map(|metadata| metadata.file_type()) {
            Ok(kind) if kind.is_fifo() || kind.is_char_device() => {
                let file = File::options().write(true).open(path).map_err(|error| Error::io(path, &error))?;
                Target::Stream(BufWriter::new(Box::new(file)))
            }
            _ => Target::Atomic(AtomicFile::create(path)?),
        };
        let failed = |error: io::Error| Error::io(path, &error);
        let encoder = match compression(path) {
            Compression::None => Encoder::Plain(target),
            Compression::Gzip => Encoder::Gzip(GzEncoder::new(target, flate2::Compression::new(GZIP_LEVEL))),
            Compression::Xz => Encoder::Xz(XzEncoder::new(target, XZ_LEVEL)),
            Compression::Zstd => {
                let mut encoder = zstd::stream::write::Encoder::new(target, ZSTD_LEVEL).map_err(failed)?;
                encoder.include_checksum(true).map_err(failed)?;
                Encoder::Zstd(encoder)
            }
        };
        Ok(Self { encoder, name: path.to_path_buf(), lines: 0, begun: false })
    }

    /// Writes to anything, uncompressed; `name` is what errors call it.
    pub fn new(sink: Box<dyn Write + Send>, name: &Path) -> Self {
        let encoder = Encoder::Plain(Target::Stream(BufWriter::new(sink)));
        Self { encoder, name: name.to_path_buf(), lines: 0, begun: false }
    }

    /// Writes one line and its end. What would not be read back as this one line is an error.
    pub fn write_line(&mut self, line: &str) -> Result<()> {
        let what = if let Some(place) = memchr2(b'\n', 0, line.as_bytes()) {
            if line.as_bytes()[place] == 0 { "contains a NUL character" } else { "contains a line break" }
        } else if line.ends_with('\r') {
            "ends in a carriage return, which would become part of the line end"
        } else {
            self.lines += 1;
            self.put(line.as_bytes())?;
            return self.put(b"\n");
        };
        Err(Error::input(format!("cannot be written as a line: the text {what}"))
            .at_path(&self.name)
            .at_line(self.lines + 1)
            .hint("replace or remove that character"))
    }

    /// Writes text as it is, for formats that are not line by line.
    pub fn write_text(&mut self, text: &str) -> Result<()> {
        self.put(text.as_bytes())
    }

    /// Sends what is buffered on its way, for a person or program that waits at the other end of a pipe.
    pub fn flush(&mut self) -> Result<()> {
        self.stream().flush().map_err(|error| Error::io(&self.name, &error))
    }

    /// Ends the compressed data, forces the file to disk and puts it in its place.
    pub fn finish(self) -> Result<()> {
        let ended = match self.encoder {
            Encoder::Plain(target) => Ok(target),
            Encoder::Gzip(encoder) => encoder.finish(),
            Encoder::Xz(encoder) => encoder.finish(),
            Encoder::Zstd(encoder) => encoder.finish(),
        };
        let failed = |error: io::Error| Error::io(&self.name, &error);
        match ended.map_err(failed)? {
            Target::Atomic(file) => file.commit(),
            Target::Stream(mut stream) => stream.flush().map_err(failed),
        }
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        // A reader takes a first U+FEFF for a byte order mark, so that it takes two to keep one.
        let doubled: &[u8] = if !self.begun && bytes.starts_with(UTF8_BOM) { UTF8_BOM } else { &[] };
        self.begun |= !bytes.is_empty();
        let stream = self.stream();
        stream.write_all(doubled).and_then(|()| stream.write_all(bytes)).map_err(|error| Error::io(&self.name, &error))
    }

    fn stream(&mut self) -> &mut dyn Write {
        match &mut self.encoder {
            Encoder::Plain(target) => target,
            Encoder::Gzip(encoder) => encoder,
            Encoder::Xz(encoder) => encoder,
            Encoder::Zstd(encoder) => encoder,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Kind;
    use crate::corpus::{LineReader, ReadLimits};

    fn read(path: &Path) -> Vec<String> {
        let mut reader = LineReader::open(path, &ReadLimits::default()).unwrap();
        std::iter::from_fn(|| reader.next_line().unwrap().map(str::to_string)).collect()
    }

    #[test]
    fn what_would_be_read_otherwise_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        let mut writer = TextWriter::create(&path).unwrap();
        writer.write_line("gut").unwrap();
        for line in ["a\nb", "a\0b", "a\r", "\r\n"] {
            let error = writer.write_line(line).unwrap_err();
            assert_eq!((error.kind, error.place.line), (Kind::Input, Some(2)));
        }
        writer.write_line("auch\u{2028}gut\rja").unwrap();
        writer.finish().unwrap();
        assert_eq!(read(&path), ["gut", "auch\u{2028}gut\rja"]);
    }

    #[test]
    fn the_name_decides_the_compression() {
        let directory = tempfile::tempdir().unwrap();
        let starts: [(&str, &[u8]); 4] =
            [("a", b"a"), ("a.gz", b"\x1f\x8b"), ("a.xz", b"\xfd7zXZ\0"), ("a.zst", b"\x28\xb5\x2f\xfd")];
        for (name, start) in starts {
            let path = directory.path().join(name);
            let mut writer = TextWriter::create(&path).unwrap();
            writer.write_line("abc").unwrap();
            assert!(!path.exists());
            writer.finish().unwrap();
            assert!(fs::read(&path).unwrap().starts_with(start));
        }
    }

    #[test]
    fn an_unfinished_file_never_appears() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["a", "a.gz", "a.xz", "a.zst"] {
            let mut writer = TextWriter::create(&directory.path().join(name)).unwrap();
            writer.write_line("abc").unwrap();
            drop(writer);
        }
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_device_is_written_and_not_replaced() {
        let mut writer = TextWriter::create(Path::new("/dev/null")).unwrap();
        writer.write_line("abc").unwrap();
        writer.finish().unwrap();
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(lines in prop::collection::vec("[^\n\0]*[^\n\r\0]|", 0..20), name in 0_usize..4) {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join(["a", "a.gz", "a.xz", "a.zst"][name]);
            let mut writer = TextWriter::create(&path).unwrap();
            for line in &lines {
                writer.write_line(line).unwrap();
            }
            writer.finish().unwrap();
            prop_assert_eq!(read(&path), lines);
        }
    }
}
