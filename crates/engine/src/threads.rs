//! How many threads a piece of work uses; never what it computes.

use crate::{Error, Result};

/// Runs `work` with the given number of threads; 0 means one per core.
///
/// # Errors
/// When the operating system gives no threads.
pub fn with_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> Result<R> {
    if threads == 0 {
        return Ok(work());
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.min(MOST_THREADS)).build();
    let pool = pool.map_err(|error| Error::settings(format!("{threads} threads could not be started: {error}")))?;
    Ok(pool.install(work))
}

/// More would only be a slip of the keyboard.
const MOST_THREADS: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_as_many_as_asked() {
        assert_eq!(with_threads(3, rayon::current_num_threads).unwrap(), 3);
        assert!(with_threads(0, rayon::current_num_threads).unwrap() >= 1);
    }
}
