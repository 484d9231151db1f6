//! What a measuring thread asks of the kernel: one processor, and timers without slack.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The processors that this process may use.
pub fn processors() -> Vec<usize> {
    let set = sched_getaffinity(None).unwrap_or_default();
    (0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect()
}

/// Binds the calling thread to one processor; false when the kernel refuses.
pub fn pin(cpu: usize) -> bool {
    let mut set = CpuSet::new();
    set.set(cpu);
    sched_setaffinity(None, &set).is_ok()
}

/// Lets timers of the calling thread fire when they are due: by default the kernel may add 50 µs.
pub fn drop_timer_slack() {
    // SAFETY: PR_SET_TIMERSLACK takes one number and touches no memory; 1 ns is the least, as 0 means the default.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1, 0, 0, 0);
    }
}

/// The kernel's number of the calling thread.
pub fn id() -> i32 {
    rustix::thread::gettid().as_raw_nonzero().get()
}
