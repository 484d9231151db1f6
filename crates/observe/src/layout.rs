//! What the rows of `bpf/block.bpf.c` hold, read without `unsafe`: keys and rows come as plain words.

use std::collections::BTreeMap;

const LATENCY_STEPS_LOG2: u32 = 4;
const LATENCY_FIRST_LOG2: u32 = 10;
const LATENCY_DOUBLINGS: usize = 25;
/// Buckets of latency in a row: one below 1,024 ns, sixteen to each doubling, and one above.
pub const LATENCY_BUCKETS: usize = 2 + (LATENCY_DOUBLINGS << LATENCY_STEPS_LOG2);
/// Buckets of size in a row: up to 512 bytes, by doublings to 32 MiB, and above.
pub const SIZE_BUCKETS: usize = 18;
const SIZE_FIRST_LOG2: usize = 9;
/// A bucket's I/Os are spread evenly over so many values of it at most.
const POINTS_MAX: u64 = 16;

/// Words of a key.
pub const KEY_WORDS: usize = 4;
/// Half words of a row: six counters, the name of the command, the buckets.
pub const ROW_HALVES: usize = 2 * COUNTERS + COMMAND_HALVES + LATENCY_BUCKETS + SIZE_BUCKETS;
const COUNTERS: usize = 6;
const COMMAND_HALVES: usize = 4;

const FILE_INODE: u8 = 1;
const FILE_DEVICE: u8 = 2;
const NS_PER_US: f64 = 1_000.0;

/// A key as it comes from the kernel.
pub type RawKey = [u64; KEY_WORDS];
/// A row as it comes from the kernel.
pub type RawRow = [u32; ROW_HALVES];

/// Major and minor number of a block device.
pub type DeviceNumber = (u32, u32);

/// Who, what for, where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// The process that asked; none where it was the kernel itself.
    pub owner: Option<Owner>,
    /// The server whose worker did it for the owner, of which only the number is known that it has for that server. None: the
    /// owner did it itself.
    pub server: Option<u16>,
    /// The disk that the request went to.
    pub device: DeviceNumber,
    /// What was asked of it.
    pub operation: Operation,
    /// Whose pages were moved.
    pub file: File,
}

/// A process, told from later ones of its number by when it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    /// Its number.
    pub pid: u32,
    /// When it began, in nanoseconds since the host was started.
    pub started_ns: u64,
}

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Data from the disk.
    Read,
    /// Data to the disk.
    Write,
    /// The kernel tells the disk to empty its cache.
    Flush,
    /// A process waits for that.
    FlushRequest,
    /// Blocks are given back.
    Discard,
    /// It is known only that one ended: nobody saw its begin.
    Unbegun,
    /// Anything else, by the kernel's number of it.
    Other(u8),
}

impl Operation {
    fn of(number: u8) -> Self {
        match number {
            0 => Self::Read,
            1 => Self::Write,
            2 => Self::Flush,
            3 => Self::Discard,
            0xfe => Self::FlushRequest,
            0xfd => Self::Unbegun,
            other => Self::Other(other),
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Flush => "flush",
            Self::FlushRequest => "flush-request",
            Self::Discard => "discard",
            Self::Unbegun => "unbegun",
            Self::Other(_) => "other",
        }
    }
}

/// Whose pages a request moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum File {
    /// No page of the page cache was moved: direct I/O, or nothing at all.
    Unknown,
    /// A file of a file system.
    Inode {
        /// The file system's device.
        device: DeviceNumber,
        /// Its number there.
        inode: u64,
    },
    /// The device itself: what a file system keeps there of its own, or who reads it raw through the page cache.
    Device,
}

pub(crate) fn device_number(raw: u32) -> DeviceNumber {
    (raw >> 20, raw & 0xf_ffff)
}

/// What a key of the kernel says.
pub fn read_key(raw: &RawKey) -> Key {
    let [started_ns, inode, owner_and_device, rest] = *raw;
    let pid = owner_and_device as u32;
    let [operation, file_kind, low, high] = ((rest >> 32) as u32).to_le_bytes();
    let server = Some(u16::from_le_bytes([low, high])).filter(|server| *server > 0);
    let file = match file_kind {
        FILE_INODE => File::Inode { device: device_number(rest as u32), inode },
        FILE_DEVICE => File::Device,
        _ => File::Unknown,
    };
    Key {
        owner: (pid != 0).then_some(Owner { pid, started_ns }),
        server,
        device: device_number((owner_and_device >> 32) as u32),
        operation: Operation::of(operation),
        file,
    }
}

