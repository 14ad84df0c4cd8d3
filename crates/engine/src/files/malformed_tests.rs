//! Containers there and back, and every way of damaging one that we know.

use std::fs;
use std::path::Path;

use bytemuck::{Pod, Zeroable};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::reseal::reseal;
use super::*;
use crate::{Error, Kind, Result};

#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
struct Node {
    word: u32,
    score: f32,
}

const NODES: [Node; 3] = [Node { word: 7, score: -0.5 }, Node { word: 8, score: 0.25 }, Node { word: 9, score: 1.0 }];

/// Sections of several types and lengths: empty, one that needs padding, one that fills 64 bytes exactly.
fn fill<W: std::io::Write + std::io::Seek>(writer: &mut ContainerWriter<W>) -> Result<()> {
    writer.section("counts", &[1_u32, 2, 3, 4, 5])?;
    writer.section::<f64>("empty", &[])?;
    writer.section("nodes", &NODES)?;
    writer.section("exact", &[0xff_u8; 64])?;
    let mut streamed = writer.begin::<i64>("streamed")?;
    for chunk in (-10..10_i64).collect::<Vec<_>>().chunks(7) {
        streamed.extend(chunk)?;
    }
    assert_eq!(streamed.len(), 20);
    streamed.end()
}

fn small() -> Vec<u8> {
    let mut writer = ContainerWriter::in_memory("test", 3).unwrap();
    fill(&mut writer).unwrap();
    writer.into_bytes().unwrap()
}

fn open(bytes: &[u8]) -> Result<Container> {
    Container::from_bytes(bytes, Some("test"), Verify::Full)
}

/// Uses everything an open container offers.
fn exercise(container: &Container) {
    let mut total = 0;
    for info in container.sections() {
        total += container.bytes(&info.name).unwrap().len() as u64;
        assert_eq!(info.len() * u64::from(info.element.size()), info.bytes);
        let _ = container.slice::<u32>(&info.name);
        let _ = container.slice::<f64>(&info.name);
        if let Ok(section) = container.section::<Node>(&info.name) {
            assert_eq!(section.len() as u64, info.len());
        }
    }
    assert_eq!(total, container.sections().iter().map(|info| info.bytes).sum::<u64>());
}

/// An error is of the right family and not empty.
fn assert_refused(error: &Error) {
    assert!(matches!(error.kind, Kind::Format | Kind::Limit), "{error:?}");
    assert!(!error.what.is_empty());
}

fn names(directory: &Path) -> Vec<std::ffi::OsString> {
    fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name()).collect()
}

#[test]
fn what_was_written_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("small.tlk");
    let mut writer = ContainerWriter::create(&path, "test", 3).unwrap();
    fill(&mut writer).unwrap();
    writer.finish().unwrap();
    assert_eq!(fs::read(&path).unwrap(), small());
    assert_eq!(names(directory.path()), ["small.tlk"]);

    for verify in [Verify::Full, Verify::Structure] {
        let container = Container::open(&path, "test", verify).unwrap();
        assert_eq!((container.kind(), container.kind_version()), ("test", 3));
        assert_eq!(container.path(), Some(path.as_path()));
        assert_eq!(container.slice::<u32>("counts").unwrap(), [1, 2, 3, 4, 5]);
        assert!(container.slice::<f64>("empty").unwrap().is_empty());
        assert_eq!(container.bytes("exact").unwrap(), [0xff; 64]);
        assert_eq!(container.slice::<i64>("streamed").unwrap(), (-10..10).collect::<Vec<_>>());
        let nodes = container.section::<Node>("nodes").unwrap();
        let listed: Vec<_> = container.sections().iter().map(|info| (info.name.as_str(), info.len())).collect();
        assert_eq!(listed, [("counts", 5), ("empty", 0), ("nodes", 3), ("exact", 64), ("streamed", 20)]);
        exercise(&container);
        drop(container);
        let again = nodes.clone();
        drop(nodes);
        assert_eq!(again[..], NODES);
    }
    assert_eq!(Section::from(NODES.to_vec())[..], NODES);
    assert!(Section::<u32>::default().is_empty());
}

