//! The contents of a file for a moment, in memory of their own: it is the system's again once they are dropped, which what an
//! allocator hands out need not be.

use std::fs::File;
use std::io::{Read, Result};
use std::ops::Deref;
use std::path::Path;
use std::ptr::{NonNull, null_mut};
use std::slice::{from_raw_parts, from_raw_parts_mut};

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};

pub(crate) struct Contents {
    at: NonNull<u8>,
    bytes: usize,
}

impl Contents {
    /// Those of a file that says how long it is.
    pub(crate) fn of(path: &Path) -> Result<Self> {
        let mut file = File::open(path)?;
        let mut contents = Self::zeros(file.metadata()?.len() as usize)?;
        file.read_exact(contents.space())?;
        Ok(contents)
    }

    fn zeros(bytes: usize) -> Result<Self> {
        #[expect(unsafe_code, reason = "there is no other way to memory of one's own")]
        // SAFETY: the system chooses the place, at which there is nothing yet.
        let at = unsafe {
            mmap_anonymous(null_mut(), bytes, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE)?
        };
        Ok(Self { at: NonNull::new(at.cast()).expect("no map begins at 0"), bytes })
    }

    fn space(&mut self) -> &mut [u8] {
        #[expect(unsafe_code, reason = "there is no other way to memory of one's own")]
        // SAFETY: so many bytes are mapped there, all of them zeros or written since, and nobody else has them.
        unsafe {
            from_raw_parts_mut(self.at.as_ptr(), self.bytes)
        }
    }
}

impl Deref for Contents {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        #[expect(unsafe_code, reason = "there is no other way to memory of one's own")]
        // SAFETY: so many bytes are mapped there, all of them zeros or written since, until this is dropped.
        unsafe {
            from_raw_parts(self.at.as_ptr(), self.bytes)
        }
    }
}

impl Drop for Contents {
    fn drop(&mut self) {
        #[expect(unsafe_code, reason = "there is no other way to memory of one's own")]
        // SAFETY: it is ours alone, and nobody has a part of it any more.
        let _ = unsafe { munmap(self.at.as_ptr().cast(), self.bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &[u8]) -> Result<Vec<u8>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("contents");
        std::fs::write(&path, text)?;
        Ok(Contents::of(&path)?.to_vec())
    }

    #[test]
    fn a_file_is_read_whole() {
        let long: Vec<u8> = (0..100_000_u32).map(|number| number as u8).collect();
        assert_eq!(told(&long).expect("read"), long);
    }

    #[test]
    fn a_file_that_is_not_there_or_has_nothing_is_an_error() {
        assert!(Contents::of(Path::new("/nowhere/at/all")).is_err());
        assert!(told(b"").is_err());
    }
}
