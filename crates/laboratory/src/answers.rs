//! Answers that are due at moments of the wall clock: a heap, and threads of which one at a time waits for the earliest.
//!
//! The one that waits takes the answer out when it is due, hands the waiting to another and gives the answer itself. It sleeps
//! until shortly before the moment and looks at the clock from then on, because the kernel wakes a thread late rather than
//! early; so no answer comes before its moment, and how late each one came is handed on to be counted.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use plimsoll_engine::clock::{Clock, RealClock};
use plimsoll_engine::sys::thread::drop_timer_slack;

/// From so shortly before a moment on the clock is looked at; a sleeping thread is woken within this on an idle machine.
const LOOK_NS: u64 = 30_000;

/// Something to be given at a moment of the clock.
struct Due<T> {
    at_ns: u64,
    order: u64,
    what: T,
}

impl<T> Due<T> {
    fn key(&self) -> (u64, u64) {
        (self.at_ns, self.order)
    }
}

impl<T> PartialEq for Due<T> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}
impl<T> Eq for Due<T> {}
impl<T> PartialOrd for Due<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<T> Ord for Due<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

struct State<T> {
    due: BinaryHeap<Reverse<Due<T>>>,
    order: u64,
    someone_waits: bool,
    ending: bool,
}

struct Shared<T> {
    state: Mutex<State<T>>,
    /// The thread that waits for the earliest moment sleeps here.
    earliest: Condvar,
    /// The others sleep here.
    idle: Condvar,
}

impl<T> Shared<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// Where answers are put in. When the last handle is gone the threads give at once what is left, and end.
pub struct Answers<T: Send + 'static> {
    shared: Arc<Shared<T>>,
    threads: Vec<JoinHandle<()>>,
}

impl<T: Send + 'static> Answers<T> {
    /// So many threads, which give each answer by `give`; its second argument is how late it is, in nanoseconds.
    pub fn new(threads: usize, give: impl Fn(T, u64) + Send + Sync + 'static) -> std::io::Result<Self> {
        let state = State { due: BinaryHeap::new(), order: 0, someone_waits: false, ending: false };
        let shared =
            Arc::new(Shared { state: Mutex::new(state), earliest: Condvar::new(), idle: Condvar::new() });
        let give = Arc::new(give);
        let start = |number| {
            let (shared, give) = (shared.clone(), give.clone());
            let name = format!("answer-{number}");
            thread::Builder::new().name(name).spawn(move || work(&shared, &*give))
        };
        let threads = (0..threads).map(start).collect::<std::io::Result<Vec<_>>>()?;
        Ok(Self { shared, threads })
    }

    /// To be given at `at_ns` of [`RealClock`].
    pub fn push(&self, at_ns: u64, what: T) {
        let mut state = self.shared.lock();
        let is_earliest = state.due.peek().is_none_or(|first| at_ns < first.0.at_ns);
        let order = state.order;
        state.order += 1;
        state.due.push(Reverse(Due { at_ns, order, what }));
        drop(state);
        if is_earliest {
            self.shared.earliest.notify_one();
        }
    }
}

impl<T: Send + 'static> Drop for Answers<T> {
    fn drop(&mut self) {
        self.shared.lock().ending = true;
        self.shared.earliest.notify_all();
        self.shared.idle.notify_all();
        for thread in self.threads.drain(..) {
            // A thread that panicked has said so; there is nobody to hand its panic to here.
            let _ = thread.join();
        }
    }
}

fn work<T>(shared: &Shared<T>, give: &impl Fn(T, u64)) {
    drop_timer_slack();
    while let Some(due) = next(shared) {
        while RealClock.now_ns() < due.at_ns && !shared.lock().ending {
            std::hint::spin_loop();
        }
        give(due.what, RealClock.now_ns().saturating_sub(due.at_ns));
    }
}

/// The next answer, shortly before its moment; none when all were given and no more will come.
fn next<T>(shared: &Shared<T>) -> Option<Due<T>> {
    let mut state = shared.lock();
    while state.someone_waits && !state.ending {
        state = shared.idle.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
    }
    state.someone_waits = true;
    loop {
        let first_ns = state.due.peek().map(|first| first.0.at_ns);
        let left_ns = first_ns.map(|at_ns| at_ns.saturating_sub(RealClock.now_ns()));
        match left_ns {
            Some(left_ns) if left_ns <= LOOK_NS || state.ending => break,
            None if state.ending => break,
            Some(left_ns) => {
                let patience = Duration::from_nanos(left_ns - LOOK_NS);
                let woken = shared.earliest.wait_timeout(state, patience);
                state = woken.unwrap_or_else(|poisoned| poisoned.into_inner()).0;
            }
            None => {
                state = shared.earliest.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
            }
        }
    }
    state.someone_waits = false;
    let due = state.due.pop().map(|due| due.0);
    drop(state);
    shared.idle.notify_one();
    due
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn answers_come_in_the_order_of_their_moments_and_never_early() {
        let (told, given) = channel();
        let told = Mutex::new(told);
        let answers = Answers::new(2, move |(number, at_ns): (u64, u64), late_ns| {
            told.lock().unwrap().send((number, at_ns, late_ns, RealClock.now_ns())).unwrap();
        });
        let answers = answers.unwrap();
        let begin_ns = RealClock.now_ns() + 5_000_000;
        for number in [3u64, 1, 2, 0] {
            let at_ns = begin_ns + number * 5_000_000;
            answers.push(at_ns, (number, at_ns));
        }
        let all: Vec<_> = (0..4).map(|_| given.recv().unwrap()).collect();
        assert_eq!(all.iter().map(|one| one.0).collect::<Vec<_>>(), [0, 1, 2, 3]);
        for (_, at_ns, late_ns, seen_ns) in all {
            assert!(seen_ns >= at_ns + late_ns);
        }
    }

    #[test]
    fn what_is_left_is_given_at_the_end() {
        let (told, given) = channel();
        let told = Mutex::new(told);
        let answers =
            Answers::new(2, move |number: u64, _| told.lock().unwrap().send(number).unwrap()).unwrap();
        let far_ns = RealClock.now_ns() + 3_600_000_000_000;
        for number in 0..50 {
            answers.push(far_ns + number, number);
        }
        drop(answers);
        let mut all: Vec<u64> = given.try_iter().collect();
        all.sort_unstable();
        assert_eq!(all, (0..50).collect::<Vec<_>>());
    }
}
