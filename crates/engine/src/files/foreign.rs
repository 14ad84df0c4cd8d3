//! What a file is that is no container, told from its first bytes, so that the error can say what to do.

use super::layout::MAGIC;
use crate::Error;

/// First bytes of files that people open by mistake.
const KNOWN: &[(&[u8], &str, &str)] = &[
    (b"mmap lm ", "is a KenLM binary", "tolka reads ARPA: give it the ARPA file the binary was built from"),
    (b"\\data\\", "is an ARPA language model, not a compiled one", "convert it with `tolka lm`"),
    (b"\x1f\x8b", "is compressed with gzip", "decompress it first"),
    (b"\xfd7zXZ\0", "is compressed with xz", "decompress it first"),
    (b"\x28\xb5\x2f\xfd", "is compressed with zstd", "decompress it first"),
    (b"BZh", "is compressed with bzip2", "decompress it first"),
    (b"PK\x03\x04", "is a zip archive", "unpack it, or name a file that tolka wrote"),
    (b"\x80\x02", "is a Python pickle, which tolka never opens", ""),
    (b"\x80\x03", "is a Python pickle, which tolka never opens", ""),
    (b"\x80\x04", "is a Python pickle, which tolka never opens", ""),
    (b"\x80\x05", "is a Python pickle, which tolka never opens", ""),
    (b"\x93NUMPY", "is a NumPy array", "name a file that tolka wrote"),
    (b"\x7fELF", "is a program", "name a file that tolka wrote"),
];

/// Says what a file is that does not start with our magic.
pub(super) fn explain(file: &[u8]) -> Error {
    if file.is_empty() {
        return Error::format("the file is empty");
    }
    if MAGIC.starts_with(file) {
        return Error::format(format!("the file is cut off: it has only {} bytes", file.len()));
    }
    if is_damaged_magic(file) {
        return Error::format("the file was damaged by a transfer in text mode").hint("copy it again in binary mode");
    }
    for (start, what, hint) in KNOWN {
        if file.starts_with(start) {
            return Error::format(format!("the file {what}")).hint(*hint);
        }
    }
    let what =
        if is_text(file) { "the file is text, not a tolka container" } else { "the file is not a tolka container" };
    Error::format(what).hint("name a file that tolka wrote")
}

/// The magic after a translation of line ends, with its high bit cut off, or as UTF-8 of Latin-1.
fn is_damaged_magic(file: &[u8]) -> bool {
    const DAMAGED: &[&[u8]] = &[
        b"\x89TLK\n",         // \r\n to \n
        b"\x89TLK\r\r",       // \n to \r\n
        b"\x89TLK\r\x1a",     // \n dropped
        b"\x89TLK\r\n\x1a\r", // \n to \r\n, only where it stands alone
        b"\x09TLK\r",         // seven bits
        b"\x09TLK\n",
        b"\xc2\x89TLK",     // recoded to UTF-8
        b"\xef\xbf\xbdTLK", // decoded with replacement characters
    ];
    DAMAGED.iter().any(|damaged| file.starts_with(damaged))
}

/// Whether the first bytes are UTF-8 without control characters; the last character may be cut.
fn is_text(file: &[u8]) -> bool {
    let start = &file[..file.len().min(512)];
    let valid = match std::str::from_utf8(start) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() && error.valid_up_to() > 0 => {
            std::str::from_utf8(&start[..error.valid_up_to()]).unwrap_or("")
        }
        Err(_) => return false,
    };
    !valid.is_empty() && valid.chars().all(|c| !c.is_control() || "\t\n\r\x0c\u{85}".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_files_are_named() {
        let cases: &[(&[u8], &str)] = &[
            (b"", "the file is empty"),
            (b"\x89TLK", "the file is cut off: it has only 4 bytes"),
            (b"\x89TLK\n\x1a\n\x01\0", "the file was damaged by a transfer in text mode; copy it again in binary mode"),
            (
                b"mmap lm http://kheafield.com/code format version 5\n\0",
                "the file is a KenLM binary; tolka reads ARPA: give it the ARPA file the binary was built from",
            ),
            (b"\x1f\x8b\x08\0", "the file is compressed with gzip; decompress it first"),
            (b"\x80\x04\x95", "the file is a Python pickle, which tolka never opens"),
            (
                "das Haus\tthe hous\u{e9}\n".as_bytes(),
                "the file is text, not a tolka container; name a file that tolka wrote",
            ),
            (b"\0\x01\x02\x03", "the file is not a tolka container; name a file that tolka wrote"),
            (b"\xff\xfe\xfd", "the file is not a tolka container; name a file that tolka wrote"),
        ];
        for (bytes, sentence) in cases {
            assert_eq!(explain(bytes).to_string(), *sentence);
        }
        let cut_character = [&b"a".repeat(511)[..], "\u{e9}".as_bytes()].concat();
        assert!(is_text(&cut_character));
    }
}
