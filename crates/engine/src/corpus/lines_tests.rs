use std::io::{self, Cursor};

use proptest::prelude::*;

use super::*;
use crate::Kind;
use crate::corpus::decompress::tests::{COMPRESSED, compress};

type Outcome = (Vec<String>, Option<(Kind, Option<u64>, Option<u64>)>);

fn open(data: &[u8], limits: &ReadLimits, block: usize, repair: bool) -> Result<LineReader> {
    let mut reader = LineReader::new(Box::new(Cursor::new(data.to_vec())), Path::new("a"), limits)?.repairing(repair);
    reader.block = vec![0; block];
    Ok(reader)
}

fn outcome(data: &[u8], limits: &ReadLimits, block: usize, repair: bool) -> Outcome {
    let place = |error: Error| Some((error.kind, error.place.line, error.place.byte));
    let mut reader = match open(data, limits, block, repair) {
        Ok(reader) => reader,
        Err(error) => return (Vec::new(), place(error)),
    };
    let mut lines = Vec::new();
    loop {
        match reader.next_line() {
            Ok(Some(line)) => lines.push(line.to_string()),
            Ok(None) => {
                assert!(reader.next_line().unwrap().is_none());
                assert_eq!(reader.lines(), lines.len() as u64);
                return (lines, None);
            }
            Err(error) => {
                assert_eq!(reader.next_line().unwrap_err(), error);
                return (lines, place(error));
            }
        }
    }
}

fn lines(data: impl AsRef<[u8]>) -> Vec<String> {
    let (lines, error) = outcome(data.as_ref(), &ReadLimits::default(), 4, false);
    assert_eq!(error, None);
    lines
}

fn error(data: impl AsRef<[u8]>) -> Error {
    let mut reader = match open(data.as_ref(), &ReadLimits::default(), 4, false) {
        Ok(reader) => reader,
        Err(error) => return error,
    };
    loop {
        match reader.next_line() {
            Ok(line) => assert!(line.is_some(), "no error"),
            Err(error) => return error,
        }
    }
}

#[test]
fn only_lf_and_crlf_end_lines() {
    assert_eq!(lines(""), [""; 0]);
    assert_eq!(lines("\n"), [""]);
    assert_eq!(lines("a\n\nb"), ["a", "", "b"]);
    assert_eq!(lines("a\r\nb\r\n"), ["a", "b"]);
    assert_eq!(lines("a\r\r\nb\rc\r"), ["a\r", "b\rc\r"]);
    let odd = "a\u{2028}b\u{2029}c\u{85}d\u{b}e\u{c}f\u{1c}g";
    assert_eq!(lines(odd), [odd]);
}

#[test]
fn a_byte_order_mark_is_dropped_only_at_the_start() {
    assert_eq!(lines("\u{feff}a\n\u{feff}b\n"), ["a", "\u{feff}b"]);
    assert_eq!(lines("\u{feff}"), [""; 0]);
    assert_eq!(lines("\u{feff}\u{feff}a"), ["\u{feff}a"]);
}

#[test]
fn errors_say_where_and_what_to_do() {
    assert_eq!(
        error(b"abc\nd\xc3\xa4\xe4f\n").to_string(),
        "a, line 2, byte 4: not valid UTF-8 (byte 0xE4); re-encode the file, for example: \
         iconv -f WINDOWS-1252 -t UTF-8; or repair it with: tolka corpus convert --repair"
    );
    let place = |error: Error| (error.kind, error.place.line, error.place.byte);
    assert_eq!(place(error(b"\xef\xbb\xbfab\xff")), (Kind::Input, Some(1), Some(6)));
    assert_eq!(place(error(b"a\nbc\0")), (Kind::Input, Some(2), Some(3)));
    assert_eq!(place(error(b"a\nb\xe2\x82")), (Kind::Input, Some(2), Some(2)));
    assert_eq!(place(error(b"\xff\xfea\0")), (Kind::Input, None, None));
    assert_eq!(place(error(b"a\n\xed\xa0\x80")), (Kind::Input, Some(2), Some(1)));
}

#[test]
fn repair_replaces_and_counts() {
    let data = b"a\xff\xfeb\0\nc\xe2\x82\n\xf0\x9f\x98";
    let mut reader = open(data, &ReadLimits::default(), 4, true).unwrap();
    assert_eq!(reader.next_line().unwrap(), Some("a\u{fffd}\u{fffd}b\u{fffd}"));
    assert_eq!(reader.next_line().unwrap(), Some("c\u{fffd}"));
    assert_eq!(reader.next_line().unwrap(), Some("\u{fffd}"));
    assert_eq!(reader.next_line().unwrap(), None);
    assert_eq!(reader.repairs(), 5);
}

#[test]
fn the_line_limit_is_exact() {
    let limits = ReadLimits { line_bytes: 5, ..ReadLimits::default() };
    for block in 4..20 {
        for fine in ["12345", "12345\n", "12345\r\n", "1234\r", "\n12345\r\n12345"] {
            assert_eq!(outcome(fine.as_bytes(), &limits, block, false).1, None, "{fine:?}");
        }
        for long in ["123456", "123456\n", "12345\r", "12345\r\r\n", "123456\r\n"] {
            assert_eq!(
                outcome(long.as_bytes(), &limits, block, false).1,
                Some((Kind::Limit, Some(1), None)),
                "{long:?}"
            );
        }
    }
}

