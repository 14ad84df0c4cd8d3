//! The bytes of a file, decompressed if they are compressed, within limits.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use liblzma::bufread::XzDecoder;
use liblzma::stream::{CONCATENATED, Stream};

use super::signature::{self, Compression, HEAD_BYTES};
use crate::{Error, Result};

/// Decoder memory a file may ask for; `xz -9` needs 65 MiB, `zstd --ultra -22` 128 MiB.
const XZ_MEMORY: u64 = 512 << 20;
const ZSTD_WINDOW_LOG: u32 = 28;

/// How many compressed bytes are read at a time.
const COMPRESSED_BLOCK: usize = 64 << 10;

/// The expansion limit holds only beyond this many bytes: a small file may well be one long run of blanks.
const EXPANSION_GRACE: u64 = 16 << 20;

/// Caps on what a text file may cost; `tolka.limits` documents them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadLimits {
    /// Bytes in one line, its end not counted.
    pub line_bytes: u64,
    /// Bytes of the file after decompression.
    pub file_bytes: u64,
    /// How many times larger than its compressed form a file may become.
    pub expansion: u64,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self { line_bytes: 1 << 20, file_bytes: 1 << 38, expansion: 2000 }
    }
}

/// Reads a file as it is, or decompressed if its first bytes say that it is gzip, xz or zstd.
pub struct ByteReader {
    decoder: Decoder,
    compression: Compression,
    name: PathBuf,
    limits: ReadLimits,
    given: u64,
}

enum Decoder {
    Plain(Counted),
    Gzip(MultiGzDecoder<BufReader<Counted>>),
    Xz(XzDecoder<BufReader<Counted>>),
    Zstd(zstd::stream::read::Decoder<'static, BufReader<Counted>>),
}

/// The bytes as stored: counts them, and remembers a failure of the operating system apart from one of the decoder.
struct Counted {
    head: io::Cursor<Vec<u8>>,
    rest: Box<dyn Read + Send>,
    bytes: u64,
    failed: bool,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = match self.head.read(buffer)? {
            0 => read_once(&mut self.rest, buffer).inspect_err(|_| self.failed = true)?,
            count => count,
        };
        self.bytes += count as u64;
        Ok(count)
    }
}

