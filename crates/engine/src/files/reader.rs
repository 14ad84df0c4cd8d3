//! Opening containers: everything is checked before anything is believed.

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytemuck::Pod;
use xxhash_rust::xxh3::xxh3_64;

use super::layout::{AGAIN, ENTRY_BYTES, Element, HEADER_BYTES, Header, MOST_SECTIONS, SectionInfo, align};
use super::mapped::MappedBytes;
use super::section::Section;
use crate::{Error, Result};

/// How much of a container is checked when it is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verify {
    /// Every byte: reads the whole file once and leaves it in the page cache.
    Full,
    /// Header, table, bounds and padding, but not the sections' contents: takes no longer for a larger file.
    Structure,
}

/// Bytes a container may have if nobody says otherwise; `tolka.limits` has the same default.
pub const MOST_BYTES: u64 = 1 << 40;

/// An open container. Cloning it is cheap and gives another handle on the same mapping.
#[derive(Debug, Clone)]
pub struct Container(Arc<Opened>);

#[derive(Debug)]
struct Opened {
    bytes: MappedBytes,
    header: Header,
    sections: Vec<SectionInfo>,
    path: Option<PathBuf>,
}

impl Container {
    /// Maps the file and checks it; it must be of the expected kind.
    pub fn open(path: impl AsRef<Path>, expected_kind: &str, verify: Verify) -> Result<Self> {
        Self::open_within(path, Some(expected_kind), verify, MOST_BYTES)
    }

    /// Like [`Container::open`], for any kind if none is given, and with a limit on the file's size.
    pub fn open_within(path: impl AsRef<Path>, kind: Option<&str>, verify: Verify, most_bytes: u64) -> Result<Self> {
        let path = path.as_ref();
        let bytes = MappedBytes::open(path, most_bytes)?;
        Self::check(bytes, kind, verify, Some(path.to_owned())).map_err(|error| error.at_path(path))
    }

    /// Opens a container that is in memory.
    pub fn from_bytes(bytes: &[u8], kind: Option<&str>, verify: Verify) -> Result<Self> {
        Self::check(MappedBytes::copy_of(bytes), kind, verify, None)
    }

    fn check(bytes: MappedBytes, kind: Option<&str>, verify: Verify, path: Option<PathBuf>) -> Result<Self> {
        let header = Header::decode(&bytes)?;
        if let Some(kind) = kind
            && kind != header.kind
        {
            let what = format!("the file holds {}, not {kind}", header.kind);
            return Err(Error::format(what).hint("name a file of the right kind"));
        }
        let sections = read_table(&bytes, &header)?;
        let container = Self(Arc::new(Opened { bytes, header, sections, path }));
        match verify {
            Verify::Full => container.verify()?,
            Verify::Structure => {}
        }
        Ok(container)
    }

    /// Compares every section with its checksum, as [`Verify::Full`] does on opening.
    pub fn verify(&self) -> Result<()> {
        for info in &self.0.sections {
            if xxh3_64(&self.0.bytes[range(info)]) != info.checksum {
                let what = format!("section {} is damaged: its checksum does not fit", info.name);
                return Err(self.error(what).hint(AGAIN));
            }
        }
        Ok(())
    }

    /// What the container holds.
    pub fn kind(&self) -> &str {
        &self.0.header.kind
    }

    /// The version of what it holds.
    pub fn kind_version(&self) -> u32 {
        self.0.header.kind_version
    }

    /// The version of what it holds, if the caller can read it: one up to `newest`.
    pub fn kind_version_up_to(&self, newest: u32) -> Result<u32> {
        let version = self.kind_version();
        if version <= newest {
            return Ok(version);
        }
        let what = format!("the file holds {} of version {version}; this tolka reads up to {newest}", self.kind());
        Err(self.error(what).hint("it was made by a newer tolka: upgrade"))
    }

    /// Where it was opened, unless in memory.
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// What it consists of, in the order it was written.
    pub fn sections(&self) -> &[SectionInfo] {
        &self.0.sections
    }

    /// The bytes of a section, whatever its elements are.
    pub fn bytes(&self, name: &str) -> Result<&[u8]> {
        Ok(&self.0.bytes[range(self.find(name)?)])
    }

