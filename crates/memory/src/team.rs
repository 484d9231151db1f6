//! Threads that are bound to CPUs, get ready, and start together.

use std::io;
use std::thread;
use std::time::Instant;

use crate::gate::Gate;
use crate::place::{Place, Until, interrupted};
use crate::sys::pin;

/// The time on a clock that only goes on. There is no simulated memory that another clock would be for.
#[expect(clippy::disallowed_methods, reason = "memory is measured by the real clock")]
pub fn now() -> Instant {
    Instant::now()
}

/// What each thread of the place came to: `ready` makes what it works on, `work` waits at the gate for the others and goes round
/// until the time is over; none: it was let go there, as another one had to give up.
pub fn together<Prepared, Done: Send>(
    place: &Place,
    until: Until<'_>,
    ready: impl Fn(&Place, usize) -> io::Result<Prepared> + Sync,
    work: impl Fn(&mut Prepared, &Gate) -> Option<Done> + Sync,
) -> io::Result<Vec<Done>> {
    let gate = Gate::new(place.cpus.len());
    let one = |number: usize| -> io::Result<Option<Done>> {
        let leaving = gate.leaving();
        let mut prepared = pin(place.cpus[number]).and_then(|()| ready(place, number))?;
        let done = work(&mut prepared, &gate);
        if done.is_some() {
            leaving.done();
        }
        Ok(done)
    };
    let found = started(place.cpus.len(), |_| thread::Builder::new(), &gate, one)?;
    until.check()?;
    found.into_iter().collect::<Option<Vec<_>>>().ok_or_else(interrupted)
}

/// What `one` came to in each of so many threads. Where one of them cannot be started, those that were are let go.
fn started<Done: Send>(
    many: usize,
    builder: impl Fn(usize) -> thread::Builder,
    gate: &Gate,
    one: impl Fn(usize) -> io::Result<Done> + Sync,
) -> io::Result<Vec<Done>> {
    let one = &one;
    thread::scope(|scope| {
        let mut threads = Vec::with_capacity(many);
        for number in 0..many {
            match builder(number).spawn_scoped(scope, move || one(number)) {
                Ok(thread) => threads.push(thread),
                Err(error) => {
                    gate.open_for_good();
                    return Err(error);
                }
            }
        }
        threads.into_iter().map(|thread| thread.join().expect("a thread of ours does not panic")).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use crate::place::Pages;

    static NEVER: AtomicBool = AtomicBool::new(false);
    static AT_ONCE: AtomicBool = AtomicBool::new(true);

    fn until(stop: &AtomicBool) -> Until<'_> {
        Until { runtime: Duration::ZERO, stop }
    }

    #[test]
    fn a_thread_that_cannot_be_started_lets_the_others_go() {
        let gate = Gate::new(3);
        // No address space has room for this stack.
        let builder = |number| thread::Builder::new().stack_size(if number == 2 { 1 << 47 } else { 1 << 20 });
        let error = started(3, builder, &gate, |_| Ok(gate.pass())).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::EAGAIN));
    }

    #[test]
    fn a_thread_that_cannot_get_ready_is_the_error_and_nobody_works() {
        let place = Place { cpus: vec![0; 3], node: None, pages: Pages::Small };
        let ready =
            |_: &Place, number| if number == 1 { Err(io::ErrorKind::OutOfMemory.into()) } else { Ok(()) };
        let worked = AtomicBool::new(false);
        let work = |(): &mut (), gate: &Gate| gate.pass().then(|| worked.store(true, Ordering::Relaxed));
        let error = together(&place, until(&NEVER), ready, work).unwrap_err();
        assert_eq!((error.kind(), worked.into_inner()), (io::ErrorKind::OutOfMemory, false));
    }

    #[test]
    fn work_that_is_to_end_at_once_is_an_error() {
        let place = Place { cpus: vec![0; 2], node: None, pages: Pages::Small };
        let found = together(&place, until(&AT_ONCE), |_, _| Ok(()), |(), gate| gate.pass().then_some(()));
        assert_eq!(found.unwrap_err().kind(), io::ErrorKind::Interrupted);
        let found = together(&place, until(&NEVER), |_, _| Ok(()), |(), gate| gate.pass().then_some(()));
        assert_eq!(found.unwrap().len(), 2);
    }
}
