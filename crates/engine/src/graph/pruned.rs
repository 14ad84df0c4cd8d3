//! An index of what matters most, for neighbours that are nearly the nearest: of a row the columns with its greatest numbers
//! (Büttcher & Clarke 2006), and of a column the rows for which it matters most (Carmel et al. 2001).

use rayon::prelude::*;

use super::index::Entries;
use super::profiles::Profiles;
use crate::{Error, Result};

/// How much of an index is kept, and how much is compared with all it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pruning {
    /// Columns of a row, those with the greatest numbers.
    pub columns: usize,
    /// Rows of a column, those of whose size it is the greatest part.
    pub rows: usize,
    /// Rows that are compared exactly, those that are nearest by what is kept.
    pub candidates: usize,
}

impl Pruning {
    /// Refuses to keep nothing.
    ///
    /// # Errors
    /// A number that is 0.
    pub(super) fn check(self) -> Result<()> {
        if self.columns == 0 || self.rows == 0 || self.candidates == 0 {
            return Err(Error::settings("of a pruned index some columns, rows and candidates must be left"));
        }
        Ok(())
    }
}

/// The least of the `most` greatest numbers of a row.
fn least(profiles: &Profiles, row: usize, most: usize) -> f32 {
    let mut values: Vec<f32> = profiles.part(row).map(|at| profiles.single(at)).collect();
    if values.len() <= most {
        return f32::NEG_INFINITY;
    }
    *values.select_nth_unstable_by(most - 1, |one, other| other.total_cmp(one)).1
}

/// Where the `most` greatest numbers of a row are, with all that are as great as the last.
pub(super) fn strongest(profiles: &Profiles, row: usize, most: usize, found: &mut Vec<usize>) {
    let least = least(profiles, row, most);
    found.extend(profiles.part(row).filter(|&at| profiles.single(at) >= least));
}

/// The lists of an index, pruned.
pub(super) fn prune(profiles: &Profiles, among: &[u32], sizes: &[f64], pruning: Pruning) -> Entries {
    let least: Vec<f32> = among.par_iter().map(|&row| least(profiles, row as usize, pruning.columns)).collect();
    let mut entries = Entries::new(profiles, among, |place, at| profiles.single(at) >= least[place]);
    // Lists move down to where the ones before them end now.
    let mut end = 0;
    for column in 0..entries.starts.len() - 1 {
        let list = entries.starts[column]..entries.starts[column + 1];
        let some = &mut entries.all[list.clone()];
        let kept = some.len().min(pruning.rows);
        if kept < some.len() {
            let part = |&(place, value): &(u32, f32)| f64::from(value) / sizes[place as usize].max(f64::MIN_POSITIVE);
            some.select_nth_unstable_by(kept, |one, other| part(other).total_cmp(&part(one)).then(one.0.cmp(&other.0)));
            some[..kept].sort_unstable_by_key(|&(place, _)| place);
        }
        entries.all.copy_within(list.start..list.start + kept, end);
        entries.starts[column] = end;
        end += kept;
    }
    if let Some(last) = entries.starts.last_mut() {
        *last = end;
    }
    entries.all.truncate(end);
    entries.all.shrink_to_fit();
    entries
}