#[test]
fn compressed_text_is_read_to_the_damage() {
    let text: String = (0..20_000).map(|i| format!("Zeile {i} äöü\n")).collect();
    for compression in COMPRESSED {
        let stored = compress(text.as_bytes(), compression);
        let expected: Vec<_> = text.split_terminator('\n').map(str::to_string).collect();
        assert_eq!(outcome(&stored, &ReadLimits::default(), BLOCK_BYTES, false), (expected.clone(), None));
        let (got, error) = outcome(&stored[..stored.len() / 2], &ReadLimits::default(), BLOCK_BYTES, false);
        assert_eq!(error, Some((Kind::Format, None, None)));
        assert!(expected.starts_with(&got));
    }
}

#[test]
fn lines_come_as_soon_as_they_are_there() {
    /// Gives its pieces one read at a time, as a terminal does, and panics when asked for more than it has.
    struct Terminal(Vec<&'static [u8]>);
    impl Read for Terminal {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let piece = self.0.remove(0);
            buffer[..piece.len()].copy_from_slice(piece);
            Ok(piece.len())
        }
    }
    let terminal = Terminal(vec![b"a\n", b"b\nc", b"\n"]);
    let mut reader = LineReader::new(Box::new(terminal), Path::new("-"), &ReadLimits::default()).unwrap();
    assert_eq!(reader.next_line().unwrap(), Some("a"));
    assert!(!reader.has_line());
    assert_eq!(reader.next_line().unwrap(), Some("b"));
    assert!(!reader.has_line());
    assert_eq!(reader.next_line().unwrap(), Some("c"));
}

#[test]
fn the_rest_can_be_counted() {
    let mut reader = open(b"a\nb\nc\nd", &ReadLimits::default(), 4, false).unwrap();
    reader.next_line().unwrap();
    assert_eq!((reader.count_rest().unwrap(), reader.lines()), (3, 4));
}

#[test]
fn a_missing_file_is_named() {
    let error = LineReader::open(Path::new("no/such/file"), &ReadLimits::default()).err().unwrap();
    assert_eq!(error.kind, Kind::File);
    assert!(error.to_string().starts_with("no/such/file: "));
}

/// Bytes in which line ends, marks and broken characters are frequent.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"\n".to_vec()),
        Just(b"\r".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(UTF8_BOM.to_vec()),
        Just(vec![0xe2, 0x82, 0xac]),
        Just(vec![0xf0, 0x9f, 0x98, 0x80]),
        Just(vec![0xe2, 0x82]),
        Just(vec![0]),
        Just(b"abc".to_vec()),
        any::<u8>().prop_map(|byte| vec![byte]),
        "\\PC".prop_map(String::into_bytes),
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

/// What the reader should do, said plainly: split at LF first, then look at each line.
fn plain_outcome(data: &[u8], limit: usize) -> Outcome {
    let mark = if data.starts_with(UTF8_BOM) { 3 } else { 0 };
    let mut lines = Vec::new();
    let mut pieces: Vec<_> = data[mark..].split(|&byte| byte == b'\n').collect();
    let last = pieces.len() - 1;
    if pieces[last].is_empty() {
        pieces.pop();
    }
    for (index, piece) in pieces.into_iter().enumerate() {
        let number = index as u64 + 1;
        let valid = std::str::from_utf8(piece).map_or_else(|error| error.valid_up_to(), str::len);
        let nul = piece.iter().position(|&byte| byte == 0).unwrap_or(piece.len());
        let good = valid.min(nul);
        if good < piece.len() && good <= limit {
            let byte = good as u64 + 1 + if index == 0 { mark as u64 } else { 0 };
            return (lines, Some((Kind::Input, Some(number), Some(byte))));
        }
        let ended = index < last;
        let text = if ended { piece.strip_suffix(b"\r").unwrap_or(piece) } else { piece };
        if good < piece.len() || text.len() > limit {
            return (lines, Some((Kind::Limit, Some(number), None)));
        }
        lines.push(String::from_utf8(text.to_vec()).unwrap());
    }
    (lines, None)
}

proptest! {
    #[test]
    fn like_the_plain_reader_whatever_the_block(data in bytes(), block in 4_usize..40, limit in 1_u64..40) {
        prop_assume!(refuse_what_is_not_text(&data).is_ok() && !data.starts_with(b"\x1f\x8b"));
        let limits = ReadLimits { line_bytes: limit, ..ReadLimits::default() };
        let expected = plain_outcome(&data, usize::try_from(limit).unwrap());
        prop_assert_eq!(&outcome(&data, &limits, block, false), &expected);
        prop_assert_eq!(&outcome(&data, &limits, BLOCK_BYTES, false), &expected);
    }

    #[test]
    fn repairs_like_the_standard_library(data in bytes(), block in 4_usize..40) {
        prop_assume!(refuse_what_is_not_text(&data).is_ok() && !data.starts_with(b"\x1f\x8b"));
        let (got, error) = outcome(&data, &ReadLimits::default(), block, true);
        prop_assert_eq!(error, None);
        let repaired = String::from_utf8_lossy(&data).replace('\0', "\u{fffd}");
        prop_assert_eq!((got, None), plain_outcome(repaired.as_bytes(), 1 << 20));
    }

    #[test]
    fn never_panics(data in prop::collection::vec(any::<u8>(), 0..200), start in 0_usize..5, block in 4_usize..40) {
        let starts: [&[u8]; 5] = [b"", b"\x1f\x8b\x08\0", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18\x04\0\0\0"];
        let data = [starts[start], &data].concat();
        let _ = outcome(&data, &ReadLimits::default(), block, false);
        let _ = outcome(&data, &ReadLimits::default(), block, true);
    }
}
