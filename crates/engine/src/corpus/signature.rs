//! What a file is, told from its first bytes and never from its name.

use crate::Error;

/// How many first bytes the questions below look at.
pub(super) const HEAD_BYTES: usize = 512;

/// How a file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// RFC 1952, one or more members.
    Gzip,
    /// The .xz format, one or more streams.
    Xz,
    /// RFC 8878, one or more frames.
    Zstd,
}

const GZIP: &[u8] = b"\x1f\x8b";
const XZ: &[u8] = b"\xfd7zXZ\0";
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";

pub(super) const UTF8_BOM: &[u8] = b"\xef\xbb\xbf";

/// Starts of files that are not text, what they are, and what to do about it.
const NOT_TEXT: &[(&[u8], &str, &str)] = &[
    (b"PK\x03\x04", "a zip archive (as .docx, .xlsx and .odt files are)", "extract the text from it first"),
    (b"PK\x05\x06", "an empty zip archive", "extract the text from it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "extract the text from it first"),
    (b"\x7fELF", "a program", "check the file name"),
    (b"mmap lm http://kheafield.com/code", "a KenLM binary", "use the ARPA file it was built from"),
    (b"\x89TLK", "a tolka model file", "check the file name"),
    (b"BZh91AY&SY", "compressed with bzip2, which is not read", "compress it as .gz, .xz or .zst"),
    (GZIP, "compressed twice", "decompress it once"),
    (XZ, "compressed twice", "decompress it once"),
    (ZSTD, "compressed twice", "decompress it once"),
];

/// Byte order marks of encodings other than UTF-8; the longer ones first, as UTF-16LE's begins UTF-32LE's.
const OTHER_BOMS: &[(&[u8], &str)] = &[
    (b"\xff\xfe\0\0", "UTF-32LE"),
    (b"\0\0\xfe\xff", "UTF-32BE"),
    (b"\xff\xfe", "UTF-16LE"),
    (b"\xfe\xff", "UTF-16BE"),
];

/// Tells the compression from the first bytes.
pub(super) fn compression(head: &[u8]) -> Compression {
    if head.starts_with(GZIP) {
        Compression::Gzip
    } else if head.starts_with(XZ) {
        Compression::Xz
    } else if head.starts_with(ZSTD) || starts_with_skippable_zstd(head) {
        Compression::Zstd
    } else {
        Compression::None
    }
}

/// Whether the first bytes could still turn out to be compressed data or a byte order mark, so that one more is worth
/// waiting for; at a terminal we must not wait for more than that.
pub(super) fn undecided(head: &[u8]) -> bool {
    let marks = [GZIP, XZ, ZSTD, UTF8_BOM, b"\xff\xfe\0\0", b"\0\0\xfe\xff"];
    marks.iter().any(|mark| head.len() < mark.len() && mark.starts_with(head))
        || (head.len() < 16
            && (0x50..0x60).contains(&head[0])
            && head[1..].iter().zip(b"\x2a\x4d\x18").all(|(a, b)| a == b))
}

/// pzstd begins with a skippable frame (RFC 8878, 3.1.2). Its magic is also legal text, so the frame behind it has to
/// be seen.
fn starts_with_skippable_zstd(head: &[u8]) -> bool {
    let (Some(magic), Some(size)) = (head.get(..4), head.get(4..8)) else { return false };
    if !(0x50..0x60).contains(&magic[0]) || magic[1..] != *b"\x2a\x4d\x18" {
        return false;
    }
    let size = u32::from_le_bytes([size[0], size[1], size[2], size[3]]) as usize;
    head.get(8usize.saturating_add(size)..).is_some_and(|rest| rest.starts_with(ZSTD))
}

/// The error for a file that is evidently not UTF-8 text, told from its first (decompressed) bytes.
pub(super) fn refuse_what_is_not_text(head: &[u8]) -> Result<(), Error> {
    for (mark, name) in OTHER_BOMS {
        if head.starts_with(mark) {
            let from = &name[..6];
            return Err(Error::input(format!("the text is {name}, not UTF-8"))
                .hint(format!("re-encode it: iconv -f {from} -t UTF-8 OLD > NEW")));
        }
    }
    let known = NOT_TEXT.iter().find(|(start, ..)| head.starts_with(start)).map(|(_, what, hint)| (*what, *hint));
    let Some((what, hint)) = known.or_else(|| looser_signature(head)) else { return Ok(()) };
    Err(Error::input(format!("this is not text: the file is {what}")).hint(hint))
}

/// Files whose mark alone is legal text.
fn looser_signature(head: &[u8]) -> Option<(&'static str, &'static str)> {
    let pdf =
        head.starts_with(b"%PDF-") && matches!(head.get(5..9), Some([b'0'..=b'9', b'.', b'0'..=b'9', b'\r' | b'\n']));
    if pdf {
        return Some(("a PDF document", "extract the text from it first, for example with pdftotext"));
    }
    let tar = head.get(257..262) == Some(b"ustar") && head[..257].contains(&0);
    tar.then_some(("a tar archive", "extract the text from it first"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compression_is_told_from_content() {
        assert_eq!(compression(b"\x1f\x8b\x08\0"), Compression::Gzip);
        assert_eq!(compression(b"\xfd7zXZ\0\0\x04"), Compression::Xz);
        assert_eq!(compression(b"\x28\xb5\x2f\xfd\x24"), Compression::Zstd);
        assert_eq!(compression(b"\x50\x2a\x4d\x18\x04\0\0\0abcd\x28\xb5\x2f\xfd"), Compression::Zstd);
        assert_eq!(compression(b"\x50\x2a\x4d\x18\x04\0\0\0abcdefgh"), Compression::None);
        assert_eq!(compression(b""), Compression::None);
    }

    #[test]
    fn other_encodings_and_files_are_named() {
        let cases: &[(&[u8], &str)] = &[
            (b"\xff\xfea\0", "the text is UTF-16LE, not UTF-8; re-encode it: iconv -f UTF-16 -t UTF-8 OLD > NEW"),
            (b"\xff\xfe\0\0", "the text is UTF-32LE, not UTF-8; re-encode it: iconv -f UTF-32 -t UTF-8 OLD > NEW"),
            (b"\x7fELF", "this is not text: the file is a program; check the file name"),
            (
                b"%PDF-1.7\n",
                "this is not text: the file is a PDF document; extract the text from it first, for example with pdftotext",
            ),
        ];
        for (head, sentence) in cases {
            assert_eq!(refuse_what_is_not_text(head).unwrap_err().to_string(), *sentence);
        }
        for text in ["", "Hello", "%PDF-1.7 is a format", "PK is a name", "\u{feff}BOM"] {
            assert!(refuse_what_is_not_text(text.as_bytes()).is_ok());
        }
        let mut tar = vec![b'a', 0];
        tar.resize(257, 0);
        tar.extend(b"ustar\0");
        assert!(refuse_what_is_not_text(&tar).unwrap_err().what.contains("tar archive"));
    }

    #[test]
    fn waits_only_while_a_mark_may_be_coming() {
        assert!(undecided(b"\x1f") && undecided(b"\xef\xbb") && undecided(b"\x50\x2a"));
        assert!(!undecided(b"\n") && !undecided(b"a") && !undecided(b"\x1f\x8b") && !undecided(b"Pa"));
    }
}
