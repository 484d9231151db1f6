//! Every limit of the engine, in one place, with its reason.

/// Jobs in one run: more threads than any host has processors only measure the scheduler.
pub const JOBS_MAX: u32 = 256;
/// Bytes of one request; the longest that all other limits allow is shorter.
pub const REQUEST_BYTES_MAX: usize = 4 << 20;
/// Letters of the reason why a request cannot be read, which quotes it.
pub const REASON_LETTERS_MAX: usize = 400;
/// Bytes of the name of a class, an engine or a pattern; each row of a result carries the first.
pub const NAME_BYTES_MAX: usize = 256;
/// Bytes of a path; the kernel's own limit (PATH_MAX).
pub const PATH_BYTES_MAX: usize = 4096;
/// Bytes of all targets of a run together; what follows from positions in them then fits 64 bits with a sign.
pub const SPAN_BYTES_MAX: u64 = i64::MAX as u64;
/// Outstanding I/Os of one run; each one is kept account of, about 100 bytes.
pub const SLOTS_MAX: u64 = 1 << 20;
/// Outstanding I/Os of one job; beyond this the queue is in the tool, not in the device.
pub const DEPTH_MAX: u32 = 65_536;
/// Threads of one run, which is jobs × depth on `psync`; each one keeps its own histograms.
pub const THREADS_MAX: u32 = 1024;
/// Entries of one ring; the kernel's own limit (IORING_MAX_ENTRIES).
pub const RING_DEPTH_MAX: u32 = 32_768;
/// I/Os of one asynchronous context; the kernel's usual bound for the whole machine (fs.aio-max-nr).
pub const AIO_DEPTH_MAX: u32 = 65_536;
/// How long a path to a server may be silent, where nothing else is asked for.
pub const PATH_TIMEOUT_S: f64 = 5.0;
/// The shortest such time; a server's disk may take longer for one answer.
pub const PATH_TIMEOUT_S_MIN: f64 = 0.1;
/// The longest one.
pub const PATH_TIMEOUT_S_MAX: f64 = 600.0;
/// I/Os on a server that have not ended so long after the end of a run are given up. A mount would wait for ever; longer than this
/// nobody waits for a result.
pub const REMOTE_DRAIN_NS_MAX: u64 = 600_000_000_000;
/// Looks into a server's file take no longer than this all together, as nothing else can be done meanwhile.
pub const NFS_INSPECT_NS_MAX: u64 = 60_000_000_000;
/// Steepest Zipf law; beyond it one block gets practically all I/Os.
pub const ZIPF_THETA_MAX: f64 = 10.0;
/// Classes of I/O in one run; each one keeps its own histograms in every thread.
pub const CLASSES_MAX: usize = 64;
/// Groups that work at the same time in one run.
pub const GROUPS_MAX: usize = 64;
/// Sizes that one class draws from.
pub const SIZES_MAX: usize = 64;
/// Targets of one run.
pub const TARGETS_MAX: usize = 256;
/// The smallest block; every disk sector is at least this long.
pub const BLOCK_BYTES_MIN: u32 = 512;
/// The largest block; kernels split larger I/Os anyway.
pub const BLOCK_BYTES_MAX: u32 = 64 << 20;
/// Memory for I/O buffers of one run (jobs × depth × largest block).
pub const BUFFER_BYTES_MAX: u64 = 8 << 30;
/// Steps of a series of arrivals: a week in minutes.
pub const STEPS_MAX: usize = 10_080;
/// Arrivals at one moment.
pub const BURST_MAX: u32 = 1024;
/// Arrivals a second; faster than any single host can issue them.
pub const RATE_PER_S_MAX: f64 = 1e8;
/// Longest run or warm-up: 30 days, far below where nanoseconds in 64 bits lose precision.
pub const RUNTIME_S_MAX: f64 = 30.0 * 86_400.0;
/// How far ahead the moment may lie at which a run begins: whoever waits longer has mistaken a clock.
pub const BEGIN_WAIT_S_MAX: f64 = 60.0;
/// Shortest window: shorter ones would spend their time in merging histograms.
pub const WINDOW_S_MIN: f64 = 0.01;
/// Windows of one run; each one keeps its histograms until the end. Where a count ends the run, the last one is as long as
/// it takes.
pub const WINDOWS_MAX: u64 = 100_000;
/// Longest latency that is told apart: one hour; longer ones are recorded as this.
pub const LATENCY_NS_MAX: u64 = 3_600 * 1_000_000_000;
/// Significant decimal digits of a recorded latency.
pub const LATENCY_DIGITS: u8 = 3;
/// A thread looks at least this often whether it was asked to stop.
pub const ATTENTION_NS_MAX: u64 = 50_000_000;
/// Arrivals that wait at the end of a run are still submitted when they can be within this time. A longer backlog is no
/// chance matter, and is counted as it stands.
pub const GRACE_NS_MAX: u64 = 10_000_000;
/// I/Os that have not ended so long after the end of a run are given up: the device hangs, and so would we.
pub const DRAIN_NS_MAX: u64 = 30_000_000_000;
/// How many failed I/Os are kept with their particulars.
pub const IO_ERRORS_KEPT_MAX: usize = 8;
/// A thread whose last so many I/Os all failed ends the run: the device is gone, and more of them teach nothing.
pub const FAILED_IOS_MAX: u64 = 256;
/// Servers of a simulated device.
pub const SIM_SERVERS_MAX: u32 = 4096;
