//! What every probe needs of the kernel: its types, programs put at its tracepoints, and what it says told in words.

use std::collections::HashSet;
use std::error::Error;
use std::fs::File;

use aya::maps::{Map, MapData, MapError, PerCpuArray};
use aya::programs::{BtfTracePoint, ProgramError};
use aya::{Btf, BtfError, Ebpf, EbpfLoader, Endianness};
use plimsoll_engine::error::{CoreError, Result};
use rustix::process::chroot;
use rustix::thread::{
    UnshareFlags, disable_transparent_huge_pages, transparent_huge_pages_are_disabled, unshare_unsafe,
};

use crate::joined::Joined;
use crate::types::{asked_for, trimmed};

/// Where a kernel tells its types.
const TYPES: &str = "/sys/kernel/btf/vmlinux";
/// And a module whose types a probe asks for: the device mapper, where it is one.
const MODULE_TYPES: &str = "/sys/kernel/btf/dm_mod";
const TYPES_FOLDER: &str = "/sys/kernel/btf";

/// The types of the running kernel that an object of ours asks for, and those of its tracepoints.
pub(crate) fn kernel_types(object: &'static [u8]) -> Result<Btf> {
    let broken = |reason: String| {
        CoreError::new("probe-no-types", format!("the types of the kernel cannot be understood: {reason}"))
    };
    let raw = File::open(TYPES).map_err(|error| broken(words(&error)))?;
    let few = asked_for(object).and_then(|names| with_module(&names).or_else(|| trimmed(&raw, &names)));
    let parsed = match few {
        Some(few) => Btf::parse(&few, Endianness::default()),
        // All of them serve as well, and take more memory.
        None => Btf::parse_file(TYPES, Endianness::default()),
    };
    parsed.map_err(|error| broken(words(&error)))
}

/// These types of the kernel and of its module; None where there is no module that tells its types.
fn with_module(names: &HashSet<Vec<u8>>) -> Option<Vec<u8>> {
    let module = File::open(MODULE_TYPES).ok()?;
    trimmed(&Joined::of(File::open(TYPES).ok()?, module)?, names)
}

/// What loads an object. The library reads all types of the kernel for each, as long as it finds them, and takes 20 MB for a moment
/// although it is given others then: where this user may have that, a thread makes it that has other folders than the process.
pub(crate) fn loader() -> EbpfLoader<'static> {
    let mut loader = made_apart().unwrap_or_default();
    loader.btf(None);
    loader
}

fn made_apart() -> Option<EbpfLoader<'static>> {
    let make = || {
        let _ = leave_folders();
        EbpfLoader::new()
    };
    std::thread::Builder::new().spawn(make).ok()?.join().ok()
}

/// From here on this thread finds no types of the kernel; others do.
fn leave_folders() -> rustix::io::Result<()> {
    #[expect(unsafe_code, reason = "rustix offers it only so, as it is able to do more")]
    // SAFETY: the thread leaves no table of open files, only the folders that it begins its ways at.
    unsafe {
        unshare_unsafe(UnshareFlags::FS)?;
    }
    // Only a thread that has left may go on: these would be the folders of the whole process.
    chroot(TYPES_FOLDER)
}

/// This process is given no huge pages while it is there: of memory that is used for a moment, and in parts, each takes 2 MiB.
pub(crate) struct SmallPages;

impl SmallPages {
    /// None where it was so before, or the kernel does not know how.
    pub(crate) fn kept() -> Option<Self> {
        let are_off = transparent_huge_pages_are_disabled().unwrap_or(true);
        (!are_off && disable_transparent_huge_pages(true).is_ok()).then_some(Self)
    }
}

impl Drop for SmallPages {
    fn drop(&mut self) {
        let _ = disable_transparent_huge_pages(false);
    }
}

/// Whether it has this tracepoint.
pub(crate) fn has_event(name: &str, types: &Btf) -> bool {
    types.id_by_type_name_kind(&format!("btf_trace_{name}"), aya_obj::btf::BtfKind::Typedef).is_ok()
}

/// Puts a program at the tracepoint of its name.
pub(crate) fn attach(programs: &mut Ebpf, name: &str, types: &Btf) -> Result<()> {
    let program = attach_nothing(programs, (name, name), types).map_err(|error| unattached(name, &error))?;
    program.attach().map_err(|error| unattached(name, &error))?;
    Ok(())
}

/// Loads a program for a tracepoint and leaves it at that.
pub(crate) fn attach_nothing<'a>(
    programs: &'a mut Ebpf,
    (name, event): (&str, &str),
    types: &Btf,
) -> std::result::Result<&'a mut BtfTracePoint, ProgramError> {
    let program: &mut BtfTracePoint =
        programs.program_mut(name).expect("a program of our object").try_into()?;
    program.load(event, types)?;
    Ok(program)
}

/// A map of an object of ours.
pub(crate) fn map<'a, T>(programs: &'a Ebpf, name: &str) -> Result<T>
where
    T: TryFrom<&'a Map, Error = MapError>,
{
    T::try_from(programs.map(name).expect("a map of our object")).map_err(|error| unread(&error))
}

