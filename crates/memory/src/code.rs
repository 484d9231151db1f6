//! Code that this process has run and may not run again: what starts Python, loads modules and makes a probe is several MB, which
//! the kernel counts as the process's own for as long as it is not asked to forget it.
#![allow(unsafe_code)]

use std::fs;

use rustix::mm::{Advice, madvise};

use crate::sys::addresses;

const CODE: &str = "r-xp";
const NO_FILE: &str = "0";

/// Takes pages of code out of this process's memory, and returns how many bytes of address space they were in. They stay in the
/// page cache, and what is run again is back in a microsecond for each 64 KiB.
///
/// Where there are other threads nothing is done: one of them might put something else in the place of what is read here.
pub fn forget_code() -> usize {
    let threads = fs::read_dir("/proc/self/task").map_or(0, Iterator::count);
    if threads != 1 {
        return 0;
    }
    let told = fs::read_to_string("/proc/self/smaps").unwrap_or_default();
    unchanged_code(&told).map(|(start, bytes)| if forget(start, bytes) { bytes } else { 0 }).sum()
}

fn forget(start: usize, bytes: usize) -> bool {
    let start = std::ptr::with_exposed_provenance_mut(start);
    // SAFETY: the pages are as they are in the file, nobody writes to them, and the next access reads them from there again.
    unsafe { madvise(start, bytes, Advice::LinuxDontNeed) }.is_ok()
}

/// Where code of files is, as address and bytes, of which no page differs from the file: none that a loader or a debugger wrote to.
fn unchanged_code(smaps: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut code = None;
    smaps.lines().filter_map(move |line| {
        if let Some((from, to)) = addresses(line) {
            code = is_code_of_a_file(line).then_some((from, to - from));
            return None;
        }
        let own = line.strip_prefix("Anonymous:")?.trim();
        code.take().filter(|_| own == "0 kB")
    })
}

/// By the first line of a mapping: `7f00-7f10 r-xp 00001000 08:01 7 /lib/a`.
fn is_code_of_a_file(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    words.nth(1) == Some(CODE) && words.nth(2).is_some_and(|inode| inode != NO_FILE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_what_is_run_from_a_file_and_was_not_changed() {
        let told = "1000-3000 r-xp 00001000 08:01 7 /lib/a b-c\nRss: 8 kB\nAnonymous:             0 kB\nVmFlags: rd ex\n\
            3000-4000 r--p 00003000 08:01 7 /lib/a\nAnonymous:             0 kB\n\
            4000-6000 rw-p 00003000 08:01 7 /lib/a\nAnonymous:             8 kB\n\
            7000-8000 r-xp 00000000 08:01 9 /lib/changed\nAnonymous:             4 kB\n\
            9000-a000 r-xp 00000000 00:00 0 [vdso]\nAnonymous:             0 kB\n\
            b000-c000 r-xp 00000000 08:01 3 /lib/untold\nRss: 4 kB\n\
            d000-f000 r-xp 00000000 08:01 5 /bin/p\nAnonymous:             0 kB\n";
        assert_eq!(unchanged_code(told).collect::<Vec<_>>(), [(0x1000, 0x2000), (0xd000, 0x2000)]);
    }

    #[test]
    fn this_process_goes_on_running() {
        assert_eq!(forget_code(), 0, "the thread of the test is not the only one");
        let told = fs::read_to_string("/proc/self/smaps").unwrap();
        assert!(unchanged_code(&told).all(|(start, bytes)| forget(start, bytes)));
        assert!(unchanged_code(&told).count() > 0);
    }
}
