//! In which order phrases may be translated where spans belong together or walls stand (Koehn & Haddow 2009).
//!
//! A span that is begun is finished before anything outside of it. Both tests look at what is covered and at where the
//! last phrase ended, which hypotheses that are one have in common.

use super::coverage::Coverage;
use crate::decode::bounds::Bounds;

/// Whether a phrase may be translated after what is covered: all that stands before a wall is covered before what is
/// behind it, and a span that does not hold the first word left behind can be finished within the distortion limit.
pub fn may_stand(bounds: &Bounds, covered: Coverage, [begin, end]: [u32; 2], limit: u32) -> bool {
    if bounds.is_empty() {
        return true;
    }
    let mut spans = bounds.spans_around(begin).filter(|span| span[1] >= end && span[0] > covered.first);
    // Otherwise a span could be begun from which no jump comes back.
    spans.all(|span| span[1] - covered.first <= limit)
        && bounds.walled_off(begin).all(|[from, to]| covered.covers(from, to))
}

/// Whether a phrase may follow the one that ended at `last`: all spans that are begun and not finished hold both.
pub fn may_follow(bounds: &Bounds, covered: Coverage, last: u32, [begin, end]: [u32; 2]) -> bool {
    if bounds.is_empty() || last == 0 {
        return true;
    }
    let unfinished = bounds.spans_around(last - 1).find(|&[from, to]| !covered.covers(from, to));
    unfinished.is_none_or(|[from, to]| from <= begin && end <= to)
}