/// What was counted under one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Requests that ended.
    pub ios: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// Those that failed.
    pub errors: u64,
    /// Those of which it is known when they were asked for.
    pub begun: u64,
    /// Time from there to issue, all of these together.
    pub queue_ns: u64,
    /// Time from issue to end, all of them together.
    pub service_ns: u64,
    /// Name of the process that the first of them came from, the kernel's threads too.
    pub command: String,
    latency: Vec<u32>,
    sizes: Vec<u32>,
}

/// What a row of the kernel says.
pub fn read_row(raw: &RawRow) -> Row {
    let latency_at = 2 * COUNTERS + COMMAND_HALVES;
    let (latency, sizes) = raw[latency_at..].split_at(LATENCY_BUCKETS);
    Row {
        ios: counter_of(raw, 0),
        bytes: counter_of(raw, 1),
        errors: counter_of(raw, 2),
        begun: counter_of(raw, 3),
        queue_ns: counter_of(raw, 4),
        service_ns: counter_of(raw, 5),
        command: command_of(raw),
        latency: latency.to_vec(),
        sizes: sizes.to_vec(),
    }
}

fn counter_of(raw: &RawRow, counter: usize) -> u64 {
    u64::from(raw[2 * counter]) | u64::from(raw[2 * counter + 1]) << 32
}