fn read_once(source: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match source.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

impl ByteReader {
    /// Opens a file.
    pub fn open(path: &Path, limits: &ReadLimits) -> Result<Self> {
        let file = File::open(path).map_err(|error| Error::io(path, &error))?;
        Self::new(Box::new(file), path, limits)
    }

    /// Reads from anything; `name` is what errors call it.
    pub fn new(mut source: Box<dyn Read + Send>, name: &Path, limits: &ReadLimits) -> Result<Self> {
        let head = read_head(|buffer| read_once(&mut source, buffer)).map_err(|error| Error::io(name, &error))?;
        let compression = signature::compression(&head);
        let raw = Counted { head: io::Cursor::new(head), rest: source, bytes: 0, failed: false };
        let buffered = |raw| BufReader::with_capacity(COMPRESSED_BLOCK, raw);
        let failed = |error: io::Error| Error::io(name, &error);
        let decoder = match compression {
            Compression::None => Decoder::Plain(raw),
            Compression::Gzip => Decoder::Gzip(MultiGzDecoder::new(buffered(raw))),
            Compression::Xz => {
                let stream = Stream::new_stream_decoder(XZ_MEMORY, CONCATENATED).map_err(|e| failed(e.into()))?;
                Decoder::Xz(XzDecoder::new_stream(buffered(raw), stream))
            }
            Compression::Zstd => {
                let mut decoder = zstd::stream::read::Decoder::with_buffer(buffered(raw)).map_err(failed)?;
                decoder.window_log_max(ZSTD_WINDOW_LOG).map_err(failed)?;
                Decoder::Zstd(decoder)
            }
        };
        Ok(Self { decoder, compression, name: name.to_path_buf(), limits: *limits, given: 0 })
    }

    /// What errors call the file.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Reads some bytes; none at the end. What is read before an error does not depend on the buffer's size.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let left = self.limits.file_bytes - self.given;
        let wanted = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        if wanted == 0 && !buffer.is_empty() {
            // The file may be exactly as long as the limit: only one more byte is too much.
            return match self.read_some(&mut [0])? {
                0 => Ok(0),
                _ => Err(self.too_large()),
            };
        }
        let count = self.read_some(&mut buffer[..wanted])?;
        self.given += count as u64;
        if self.given > EXPANSION_GRACE && self.given / self.limits.expansion > self.raw().bytes {
            return Err(self.bomb());
        }
        Ok(count)
    }

    fn read_some(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let result = match &mut self.decoder {
            Decoder::Plain(reader) => reader.read(buffer),
            Decoder::Gzip(reader) => reader.read(buffer),
            Decoder::Xz(reader) => reader.read(buffer),
            Decoder::Zstd(reader) => reader.read(buffer),
        };
        result.map_err(|error| self.explain(&error))
    }

    fn raw(&self) -> &Counted {
        match &self.decoder {
            Decoder::Plain(reader) => reader,
            Decoder::Gzip(reader) => reader.get_ref().get_ref(),
            Decoder::Xz(reader) => reader.get_ref().get_ref(),
            Decoder::Zstd(reader) => reader.get_ref().get_ref(),
        }
    }

    fn explain(&self, error: &io::Error) -> Error {
        if self.raw().failed || self.compression == Compression::None {
            return Error::io(&self.name, error);
        }
        let format = match self.compression {
            Compression::Gzip => "gzip",
            Compression::Xz => "xz",
            _ => "zstd",
        };
        let truncated = error.kind() == io::ErrorKind::UnexpectedEof;
        let what = if truncated {
            format!("the {format} data is truncated: the file ends too early")
        } else {
            format!("the {format} data is damaged ({error})")
        };
        Error::format(what).at_path(&self.name).hint("copy or download the file again")
    }

    fn too_large(&self) -> Error {
        Error::limit(format!("the file has more than {} bytes of text", self.limits.file_bytes))
            .at_path(&self.name)
            .hint("split it, or raise the limit: TOLKA_FILE_BYTES")
    }

    fn bomb(&self) -> Error {
        let (given, stored) = (self.given, self.raw().bytes);
        Error::limit(format!("{stored} compressed bytes became more than {given}, as in a decompression bomb"))
            .at_path(&self.name)
            .hint("decompress the file yourself if you trust it, or raise the limit: TOLKA_EXPANSION")
    }
}

