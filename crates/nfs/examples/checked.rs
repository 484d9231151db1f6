//! A load on a file whose blocks say what they are: every read is compared, every write is known by its number, and each I/O ends once.
//! For links that break meanwhile (tests/system/test_nfs_loss.py) and servers that are killed (test_nfs_restart.py); it runs until its
//! standard input ends.
//!
//! `checked URL read|write|write-unstable DEPTH BLOCK_BYTES TIMEOUT_MS`. Of block n a reader expects that each of its 64-bit words is n + 1, big-endian;
//! a writer writes all blocks in turn, over and over, each time with words of its own. A line tells whenever a path was lost or came back,
//! and which blocks were under way then; the last one tells what was seen, and a writer's `last` is the word that each block was given last,
//! 0 where it was never written.

use std::io::{Read, Write, stdout};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use plimsoll_nfs::error::{NfsError, Result};
use plimsoll_nfs::open::find;
use plimsoll_nfs::pipe::{Patience, Pipe, Wish};
use plimsoll_nfs::proc::Stable;
use plimsoll_nfs::socket::now_ns;
use plimsoll_nfs::table::{Ask, Counts, Done, Work};
use plimsoll_nfs::url::Url;

const WORD_BYTES: usize = 8;
/// How long I/Os are waited for after the end.
const DRAIN_NS: u64 = 60_000_000_000;
/// How often paths are looked at.
const TELL_NS: u64 = 5_000_000;

struct Asked {
    work: Work,
    depth: u32,
    block_bytes: u32,
    blocks: u64,
}

/// What is under way in a slot.
#[derive(Clone, Copy)]
struct Begun {
    block: u64,
    word: u64,
    begin_ns: u64,
}

#[derive(Default)]
struct Seen {
    begun: u64,
    ended: u64,
    failed: u64,
    /// Reads that brought other bytes.
    wrong: u64,
    /// Ends of what was not under way.
    unasked: u64,
    longest_ns: u64,
}

