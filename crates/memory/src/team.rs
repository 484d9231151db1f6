//! Threads that are bound to CPUs, get ready, and start together.

use std::io;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use crate::area::Pages;
use crate::sys::pin;

/// Where threads run, and where each has memory of its own.
#[derive(Debug, Clone)]
pub struct Place {
    /// One thread for each.
    pub cpus: Vec<usize>,
    /// The node of their memory; none: wherever the kernel takes it, which is near to who touches it first.
    pub node: Option<usize>,
    /// The size of pages that is asked for.
    pub pages: Pages,
}

/// The time on a clock that only goes on. There is no simulated memory that another clock would be for.
#[expect(clippy::disallowed_methods, reason = "memory is measured by the real clock")]
pub fn now() -> Instant {
    Instant::now()
}

/// What each thread of the place came to: `ready` makes what it works on, `work` goes round until the time is over.
pub fn together<Prepared, Done: Send>(
    place: &Place,
    runtime: Duration,
    ready: impl Fn(&Place, usize) -> io::Result<Prepared> + Sync,
    work: impl Fn(&mut Prepared, Duration) -> Done + Sync,
) -> io::Result<Vec<Done>> {
    let start = Barrier::new(place.cpus.len());
    let one = |number: usize, cpu: usize| -> io::Result<Done> {
        let prepared = pin(cpu).and_then(|()| ready(place, number));
        start.wait(); // also who cannot: the others would wait for ever
        prepared.map(|mut prepared| work(&mut prepared, runtime))
    };
    let one = &one;
    thread::scope(|scope| {
        let threads: Vec<_> = place
            .cpus
            .iter()
            .enumerate()
            .map(|(number, &cpu)| scope.spawn(move || one(number, cpu)))
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("a thread of ours does not panic")).collect()
    })
}
