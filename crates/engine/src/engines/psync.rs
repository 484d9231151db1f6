//! One blocking system call per I/O, as a database process without asynchronous I/O does it.

use std::fs::File;
use std::io::{self, IoSlice};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use rustix::io::{ReadWriteFlags, pwritev2};

use super::null::idle_until;
use super::{Engine, Kind, Layout, Opened, Setup};
use crate::error::Result;
use crate::file::Target;
use crate::io::FlushCall;
use crate::io::{Action, Io};
use crate::sys::completion::Completion;
use crate::sys::memory::Buffer;

/// Registry entry.
pub struct Psync;

impl Kind for Psync {
    fn name(&self) -> &'static str {
        "psync"
    }

    fn title(&self) -> &'static str {
        "pread and pwrite, one thread for each outstanding I/O"
    }

    fn help(&self) -> &'static str {
        "Blocking pread and pwrite; durable writes are pwritev2 with RWF_DSYNC. A job of depth n is n threads with one \
         I/O each, which share the job's arrivals; they are not bound to one CPU. It runs on every kernel, \
         and it is what a log writer or a classic database process does."
    }

    fn real(&self) -> bool {
        true
    }

    fn layout(&self, jobs: u32, depth: u32) -> Layout {
        Layout { jobs, lanes_per_job: depth, depth: 1 }
    }

    fn open(&self, setup: &Setup) -> Result<Opened> {
        let buffers = Buffer::carve(setup.depth as usize, setup.block_bytes_max as usize)?;
        Ok(Opened::real(Box::new(State { targets: setup.targets.clone(), taken: None }), buffers))
    }
}

struct State {
    targets: Arc<Vec<Target>>,
    taken: Option<(Io, Option<Buffer>)>,
}

impl Engine for State {
    fn submit(&mut self, io: &Io, buffer: Option<Buffer>) {
        assert!(self.taken.is_none(), "a psync lane has one I/O at a time");
        self.taken = Some((*io, buffer));
    }

    fn reap(&mut self, deadline_ns: u64, done: &mut Vec<Completion>) -> Result<()> {
        match self.taken.take() {
            Some((io, mut buffer)) => {
                let file = &self.targets[io.target as usize].file;
                let (start, end) = (io.skip_bytes as usize, (io.skip_bytes + io.len_bytes) as usize);
                let bytes = buffer.as_deref_mut().map_or(&mut [][..], |bytes| &mut bytes[start..end]);
                let result = outcome(perform(file, &io, bytes));
                done.push(Completion { slot: io.slot, result, buffer });
            }
            None => idle_until(deadline_ns),
        }
        Ok(())
    }
}

fn perform(file: &File, io: &Io, bytes: &mut [u8]) -> io::Result<usize> {
    loop {
        let result = match io.action {
            Action::Read => file.read_at(bytes, io.offset_bytes),
            Action::Write => file.write_at(bytes, io.offset_bytes),
            Action::WriteDurably => {
                pwritev2(file, &[IoSlice::new(bytes)], io.offset_bytes, ReadWriteFlags::DSYNC)
                    .map_err(Into::into)
            }
            Action::Flush(FlushCall::Fsync) => file.sync_all().map(|()| 0),
            Action::Flush(FlushCall::Fdatasync) => file.sync_data().map(|()| 0),
        };
        match result {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

fn outcome(result: io::Result<usize>) -> i32 {
    match result {
        Ok(bytes) => bytes as i32,
        Err(error) => -error.raw_os_error().unwrap_or(libc::EIO),
    }
}