#[test]
fn a_replaced_file_lives_on_in_its_readers() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("table.tlk");
    let save = |value: u32| {
        let mut writer = ContainerWriter::create(&path, "test", 1).unwrap();
        writer.section("value", &vec![value; 5000]).unwrap();
        writer.finish().unwrap();
    };
    save(1);
    let old = Container::open(&path, "test", Verify::Structure).unwrap();
    save(2);
    assert!(old.slice::<u32>("value").unwrap().iter().all(|&value| value == 1));
    assert_eq!(Container::open(&path, "test", Verify::Full).unwrap().slice::<u32>("value").unwrap()[4999], 2);
}

#[test]
fn a_container_without_sections_is_fine() {
    let bytes = ContainerWriter::in_memory("test", 0).unwrap().into_bytes().unwrap();
    assert_eq!(bytes.len(), 64);
    assert!(open(&bytes).unwrap().sections().is_empty());
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    let bytes = small();
    for length in 0..bytes.len() {
        for verify in [Verify::Full, Verify::Structure] {
            assert_refused(&Container::from_bytes(&bytes[..length], Some("test"), verify).unwrap_err());
        }
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cut.tlk");
    for length in [0, 1, 8, 63, 64, 65, bytes.len() - 1] {
        fs::write(&path, &bytes[..length]).unwrap();
        let error = Container::open(&path, "test", Verify::Structure).unwrap_err();
        assert_refused(&error);
        assert_eq!(error.place.path.as_deref(), Some(path.as_path()));
    }
    assert_refused(&open(&[&bytes[..], &[0]].concat()).unwrap_err());
}

#[test]
fn every_flipped_bit_is_found() {
    let mut bytes = small();
    for position in 0..bytes.len() {
        for bit in 0..8 {
            bytes[position] ^= 1 << bit;
            assert_refused(&open(&bytes).expect_err(&format!("bit {bit} of byte {position}")));
            // Without the contents' checksums the structure must still hold.
            if let Ok(container) = Container::from_bytes(&bytes, Some("test"), Verify::Structure) {
                exercise(&container);
                assert_refused(&container.verify().unwrap_err());
            }
            bytes[position] ^= 1 << bit;
        }
    }
    open(&bytes).unwrap();
}

/// Damages a small file, makes the checksums fit, and gives what the reader says.
fn refusal(damage: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut bytes = small();
    damage(&mut bytes);
    reseal(&mut bytes);
    let error = open(&bytes).unwrap_err();
    assert_refused(&error);
    error.to_string()
}

#[test]
fn each_check_behind_the_checksums_holds() {
    let table = small().len() - 5 * 64;
    let put =
        |at: usize, value: u64| move |bytes: &mut Vec<u8>| bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
    let text =
        |at: usize, text: &'static [u8]| move |bytes: &mut Vec<u8>| bytes[at..at + text.len()].copy_from_slice(text);

    assert!(refusal(text(0, b"\x89tlk")).contains("unfinished"));
    assert_eq!(
        refusal(text(8, &[2])),
        "the file has container format 2; this tolka reads up to 1; it was made by a newer tolka: upgrade"
    );
    assert!(refusal(text(8, &[0])).contains("header is damaged"));
    assert!(refusal(text(16, b"TEST")).contains("no valid kind"));
    assert!(refusal(text(16, b"t\0st")).contains("no valid kind"));
    assert_eq!(refusal(text(16, b"toast")), "the file holds toast, not test; name a file of the right kind");
    for offset in [0, 1, 32, table as u64 - 1, table as u64 + 1, u64::MAX, 1 << 63] {
        assert!(refusal(put(40, offset)).contains("table lies outside"), "{offset}");
    }
    assert!(refusal(put(40, table as u64 - 64)).contains("malformed entry"));
    assert!(refusal(put(40, table as u64 + 64)).contains("section empty starts at byte 128, not 64"));
    for length in [0, 64, u64::MAX] {
        assert!(refusal(put(48, length)).contains("bytes instead of"), "{length}");
    }
    assert!(refusal(text(table, b"Counts")).contains("malformed entry"));
    assert!(refusal(text(table, b"\0\0\0\0\0\0")).contains("malformed entry"));
    assert!(refusal(text(table, b"nodes\0")).contains("two sections called nodes"));
    assert!(refusal(text(table + 24, b"u31")).contains("unknown type u31 of 4 bytes"));
    assert!(refusal(text(table + 32, &[8])).contains("unknown type u32 of 8 bytes"));
    assert!(refusal(text(table + 2 * 64 + 32, &[0])).contains("unknown type record of 0 bytes"));
    assert!(refusal(text(table + 36, &[1])).contains("malformed entry"));
    for offset in [0, 65, 128, u64::MAX, u64::MAX - 19] {
        assert!(refusal(put(table + 40, offset)).contains("section counts starts at byte"), "{offset}");
    }
    assert!(refusal(put(table + 48, 19)).contains("no multiple of its 4-byte elements"));
    for length in [table as u64, u64::MAX - 3, u64::MAX - 63, 1 << 63] {
        assert!(refusal(put(table + 48, length)).contains("beyond the sections' end"), "{length}");
    }
    assert!(refusal(put(table + 48, 128)).contains("section empty starts at byte 128, not 192"));
    assert!(refusal(put(table + 48, 16)).contains("byte 81: the padding after section counts is not zero"));
    assert!(refusal(put(table + 4 * 64 + 48, 8)).contains("padding after section streamed"));
    assert!(refusal(text(64 + 20, &[1])).contains("byte 85: the padding"));
}

#[test]
fn too_much_is_a_limit() {
    let mut bytes = small();
    let table = bytes.len();
    bytes.resize(table + 64 * 5000, 0);
    bytes[40..48].copy_from_slice(&(table as u64).to_le_bytes());
    let length = bytes.len() as u64;
    bytes[48..56].copy_from_slice(&length.to_le_bytes());
    reseal(&mut bytes);
    assert_eq!(open(&bytes).unwrap_err().kind, Kind::Limit);

    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("small.tlk");
    fs::write(&path, small()).unwrap();
    let error = Container::open_within(&path, None, Verify::Full, 100).unwrap_err();
    assert_eq!(error.kind, Kind::Limit);
}

#[test]
fn what_is_asked_wrongly_is_said() {
    let container = open(&small()).unwrap();
    assert_eq!(container.slice::<f32>("counts").unwrap_err().to_string(), "section counts holds u32, not f32");
    assert_eq!(
        container.slice::<[u32; 3]>("nodes").unwrap_err().to_string(),
        "section nodes holds record of 8 bytes, not record of 12 bytes"
    );
    assert!(container.section::<u32>("none").unwrap_err().to_string().contains("no section none"));
    assert!(container.slice::<usize>("counts").unwrap_err().to_string().contains("differs between machines"));
    assert!(container.slice::<[u32; 0]>("counts").is_err());
    assert_eq!(container.kind_version_up_to(3).unwrap(), 3);
    assert!(container.kind_version_up_to(2).unwrap_err().to_string().contains("upgrade"));

    let directory = tempfile::tempdir().unwrap();
    assert_eq!(Container::open(directory.path(), "test", Verify::Full).unwrap_err().kind, Kind::File);
    assert_eq!(Container::open(directory.path().join("none"), "test", Verify::Full).unwrap_err().kind, Kind::File);
    assert_eq!(Container::open("/dev/zero", "test", Verify::Full).unwrap_err().kind, Kind::File);
}

#[test]
fn a_writer_refuses_nonsense_and_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.tlk");
    for kind in ["", "Kind", "-kind", "a kind", "kindkindkindkindk", "sl\u{e4}kt"] {
        assert_eq!(ContainerWriter::create(&path, kind, 1).unwrap_err().kind, Kind::Settings);
    }
    let mut writer = ContainerWriter::create(&path, "test", 1).unwrap();
    writer.section("a", &[1_u8]).unwrap();
    assert_eq!(writer.section("a", &[1_u8]).unwrap_err().kind, Kind::Settings);
    assert!(writer.section("b c", &[1_u8]).is_err());
    assert!(writer.section("machine", &[1_usize]).is_err());
    assert!(writer.section_of("odd", Element::U32, &[1, 2, 3]).is_err());
    assert!(writer.section_of("nothing", Element::Record(0), &[]).is_err());
    writer.section_of("even", Element::U32, &[1, 0, 0, 0]).unwrap();
    let mut begun = writer.begin::<u32>("begun").unwrap();
    begun.extend(&[1]).unwrap();
    drop(begun);
    assert!(writer.section("later", &[1_u8]).unwrap_err().what.contains("not ended"));
    assert!(writer.finish().unwrap_err().what.contains("not ended"));
    assert!(names(directory.path()).is_empty());

    let unfinished = ContainerWriter::create(&path, "test", 1).unwrap();
    let temporary = names(directory.path()).remove(0);
    drop(unfinished);
    assert!(temporary.to_str().unwrap().ends_with(".tmp"));
    assert!(names(directory.path()).is_empty());
}

