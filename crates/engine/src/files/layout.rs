//! The container's bytes: header, sections, section table. `docs/files.md` shows the same as a picture.
//!
//! All numbers are little-endian. The header holds the checksum of the table and of itself, the table those of the
//! sections, and what lies between sections is zero: so every byte of a file is accounted for.

use std::any::TypeId;
use std::mem::{align_of, size_of};

use bytemuck::Pod;
use xxhash_rust::xxh3::xxh3_64;

use super::foreign;
use crate::{Error, Result};

/// Every section, and the table, starts at a multiple of this.
pub const ALIGNMENT: usize = 64;
/// The version of the container format this code writes, and the newest it reads.
pub const FORMAT_VERSION: u32 = 1;
/// Bytes of the longest kind.
pub const KIND_BYTES: usize = 16;
/// Bytes of the longest section name.
pub const NAME_BYTES: usize = 24;
/// Sections one container may have.
pub const MOST_SECTIONS: u64 = 4096;

/// As in PNG: the first byte is not ASCII and the rest changes if line ends are translated or the high bit is cut off.
pub(super) const MAGIC: [u8; 8] = *b"\x89TLK\r\n\x1a\n";
/// What a file starts with until it is complete.
pub(super) const UNFINISHED: [u8; 8] = *b"\x89tlk\r\n\x1a\n";
pub(super) const HEADER_BYTES: usize = 64;
pub(super) const ENTRY_BYTES: usize = 64;

/// The first multiple of [`ALIGNMENT`] that is not below `position`.
pub(super) fn align(position: u64) -> Option<u64> {
    position.checked_next_multiple_of(ALIGNMENT as u64)
}

macro_rules! elements {
    ($($variant:ident $type:ident),*) => {
        /// What the elements of a section are.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Element {
            $(#[doc = concat!("`", stringify!($type), "`")] $variant,)*
            /// A fixed-size record of the given number of bytes, whose fields the container's kind defines.
            Record(u32),
        }

        impl Element {
            /// What a section of `T` says of itself.
            ///
            /// Fails for types that have no place in a file: empty ones, ones aligned beyond [`ALIGNMENT`], and those
            /// whose size depends on the machine.
            pub fn of<T: Pod>() -> Result<Self> {
                let id = TypeId::of::<T>();
                $(if id == TypeId::of::<$type>() {
                    return Ok(Self::$variant);
                })*
                let name = std::any::type_name::<T>();
                if id == TypeId::of::<usize>() || id == TypeId::of::<isize>() {
                    return Err(Error::settings(format!("a section of {name} differs between machines; use u64 or i64")));
                }
                if align_of::<T>() > ALIGNMENT {
                    return Err(Error::settings(format!("{name} is aligned to more than {ALIGNMENT} bytes")));
                }
                match u32::try_from(size_of::<T>()) {
                    Ok(size) if size > 0 => Ok(Self::Record(size)),
                    _ => Err(Error::settings(format!("{name} has no size a section can hold"))),
                }
            }

            /// The name in the file: `u32`, `f64`, …, or `record`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => stringify!($type),)*
                    Self::Record(_) => "record",
                }
            }

            /// Bytes of one element.
            pub fn size(self) -> u32 {
                match self {
                    $(Self::$variant => size_of::<$type>() as u32,)*
                    Self::Record(size) => size,
                }
            }

            /// The element of this name and size.
            pub fn parse(name: &str, size: u32) -> Option<Self> {
                let element = match name {
                    $(stringify!($type) => Self::$variant,)*
                    "record" if size > 0 => Self::Record(size),
                    _ => return None,
                };
                (element.size() == size).then_some(element)
            }
        }
    };
}

elements!(U8 u8, I8 i8, U16 u16, I16 i16, U32 u32, I32 i32, U64 u64, I64 i64, F32 f32, F64 f64);

impl std::fmt::Display for Element {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Record(size) => write!(f, "record of {size} bytes"),
            _ => f.write_str(self.name()),
        }
    }
}

/// Checks the name of a kind or section: lower-case letters, digits and `-_.`, starting with a letter or digit.
pub(super) fn check_name(name: &str, most: usize) -> Result<()> {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_.".contains(&byte);
    let starts_well = name.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric());
    if starts_well && name.len() <= most && name.bytes().all(allowed) {
        return Ok(());
    }
    Err(Error::settings(format!("{name:?} cannot be a name in a container"))
        .hint(format!("use at most {most} lower-case letters, digits and -_. and start with a letter or digit")))
}

/// The fixed first bytes of a container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    pub kind: String,
    pub kind_version: u32,
    pub table_checksum: u64,
    pub table_offset: u64,
    pub file_length: u64,
}

