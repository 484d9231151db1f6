//! Two tables of rows in the kernel, as `bpf/tables.h` has them.
//!
//! A reading makes the one that rests the one that is added to, waits until nobody adds to the other any more, and empties that:
//! nothing is lost or counted twice, and there is room for new rows after each reading.

use aya::maps::{Array, ArrayOfMaps, HashMap, MapData};
use aya::{Ebpf, Pod};
use plimsoll_engine::error::Result;

use crate::kernel::{taken, unread};

/// Their names, for who says how much room there is.
pub(crate) const NAMES: [&str; 2] = ["rows_0", "rows_1"];

pub(crate) struct Tables<K, V> {
    rows: [HashMap<MapData, K, V>; 2],
    in_use: Array<MapData, u32>,
    ended: ArrayOfMaps<MapData, Array<MapData, u32>>,
    /// Which of the rows rest since the last cut, as long as they have not been read.
    resting: Option<u32>,
    /// Rows that were taken out of the kernel and not given to anybody yet.
    taken: Vec<(K, V)>,
    used: u32,
}

impl<K: Pod, V: Pod> Tables<K, V> {
    /// Those of an object of ours, which has them no longer.
    pub(crate) fn of(programs: &mut Ebpf) -> Result<Self> {
        let rows = [taken(programs, NAMES[0])?, taken(programs, NAMES[1])?];
        let (in_use, ended) = (taken(programs, "in_use")?, taken(programs, "ended")?);
        Ok(Self { rows, in_use, ended, resting: None, taken: Vec::new(), used: 0 })
    }

    /// From here on rows belong to the reading after the next.
    pub(crate) fn cut(&mut self) -> Result<()> {
        if self.resting.is_some() {
            return Ok(());
        }
        let next = 1 - self.used;
        self.in_use.set(0, next, 0).map_err(|error| unread(&error))?;
        self.resting = Some(self.used);
        self.used = next;
        Ok(())
    }

    /// Takes out of the kernel what was counted until the last cut, or until now where there was none since the reading before.
    pub(crate) fn empty(&mut self) -> Result<()> {
        self.cut()?;
        // The kernel waits until no program is at work any more that found the rows in use.
        self.ended.set(0, &self.in_use, 0).map_err(|error| unread(&error))?;
        if let Some(resting) = self.resting {
            move_rows(&mut self.rows[resting as usize], &mut self.taken)?;
        }
        Ok(())
    }

    /// Gives what was taken out, and ends the reading: where one fails before, the next gives it too.
    pub(crate) fn give(&mut self) -> Vec<(K, V)> {
        self.resting = None;
        std::mem::take(&mut self.taken)
    }
}

/// A row is either taken or still there, also where that fails.
fn move_rows<K: Pod, V: Pod>(rows: &mut HashMap<MapData, K, V>, taken: &mut Vec<(K, V)>) -> Result<()> {
    let keys: Vec<K> = rows.keys().collect::<std::result::Result<_, _>>().map_err(|error| unread(&error))?;
    for key in keys {
        let row = rows.get(&key, 0).map_err(|error| unread(&error))?;
        rows.remove(&key).map_err(|error| unread(&error))?;
        taken.push((key, row));
    }
    Ok(())
}
