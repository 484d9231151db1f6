//! What the whole process has used so far, threads of the kernel that work for it included.

use std::mem::MaybeUninit;

use serde::Serialize;

/// Processor time and context switches of the process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Usage {
    /// Seconds in user mode.
    pub user_s: f64,
    /// Seconds in the kernel.
    pub system_s: f64,
    /// Switches because a thread waited.
    pub voluntary_switches: i64,
    /// Switches because the scheduler took the processor away.
    pub involuntary_switches: i64,
}

impl Usage {
    /// The process's usage until now (`getrusage(RUSAGE_SELF)`, so io_uring's worker threads count).
    pub fn now() -> Self {
        let mut raw = MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: the kernel fills the whole structure; with RUSAGE_SELF and a valid pointer it cannot fail.
        let raw = unsafe {
            libc::getrusage(libc::RUSAGE_SELF, raw.as_mut_ptr());
            raw.assume_init()
        };
        let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
        Self {
            user_s: seconds(raw.ru_utime),
            system_s: seconds(raw.ru_stime),
            voluntary_switches: raw.ru_nvcsw,
            involuntary_switches: raw.ru_nivcsw,
        }
    }

    /// What was used since `earlier`.
    pub fn since(&self, earlier: &Usage) -> Usage {
        Usage {
            user_s: self.user_s - earlier.user_s,
            system_s: self.system_s - earlier.system_s,
            voluntary_switches: self.voluntary_switches - earlier.voluntary_switches,
            involuntary_switches: self.involuntary_switches - earlier.involuntary_switches,
        }
    }
}

/// What all processors of this machine did, by everyone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct HostTime {
    /// Seconds in user mode, of every process.
    pub user_s: f64,
    /// Seconds in the kernel, interrupts included.
    pub system_s: f64,
    /// Seconds in which a processor of this virtual machine was ready to run and the host ran something else.
    pub steal_s: f64,
}

/// Ticks a second in `/proc/stat` (USER_HZ), the same on every Linux of the last decades.
const TICKS_PER_S: f64 = 100.0;

impl HostTime {
    /// The machine's times since it started; none where `/proc/stat` cannot be read. Source: proc_stat(5).
    pub fn now() -> Option<Self> {
        let text = std::fs::read_to_string("/proc/stat").ok()?;
        let ticks: Vec<f64> =
            text.lines().next()?.split_ascii_whitespace().skip(1).flat_map(str::parse).collect();
        let seconds = |column: usize| ticks.get(column).map(|ticks| ticks / TICKS_PER_S);
        Some(Self {
            user_s: seconds(0)? + seconds(1)?,
            system_s: seconds(2)? + seconds(5)? + seconds(6)?,
            steal_s: seconds(7)?,
        })
    }

    /// What was used since `earlier`.
    pub fn since(&self, earlier: &HostTime) -> HostTime {
        HostTime {
            user_s: self.user_s - earlier.user_s,
            system_s: self.system_s - earlier.system_s,
            steal_s: self.steal_s - earlier.steal_s,
        }
    }
}
