//! Makes every checksum of a container fit its bytes again, so that tests and fuzzers reach what lies behind them.
//!
//! Written from `docs/files.md` alone and shared with the fuzz targets; it is no part of the library.

use xxhash_rust::xxh3::xxh3_64;

/// Recomputes the checksums of the sections, the table and the header, as far as their fields point into the file.
pub fn reseal(file: &mut [u8]) {
    if file.len() < 64 {
        return;
    }
    let number = |file: &[u8], at: usize| u64::from_le_bytes(file[at..at + 8].try_into().unwrap());
    if let Some(table) = usize::try_from(number(file, 40)).ok().filter(|&table| table <= file.len()) {
        for entry in (table..file.len().saturating_sub(63)).step_by(64) {
            let start = usize::try_from(number(file, entry + 40)).unwrap_or(usize::MAX);
            let end = start.saturating_add(usize::try_from(number(file, entry + 48)).unwrap_or(usize::MAX));
            if let Some(section) = file.get(start..end) {
                let checksum = xxh3_64(section).to_le_bytes();
                file[entry + 56..entry + 64].copy_from_slice(&checksum);
            }
        }
        let checksum = xxh3_64(&file[table..]).to_le_bytes();
        file[32..40].copy_from_slice(&checksum);
    }
    let checksum = xxh3_64(&file[..56]).to_le_bytes();
    file[56..64].copy_from_slice(&checksum);
}
