//! AIO workers of PostgreSQL 18 and later: where each of them notes for whom it does an I/O, for `bpf/askers.h`.
//!
//! All of it is found by names that the server's program gives to extensions, and by what lies there: sizes and places in its
//! structures are looked for and held against what must be true of each I/O, so that another release or build is either
//! understood or said not to be. Nothing is written, and no place of the program is stopped at.

use std::fs::File;
use std::io::{Error, ErrorKind};
use std::os::unix::fs::FileExt;

use object::read::ReadCache;
use object::{Object, ObjectSymbol};

/// Why the I/O of a worker cannot be told apart, in words.
pub type Reason = String;
/// A worker as the kernel's side has it.
pub(crate) type RawWorker = [u64; 6];

/// Outermost of all that say where the server is when an error is told; no worker has more of them at once.
const CONTEXTS_MAX: usize = 16;
/// From one of these to the next further out, and to what it is about.
const CONTEXT_PREVIOUS: u64 = 0;
const CONTEXT_ARGUMENT: u64 = 16;
/// In what the server knows of all its I/Os (PgAioCtl): numbers and addresses, in the order of their places.
const IO_COUNT: u64 = 40;
const IOS: u64 = 48;
/// In an I/O (PgAioHandle): the number of its process.
const IO_OWNER: usize = 16;
/// An I/O has more than this and less than that.
const IO_BYTES: std::ops::Range<usize> = 64..1_024;
const IO_BYTES_STEP: usize = 8;
/// So much is looked at to find out how large one is, which has to hold I/Os of so many processes.
const TRIED_BYTES_MAX: usize = 4 << 20;
const PROCESSES_MIN: usize = 3;
/// More processes of its own than any release has.
const AUXILIARY_MAX: u32 = 64;
/// What is known of a process (PGPROC) is less than that.
const PROCESS_BYTES_MAX: u64 = 8_192;
const PAGE_BYTES: usize = 4_096;
/// What a server knows of all of its processes is far less: nobody is to have us read more at each look.
const ALL_PROCESSES_BYTES_MAX: u64 = 64 << 20;
/// Of what the kernel told a program at its start: where it begins.
const ENTRY: u64 = 9;

/// A worker whose I/O is booked on who asked for it.
pub(crate) struct Worker {
    pub(crate) pid: u32,
    memory: Memory,
    /// What the server knows of its processes: from where, and how many bytes.
    processes: (u64, u64),
}

impl Worker {
    /// Finds out where the process notes for whom it works.
    pub(crate) fn find(pid: u32, server: u16) -> Result<(Self, RawWorker), Reason> {
        let memory = Memory::of(pid)?;
        let names = Names::of(pid)?;
        let at = noted_at(&memory, &names)?;
        let (ios, processes) = (Ios::find(&memory, &names)?, Processes::find(&memory, &names)?);
        let raw = [
            at,
            ios.address,
            processes.address,
            two(ios.bytes, ios.of_each),
            two(processes.bytes, processes.pid_at),
            two(ios.processes, u32::from(server)),
        ];
        let all = (processes.address, u64::from(processes.bytes) * u64::from(ios.processes));
        if all.1 > ALL_PROCESSES_BYTES_MAX {
            return Err(unknown("processes"));
        }
        Ok((Self { pid, memory, processes: all }, raw))
    }

    /// Whether it has not ended. Nobody takes one up again that was given up, so that its memory cannot be read for once is no end.
    pub(crate) fn is_there(&self) -> bool {
        !self.memory.is_gone(self.processes.0)
    }

    /// Has the kernel keep at hand for the worker what it may never have looked at itself: a probe may not wait for memory.
    /// Fails where the worker has ended.
    pub(crate) fn keep_at_hand(&self) -> Result<(), Reason> {
        let (from, bytes) = self.processes;
        (from..from + bytes).step_by(PAGE_BYTES).try_for_each(|at| self.memory.number(at).map(drop))?;
        self.memory.number(from + bytes - 4).map(drop)
    }
}

