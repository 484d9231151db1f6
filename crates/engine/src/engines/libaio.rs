//! Linux's older asynchronous interface, which many databases use: io_submit and io_getevents.

use std::fs::File;
use std::io;
use std::sync::Arc;

use super::null::idle_until;
use super::{Engine, Kind, Opened, Setup};
use crate::clock::{Clock, RealClock};
use crate::error::{CoreError, Result, errno_text};
use crate::file::Target;
use crate::io::FlushCall;
use crate::io::{Action, Io};
use crate::limits::{AIO_DEPTH_MAX, ATTENTION_NS_MAX};
use crate::result::Note;
use crate::sys::aio::{self, Queue};
use crate::sys::completion::Completion;
use crate::sys::memory::Buffer;

/// Registry entry.
pub struct Libaio;

impl Kind for Libaio {
    fn name(&self) -> &'static str {
        "libaio"
    }

    fn title(&self) -> &'static str {
        "asynchronous, the older interface that many databases use"
    }

    fn help(&self) -> &'static str {
        "One thread for each job, up to depth I/Os outstanding at once, submitted in batches with io_submit and reaped \
         with io_getevents. Durable writes carry RWF_DSYNC. The library of that name is not needed, the system calls are \
         made directly. It is asynchronous for direct I/O alone: through the page cache io_submit does the I/O before it \
         returns, so only one is outstanding at a time, and a note says so."
    }

    fn real(&self) -> bool {
        true
    }

    fn probe(&self) -> Result<()> {
        aio::probe().map_err(|error| refused(&error))
    }

    fn depth_max(&self) -> u32 {
        AIO_DEPTH_MAX
    }

    fn open(&self, setup: &Setup) -> Result<Opened> {
        let buffers = Buffer::carve(setup.depth as usize, setup.block_bytes_max as usize)?;
        let files: Vec<&File> = setup.targets.iter().map(|target| &target.file).collect();
        let queue = Queue::open(&files, setup.depth, setup.spec.merge).map_err(|error| refused(&error))?;
        let state = State {
            queue,
            targets: Arc::clone(&setup.targets),
            flushes: vec![None; setup.depth as usize],
            buffered: !setup.spec.direct,
            flush_refused: None,
        };
        Ok(Opened::real(Box::new(state), buffers))
    }
}

/// Says why there is no context, and what can be done.
fn refused(error: &io::Error) -> CoreError {
    let hint = match error.raw_os_error() {
        Some(libc::ENOSYS) => "This kernel was built without it (CONFIG_AIO). Use --engine psync.",
        Some(libc::EAGAIN) => {
            "All asynchronous I/Os of this machine are taken: raise sysctl fs.aio-max-nr, use a smaller --depth or \
             --jobs, or use --engine io_uring."
        }
        Some(libc::EPERM | libc::EACCES) => {
            "It is forbidden here: look at the container's seccomp profile, or use --engine psync."
        }
        _ => "Use --engine psync.",
    };
    CoreError::kernel("engine-unavailable", "could not set up asynchronous i/o (io_setup)", error).hint(hint)
}

struct State {
    queue: Queue,
    targets: Arc<Vec<Target>>,
    /// Which flush each slot waits for.
    flushes: Vec<Option<(u32, FlushCall)>>,
    buffered: bool,
    /// Why flushes are blocking calls here.
    flush_refused: Option<i32>,
}

impl Engine for State {
    fn submit(&mut self, io: &Io, buffer: Option<Buffer>) {
        if let Action::Flush(call) = io.action {
            self.flushes[io.slot as usize] = Some((io.target, call));
        }
        self.queue.push(io, buffer);
    }

    fn reap(&mut self, deadline_ns: u64, done: &mut Vec<Completion>) -> Result<()> {
        if self.queue.is_idle() {
            idle_until(deadline_ns);
            return Ok(());
        }
        let patience_ns = deadline_ns.saturating_sub(RealClock.now_ns()).min(ATTENTION_NS_MAX);
        let before = done.len();
        self.queue.wait(patience_ns, done).map_err(|error| {
            CoreError::kernel("engine-failed", "libaio failed while the run was under way", &error)
                .hint("Use --engine psync.")
        })?;
        for completion in &mut done[before..] {
            if let Some((target, call)) = self.flushes[completion.slot as usize].take() {
                self.settle_flush(completion, target, call);
            }
        }
        Ok(())
    }

    fn notes(&self) -> Vec<Note> {
        let mut notes = Vec::new();
        if self.buffered {
            let message = "through the page cache libaio does each i/o before io_submit returns, so only one is \
                           outstanding at a time in each job; use direct i/o or --engine io_uring";
            notes.push(Note { code: "libaio-buffered", message: message.to_owned() });
        }
        if let Some(errno) = self.flush_refused {
            let reason = errno_text(&io::Error::from_raw_os_error(errno));
            let message = format!(
                "libaio could not flush asynchronously: {reason}; each flush was a blocking call, during which the job \
                 submitted nothing"
            );
            notes.push(Note { code: "libaio-flush-blocking", message });
        }
        notes
    }
}

impl State {
    /// Kernels before 4.18 and some file systems know no asynchronous flush; the blocking one always works.
    fn settle_flush(&mut self, completion: &mut Completion, target: u32, call: FlushCall) {
        if ![-libc::EINVAL, -libc::EOPNOTSUPP].contains(&completion.result) {
            return;
        }
        self.flush_refused = Some(-completion.result);
        let file = &self.targets[target as usize].file;
        let flushed = match call {
            FlushCall::Fsync => file.sync_all(),
            FlushCall::Fdatasync => file.sync_data(),
        };
        completion.result = flushed.map_or_else(|error| -error.raw_os_error().unwrap_or(libc::EIO), |()| 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_that_refuses_says_what_can_be_done() {
        for (errno, way) in [
            (libc::ENOSYS, "psync"),
            (libc::EAGAIN, "aio-max-nr"),
            (libc::EPERM, "seccomp"),
            (libc::ENOMEM, "psync"),
        ] {
            let error = refused(&io::Error::from_raw_os_error(errno));
            assert_eq!((error.id, error.errno), ("engine-unavailable", Some(errno)));
            assert!(error.hint.is_some_and(|hint| hint.contains(way)));
        }
    }
}