fn command_of(raw: &RawRow) -> String {
    let halves = &raw[2 * COUNTERS..2 * COUNTERS + COMMAND_HALVES];
    let bytes: Vec<u8> =
        halves.iter().flat_map(|half| half.to_le_bytes()).take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

impl Row {
    /// Latencies from issue to end in microseconds, each with how many I/Os had it; those of a bucket are spread over it.
    pub fn latency_us(&self) -> Vec<(f64, u64)> {
        let counted = self.latency.iter().enumerate().filter(|(_, count)| **count > 0);
        counted.flat_map(|(bucket, count)| spread(bucket, u64::from(*count))).collect()
    }

    /// Sizes as the greatest number of bytes of each bucket, and how many I/Os were in it; the last one has no greatest.
    pub fn sizes(&self) -> BTreeMap<Option<u64>, u64> {
        let limit = |bucket: usize| (bucket + 1 < SIZE_BUCKETS).then(|| 1 << (bucket + SIZE_FIRST_LOG2));
        let counted = self.sizes.iter().enumerate().filter(|(_, count)| **count > 0);
        counted.map(|(bucket, count)| (limit(bucket), u64::from(*count))).collect()
    }
}

/// Where a bucket of latency begins.
fn bucket_ns(bucket: usize) -> u64 {
    let Some(step) = bucket.checked_sub(1) else { return 0 };
    let steps = 1usize << LATENCY_STEPS_LOG2;
    let within = (steps + step % steps) as u64;
    within << (LATENCY_FIRST_LOG2 - LATENCY_STEPS_LOG2 + (step / steps) as u32)
}

/// The last bucket has no end: of what is in it nothing is known but that it took longer.
pub(crate) fn spread(bucket: usize, count: u64) -> impl Iterator<Item = (f64, u64)> {
    let (from, to) = (bucket_ns(bucket) as f64, bucket_ns((bucket + 1).min(LATENCY_BUCKETS - 1)) as f64);
    let points = count.min(POINTS_MAX);
    (0..points).map(move |point| {
        let at_ns = from + (to - from) * (point as f64 + 0.5) / points as f64;
        (at_ns / NS_PER_US, count / points + u64::from(point < count % points))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(counters: [u64; COUNTERS], command: &[u8; 16]) -> RawRow {
        let mut row = [0; ROW_HALVES];
        for (at, counter) in counters.into_iter().enumerate() {
            (row[2 * at], row[2 * at + 1]) = (counter as u32, (counter >> 32) as u32);
        }
        for (half, bytes) in row[2 * COUNTERS..].iter_mut().zip(command.chunks_exact(4)) {
            *half = u32::from_le_bytes(bytes.try_into().expect("chunks of four bytes"));
        }
        row
    }

    const LATENCY_AT: usize = 2 * COUNTERS + COMMAND_HALVES;
    const SIZES_AT: usize = LATENCY_AT + LATENCY_BUCKETS;

    #[test]
    fn a_key_is_read_field_by_field() {
        let device = 7 << 20 | 3;
        let file_device = 254 << 20 | 1;
        let written = u64::from(u32::from_le_bytes([1, FILE_INODE, 0, 0])) << 32;
        let key = read_key(&[5_000, 16_472, device << 32 | 4_711, written | file_device]);
        assert_eq!(key.owner, Some(Owner { pid: 4_711, started_ns: 5_000 }));
        assert_eq!((key.device, key.server), ((7, 3), None));
        assert_eq!(key.operation, Operation::Write);
        assert_eq!(key.file, File::Inode { device: (254, 1), inode: 16_472 });
    }

    #[test]
    fn the_owner_of_what_a_worker_did_is_a_process_of_its_server() {
        let done = u64::from(u32::from_le_bytes([0, 0, 2, 1])) << 32;
        let key = read_key(&[0, 0, 4_711, done]);
        assert_eq!((key.owner.map(|owner| owner.pid), key.server), (Some(4_711), Some(258)));
    }

    #[test]
    fn the_kernel_owns_what_no_process_asked_for_and_direct_io_has_no_file() {
        let key = read_key(&[0, 0, 7 << 52, 2 << 32]);
        assert_eq!((key.owner, key.operation, key.file), (None, Operation::Flush, File::Unknown));
        let device = u64::from(u32::from_le_bytes([0, FILE_DEVICE, 0, 0])) << 32;
        assert_eq!(read_key(&[0, 0, 1, device]).file, File::Device);
        let names: Vec<_> = [0, 1, 2, 3, 9, 0xfe, 0xfd].map(|number| Operation::of(number).name()).into();
        assert_eq!(names, ["read", "write", "flush", "discard", "other", "flush-request", "unbegun"]);
    }

    #[test]
    fn a_row_is_read_field_by_field_beyond_32_bits() {
        let row = read_row(&raw([2, 5 << 32, 1, 4, 7, 9], b"io worker 0\0\0\0\0\0"));
        assert_eq!((row.ios, row.bytes, row.errors), (2, 5 << 32, 1));
        assert_eq!((row.begun, row.queue_ns, row.service_ns), (4, 7, 9));
        assert_eq!(row.command, "io worker 0");
        assert!(row.latency_us().is_empty());
    }

    #[test]
    fn buckets_of_latency_join_and_grow_by_a_sixteenth() {
        assert_eq!((bucket_ns(0), bucket_ns(1), bucket_ns(2), bucket_ns(17)), (0, 1_024, 1_088, 2_048));
        assert_eq!(bucket_ns(LATENCY_BUCKETS - 1), 1_024 << LATENCY_DOUBLINGS);
    }

    #[test]
    fn ios_of_a_bucket_are_spread_over_it_and_none_is_lost() {
        let points: Vec<_> = spread(1, 35).collect();
        assert_eq!(points.len(), POINTS_MAX as usize);
        assert_eq!(points.iter().map(|(_, count)| count).sum::<u64>(), 35);
        assert!(points.iter().all(|(us, _)| (1.024..1.088).contains(us)));
        assert_eq!(spread(17, 1).collect::<Vec<_>>(), [(2.112, 1)]);
        let ends_us = (1_024_u64 << LATENCY_DOUBLINGS) as f64 / NS_PER_US;
        assert!(spread(LATENCY_BUCKETS - 1, 3).all(|(us, _)| us == ends_us), "more than that is not known");
    }

    #[test]
    fn sizes_are_named_by_their_greatest() {
        let mut row = raw([0; COUNTERS], &[0; 16]);
        (row[SIZES_AT], row[SIZES_AT + 4], row[SIZES_AT + SIZE_BUCKETS - 1]) = (3, 5, 7);
        let sizes: Vec<_> = read_row(&row).sizes().into_iter().collect();
        assert_eq!(sizes, [(None, 7), (Some(512), 3), (Some(8_192), 5)]);
    }
}
