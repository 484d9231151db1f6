//! The probe in the kernel: loaded, attached, read, and gone with the process that has it, however that ends.

use std::path::Path;

use aya::maps::{Array, HashMap, MapData, MapError};
use aya::{Btf, Ebpf, EbpfLoader, include_bytes_aligned};
use plimsoll_engine::error::Result;
use rustix::process::{Resource, Rlimit, setrlimit};

use crate::askers::{RawWorker, Reason, Worker};
use crate::kernel::{
    SmallPages, attach, attach_nothing, counted, has_event, kernel_types, loader, refused, taken, unread,
};
use crate::layout::{Key, RawKey, RawRow, Row, read_key, read_row};
use crate::obstacles::Surroundings;
use crate::symbols::addresses;
use crate::tables::{self, Tables};

static OBJECT: &[u8] = include_bytes_aligned!("../bpf/block.bpf.o");

/// Without these there is nothing to count.
const NEEDED: [&str; 2] = ["block_rq_issue", "block_rq_complete"];
/// What tells when a request was made, and by whom; kernels before 6.5 have the second, where a scheduler of the disk gets it.
const BEGINS: [&str; 2] = ["block_io_start", "block_rq_insert"];
/// Forgets requests that became part of others; without it a begin could be taken for another request's.
const MERGE: &str = "block_rq_merge";
/// Requests that a disk gave back.
const REQUEUE: &str = "block_rq_requeue";
/// Loads only where the tracepoints have the queue before the request.
const SECOND_ARGUMENT: (&str, &str) = ("second_argument", "block_rq_issue");

/// What ends a bio of direct I/O to a file, a part that was cut off one, and a copy that the device mapper made of one: by these the
/// probe knows what each is.
const ENDS: [&str; 3] = ["iomap_dio_bio_end_io", "bio_chain_endio", "clone_endio"];
const DEVICE_MAPPER: &str = "/sys/module/dm_mod";

/// How many requests and rows there is room for; others are counted as lost.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// Requests between begin and end at one moment.
    pub requests: u32,
    /// Combinations of owner, operation, disk and file between two readings.
    pub rows: u32,
}

impl Default for Room {
    fn default() -> Self {
        Self { requests: 16_384, rows: 8_192 }
    }
}

/// Events that are in no row, since the probe began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Requests that there was no room to remember: each is an I/O that is missing.
    pub lost_requests: u64,
    /// I/Os that there was no row for.
    pub lost_rows: u64,
    /// Their bytes.
    pub lost_row_bytes: u64,
    /// Ends without a begin: the write that carried a flush, what was under way when the probe began, and where the begin of
    /// requests is not told (Linux 6.5 does) requests for a flush.
    pub orphans: u64,
    /// Requests that a disk gave back and got again.
    pub requeued: u64,
    /// Requests that became part of others.
    pub merged: u64,
    /// I/Os whose end the kernel did not tell, and which are in rows without their latency: their requests were used again.
    pub untimed: u64,
    /// I/Os of workers that are booked on these, as it could not be read for whom each was.
    pub unasked: u64,
}

/// What was counted until the last cut, since the one before.
#[derive(Debug)]
pub struct Reading {
    /// Each key once.
    pub rows: Vec<(Key, Row)>,
    /// What is in no row, since the probe began.
    pub counts: Counts,
}

/// A probe at work; dropping it takes it out of the kernel.
pub struct Probe {
    programs: Ebpf,
    /// The tracepoint that tells of the begin of requests, where the kernel has one.
    begin: Option<&'static str>,
    names_direct: bool,
    tables: Tables<RawKey, RawRow>,
    askers: Askers,
}

/// Workers whose I/O is booked on who asked for it.
struct Askers {
    workers: HashMap<MapData, u32, RawWorker>,
    count: Array<MapData, u32>,
    known: Vec<Worker>,
    looks: usize,
}

