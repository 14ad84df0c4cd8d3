//! A panic is a bug, and a bug is an error like others: it says where it happened and leaves the process standing.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, Once, PoisonError};

use crate::{Error, Result};

/// Calls of [`caught`] under way on any thread: while there are some, panics are remembered instead of printed.
static UNDER_WAY: AtomicUsize = AtomicUsize::new(0);
/// Messages and places of the last panics. One on a worker thread reaches [`caught`] as a message only.
static SEEN: Mutex<VecDeque<(String, String)>> = Mutex::new(VecDeque::new());
/// More do not happen at once.
const MOST_SEEN: usize = 64;

/// Does the work; a panic in it, on this thread or on one that it waits for, becomes an error. Nothing is printed.
///
/// # Errors
/// What the work says, or [`Kind::Internal`](crate::Kind::Internal) if it panics.
pub fn caught<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if UNDER_WAY.load(Ordering::SeqCst) > 0 {
                remember(panic);
            } else {
                before(panic);
            }
        }));
    });
    UNDER_WAY.fetch_add(1, Ordering::SeqCst);
    // What a panic leaves half done stays behind a lock that says so or is not looked at again.
    let done = catch_unwind(AssertUnwindSafe(work));
    UNDER_WAY.fetch_sub(1, Ordering::SeqCst);
    done.unwrap_or_else(|panic| Err(explain(&*panic)))
}

fn message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

fn remember(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map_or_else(String::new, |at| format!(" at {}:{}", at.file(), at.line()));
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    seen.truncate(MOST_SEEN - 1);
    seen.push_front((message(panic.payload()).to_owned(), place));
}

fn explain(panic: &(dyn Any + Send)) -> Error {
    let message = message(panic);
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let found = seen.iter().position(|(known, _)| known == message).and_then(|at| seen.remove(at));
    let place = found.map_or_else(String::new, |(_, place)| place);
    // One sentence, whatever the panic has to say.
    let message = message.lines().next().unwrap_or_default();
    Error::internal(format!("internal error{place}: {message}"))
        .hint("this is a bug in tolka: please report it with what you ran and, if you can, the files it read")
}

#[cfg(test)]
mod tests {
    use rayon::prelude::*;

    use super::*;
    use crate::Kind;
    use crate::threads::with_threads;

    /// Where `index` panics.
    const LINE: u32 = line!() + 3;

    fn index(list: &[u32], at: usize) -> u32 {
        list[at]
    }

    #[test]
    fn what_goes_well_or_fails_is_handed_on() {
        assert_eq!(caught(|| Ok(3)), Ok(3));
        assert_eq!(caught(|| Err::<(), _>(Error::input("no"))), Err(Error::input("no")));
    }

    #[test]
    fn a_panic_is_an_error_that_says_where() {
        let error = caught(|| Ok(index(&[1, 2], 7))).unwrap_err();
        assert_eq!(error.kind, Kind::Internal);
        let place = format!("panics.rs:{LINE}: index out of bounds: the len is 2 but the index is 7; this is a bug");
        assert!(error.to_string().contains(&place), "{error}");
        assert!(error.to_string().starts_with("internal error at "), "{error}");
    }

    #[test]
    fn panics_of_other_threads_come_with_their_places() {
        let numbers: Vec<usize> = (0..1000).collect();
        let in_pool = || with_threads(2, || numbers.par_iter().map(|&at| index(&[0; 998], at)).sum::<u32>());
        let error = caught(in_pool).unwrap_err();
        assert!(error.what.contains("panics.rs") && error.what.contains("the len is 998"), "{error}");
        let joined = || {
            std::thread::scope(|scope| match scope.spawn(|| index(&[0; 5], 6)).join() {
                Ok(found) => Ok(found),
                Err(panic) => std::panic::resume_unwind(panic),
            })
        };
        let error = caught(joined).unwrap_err();
        assert!(error.what.contains("panics.rs") && error.what.contains("the len is 5"), "{error}");
    }

    #[test]
    fn any_payload_will_do() {
        let error = caught(|| -> Result<()> { std::panic::panic_any(5_u8) }).unwrap_err();
        assert!(error.what.ends_with("no message"), "{error}");
        let error = caught(|| -> Result<()> { panic!("two\n{}", "lines") }).unwrap_err();
        assert!(error.what.ends_with(": two"), "{error}");
    }
}
