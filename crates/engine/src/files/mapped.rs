//! Whole files as bytes, and asking for parts of them ahead of time: the one place of the engine with `unsafe` in it.
//!
//! # What happens if somebody else changes a mapped file
//!
//! A mapping shows the file as it is now. tolka never writes into a file that exists: every writer fills a new file and
//! renames it into place, so a mapping keeps showing the old file, which lives on without a name until the last mapping
//! is gone. Only a foreign program that truncates or edits the file *in place* (`truncate`, `cp new.tlk old.tlk`,
//! `rsync --inplace`) can disturb a reader. Bytes it edits are seen as edited, which can give wrong numbers but stays
//! within bounds that the reader checks; a page it cuts off raises SIGBUS on the next touch and ends the process. To
//! replace a model by hand, copy it beside the old one and `mv` it over.

#![allow(unsafe_code)]

use std::fs::{self, File};
use std::ops::Deref;
use std::path::Path;

use memmap2::Mmap;

use super::layout::ALIGNMENT;
use crate::{Error, Kind, Result};

/// Bytes that start at a multiple of [`ALIGNMENT`] and neither move nor change while they are held.
#[derive(Debug)]
pub struct MappedBytes(Held);

#[derive(Debug)]
enum Held {
    File(Mmap),
    Memory { blocks: Vec<Block>, length: usize },
}

/// As much memory as [`ALIGNMENT`] says, aligned as it says.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
struct Block([u8; ALIGNMENT]);

impl MappedBytes {
    /// Maps a regular file of at least one and at most `most` bytes.
    pub fn open(path: &Path, most: u64) -> Result<Self> {
        // Asked before opening, since opening a named pipe would wait for somebody to write into it.
        let metadata = fs::metadata(path).map_err(|error| Error::io(path, &error))?;
        if !metadata.is_file() {
            let what = if metadata.is_dir() { "is a directory, not a file" } else { "is not a regular file" };
            return Err(Error::new(Kind::File, what).at_path(path));
        }
        let file = File::open(path).map_err(|error| Error::io(path, &error))?;
        let length = file.metadata().map_err(|error| Error::io(path, &error))?.len();
        if length == 0 {
            return Err(Error::format("the file is empty").at_path(path));
        }
        if length > most || usize::try_from(length).is_err() {
            let what = format!("the file has {length} bytes; the limit is {most}");
            return Err(Error::limit(what).at_path(path).hint("raise the limit if this is meant: TOLKA_MODEL_BYTES"));
        }
        // SAFETY: a mapping is as good as a `&[u8]` while nobody writes to the file. Ours are never written after they
        // got their name (see above), the mapping is read-only, and `File` may be closed while it lasts. Of a foreign
        // writer we accept what the module's documentation says; no value read from the bytes is trusted to be in
        // bounds or valid for its type, since they are only viewed as types for which every bit pattern is valid.
        let map = unsafe { Mmap::map(&file) }.map_err(|error| Error::io(path, &error))?;
        Ok(Self(Held::File(map)))
    }

    /// Copies bytes into aligned memory.
    pub fn copy_of(bytes: &[u8]) -> Self {
        let mut blocks = vec![Block([0; ALIGNMENT]); bytes.len().div_ceil(ALIGNMENT)];
        bytemuck::cast_slice_mut(&mut blocks)[..bytes.len()].copy_from_slice(bytes);
        Self(Held::Memory { blocks, length: bytes.len() })
    }
}

impl Deref for MappedBytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.0 {
            Held::File(map) => map,
            Held::Memory { blocks, length } => &bytemuck::cast_slice(blocks)[..*length],
        }
    }
}

/// Asks the processor to bring an element into its cache, and does not wait for it. Nothing happens beyond the end.
#[inline]
pub fn prefetch<T: bytemuck::Pod>(elements: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(element) = elements.get(at) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint that reads nothing into the program and cannot fault; every x86-64 processor has it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(element).cast()) };
    }
    // Rust has no name for it elsewhere; reading comes close.
    #[cfg(not(target_arch = "x86_64"))]
    std::hint::black_box(elements.get(at).map(|element| bytemuck::bytes_of(element)[0]));
}