impl Askers {
    fn of(programs: &mut Ebpf) -> Result<Self> {
        let (workers, count) = (taken(programs, "workers")?, taken(programs, "worker_count")?);
        Ok(Self { workers, count, known: Vec::new(), looks: 0 })
    }

    fn add(&mut self, pid: u32, server: u16) -> std::result::Result<(), Reason> {
        let (worker, raw) = Worker::find(pid, server)?;
        worker.keep_at_hand()?;
        let told = |error: MapError| unread(&error).message;
        self.workers.insert(pid, raw, 0).map_err(told)?;
        self.known.retain(|one| one.pid != pid);
        self.known.push(worker);
        self.count.set(0, self.known.len() as u32, 0).map_err(told)
    }

    /// Forgets those that have ended, whose numbers may be others' next. What was at hand stays so as a rule: one after the other
    /// has it looked at, as a server of many sessions has many pages of them.
    fn look_again(&mut self) -> Result<()> {
        let (known, ended): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.known).into_iter().partition(Worker::is_there);
        self.known = known;
        self.looks += 1;
        if let Some(worker) = self.known.get(self.looks % self.known.len().max(1)) {
            let _ = worker.keep_at_hand(); // it may end just now, which the next look finds
        }
        for worker in &ended {
            self.workers.remove(&worker.pid).map_err(|error| unread(&error))?;
        }
        self.count.set(0, self.known.len() as u32, 0).map_err(|error| unread(&error))
    }
}

impl Probe {
    /// Loads and attaches it; fails with the first obstacle, else with what the kernel says.
    pub fn start(room: Room) -> Result<Self> {
        if let Some(obstacle) = Surroundings::default().obstacles().into_iter().next() {
            return Err(obstacle);
        }
        // Kernels before 5.11 count the maps against this limit; where it may not be raised, the kernel will say so itself.
        let _ = setrlimit(Resource::Memlock, Rlimit { current: None, maximum: None });
        let _small = SmallPages::kept();
        // Meanwhile the types are read; where no thread may be made, one comes after the other.
        let ends = std::thread::Builder::new().spawn(ends_of_bios);
        let loader = loader();
        let types = &kernel_types(OBJECT)?;
        let ends = ends.map_or_else(|_| ends_of_bios(), |thread| thread.join().unwrap_or_default());
        let mut programs = load(loader, types, room, ends, false)?;
        if attach_nothing(&mut programs, SECOND_ARGUMENT, types).is_ok() {
            programs = load(crate::kernel::loader(), types, room, ends, true)?;
        }
        let begin = attach_begin(&mut programs, types)?;
        for name in [REQUEUE, NEEDED[1], NEEDED[0]] {
            attach(&mut programs, name, types)?;
        }
        let (tables, askers) = (Tables::of(&mut programs)?, Askers::of(&mut programs)?);
        Ok(Self { programs, begin, names_direct: ends[0] != 0, tables, askers })
    }

    /// The tracepoint that tells who made a request; without one it is who handed it to the disk, which may be the kernel.
    pub fn begin(&self) -> Option<&'static str> {
        self.begin
    }

    /// Whether files of direct I/O are known; the kernel tells who may have them where its functions are.
    pub fn names_direct(&self) -> bool {
        self.names_direct
    }

    /// From here on I/O that this worker of a database does for others is theirs. Servers are told apart by a number from 1 on.
    /// Fails with the reason where it cannot be told whose an I/O is; then it is the worker's.
    pub fn book_on_askers(&mut self, worker: u32, server: u16) -> std::result::Result<(), Reason> {
        self.askers.add(worker, server)
    }

    /// From here on rows belong to the reading after the next. It takes no time to speak of, so that counters of others can be
    /// read right before and right after it; on a processor at work an I/O may still come to either side.
    pub fn cut(&mut self) -> Result<()> {
        self.tables.cut()
    }

    /// What was counted until the last cut, or until now where there was none since the reading before.
    pub fn read(&mut self) -> Result<Reading> {
        self.tables.empty()?;
        self.askers.look_again()?;
        let counts = self.counts()?;
        let rows = self.tables.give();
        Ok(Reading { rows: rows.iter().map(|(key, row)| (read_key(key), read_row(row))).collect(), counts })
    }

    fn counts(&self) -> Result<Counts> {
        let [lost_requests, lost_rows, lost_row_bytes, orphans, requeued, merged, untimed, unasked] =
            counted(&self.programs)?;
        Ok(Counts { lost_requests, lost_rows, lost_row_bytes, orphans, requeued, merged, untimed, unasked })
    }
}