#[test]
fn a_full_disk_is_said_wherever_it_happens() {
    /// Accepts so many bytes and no more.
    struct Full(std::io::Cursor<Vec<u8>>, usize);
    impl std::io::Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            if self.0.position() as usize + bytes.len() > self.1 {
                return Err(std::io::ErrorKind::StorageFull.into());
            }
            self.0.write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    impl std::io::Seek for Full {
        fn seek(&mut self, position: std::io::SeekFrom) -> std::io::Result<u64> {
            self.0.seek(position)
        }
    }
    let whole = small().len();
    for room in 0..whole {
        let disk = Full(std::io::Cursor::default(), room);
        let failed = ContainerWriter::on(disk, Path::new("disk"), "test", 3)
            .and_then(|mut writer| fill(&mut writer).and_then(|()| writer.complete()));
        assert_eq!(failed.unwrap_err().kind, Kind::File, "{room} bytes");
    }
    let mut writer =
        ContainerWriter::on(Full(std::io::Cursor::default(), whole), Path::new("disk"), "test", 3).unwrap();
    fill(&mut writer).unwrap();
    writer.complete().unwrap();
}

#[derive(Debug, Clone)]
enum Damage {
    Byte(Index, u8),
    Number(Index, u64),
    Cut(Index),
    Repeat(Index, Index),
}

