//! What a model counted, on disk. Lexicon and classifiers are files of their own.

use std::path::Path;

use super::counts::{Counts, unsound};
use super::fertility::Fertility;
use crate::Result;
use crate::files::{Container, ContainerWriter, Verify};

const KIND: &str = "multitree-counts";
const VERSION: u32 = 1;

/// Writes target n-grams and fertilities.
///
/// # Errors
/// What the operating system says.
pub fn save_counts(path: &Path, counts: &Counts, fertility: &Fertility) -> Result<()> {
    let mut file = ContainerWriter::create(path, KIND, VERSION)?;
    counts.write(&mut file)?;
    let rows = fertility.rows();
    file.section("fertility.labels", &rows.iter().map(|row| row.0).collect::<Vec<_>>())?;
    file.section("fertility.counts", &rows.iter().map(|row| row.1).collect::<Vec<_>>())?;
    file.section("fertility.sums", &rows.iter().flat_map(|row| [row.2, row.3]).collect::<Vec<_>>())?;
    file.finish()
}

/// Opens them.
///
/// # Errors
/// A file that is not whole or not sound.
pub fn open_counts(path: &Path, most_bytes: u64) -> Result<(Counts, Fertility)> {
    let file = Container::open_within(path, Some(KIND), Verify::Full, most_bytes)?;
    file.kind_version_up_to(VERSION)?;
    let (labels, counts) = (file.slice::<u32>("fertility.labels")?, file.slice::<u64>("fertility.counts")?);
    let sums = file.slice::<f64>("fertility.sums")?;
    let sound = labels.len() == counts.len()
        && sums.len() == 2 * labels.len()
        && sums.iter().all(|sum| sum.is_finite() && *sum >= 0.0)
        && counts.iter().all(|&count| count < 1 << 52);
    if !sound {
        return Err(unsound(&file, "fertility.sums"));
    }
    let each = labels.iter().zip(counts).zip(sums.chunks_exact(2));
    let rows: Vec<_> = each.map(|((&label, &count), sums)| (label, count, sums[0], sums[1])).collect();
    Ok((Counts::read(&file)?, Fertility::of_rows(&rows)))
}
