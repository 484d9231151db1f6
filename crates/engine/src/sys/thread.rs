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

/// Threads that the kernel started in this process for the I/Os of its rings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Workers {
    /// Threads that took I/Os which could not be done without blocking (io-wq).
    pub punted_to: usize,
    /// Processor time of all of them since they began; none where the kernel does not count it (CONFIG_SCHED_INFO). One
    /// that ended, as they do after some idle seconds, is not in it any more.
    pub processor_ns: Option<u64>,
}

/// The kernel's workers for the rings of that thread, or of all threads: they are named after it.
pub fn workers(of: Option<i32>) -> Workers {
    let mut workers = Workers { punted_to: 0, processor_ns: Some(0) };
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else {
        return Workers { processor_ns: None, ..workers };
    };
    for folder in tasks.flatten().map(|task| task.path()) {
        let Ok(name) = std::fs::read_to_string(folder.join("comm")) else { continue };
        let Some((kind, thread)) = name.trim_end().rsplit_once('-') else { continue };
        if !["iou-wrk", "iou-sqp"].contains(&kind) || of.is_some_and(|of| thread != of.to_string()) {
            continue;
        }
        workers.punted_to += usize::from(kind == "iou-wrk");
        // One that ends just now counts as ended.
        let Ok(counts) = std::fs::read_to_string(folder.join("schedstat")) else { continue };
        let used_ns = counts.split_ascii_whitespace().next().and_then(|ns| ns.parse::<u64>().ok());
        workers.processor_ns = workers.processor_ns.zip(used_ns).map(|(sum, ns)| sum + ns);
    }
    workers
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
