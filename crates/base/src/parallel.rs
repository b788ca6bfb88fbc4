//! Loops on all threads of the current pool, with results in order.
//!
//! rayon's adapters are generic: every closure given to them is compiled with some ten kilobytes of their own, and in code that is generic over
//! spaces once for every space. Here rayon is called in one place, through a `dyn` closure.

use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Items of [`flat_map`] that one thread does at once, at most: results of so many are put down together.
const BLOCK: usize = 256;
/// Blocks for every thread, where there are few items: they may take differently long.
const BLOCKS: usize = 16;

/// Calls `work` with 0, …, n − 1, in any order.
pub fn each(n: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..n).into_par_iter().for_each(work);
}

/// f(0), …, f(n − 1), for work that takes longer than a few microseconds each.
pub fn map<T: Send>(n: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let places = empty(n);
    each(n, &|i| put(&places[i], f(i)));
    places.into_iter().filter_map(taken).collect()
}

/// What f makes of every item.
pub fn map_slice<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    map(items.len(), |i| f(&items[i]))
}

/// The same of values that are given away.
pub fn map_vec<T: Send, R: Send>(items: Vec<T>, f: impl Fn(T) -> R + Sync) -> Vec<R> {
    let items: Vec<Mutex<Option<T>>> = items.into_iter().map(|item| Mutex::new(Some(item))).collect();
    let take = |i: usize| items[i].lock().unwrap_or_else(PoisonError::into_inner).take();
    map(items.len(), |i| take(i).map(&f)).into_iter().flatten().collect()
}

/// f(0), …, f(n − 1), or an error: the first in order of those found before the others stopped.
///
/// # Errors
/// One of `f`.
pub fn try_map<T: Send, E: Send>(n: usize, f: impl Fn(usize) -> Result<T, E> + Sync) -> Result<Vec<T>, E> {
    let (places, failed) = (empty(n), AtomicBool::new(false));
    each(n, &|i| {
        if !failed.load(Ordering::Relaxed) {
            let done = f(i);
            failed.fetch_or(done.is_err(), Ordering::Relaxed);
            put(&places[i], done);
        }
    });
    places.into_iter().filter_map(taken).collect()
}

/// What f makes of every item, or an error as of [`try_map`].
///
/// # Errors
/// One of `f`.
pub fn try_map_slice<T: Sync, R: Send, E: Send>(
    items: &[T],
    f: impl Fn(&T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    try_map(items.len(), |i| f(&items[i]))
}

/// What f makes of 0, …, n − 1, one after the other: none, one or several each. For short work too: a thread takes several at once.
pub fn flat_map<I: IntoIterator>(n: usize, f: impl Fn(usize) -> I + Sync) -> Vec<I::Item>
where
    I::Item: Send,
{
    let size = n.div_ceil(BLOCKS * rayon::current_num_threads()).clamp(1, BLOCK);
    let block = |k: usize| (k * size..n.min((k + 1) * size)).flat_map(&f).collect::<Vec<_>>();
    map(n.div_ceil(size), block).into_iter().flatten().collect()
}

/// How many threads the current pool has.
pub fn threads() -> usize {
    rayon::current_num_threads()
}

/// 0..n cut into a few ranges for every thread, each of at least `least` where there are so many. Their number depends on the pool: for
/// sums that do not depend on how they are made.
pub fn shares(n: usize, least: usize) -> Vec<Range<usize>> {
    let most = 4 * threads();
    let size = n.div_ceil(most).max(least).max(1);
    (0..n).step_by(size).map(|start| start..n.min(start + size)).collect()
}

fn empty<T>(n: usize) -> Vec<Mutex<Option<T>>> {
    (0..n).map(|_| Mutex::new(None)).collect()
}

fn put<T>(place: &Mutex<Option<T>>, value: T) {
    *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
}

fn taken<T>(place: Mutex<Option<T>>) -> Option<T> {
    place.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_whatever_the_pool() {
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                for n in [0, 1, 2, 255, 256, 257, 1000] {
                    assert_eq!(map(n, |i| 3 * i), (0..n).map(|i| 3 * i).collect::<Vec<_>>());
                    let items: Vec<String> = (0..n).map(|i| i.to_string()).collect();
                    assert_eq!(map_vec(items.clone(), |item| item), items);
                    let twice: Vec<usize> =
                        (0..n).filter(|i| i % 3 > 0).flat_map(|i| vec![i; i % 3]).collect();
                    assert_eq!(flat_map(n, |i| vec![i; i % 3]), twice);
                    let parts = shares(n, 64);
                    assert!(parts.iter().cloned().flatten().eq(0..n));
                    assert!(parts.len() <= 4 * threads && parts.iter().rev().skip(1).all(|p| p.len() >= 64));
                }
            });
        }
    }

    #[test]
    fn errors_come_back_and_stop_the_rest() {
        assert_eq!(try_map(10, Ok::<usize, ()>), Ok((0..10).collect()));
        assert_eq!(try_map(10_000, |i| if i % 7 == 3 { Err(i % 7) } else { Ok(i) }), Err(3));
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(one.install(|| try_map(100, |i| if i >= 5 { Err(i) } else { Ok(()) })), Err(5));
    }
}