impl Header {
    pub fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.kind_version.to_le_bytes());
        bytes[16..16 + self.kind.len()].copy_from_slice(self.kind.as_bytes());
        bytes[32..40].copy_from_slice(&self.table_checksum.to_le_bytes());
        bytes[40..48].copy_from_slice(&self.table_offset.to_le_bytes());
        bytes[48..56].copy_from_slice(&self.file_length.to_le_bytes());
        let checksum = xxh3_64(&bytes[..56]);
        bytes[56..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads the header of a whole file and checks what can be checked without the table.
    pub fn decode(file: &[u8]) -> Result<Self> {
        if file.starts_with(&UNFINISHED) {
            return Err(Error::format("the file is unfinished: its writer was stopped").hint("make it again"));
        }
        if !file.starts_with(&MAGIC) {
            return Err(foreign::explain(file));
        }
        let cut = || Error::format(format!("the file is cut off: it has only {} bytes", file.len())).hint(AGAIN);
        let version = u32_at(file, 8).ok_or_else(cut)?;
        // Before the checksum, since a later version may put it elsewhere.
        if version > FORMAT_VERSION {
            let what = format!("the file has container format {version}; this tolka reads up to {FORMAT_VERSION}");
            return Err(Error::format(what).hint("it was made by a newer tolka: upgrade"));
        }
        let header = file.get(..HEADER_BYTES).ok_or_else(cut)?;
        if u64_at(header, 56) != Some(xxh3_64(&header[..56])) || version == 0 {
            return Err(Error::format("the header is damaged: its checksum does not fit").hint(AGAIN));
        }
        let kind = padded_name(&header[16..32]).ok_or_else(|| Error::format("the header names no valid kind"))?;
        let header = Self {
            kind,
            kind_version: u32_at(header, 12).ok_or_else(cut)?,
            table_checksum: u64_at(header, 32).ok_or_else(cut)?,
            table_offset: u64_at(header, 40).ok_or_else(cut)?,
            file_length: u64_at(header, 48).ok_or_else(cut)?,
        };
        let length = file.len() as u64;
        if length != header.file_length {
            let how = if length < header.file_length { "is cut off" } else { "goes on after its end" };
            let what = format!("the file {how}: it has {length} bytes instead of {}", header.file_length);
            return Err(Error::format(what).hint(AGAIN));
        }
        Ok(header)
    }
}

/// What the section table says of one section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionInfo {
    /// Its name.
    pub name: String,
    /// What its elements are.
    pub element: Element,
    /// Where it starts in the file.
    pub offset: u64,
    /// Its length in bytes.
    pub bytes: u64,
    /// The xxh3-64 checksum of its bytes.
    pub checksum: u64,
}

impl SectionInfo {
    /// How many elements it has.
    pub fn len(&self) -> u64 {
        self.bytes / u64::from(self.element.size())
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    pub(super) fn encode(&self) -> [u8; ENTRY_BYTES] {
        let mut bytes = [0; ENTRY_BYTES];
        bytes[..self.name.len()].copy_from_slice(self.name.as_bytes());
        let element = self.element.name().as_bytes();
        bytes[24..24 + element.len()].copy_from_slice(element);
        bytes[32..36].copy_from_slice(&self.element.size().to_le_bytes());
        bytes[40..48].copy_from_slice(&self.offset.to_le_bytes());
        bytes[48..56].copy_from_slice(&self.bytes.to_le_bytes());
        bytes[56..].copy_from_slice(&self.checksum.to_le_bytes());
        bytes
    }

    pub(super) fn decode(entry: &[u8]) -> Result<Self> {
        let damaged = || Error::format("the section table has a malformed entry").hint(AGAIN);
        let entry: &[u8; ENTRY_BYTES] = entry.try_into().map_err(|_| damaged())?;
        let name = padded_name(&entry[..24]).ok_or_else(damaged)?;
        let size = u32_at(entry, 32).ok_or_else(damaged)?;
        let element = padded_name(&entry[24..32]).ok_or_else(damaged)?;
        let element = Element::parse(&element, size).ok_or_else(|| {
            Error::format(format!("section {name} has elements of the unknown type {element} of {size} bytes"))
        })?;
        if entry[36..40] != [0; 4] {
            return Err(damaged());
        }
        let info = Self {
            name,
            element,
            offset: u64_at(entry, 40).ok_or_else(damaged)?,
            bytes: u64_at(entry, 48).ok_or_else(damaged)?,
            checksum: u64_at(entry, 56).ok_or_else(damaged)?,
        };
        if !info.bytes.is_multiple_of(u64::from(size)) {
            let what =
                format!("section {} has {} bytes, no multiple of its {size}-byte elements", info.name, info.bytes);
            return Err(Error::format(what).hint(AGAIN));
        }
        Ok(info)
    }
}

pub(super) const AGAIN: &str = "copy or make it again";

/// A valid name, padded with zeros to the length of the field.
fn padded_name(field: &[u8]) -> Option<String> {
    let length = field.iter().position(|&byte| byte == 0).unwrap_or(field.len());
    let name = std::str::from_utf8(&field[..length]).ok()?;
    let padded = field[length..].iter().all(|&byte| byte == 0);
    (padded && check_name(name, field.len()).is_ok()).then(|| name.to_owned())
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}
