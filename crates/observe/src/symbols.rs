//! Where functions of the running kernel are, as far as it tells this process.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};

const SYMBOLS: &str = "/proc/kallsyms";
/// As much of it as is read at a time.
const HELD_BYTES: usize = 64 << 10;

/// Where the function of each name begins; 0 where there is none of it, or the kernel does not say.
pub(crate) fn addresses<const NAMES: usize>(names: [&str; NAMES]) -> [u64; NAMES] {
    File::open(SYMBOLS).map_or([0; NAMES], |told| addresses_in(told, names))
}

/// Lines are an address, a kind, a name, and the module of it where there is one.
fn addresses_in<const NAMES: usize>(told: impl Read, names: [&str; NAMES]) -> [u64; NAMES] {
    let mut found = [0; NAMES];
    let (mut lines, mut line) = (BufReader::with_capacity(HELD_BYTES, told), Vec::new());
    while found.contains(&0) {
        line.clear();
        if lines.read_until(b'\n', &mut line).unwrap_or(0) == 0 {
            break;
        }
        let mut words = line.split(|byte| byte.is_ascii_whitespace());
        let (address, name) = (words.next(), words.nth(1));
        if let Some(at) = names.iter().position(|wanted| Some(wanted.as_bytes()) == name) {
            let address = address.and_then(|hex| std::str::from_utf8(hex).ok());
            found[at] = address.and_then(|hex| u64::from_str_radix(hex, 16).ok()).unwrap_or(0);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLD: &str = "ffffffff81000000 T _text\nffffffff81768c50 t wanted\nffffffff81768c60 T wanted_too\n\
                        ffffffffc0123450 t clone\t[dm_mod]\n";

    #[test]
    fn a_function_is_found_by_its_whole_name_also_in_a_module() {
        let found = addresses_in(TOLD.as_bytes(), ["clone", "wanted"]);
        assert_eq!(found, [0xffff_ffff_c012_3450, 0xffff_ffff_8176_8c50]);
    }

    #[test]
    fn what_is_not_told_is_nought() {
        assert_eq!(addresses_in(TOLD.as_bytes(), ["other", "wanted"]), [0, 0xffff_ffff_8176_8c50]);
        assert_eq!(addresses_in(&b"0000000000000000 T wanted\n"[..], ["wanted"]), [0]);
        assert_eq!(addresses_in(&b"\xff\xfe wanted\n\n x\n"[..], ["wanted"]), [0]);
    }
}
