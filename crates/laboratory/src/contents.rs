//! What is on the disk: a nameless file in memory, which takes room for what was written and is gone with the process, however
//! that ends.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};

use plimsoll_engine::rng::{self, Purpose};
use rustix::fs::{MemfdFlags, SeekFrom, memfd_create, seek};

const FILL_BYTES: usize = 1 << 20;

/// The disk's bytes.
#[derive(Debug)]
pub struct Contents {
    file: File,
    size_bytes: u64,
}

impl Contents {
    /// So many bytes: random, or one hole.
    pub fn new(size_bytes: u64, filled: bool, seed: u64) -> io::Result<Self> {
        let file = File::from(memfd_create(c"plimsoll-disk", MemfdFlags::CLOEXEC)?);
        file.set_len(size_bytes)?;
        let contents = Self { file, size_bytes };
        if filled {
            contents.fill(seed)?;
        }
        Ok(contents)
    }

    fn fill(&self, seed: u64) -> io::Result<()> {
        let mut rng = rng::generator(seed, 0, Purpose::Data);
        let mut bytes = vec![0; FILL_BYTES];
        let mut at = 0;
        while at < self.size_bytes {
            let len = (self.size_bytes - at).min(FILL_BYTES as u64) as usize;
            rng::fill(&mut rng, &mut bytes[..len]);
            self.file.write_all_at(&bytes[..len], at)?;
            at += len as u64;
        }
        Ok(())
    }

    /// Length of the disk.
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Bytes that take room, as `st_blocks` tells them.
    pub fn held_bytes(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.blocks() * 512)
    }

    /// How many of `len_bytes` from `offset_bytes` on lie on the disk.
    pub fn within(&self, offset_bytes: u64, len_bytes: u32) -> u32 {
        u64::from(len_bytes).min(self.size_bytes.saturating_sub(offset_bytes)) as u32
    }

    /// Reads a stretch that lies on the disk.
    pub fn read(&self, bytes: &mut [u8], offset_bytes: u64) -> io::Result<()> {
        self.file.read_exact_at(bytes, offset_bytes)
    }

    /// Writes a stretch that lies on the disk.
    pub fn write(&self, bytes: &[u8], offset_bytes: u64) -> io::Result<()> {
        self.file.write_all_at(bytes, offset_bytes)
    }

    /// Where the next data or hole begins (SEEK_DATA, SEEK_HOLE); none for another `whence`.
    pub fn seek(&self, offset_bytes: u64, whence: i32) -> Option<io::Result<u64>> {
        let to = match whence {
            libc::SEEK_DATA => SeekFrom::Data(offset_bytes),
            libc::SEEK_HOLE => SeekFrom::Hole(offset_bytes),
            _ => return None,
        };
        Some(seek(&self.file, to).map_err(io::Error::from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_the_rest_is_a_hole() {
        let contents = Contents::new(1 << 20, false, 1).unwrap();
        contents.write(&[7; 4096], 8192).unwrap();
        let mut bytes = [1; 8192];
        contents.read(&mut bytes, 4096).unwrap();
        assert!(bytes[..4096].iter().all(|&byte| byte == 0));
        assert!(bytes[4096..].iter().all(|&byte| byte == 7));
        assert_eq!(contents.seek(0, libc::SEEK_DATA).unwrap().unwrap(), 8192);
        assert_eq!(contents.seek(8192, libc::SEEK_HOLE).unwrap().unwrap(), 8192 + 4096);
        assert_eq!(contents.held_bytes().unwrap(), 4096);
        assert_eq!(contents.within((1 << 20) - 100, 4096), 100);
        assert_eq!(contents.within(2 << 20, 4096), 0);
    }

    #[test]
    fn a_filled_disk_has_no_hole() {
        let contents = Contents::new(3 << 20, true, 1).unwrap();
        assert_eq!(contents.seek(0, libc::SEEK_HOLE).unwrap().unwrap(), 3 << 20);
        let mut bytes = [0; 4096];
        contents.read(&mut bytes, 2 << 20).unwrap();
        assert!(bytes.iter().any(|&byte| byte != 0));
    }
}