/// A map of an object of ours, which is its own from now on.
pub(crate) fn taken<T>(programs: &mut Ebpf, name: &str) -> Result<T>
where
    T: TryFrom<Map, Error = MapError>,
{
    T::try_from(programs.take_map(name).expect("a map of our object")).map_err(|error| unread(&error))
}

/// The counters of what is in no row, each summed over all processors.
pub(crate) fn counted<const COUNTERS: usize>(programs: &Ebpf) -> Result<[u64; COUNTERS]> {
    let counts: PerCpuArray<&MapData, u64> = map(programs, "counts")?;
    let mut sums = [0; COUNTERS];
    for (which, sum) in (0..).zip(&mut sums) {
        *sum = counts.get(&which, 0).map_err(|error| unread(&error))?.iter().sum();
    }
    Ok(sums)
}

/// A text that ends with a zero, or is as long as its place.
pub(crate) fn text_of(halves: &[u32]) -> String {
    let bytes: Vec<u8> =
        halves.iter().flat_map(|half| half.to_le_bytes()).take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn unattached(name: &str, error: &ProgramError) -> CoreError {
    if let ProgramError::Btf(BtfError::UnknownBtfTypeName { .. }) = error {
        let message = format!("this kernel has no tracepoint {name}");
        return CoreError::new("probe-event-missing", message).hint("Use a kernel of version 5.5 or newer.");
    }
    refused(&format!("its program {name}"), error)
}

pub(crate) fn refused(what: &str, error: &(dyn Error + 'static)) -> CoreError {
    let message = format!("the kernel refused the probe, {what}: {}", words(error));
    CoreError { errno: errno(error), ..CoreError::new("probe-refused", message) }
        .hint("Report it with the kernel's version (uname -r) where it is not for want of rights or memory.")
}

pub(crate) fn unread(error: &MapError) -> CoreError {
    CoreError::new("probe-unread", format!("could not read what the probe counted: {}", words(error)))
}

/// An error with its causes, as one line; of what the verifier says only the end matters.
fn words(error: &(dyn Error + 'static)) -> String {
    let mut said: Vec<String> = Vec::new();
    for cause in causes(error) {
        let text = ends_of(&cause.to_string());
        if !said.iter().any(|earlier| earlier.contains(&text)) {
            said.push(text);
        }
    }
    said.join(": ")
}

/// How lines begin that the verifier ends with, whatever it found.
const STATISTICS: [&str; 3] = ["processed ", "verification time", "stack depth"];

fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

/// First and last line of a text, without the verifier's own statistics.
fn ends_of(text: &str) -> String {
    let is_statistic = |line: &str| STATISTICS.iter().any(|begin| line.starts_with(begin));
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !is_statistic(line));
    let first = lines.next().unwrap_or_default();
    lines.next_back().map_or_else(|| first.to_owned(), |last| format!("{first} … {last}"))
}

fn errno(error: &(dyn Error + 'static)) -> Option<i32> {
    causes(error).find_map(|error| error.downcast_ref::<std::io::Error>()?.raw_os_error())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loader_reads_no_types_of_its_own_and_the_process_finds_its_folders_as_before() {
        let before = std::fs::read_link("/proc/self/root").expect("a folder");
        let made = made_apart().expect("made");
        assert_eq!(std::fs::read_link("/proc/self/root").expect("a folder"), before);
        if let Err(error) = std::thread::spawn(leave_folders).join().expect("a thread") {
            eprintln!("skipped: this user may not leave its folders, or there are no types: {error}");
            return;
        }
        let made = format!("{made:?}");
        assert!(made.contains("btf: None"), "{}", &made[..made.len().min(200)]);
    }

    #[test]
    fn of_a_long_refusal_both_ends_are_told() {
        let log = "refused\n0: (b7) r0 = 0\n1: (95) exit\ninvalid read\nverification time 9 usec\nstack depth 8\nprocessed 2 insns\n";
        assert_eq!(ends_of(log), "refused … invalid read");
        assert_eq!(ends_of("refused\n"), "refused");
    }

    #[test]
    fn an_event_that_the_kernel_does_not_have_is_named() {
        let unknown = BtfError::UnknownBtfTypeName { type_name: "btf_trace_block_rq_issue".into() };
        let told = unattached("block_rq_issue", &ProgramError::Btf(unknown));
        assert_eq!(told.id, "probe-event-missing");
        assert!(told.message.contains("block_rq_issue"));
    }

    #[test]
    fn a_map_that_cannot_be_read_is_an_error_with_its_reason() {
        let told = unread(&MapError::KeyNotFound);
        assert_eq!((told.id, told.message.contains("key")), ("probe-unread", true), "{}", told.message);
    }

    #[test]
    fn a_refusal_keeps_the_number_of_the_kernel_and_says_nothing_twice() {
        let denied = std::io::Error::from_raw_os_error(1);
        let error = ProgramError::LoadError {
            io_error: denied,
            verifier_log: aya_obj::VerifierLog::new(String::new()),
        };
        let told = refused("its program x", &error);
        assert_eq!((told.id, told.errno), ("probe-refused", Some(1)));
        assert_eq!(told.message.matches("os error 1").count(), 1, "{}", told.message);
    }
}