fn two(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// Where the worker notes the I/O that it is at: it has that told with every error, before all else.
fn noted_at(memory: &Memory, names: &Names) -> Result<u64, Reason> {
    let mut context = memory.address(names.error_context_stack)?;
    for _ in 0..CONTEXTS_MAX {
        if context == 0 {
            break;
        }
        match memory.address(context + CONTEXT_PREVIOUS)? {
            0 => return Ok(context + CONTEXT_ARGUMENT),
            previous => context = previous,
        }
    }
    Err("the worker does not say yet what it is at".into())
}

/// The I/Os of a server, as many for each of its processes, one process after the other.
struct Ios {
    address: u64,
    bytes: u32,
    of_each: u32,
    processes: u32,
}

impl Ios {
    fn find(memory: &Memory, names: &Names) -> Result<Self, Reason> {
        let all = memory.address(names.pgaio_ctl)?;
        let (count, address) = (memory.number(all + IO_COUNT)?, memory.address(all + IOS)?);
        if count == 0 || address == 0 {
            return Err(unknown("I/Os"));
        }
        let first = memory.bytes(address, (count as usize * IO_BYTES.end).min(TRIED_BYTES_MAX))?;
        let number = memory.number(names.my_number)?;
        let (bytes, of_each) = sizes(&first, count as usize)
            .filter(|(_, of_each)| is_number_of_worker(number, count / of_each))
            .ok_or_else(|| unknown("I/Os"))?;
        Ok(Self { address, bytes, of_each, processes: count / of_each })
    }
}

/// Whether a worker may have this number where so many processes have I/Os: it is one of the few behind all sessions. Of a wrong
/// size of I/Os, such as twice the right one, there are I/Os of twice as many processes.
fn is_number_of_worker(number: u32, processes: u32) -> bool {
    number.abs_diff(processes) <= AUXILIARY_MAX
}

/// Of what size an I/O is, and how many are of each process: the least size by which each of them names the process that it must
/// be of, and several processes are named.
fn sizes(first: &[u8], count: usize) -> Option<(u32, u32)> {
    IO_BYTES.step_by(IO_BYTES_STEP).find_map(|bytes| {
        let owners: Vec<usize> = (0..count)
            .map_while(|io| number_in(first, io * bytes + IO_OWNER))
            .map(|owner| owner as usize)
            .collect();
        let of_each = owners.iter().take_while(|owner| **owner == 0).count();
        let has_several =
            of_each > 0 && owners.len() >= PROCESSES_MIN * of_each && count.is_multiple_of(of_each);
        let is_in_order = || owners.iter().enumerate().all(|(io, owner)| *owner == io / of_each);
        (has_several && is_in_order()).then_some((bytes as u32, of_each as u32))
    })
}

/// What a server knows of its processes.
struct Processes {
    address: u64,
    bytes: u32,
    pid_at: u32,
}

impl Processes {
    fn find(memory: &Memory, names: &Names) -> Result<Self, Reason> {
        let address = memory.address(memory.address(names.all_processes)?)?;
        let own = memory.address(names.my_process)?;
        let number = u64::from(memory.number(names.my_number)?);
        let before = own.checked_sub(address).filter(|_| address != 0);
        let bytes = before.filter(|all| number > 0 && all % number == 0).map(|all| all / number);
        let bytes = bytes.filter(|bytes| (1..PROCESS_BYTES_MAX).contains(bytes));
        let bytes = bytes.ok_or_else(|| unknown("processes"))?;
        let pid = memory.number(names.my_pid)?;
        let known = memory.bytes(own, bytes as usize)?;
        let pid_at = (0..known.len()).step_by(4).find(|at| pid > 0 && number_in(&known, *at) == Some(pid));
        let pid_at = pid_at.ok_or_else(|| unknown("processes"))?;
        Ok(Self { address, bytes: bytes as u32, pid_at: pid_at as u32 })
    }
}

fn number_in(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn unknown(what: &str) -> Reason {
    format!("what the server knows of its {what} lies otherwise than in the releases that are known (18)")
}

/// Where a server's program has what it gives to extensions.
struct Names {
    error_context_stack: u64,
    pgaio_ctl: u64,
    all_processes: u64,
    my_process: u64,
    my_number: u64,
    my_pid: u64,
}

impl Names {
    fn of(pid: u32) -> Result<Self, Reason> {
        let unread =
            |error: &dyn std::fmt::Display| format!("the server's program could not be read: {error}");
        let program = File::open(format!("/proc/{pid}/exe")).map_err(|error| unread(&error))?;
        let program = ReadCache::new(program);
        let program = object::File::parse(&program).map_err(|error| unread(&error))?;
        let entry = entry_of(pid).map_err(|error| unread(&error))?;
        let moved = entry.wrapping_sub(program.entry());
        let at = |name: &str| {
            let mut all = program.dynamic_symbols().chain(program.symbols());
            let found = all.find(|one| one.is_definition() && one.name() == Ok(name));
            let missing = || {
                format!("the server's program has no symbol {name}: it is stripped, or of another release")
            };
            found.map(|one| one.address().wrapping_add(moved)).ok_or_else(missing)
        };
        Ok(Self {
            pgaio_ctl: at("pgaio_ctl")?,
            error_context_stack: at("error_context_stack")?,
            all_processes: at("ProcGlobal")?,
            my_process: at("MyProc")?,
            my_number: at("MyProcNumber")?,
            my_pid: at("MyProcPid")?,
        })
    }
}

/// Where a process was told that its program begins.
fn entry_of(pid: u32) -> Result<u64, Error> {
    let told = std::fs::read(format!("/proc/{pid}/auxv"))?;
    let words: Vec<u64> =
        told.chunks_exact(8).map(|word| u64::from_ne_bytes(word.try_into().expect("eight bytes"))).collect();
    let found = words.chunks_exact(2).find(|pair| pair[0] == ENTRY).map(|pair| pair[1]);
    found.ok_or_else(|| Error::new(ErrorKind::NotFound, "it does not say where it begins"))
}

/// Memory of a process, of that very one as long as it is open.
struct Memory(File);

impl Memory {
    fn of(pid: u32) -> Result<Self, Reason> {
        File::open(format!("/proc/{pid}/mem")).map(Self).map_err(|error| untold(&error))
    }

    /// Whether there is none any more: of a process that has ended it has no bytes, and what cannot be read is an error.
    fn is_gone(&self, at: u64) -> bool {
        matches!(self.0.read_at(&mut [0], at), Ok(0))
    }

    fn number(&self, at: u64) -> Result<u32, Reason> {
        let mut bytes = [0; 4];
        self.0.read_exact_at(&mut bytes, at).map_err(|error| untold(&error))?;
        Ok(u32::from_ne_bytes(bytes))
    }

    fn address(&self, at: u64) -> Result<u64, Reason> {
        let mut bytes = [0; 8];
        self.0.read_exact_at(&mut bytes, at).map_err(|error| untold(&error))?;
        Ok(u64::from_ne_bytes(bytes))
    }

    /// As many as are there.
    fn bytes(&self, at: u64, bytes: usize) -> Result<Vec<u8>, Reason> {
        let mut read = vec![0; bytes];
        let length = self.0.read_at(&mut read, at).map_err(|error| untold(&error))?;
        read.truncate(length);
        Ok(read)
    }
}

fn untold(error: &Error) -> Reason {
    let way = match error.kind() {
        ErrorKind::PermissionDenied => {
            ": root may, and who has CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH, unless kernel.yama.ptrace_scope is 3"
        }
        _ => "",
    };
    format!("the worker's memory could not be read ({error}){way}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const OF_EACH: usize = 4;
    const COUNT: usize = 5 * OF_EACH;

    /// I/Os of that size, of five processes.
    fn ios(bytes: usize) -> Vec<u8> {
        let mut made = vec![0xaa; COUNT * bytes];
        for io in 0..COUNT {
            let at = io * bytes + IO_OWNER;
            made[at..at + 4].copy_from_slice(&((io / OF_EACH) as u32).to_ne_bytes());
        }
        made
    }

    #[test]
    fn the_size_of_an_io_is_that_by_which_each_names_its_process() {
        for bytes in [72, 144, 200, 1_016] {
            assert_eq!(sizes(&ios(bytes), COUNT), Some((bytes as u32, OF_EACH as u32)), "{bytes}");
        }
    }

    #[test]
    fn ios_that_lie_otherwise_have_no_size() {
        let mut others = ios(520);
        others[13 * 520 + IO_OWNER] = 7;
        assert_eq!(sizes(&others, COUNT), None);
        assert_eq!(sizes(&vec![0; COUNT * 1_024], COUNT), None, "all of one process");
        assert_eq!(sizes(&ios(200)[..2 * OF_EACH * 200], COUNT), None, "of two processes alone");
        assert_eq!(sizes(&ios(520), COUNT - 1), None, "not as many of each");
    }

    #[test]
    fn a_worker_is_one_of_the_few_behind_all_sessions() {
        assert!(is_number_of_worker(139, 132) && is_number_of_worker(130, 132));
        assert!(!is_number_of_worker(139, 264) && !is_number_of_worker(139, 66));
    }

    #[test]
    fn a_process_that_is_no_server_says_which_symbol_it_lacks() {
        let told = Worker::find(std::process::id(), 1).err();
        assert!(told.as_ref().is_some_and(|words| words.contains("pgaio_ctl")), "{told:?}");
    }

    fn worker(pid: u32, processes_at: u64) -> Worker {
        Worker { pid, memory: Memory::of(pid).expect("its memory"), processes: (processes_at, 8) }
    }

    #[test]
    fn a_worker_whose_memory_cannot_be_read_for_once_is_still_there() {
        let own = worker(std::process::id(), 0);
        assert!(own.memory.number(0).is_err(), "nothing is ever mapped at 0");
        assert!(own.is_there());
    }

    #[test]
    fn a_worker_that_has_ended_is_not_there() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("a program of Debian's");
        let worker = worker(child.id(), 0);
        assert!(worker.is_there());
        child.kill().expect("asked to end");
        child.wait().expect("its end");
        assert!(!worker.is_there());
    }

    #[test]
    fn a_process_that_is_gone_is_told() {
        let mut child = std::process::Command::new("true").spawn().expect("a program of Debian's");
        let pid = child.id();
        child.wait().expect("its end");
        assert!(Worker::find(pid, 1).err().is_some_and(|words| words.contains("could not be read")));
    }
}