/// Where the functions of `ENDS` are; without the device mapper its own is not looked for.
fn ends_of_bios() -> [u64; 3] {
    let [direct, part, copy] = ENDS;
    if Path::new(DEVICE_MAPPER).exists() {
        return addresses([direct, part, copy]);
    }
    let [direct, part] = addresses([direct, part]);
    [direct, part, 0]
}

fn load(
    loader: EbpfLoader<'static>,
    types: &Btf,
    room: Room,
    [direct_end, part_end, copy_end]: [u64; 3],
    queue_comes_first: bool,
) -> Result<Ebpf> {
    let kept_places = room.requests / 2;
    let mut loader: EbpfLoader<'_> = loader;
    loader
        .btf(Some(types))
        .override_global("queue_comes_first", &u32::from(queue_comes_first), true)
        .override_global("direct_end", &direct_end, true)
        .override_global("part_end", &part_end, true)
        .override_global("copy_end", &copy_end, true)
        .override_global("kept_places_max", &kept_places, true)
        .map_max_entries("pending", room.requests.saturating_add(kept_places))
        .map_max_entries(tables::NAMES[0], room.rows)
        .map_max_entries(tables::NAMES[1], room.rows)
        .load(OBJECT)
        .map_err(|error| refused("its maps", &error))
}