/// Reads the first bytes: as many as one read gives, and more only while they could be the start of a known mark.
pub(super) fn read_head<E>(
    mut read: impl FnMut(&mut [u8]) -> std::result::Result<usize, E>,
) -> std::result::Result<Vec<u8>, E> {
    let mut head = vec![0; HEAD_BYTES];
    let mut filled = 0;
    while filled == 0 || (filled < HEAD_BYTES && signature::undecided(&head[..filled])) {
        match read(&mut head[filled..])? {
            0 => break,
            count => filled += count,
        }
    }
    head.truncate(filled);
    Ok(head)
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Write;

    use super::*;

    pub(in super::super) fn compress(data: &[u8], compression: Compression) -> Vec<u8> {
        match compression {
            Compression::None => data.to_vec(),
            Compression::Gzip => {
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
                encoder.write_all(data).unwrap();
                encoder.finish().unwrap()
            }
            Compression::Xz => {
                let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
                encoder.write_all(data).unwrap();
                encoder.finish().unwrap()
            }
            Compression::Zstd => zstd::encode_all(data, 1).unwrap(),
        }
    }

    pub(in super::super) const COMPRESSED: [Compression; 3] = [Compression::Gzip, Compression::Xz, Compression::Zstd];

    fn read_all(data: Vec<u8>, limits: &ReadLimits) -> (Vec<u8>, Option<Error>) {
        let mut all = Vec::new();
        let mut reader = match ByteReader::new(Box::new(io::Cursor::new(data)), Path::new("a"), limits) {
            Ok(reader) => reader,
            Err(error) => return (all, Some(error)),
        };
        let mut buffer = [0; 1000];
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return (all, None),
                Ok(count) => all.extend_from_slice(&buffer[..count]),
                Err(error) => return (all, Some(error)),
            }
        }
    }

    #[test]
    fn concatenated_parts_are_one_text() {
        for compression in COMPRESSED {
            let stored =
                [compress(b"ein\n", compression), compress(b"", compression), compress(b"zwei\n", compression)];
            assert_eq!(read_all(stored.concat(), &ReadLimits::default()), (b"ein\nzwei\n".to_vec(), None));
        }
    }

    #[test]
    fn truncation_at_every_byte_is_told() {
        let text: Vec<u8> = (0..3000_u32).flat_map(|i| (i.wrapping_mul(2_654_435_761) >> 7).to_le_bytes()).collect();
        for compression in COMPRESSED {
            let stored = compress(&text, compression);
            for length in (6..100).chain(stored.len() - 100..stored.len()) {
                let (got, error) = read_all(stored[..length].to_vec(), &ReadLimits::default());
                let error = error.unwrap_or_else(|| panic!("{compression:?} cut to {length} bytes must fail"));
                assert_eq!(error.kind, crate::Kind::Format, "{error}");
                assert!(error.what.contains("truncated"), "{compression:?} {length}: {error}");
                assert!(text.starts_with(&got));
            }
        }
    }

    #[test]
    fn damage_is_an_error_and_never_a_panic() {
        let text = b"das ist ein Test, und noch einer\n".repeat(50);
        for compression in COMPRESSED {
            let stored = compress(&text, compression);
            for place in 0..stored.len() {
                let mut broken = stored.clone();
                broken[place] ^= 0x55;
                let _ = read_all(broken, &ReadLimits::default());
            }
            let (_, error) = read_all([&stored[..], b"trailing rubbish"].concat(), &ReadLimits::default());
            assert_eq!(error.unwrap().kind, crate::Kind::Format);
        }
    }

    #[test]
    fn the_file_limit_is_exact() {
        for compression in [Compression::None, Compression::Gzip, Compression::Xz, Compression::Zstd] {
            let stored = compress(&[b'a'; 5000], compression);
            let limits = |file_bytes| ReadLimits { file_bytes, ..ReadLimits::default() };
            assert_eq!(read_all(stored.clone(), &limits(5000)).1, None);
            let (got, error) = read_all(stored, &limits(4999));
            assert_eq!(got.len(), 4999);
            assert_eq!(error.unwrap().kind, crate::Kind::Limit);
        }
    }

    #[test]
    fn bombs_are_refused() {
        let bomb = compress(&vec![b'a'; 40 << 20], Compression::Xz);
        let limits = ReadLimits { expansion: 100, ..ReadLimits::default() };
        let (got, error) = read_all(bomb, &limits);
        assert_eq!(error.unwrap().kind, crate::Kind::Limit);
        assert!(got.len() < 17 << 20);
    }

    #[test]
    fn failures_of_the_system_are_not_blamed_on_the_data() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("disk on fire"))
            }
        }
        let start = compress(b"abc", Compression::Gzip)[..12].to_vec();
        let mut reader =
            ByteReader::new(Box::new(io::Cursor::new(start).chain(Broken)), Path::new("a"), &ReadLimits::default())
                .unwrap();
        let error = (0..9).find_map(|_| reader.read(&mut [0; 10]).err()).unwrap();
        assert_eq!((error.kind, error.to_string().as_str()), (crate::Kind::File, "a: disk on fire"));
    }
}