fn damage() -> impl Strategy<Value = Damage> {
    let number = prop_oneof![any::<u64>(), 0..2048_u64, Just(u64::MAX), Just(u64::MAX - 63), Just(1 << 63)];
    prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Damage::Byte(at, byte)),
        (any::<Index>(), number).prop_map(|(at, value)| Damage::Number(at, value)),
        any::<Index>().prop_map(Damage::Cut),
        (any::<Index>(), any::<Index>()).prop_map(|(from, to)| Damage::Repeat(from, to)),
    ]
}

fn apply(bytes: &mut Vec<u8>, damage: &Damage) {
    let words = bytes.len() / 8;
    match damage {
        _ if words == 0 => {}
        Damage::Byte(at, byte) => {
            let at = at.index(bytes.len());
            bytes[at] = *byte;
        }
        Damage::Number(at, value) => {
            let at = 8 * at.index(words);
            bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        }
        Damage::Cut(at) => bytes.truncate(at.index(bytes.len())),
        Damage::Repeat(from, to) => {
            let (from, to) = (8 * from.index(words), 8 * to.index(words));
            let length = 64.min(bytes.len() - from.max(to));
            bytes.copy_within(from..from + length, to);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_never_panic(mut bytes in vec(any::<u8>(), 0..600), magic: bool, seal: bool) {
        if magic && bytes.len() >= 12 {
            bytes[..12].copy_from_slice(b"\x89TLK\r\n\x1a\n\x01\0\0\0");
        }
        if seal {
            reseal(&mut bytes);
        }
        match Container::from_bytes(&bytes, None, Verify::Full) {
            Ok(container) => exercise(&container),
            Err(error) => assert_refused(&error),
        }
    }

    #[test]
    fn damaged_files_never_panic(damages in vec(damage(), 1..4), seal in 0..4_u8) {
        let mut bytes = small();
        for damage in &damages {
            apply(&mut bytes, damage);
        }
        if seal > 0 {
            reseal(&mut bytes);
        }
        for verify in [Verify::Full, Verify::Structure] {
            match Container::from_bytes(&bytes, None, verify) {
                Ok(container) => exercise(&container),
                Err(error) => assert_refused(&error),
            }
        }
    }

    #[test]
    fn any_sections_come_back(sections in vec((vec(any::<u16>(), 0..200), 1..50_usize), 0..8)) {
        let mut writer = ContainerWriter::in_memory("test", 1).unwrap();
        for (number, (elements, piece)) in sections.iter().enumerate() {
            let mut section = writer.begin::<u16>(&format!("section.{number}")).unwrap();
            for part in elements.chunks(*piece) {
                section.extend(part).unwrap();
            }
            section.end().unwrap();
        }
        let container = open(&writer.into_bytes().unwrap()).unwrap();
        for (number, (elements, _)) in sections.iter().enumerate() {
            prop_assert_eq!(container.slice::<u16>(&format!("section.{number}")).unwrap(), &elements[..]);
        }
        prop_assert_eq!(container.sections().len(), sections.len());
    }
}
