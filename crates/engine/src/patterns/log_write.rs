//! As a database writes its log: each write begins where the last one ended, each job in a region of its own.

use super::{Kind, Pattern, Place, Space, Volume};
use crate::error::Result;
use crate::error::invalid;
use crate::io::Op;
use crate::spec::ClassSpec;

/// Registry entry.
pub struct LogWrite;

impl Kind for LogWrite {
    fn name(&self) -> &'static str {
        "log_write"
    }

    fn title(&self) -> &'static str {
        "appends, each durable"
    }

    fn help(&self) -> &'static str {
        "Each write begins where the last one ended, as in a database's log, also where a class has several sizes. \
         Jobs have disjoint regions of equal size, as several logs on one device; at the end of its region a job \
         starts again. A write that does not fit before the end of a stripe or of a target begins at the next one. \
         The class must write, and must be durable with each write (sync) or by a flush."
    }

    fn check(&self, class: &ClassSpec) -> Result<()> {
        if class.op != Op::Write {
            return Err(invalid(format!("class {} reads, but pattern log_write is for writes", class.name)));
        }
        if !class.sync && class.flush.is_none() {
            return Err(invalid(format!(
                "class {} is never durable, but a log is: give it sync or flush",
                class.name
            )));
        }
        super::takes_no_skew(self.name(), class)
    }

    fn build(&self, space: &Space) -> Box<dyn Pattern> {
        let (first, blocks) = space.region();
        let volume = space.volume.clone();
        let end_bytes = blocks * u64::from(volume.block_bytes());
        Box::new(State { volume, first, at_bytes: 0, end_bytes })
    }
}

struct State {
    volume: Volume,
    first: u64,
    /// Where in the region the next write begins.
    at_bytes: u64,
    /// Length of the region.
    end_bytes: u64,
}

impl State {
    /// Where the next write of that length begins: behind the last one, unless it would cross a border.
    fn begin(&self, len_bytes: u64) -> u64 {
        let block_bytes = u64::from(self.volume.block_bytes());
        let block = self.first + self.at_bytes / block_bytes;
        let border_bytes = (self.at_bytes / block_bytes + self.volume.contiguous_blocks(block)) * block_bytes;
        if self.at_bytes + len_bytes <= border_bytes.min(self.end_bytes) {
            self.at_bytes
        } else if border_bytes < self.end_bytes {
            border_bytes
        } else {
            0
        }
    }
}

impl Pattern for State {
    fn next(&mut self, len_bytes: u32) -> Place {
        let mut begin_bytes = 0;
        if self.at_bytes < self.end_bytes {
            begin_bytes = self.begin(len_bytes.into());
        }
        self.at_bytes = begin_bytes + u64::from(len_bytes);
        let block_bytes = u64::from(self.volume.block_bytes());
        let mut place = self.volume.place(self.first + begin_bytes / block_bytes);
        place.offset_bytes += begin_bytes % block_bytes;
        place
    }
}