    /// The elements of a section, where they are mapped.
    pub fn slice<T: Pod>(&self, name: &str) -> Result<&[T]> {
        Ok(self.view(self.typed::<T>(name)?))
    }

    /// Like [`Container::slice`], as an owned handle.
    pub fn section<T: Pod>(&self, name: &str) -> Result<Section<T>> {
        Ok(Section::mapped(self.clone(), self.typed::<T>(name)?))
    }

    /// An error of kind Format in this container, for what only the owner of a kind can check.
    pub fn error(&self, what: impl Into<String>) -> Error {
        let error = Error::format(what);
        match self.path() {
            Some(path) => error.at_path(path),
            None => error,
        }
    }

    /// Elements at a range that [`Container::typed`] has checked for the same type.
    #[inline]
    pub(super) fn view<T: Pod>(&self, range: Range<usize>) -> &[T] {
        bytemuck::cast_slice(&self.0.bytes[range])
    }

    fn find(&self, name: &str) -> Result<&SectionInfo> {
        let found = self.0.sections.iter().find(|info| info.name == name);
        found.ok_or_else(|| self.error(format!("the container of {} has no section {name}", self.kind())))
    }

    /// Where a section is, if its elements are `T`. Offsets are multiples of 64 from an aligned start and lengths
    /// multiples of the element size (both checked on opening), so any `T` of that size can be viewed there.
    fn typed<T: Pod>(&self, name: &str) -> Result<Range<usize>> {
        let info = self.find(name)?;
        let wanted = Element::of::<T>()?;
        if info.element != wanted {
            return Err(self.error(format!("section {name} holds {}, not {wanted}", info.element)));
        }
        Ok(range(info))
    }
}

/// The bytes of a section that [`read_table`] has found to lie in the file.
fn range(info: &SectionInfo) -> Range<usize> {
    info.offset as usize..(info.offset + info.bytes) as usize
}

/// Reads the section table; sections must follow each other without overlap or gap but zero padding.
fn read_table(file: &[u8], header: &Header) -> Result<Vec<SectionInfo>> {
    let damaged = |what: String| Error::format(what).hint(AGAIN);
    // `Header::decode` has made sure that `file_length` is the length of `file`.
    let table_bytes = header.file_length.checked_sub(header.table_offset);
    let table_bytes = match table_bytes {
        Some(bytes) if bytes % ENTRY_BYTES as u64 == 0 && header.table_offset >= HEADER_BYTES as u64 => bytes,
        _ => return Err(damaged("the section table lies outside of the file".to_owned())),
    };
    let count = table_bytes / ENTRY_BYTES as u64;
    if count > MOST_SECTIONS {
        return Err(Error::limit(format!("the file has {count} sections; the limit is {MOST_SECTIONS}")));
    }
    let table = &file[header.table_offset as usize..];
    if xxh3_64(table) != header.table_checksum {
        return Err(damaged("the section table is damaged: its checksum does not fit".to_owned()));
    }

    let mut sections = Vec::with_capacity(count as usize);
    let mut names = HashSet::with_capacity(count as usize);
    let mut next = HEADER_BYTES as u64;
    for entry in table.chunks_exact(ENTRY_BYTES) {
        let info = SectionInfo::decode(entry)?;
        let name = &info.name;
        if info.offset != next {
            return Err(damaged(format!("section {name} starts at byte {}, not {next}", info.offset)));
        }
        let end = info.offset.checked_add(info.bytes);
        let padded_end = end.and_then(align).filter(|&end| end <= header.table_offset);
        let (Some(end), Some(padded_end)) = (end, padded_end) else {
            return Err(damaged(format!("section {name} of {} bytes goes beyond the sections' end", info.bytes)));
        };
        if file[end as usize..padded_end as usize].iter().any(|&byte| byte != 0) {
            return Err(damaged(format!("the padding after section {name} is not zero")).at_byte(end + 1));
        }
        if !names.insert(name.clone()) {
            return Err(damaged(format!("there are two sections called {name}")));
        }
        next = padded_end;
        sections.push(info);
    }
    if next != header.table_offset {
        return Err(damaged(format!("the sections end at byte {next}, not {}", header.table_offset)));
    }
    Ok(sections)
}