struct Load {
    asked: Asked,
    pipe: Pipe<Vec<u8>>,
    slots: Vec<Option<Begun>>,
    /// Memory of slots in which nothing is under way.
    free: Vec<(u32, Vec<u8>)>,
    /// What each block was given last.
    last: Vec<u64>,
    seen: Seen,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let ended = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&ended);
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        told.store(true, Ordering::Relaxed);
    });
    match opened(&words).map(|mut load| load.run(&ended)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn opened(words: &[String]) -> Result<Load> {
    let usage =
        || NfsError::new("usage", "checked URL read|write|write-unstable DEPTH BLOCK_BYTES TIMEOUT_MS", "");
    let [url, work, numbers @ ..] = words else { return Err(usage()) };
    let numbers: Vec<u64> = numbers.iter().filter_map(|word| word.parse().ok()).collect();
    let [depth, block_bytes, timeout_ms] = numbers[..] else { return Err(usage()) };
    let stable = if work == "write-unstable" { Stable::Unstable } else { Stable::File };
    let work = if work == "read" { Work::Read } else { Work::Write };
    let found = find(&Url::parse(url)?)?;
    let blocks = found.attributes.size_bytes / block_bytes;
    let wish = Wish {
        depth: depth as u32,
        block_bytes_max: block_bytes as u32,
        stable,
        writable: work == Work::Write,
        patience: Patience::of(timeout_ms * 1_000_000),
    };
    let asked = Asked { work, depth: wish.depth, block_bytes: wish.block_bytes_max, blocks };
    Ok(Load {
        pipe: Pipe::open(found, &wish)?,
        slots: vec![None; asked.depth as usize],
        free: (0..asked.depth).map(|slot| (slot, vec![0; block_bytes as usize])).collect(),
        last: vec![0; if work == Work::Write { blocks as usize } else { 0 }],
        seen: Seen::default(),
        asked,
    })
}

impl Load {
    fn run(&mut self, ended: &AtomicBool) {
        let (mut told, mut told_ns) = (String::new(), 0);
        while !ended.load(Ordering::Relaxed) && !self.pipe.is_gone() {
            while let Some((slot, buffer)) = self.free.pop() {
                self.begin(slot, buffer);
            }
            self.reap();
            if now_ns() > told_ns + TELL_NS {
                told_ns = now_ns();
                self.tell(&mut told);
            }
        }
        let until_ns = now_ns() + DRAIN_NS;
        while self.free.len() < self.asked.depth as usize && now_ns() < until_ns {
            self.reap();
        }
        self.tell_all();
    }

    fn begin(&mut self, slot: u32, mut buffer: Vec<u8>) {
        let Asked { work, block_bytes, blocks, .. } = self.asked;
        let block = self.seen.begun % blocks;
        self.seen.begun += 1;
        let word = if work == Work::Write { self.seen.begun } else { block + 1 };
        if work == Work::Write {
            self.last[block as usize] = word;
            buffer.chunks_exact_mut(WORD_BYTES).for_each(|place| place.copy_from_slice(&word.to_be_bytes()));
        } else {
            buffer.fill(0);
        }
        self.slots[slot as usize] = Some(Begun { block, word, begin_ns: now_ns() });
        let offset_bytes = block * u64::from(block_bytes);
        self.pipe.submit(&Ask { work, slot, offset_bytes, skip: 0, len: block_bytes }, Some(buffer));
    }

    fn reap(&mut self) {
        let Self { asked, pipe, slots, free, seen, .. } = self;
        pipe.reap(u64::MAX, |done| {
            let Done { slot, result, buffer } = done;
            let buffer = buffer.unwrap_or_else(|| vec![0; asked.block_bytes as usize]);
            let Some(begun) = slots[slot as usize].take() else {
                seen.unasked += 1;
                return;
            };
            seen.ended += 1;
            seen.longest_ns = seen.longest_ns.max(now_ns() - begun.begin_ns);
            if result != asked.block_bytes as i32 {
                eprintln!("block {}: {result}", begun.block);
                seen.failed += 1;
            } else if asked.work == Work::Read && !says(&buffer, begun.word) {
                eprintln!("block {} brought other bytes", begun.block);
                seen.wrong += 1;
            }
            free.push((slot, buffer));
        });
    }

    /// Tells of paths that were lost or came back.
    fn tell(&self, told: &mut String) {
        let losses: Vec<u64> = self.pipe.paths().iter().map(|path| path.losses).collect();
        let line = format!("\"losses\":{losses:?},\"back\":{}", self.pipe.reconnects());
        if *told != line {
            let under_way: Vec<u64> = self.slots.iter().flatten().map(|begun| begun.block).collect();
            say(&format!("{{{line},\"under_way\":{under_way:?}}}"));
            *told = line;
        }
    }

    fn tell_all(&self) {
        let Seen { begun, ended, failed, wrong, unasked, longest_ns } = self.seen;
        let paths = self.pipe.paths();
        let answers: Vec<u64> = paths.iter().map(|path| path.tally.answers).collect();
        let losses: Vec<u64> = paths.iter().map(|path| path.losses).collect();
        let Counts { resent, rewritten, .. } = self.pipe.counts();
        say(&format!(
            "{{\"begun\":{begun},\"ended\":{ended},\"failed\":{failed},\"wrong\":{wrong},\"unasked\":{unasked},\"longest_ns\":{longest_ns},\
             \"answers\":{answers:?},\"losses\":{losses:?},\"resent\":{resent},\"rewritten\":{rewritten},\"outages\":{},\"last\":{:?}}}",
            self.pipe.outages().len(),
            self.last
        ));
    }
}

fn says(buffer: &[u8], word: u64) -> bool {
    let word = word.to_be_bytes();
    buffer.chunks_exact(WORD_BYTES).all(|place| place == word)
}

fn say(line: &str) {
    println!("{line}");
    let _ = stdout().flush();
}
