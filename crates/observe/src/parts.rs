//! Contents that are looked at in parts, each of which is in memory only until another is looked at.

use std::cell::RefCell;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// As much as is held at a time: the next that is asked for mostly lies right behind.
const HELD_BYTES: usize = 16 << 10;
/// Names are shorter as a rule.
const TEXT_BYTES: usize = 64;

/// Where parts are from.
pub(crate) trait Source {
    fn bytes(&self) -> usize;
    /// Reads from there on; None where there is not so much, or it cannot be read.
    fn read(&self, from: usize, into: &mut [u8]) -> Option<()>;
}

impl Source for [u8] {
    fn bytes(&self) -> usize {
        self.len()
    }

    fn read(&self, from: usize, into: &mut [u8]) -> Option<()> {
        into.copy_from_slice(self.get(from..from.checked_add(into.len())?)?);
        Some(())
    }
}

impl Source for File {
    fn bytes(&self) -> usize {
        self.metadata().map_or(0, |about| about.len() as usize)
    }

    fn read(&self, from: usize, into: &mut [u8]) -> Option<()> {
        self.read_exact_at(into, from as u64).ok()
    }
}

pub(crate) struct Parts<'a, S: Source + ?Sized> {
    source: &'a S,
    bytes: usize,
    held: RefCell<Held>,
}

#[derive(Default)]
struct Held {
    from: usize,
    contents: Vec<u8>,
}

impl<'a, S: Source + ?Sized> Parts<'a, S> {
    pub(crate) fn of(source: &'a S) -> Self {
        Self { source, bytes: source.bytes(), held: RefCell::default() }
    }

    /// The number of four bytes that begins there.
    pub(crate) fn word(&self, at: usize) -> Option<u32> {
        self.with(at, 4, |bytes| Some(u32::from_ne_bytes(bytes.try_into().ok()?)))
    }

    /// Adds so many bytes to others.
    pub(crate) fn copy(&self, at: usize, bytes: usize, into: &mut Vec<u8>) -> Option<()> {
        self.with(at, bytes, |bytes| {
            into.extend(bytes);
            Some(())
        })
    }

    /// What ends with a zero within so many bytes, without it.
    pub(crate) fn text(&self, at: usize, bytes_max: usize) -> Option<Vec<u8>> {
        let mut bytes = bytes_max.min(TEXT_BYTES);
        loop {
            let ended = self.with(at, bytes, |bytes| {
                let end = bytes.iter().position(|byte| *byte == 0);
                Some(end.map(|end| bytes[..end].to_vec()))
            })?;
            if ended.is_some() || bytes == bytes_max {
                return ended;
            }
            bytes = bytes_max.min(2 * bytes);
        }
    }

    fn with<T>(&self, at: usize, bytes: usize, look: impl FnOnce(&[u8]) -> Option<T>) -> Option<T> {
        let mut held = self.held.borrow_mut();
        let end = at.checked_add(bytes).filter(|end| *end <= self.bytes)?;
        if at < held.from || end > held.from + held.contents.len() {
            held.from = at;
            held.contents.resize(bytes.max(HELD_BYTES).min(self.bytes - at), 0);
            if self.source.read(at, &mut held.contents).is_none() {
                held.contents.clear();
                return None;
            }
        }
        let from = at - held.from;
        look(&held.contents[from..from + bytes])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Longer than what is held, and each word another.
    fn long() -> Vec<u8> {
        (0..20_000_u32).flat_map(u32::to_ne_bytes).collect()
    }

    #[test]
    fn each_part_is_what_is_there_in_whatever_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("contents");
        std::fs::write(&path, long()).expect("written");
        let file = File::open(&path).expect("a file");
        let parts = Parts::of(&file);
        for number in [0, 19_999, 4_095, 4_096, 3, 12_000, 4_094] {
            assert_eq!(parts.word(4 * number), Some(number as u32));
        }
        let mut copied = vec![1];
        assert_eq!(parts.copy(0, 80_000, &mut copied), Some(()));
        assert_eq!(copied[1..], long());
    }

    #[test]
    fn nothing_is_beyond_the_end() {
        let contents = long();
        let parts = Parts::of(&contents[..]);
        assert_eq!(parts.word(80_000 - 3), None);
        assert_eq!(parts.word(usize::MAX), None);
        assert_eq!(parts.copy(0, 80_001, &mut Vec::new()), None);
        assert_eq!(Parts::of(&[][..]).word(0), None);
    }

    #[test]
    fn a_text_ends_with_a_zero_also_where_it_is_long() {
        let contents = [&[b'a'; 1_000][..], &[0], b"next\0", b"open"].concat();
        let parts = Parts::of(&contents[..]);
        assert_eq!(parts.text(0, contents.len()), Some(vec![b'a'; 1_000]));
        assert_eq!(parts.text(1_001, contents.len() - 1_001).as_deref(), Some(&b"next"[..]));
        assert_eq!(parts.text(1_006, 4), None, "it has no end");
        assert_eq!(parts.text(0, 1_000), None, "its end is not within");
    }
}
