//! Work on many files, on as many cores as there are.

use std::sync::atomic::{AtomicUsize, Ordering};

/// What `work` makes of each item, in the items' order.
pub(crate) fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(items.len());
    if cores < 2 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let mut done = std::thread::scope(|scope| {
        let some = || {
            let mut done = Vec::new();
            while let (at, Some(item)) = {
                let at = next.fetch_add(1, Ordering::Relaxed);
                (at, items.get(at))
            } {
                done.push((at, work(item)));
            }
            done
        };
        let others: Vec<_> = (1..cores).map(|_| scope.spawn(some)).collect();
        let mut done = some();
        for other in others {
            match other.join() {
                Ok(theirs) => done.extend(theirs),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, made)| made).collect()
}
