//! What a measuring thread asks of the kernel: one processor, and timers without slack.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The shortest turn that the scheduler grants.
const TURN_NS: u64 = 100_000;

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

/// How long the calling thread has been ready to run while no processor was free, since it began; none where the kernel
/// does not count it (CONFIG_SCHED_INFO). Source: Documentation/scheduler/sched-stats.rst.
pub fn waited_for_processor_ns() -> Option<u64> {
    let counts = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    counts.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// Processor time that the calling thread has used, in seconds.
pub fn processor_s() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The kernel's number of the calling thread.
pub fn id() -> i32 {
    rustix::thread::gettid().as_raw_nonzero().get()
}

/// linux/sched/types.h: struct sched_attr, as far as the first version of the call goes.
#[repr(C)]
#[derive(Default)]
struct SchedAttr {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime_ns: u64,
    deadline_ns: u64,
    period_ns: u64,
}

/// Asks for short turns on the processor (Linux 6.12; no privilege needed).
///
/// The scheduler lets whoever asks for less go first, so a measuring thread that wakes up to submit an I/O does not
/// wait for the end of a busy neighbour's turn of some milliseconds. Older kernels ignore it.
pub fn ask_for_short_turns() {
    // The call sets the priority too, so it gets the one that the thread has.
    let nice = rustix::process::getpriority_process(None).unwrap_or(0);
    let size = size_of::<SchedAttr>() as u32;
    let attr = SchedAttr { size, nice, runtime_ns: TURN_NS, ..SchedAttr::default() };
    // SAFETY: the structure has the kernel's layout and says its size; the call only reads it.
    unsafe {
        libc::syscall(libc::SYS_sched_setattr, 0, &raw const attr, 0);
    }
}
