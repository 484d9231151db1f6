//! Where threads wait for each other, as often as they like. Who cannot come opens it for good: a barrier would keep the others
//! for ever.

use std::sync::{Condvar, Mutex, MutexGuard};

/// It opens when all threads are there.
pub struct Gate {
    threads: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: usize,
    turn: u64,
    is_given_up: bool,
}

impl Gate {
    /// For so many threads.
    pub fn new(threads: usize) -> Self {
        Self { threads, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Waits until all are there; false: one of them will not come.
    #[must_use]
    pub fn pass(&self) -> bool {
        let mut state = self.state();
        if state.is_given_up {
            return false;
        }
        let turn = state.turn;
        state.waiting += 1;
        if state.waiting == self.threads {
            state.waiting = 0;
            state.turn += 1;
            self.changed.notify_all();
            return true;
        }
        let waited = self.changed.wait_while(state, |state| state.turn == turn && !state.is_given_up);
        waited.expect("nobody panics with it").turn != turn
    }

    /// Lets all go that wait, and that come.
    pub fn open_for_good(&self) {
        self.state().is_given_up = true;
        self.changed.notify_all();
    }

    /// What a thread holds until it needs the gate no more: it opens it for good where the thread ends before.
    pub fn leaving(&self) -> Leaving<'_> {
        Leaving(self)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics with it")
    }
}

/// See `Gate::leaving`.
pub struct Leaving<'a>(&'a Gate);

impl Leaving<'_> {
    /// The thread was at the gate as often as the others.
    pub fn done(self) {
        std::mem::forget(self);
    }
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.open_for_good();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    #[test]
    fn nobody_is_a_turn_ahead() {
        let gate = Gate::new(3);
        let come: [AtomicUsize; 3] = Default::default();
        thread::scope(|scope| {
            for own in &come {
                scope.spawn(|| {
                    for turn in 1..=100 {
                        own.store(turn, Ordering::SeqCst);
                        assert!(gate.pass());
                        assert!(come.iter().all(|one| one.load(Ordering::SeqCst) >= turn));
                    }
                });
            }
        });
    }

    #[test]
    fn who_ends_before_lets_the_others_go() {
        let gate = Gate::new(2);
        thread::scope(|scope| {
            let other = scope.spawn(|| gate.pass());
            drop(gate.leaving());
            assert!(!other.join().unwrap());
        });
        assert!(!gate.pass());
        let whole = Gate::new(1);
        whole.leaving().done();
        assert!(whole.pass());
    }
}
