//! Types of the kernel with those of one of its modules behind them, as one source.
//!
//! A module's types go on counting where the kernel's end, and so do places of its names (the kernel's documentation, bpf/btf.rst,
//! "split BTF"): types and names put behind each other are types of both.

use std::fs::File;

use crate::parts::{Parts, Source};
use crate::types::{HEADER_BYTES, header};

/// Of one of two files: where it is there, and how many bytes.
struct Piece {
    file: usize,
    from: usize,
    bytes: usize,
}

pub(crate) struct Joined {
    files: [File; 2],
    header: Vec<u8>,
    pieces: [Piece; 4],
}

impl Joined {
    /// None where one of them is of another format.
    pub(crate) fn of(kernel: File, module: File) -> Option<Self> {
        let [(types, names), (more_types, more_names)] = [places_in(&kernel, 0)?, places_in(&module, 1)?];
        let header = header(types.bytes + more_types.bytes, names.bytes + more_names.bytes);
        Some(Self { files: [kernel, module], header, pieces: [types, more_types, names, more_names] })
    }
}

/// Types and names.
fn places_in(file: &File, number: usize) -> Option<(Piece, Piece)> {
    let raw = Parts::of(file);
    let begin = raw.word(4)? as usize;
    let piece = |at: usize| -> Option<Piece> {
        let (from, bytes) = (begin.checked_add(raw.word(at)? as usize)?, raw.word(at + 4)? as usize);
        let is_within = from.checked_add(bytes)? <= file.bytes();
        is_within.then_some(Piece { file: number, from, bytes })
    };
    Some((piece(8)?, piece(16)?))
}

impl Source for Joined {
    fn bytes(&self) -> usize {
        HEADER_BYTES + self.pieces.iter().map(|piece| piece.bytes).sum::<usize>()
    }

    fn read(&self, from: usize, into: &mut [u8]) -> Option<()> {
        let (mut at, mut begin, mut rest) = (from, HEADER_BYTES, into);
        if at < HEADER_BYTES {
            let bytes = rest.len().min(HEADER_BYTES - at);
            let (first, others) = rest.split_at_mut(bytes);
            first.copy_from_slice(&self.header[at..at + bytes]);
            (at, rest) = (HEADER_BYTES, others);
        }
        for piece in &self.pieces {
            if !rest.is_empty() && at < begin + piece.bytes {
                let bytes = rest.len().min(begin + piece.bytes - at);
                let (first, others) = rest.split_at_mut(bytes);
                self.files[piece.file].read(piece.from + at - begin, first)?;
                (at, rest) = (at + bytes, others);
            }
            begin += piece.bytes;
        }
        rest.is_empty().then_some(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Types and names as they are told, behind a header.
    fn told(types: &[u8], names: &[u8]) -> Vec<u8> {
        [&header(types.len(), names.len())[..], types, names].concat()
    }

    fn joined(kernel: &[u8], module: &[u8]) -> Option<Joined> {
        let folder = tempfile::tempdir().expect("a folder");
        let [first, second] = [("kernel", kernel), ("module", module)].map(|(name, contents)| {
            let path = folder.path().join(name);
            fs::write(&path, contents).expect("written");
            File::open(path).expect("a file")
        });
        Joined::of(first, second)
    }

    #[test]
    fn types_and_names_of_both_are_behind_each_other_however_they_are_read() {
        let (kernel, module) = (told(b"abcdefghijkl", b"\0one\0two\0"), told(b"mnop", b"three\0"));
        let source = joined(&kernel, &module).expect("types");
        let whole = told(b"abcdefghijklmnop", b"\0one\0two\0three\0");
        assert_eq!(source.bytes(), whole.len());
        for from in 0..whole.len() {
            for end in from..=whole.len() {
                let mut read = vec![0; end - from];
                assert_eq!(source.read(from, &mut read), Some(()));
                assert_eq!(read, whole[from..end], "{from}..{end}");
            }
        }
        assert_eq!(source.read(1, &mut vec![0; whole.len()]), None, "there is not so much");
    }

    #[test]
    fn what_is_cut_off_is_left_alone() {
        let module = told(b"mnop", b"three\0");
        assert!(joined(&told(b"abcd", b"\0one\0"), &module[..module.len() - 1]).is_none());
        assert!(joined(b"", &module).is_none());
    }
}