fn attach_begin(programs: &mut Ebpf, types: &Btf) -> Result<Option<&'static str>> {
    if !has_event(MERGE, types) {
        return Ok(None);
    }
    let Some(begin) = BEGINS.into_iter().find(|name| has_event(name, types)) else { return Ok(None) };
    attach(programs, MERGE, types)?;
    attach(programs, begin, types)?;
    Ok(Some(begin))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::fs::{self, File};
    use std::io::Write;
    use std::path::PathBuf;
    use std::process::Command;
    use std::sync::atomic::{AtomicU32, Ordering};

    use aya::Endianness;

    use super::*;
    use crate::kernel::map;
    use crate::layout::Operation;
    use crate::types::{asked_for, trimmed};

    const BLOCK_BYTES: u64 = 4_096;
    /// More than a disk has requests, so that each is used again: the kernel takes the next of so few, and not the same.
    const ALL_REQUESTS: u64 = 300;
    const REQUESTS_OF_DISK: &str = "4";
    const UNTOLD: u64 = 64;

    /// A loop device of the test's own: it has one queue, whoever asks, and takes direct I/O also where its file is in memory.
    struct Loop {
        file: PathBuf,
        device: PathBuf,
        /// Settings of its queue as they were: the kernel keeps them for whoever is given the number next.
        before: Vec<(&'static str, String)>,
    }

    impl Loop {
        /// None where none can be made here.
        fn made() -> Option<Self> {
            static MADE: AtomicU32 = AtomicU32::new(0);
            let number = MADE.fetch_add(1, Ordering::Relaxed);
            // Cargo has a folder of the target's for integration tests alone.
            let file = std::env::temp_dir().join(format!("untimed-{}-{number}", std::process::id()));
            let mut written = File::create(&file).expect("a file");
            written.write_all(&vec![7; (ALL_REQUESTS * BLOCK_BYTES) as usize]).expect("written");
            let words = ["--find", "--show"].map(OsStr::new);
            let told = Command::new("losetup").args(words).arg(&file).output();
            let device = told.ok().filter(|one| one.status.success()).map(|one| one.stdout);
            let Some(device) = device.and_then(|path| String::from_utf8(path).ok()) else {
                fs::remove_file(file).expect("removed");
                return None;
            };
            let mut made = Self { file, device: PathBuf::from(device.trim()), before: Vec::new() };
            made.set("scheduler", "none");
            made.set("nr_requests", REQUESTS_OF_DISK);
            Some(made)
        }

        fn set(&mut self, name: &'static str, value: &str) {
            let told = fs::read_to_string(self.setting(name)).expect("a setting");
            let chosen = told.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
            let before = chosen.map_or(told.trim(), |(chosen, _)| chosen).to_owned();
            self.before.push((name, before));
            fs::write(self.setting(name), value).expect("set");
        }

        fn setting(&self, name: &str) -> PathBuf {
            let disk = self.device.file_name().expect("a name");
            Path::new("/sys/block").join(disk).join("queue").join(name)
        }
    }

    impl Drop for Loop {
        fn drop(&mut self) {
            for (name, value) in &self.before {
                let _ = fs::write(self.setting(name), value);
            }
            let _ = Command::new("losetup").arg("--detach").arg(&self.device).status();
            let _ = fs::remove_file(&self.file);
        }
    }

    /// Runs a program to its end; gives its number.
    fn run<Word: AsRef<OsStr>>(program: &str, words: impl IntoIterator<Item = Word>) -> u32 {
        let mut child = Command::new(program).args(words).spawn().expect("a program of Debian's coreutils");
        let pid = child.id();
        assert!(child.wait().expect("its end").success());
        pid
    }

    /// A process of its own that reads a disk past the page cache, one block after the other.
    fn read_directly(disk: &Path, blocks: u64) -> u32 {
        let (from, blocks) = (format!("if={}", disk.display()), format!("count={blocks}"));
        run("dd", [&from, "of=/dev/null", "bs=4096", &blocks, "iflag=direct", "status=none"])
    }

    /// One that asks a disk for so many flushes, one after the other.
    fn flush(disk: &Path, flushes: u64) -> u32 {
        let disks = (0..flushes).map(|_| disk.as_os_str());
        run("sync", std::iter::once(OsStr::new("--data")).chain(disks))
    }

    /// What is seen of a process's I/Os whose ends are not told, once each request of their disk was used again; None where it
    /// cannot be tried.
    fn untold(needed: Option<&str>, does: fn(&Path, u64) -> u32) -> Option<(Counts, Vec<(Key, Row)>)> {
        if !Surroundings::default().obstacles().is_empty() {
            eprintln!("skipped: no probe can be loaded here");
            return None;
        }
        let Some(disk) = Loop::made() else {
            eprintln!("skipped: no loop device can be made here");
            return None;
        };
        let mut probe = Probe::start(Room::default()).expect("a probe");
        if needed.is_some() && probe.begin() != needed {
            eprintln!("skipped: this kernel does not tell of {needed:?}");
            return None;
        }
        let program: &mut aya::programs::BtfTracePoint =
            probe.programs.program_mut(NEEDED[1]).expect("ours").try_into().expect("its kind");
        program.unload().expect("taken off");
        let pid = does(&disk.device, UNTOLD);
        attach(&mut probe.programs, NEEDED[1], &kernel_types(OBJECT).expect("types")).expect("put back");
        read_directly(&disk.device, ALL_REQUESTS);
        let Reading { rows, counts } = probe.read().expect("a reading");
        let is_theirs = |key: &Key| key.owner.is_some_and(|owner| owner.pid == pid);
        Some((counts, rows.into_iter().filter(|(key, _)| is_theirs(key)).collect()))
    }

    /// I/Os, bytes and I/Os with a latency of one operation on direct I/O or flushes.
    fn sums(rows: &[(Key, Row)], operation: Operation) -> (u64, u64, u64) {
        let is_asked = |key: &Key| key.operation == operation && key.file == crate::layout::File::Unknown;
        rows.iter().filter(|(key, _)| is_asked(key)).fold((0, 0, 0), |sum, (_, row)| {
            let timed: u64 = row.latency_us().iter().map(|(_, ios)| ios).sum();
            (sum.0 + row.ios, sum.1 + row.bytes, sum.2 + timed)
        })
    }

    #[test]
    fn a_kernel_that_has_no_typed_task_takes_the_program_as_well() {
        let Ok(raw) = fs::read("/sys/kernel/btf/vmlinux") else { return };
        if !Surroundings::default().obstacles().is_empty() {
            eprintln!("skipped: no probe can be loaded here");
            return;
        }
        let mut names = asked_for(OBJECT).expect("names");
        assert!(names.remove(&b"bpf_func_id"[..]), "it is asked for");
        let older =
            Btf::parse(&trimmed(&raw[..], &names).expect("types"), Endianness::default()).expect("types");
        let mut programs = load(loader(), &older, Room::default(), [0; 3], false).expect("loaded");
        for name in NEEDED {
            attach(&mut programs, name, &older).expect("attached");
        }
        assert!(attach_begin(&mut programs, &older).is_ok());
    }

    /// Where `struct pending` of `bpf/requests.h` says whether its request is under way.
    const IS_UNDER_WAY: usize = 56;
    const PENDING_BYTES: usize = 80;

    /// What is seen of a process's reads with room for so many requests, and how many places are kept for requests that ended.
    fn kept_places(requests: u32) -> Option<(u64, Counts, usize)> {
        if !Surroundings::default().obstacles().is_empty() {
            eprintln!("skipped: no probe can be loaded here");
            return None;
        }
        let Some(disk) = Loop::made() else {
            eprintln!("skipped: no loop device can be made here");
            return None;
        };
        let mut probe = Probe::start(Room { requests, ..Room::default() }).expect("a probe");
        let pid = read_directly(&disk.device, ALL_REQUESTS);
        let Reading { rows, counts } = probe.read().expect("a reading");
        let is_theirs = |key: &Key| key.owner.is_some_and(|owner| owner.pid == pid);
        let theirs: Vec<_> = rows.into_iter().filter(|(key, _)| is_theirs(key)).collect();
        let places: HashMap<&MapData, u64, [u8; PENDING_BYTES]> =
            map(&probe.programs, "pending").expect("the places");
        let kept =
            places.iter().filter_map(std::result::Result::ok).filter(|(_, one)| one[IS_UNDER_WAY] == 0);
        Some((sums(&theirs, Operation::Read).0, counts, kept.count()))
    }

    #[test]
    fn requests_keep_their_places_as_long_as_there_are_few() {
        let Some((ios, counts, kept)) = kept_places(Room::default().requests) else { return };
        // Beside programs that keep a disk busy, the kernel was seen not to tell of a few requests in a thousand.
        assert!((ALL_REQUESTS - 3..=ALL_REQUESTS).contains(&ios), "{ios} of {ALL_REQUESTS}, {counts:?}");
        assert!(kept > 0);
    }

    #[test]
    fn where_no_place_may_be_kept_each_is_given_back() {
        let Some((ios, counts, kept)) = kept_places(1) else { return };
        assert!(ios + counts.lost_requests > 0, "{counts:?}");
        assert_eq!(kept, 0);
    }

    #[test]
    fn an_io_whose_end_is_not_told_is_counted_once_its_request_is_used_again() {
        let Some((counts, rows)) = untold(None, read_directly) else { return };
        assert_eq!(sums(&rows, Operation::Read), (UNTOLD, UNTOLD * BLOCK_BYTES, 0), "{counts:?}");
        assert!(counts.untimed >= UNTOLD);
    }

    #[test]
    fn a_flush_that_is_waited_for_and_whose_end_is_not_told_is_counted_likewise() {
        let Some((counts, rows)) = untold(Some(BEGINS[0]), flush) else { return };
        assert_eq!(sums(&rows, Operation::FlushRequest), (UNTOLD, 0, 0), "{counts:?}");
        assert!(counts.untimed >= UNTOLD);
    }
}
