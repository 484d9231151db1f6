//! Files in memory, each twice: as a server holds it in its cache, and as it is on its disk.

use std::collections::BTreeMap;

use crate::proc::{Attributes, Handle, Verifier};

/// Number of the one folder.
pub(super) const FOLDER: u64 = 1;
/// Number of the one file system.
pub(super) const FSID: u64 = 0x706c_696d;

/// Where a file goes whose name somebody takes.
pub(super) const ASIDE: &str = "aside";

/// One file.
pub(super) struct File {
    pub(super) number: u64,
    pub(super) uid: u32,
    pub(super) gid: u32,
    pub(super) mode: u32,
    /// Names that it has; those beside the one in the folder are nowhere.
    pub(super) links: u32,
    /// What is read.
    pub(super) cached: Vec<u8>,
    /// What a restart leaves.
    pub(super) durable: Vec<u8>,
    /// Stretches that are in the cache alone.
    unstable: Vec<(usize, usize)>,
}

impl File {
    pub(super) fn new(number: u64, uid: u32, gid: u32, data: Vec<u8>) -> Self {
        Self {
            number,
            uid,
            gid,
            mode: 0o600,
            links: 1,
            cached: data.clone(),
            durable: data,
            unstable: Vec::new(),
        }
    }

    pub(super) fn attributes(&self) -> Attributes {
        Attributes {
            kind: Attributes::FILE,
            mode: self.mode,
            links: self.links,
            uid: self.uid,
            gid: self.gid,
            size_bytes: self.cached.len() as u64,
            used_bytes: self.cached.len() as u64,
            fsid: FSID,
            fileid: self.number,
        }
    }

    /// Whether a user may read and write it; root may, where the server lets root be root.
    pub(super) fn is_open_to(&self, uid: u32) -> bool {
        uid == 0 || uid == self.uid || self.mode & 0o006 == 0o006
    }

    pub(super) fn write(&mut self, offset: usize, data: &[u8], durably: bool) {
        let end = offset + data.len();
        if self.cached.len() < end {
            self.cached.resize(end, 0);
        }
        self.cached[offset..end].copy_from_slice(data);
        self.unstable.push((offset, end));
        if durably {
            let other = self.unstable.split_off(self.unstable.len() - 1);
            let kept = std::mem::replace(&mut self.unstable, other);
            self.commit();
            self.unstable = kept;
        }
    }

    pub(super) fn commit(&mut self) {
        self.durable.resize(self.cached.len(), 0);
        for (begin, end) in self.unstable.drain(..) {
            self.durable[begin..end].copy_from_slice(&self.cached[begin..end]);
        }
    }

    pub(super) fn lose(&mut self) {
        self.unstable.clear();
        self.cached.clone_from(&self.durable);
    }
}

/// The folder, and the files in it by name.
pub(super) struct Files {
    pub(super) by_name: BTreeMap<String, File>,
    next: u64,
    starts: u64,
}

impl Files {
    pub(super) fn new() -> Self {
        Self { by_name: BTreeMap::new(), next: 100, starts: 1 }
    }

    pub(super) fn add(&mut self, name: &str, uid: u32, gid: u32, data: Vec<u8>) -> Handle {
        self.next += 1;
        self.by_name.insert(name.to_owned(), File::new(self.next, uid, gid, data));
        handle(self.next)
    }

    /// Takes a file's name away, and the file where it has no other one; whether there was one.
    pub(super) fn remove(&mut self, name: &str) -> bool {
        let Some(mut file) = self.by_name.remove(name) else { return false };
        file.links -= 1;
        if file.links > 0 {
            self.by_name.insert(format!("{name} elsewhere"), file);
        }
        true
    }

    /// Gives a file another name; whether there was one.
    pub(super) fn rename(&mut self, from: &str, to: &str) -> bool {
        let file = self.by_name.remove(from);
        file.map(|file| self.by_name.insert(to.to_owned(), file)).is_some()
    }

    /// Somebody moves the file of that name aside and gives it to the file `data`.
    pub(super) fn swap(&mut self, name: &str) {
        self.rename(name, ASIDE);
        self.rename("data", name);
    }

    pub(super) fn folder() -> Attributes {
        let (size_bytes, used_bytes) = (4096, 4096);
        let kind = Attributes::FOLDER;
        Attributes {
            kind,
            mode: 0o777,
            links: 2,
            uid: 0,
            gid: 0,
            size_bytes,
            used_bytes,
            fsid: FSID,
            fileid: FOLDER,
        }
    }

    /// None where there is no such file, or it has not the name any more that the handle holds.
    pub(super) fn by_handle(&mut self, handle: &Handle) -> Option<&mut File> {
        let (number, held) = handle.as_bytes().split_first_chunk()?;
        let number = u64::from_be_bytes(*number);
        let is_it = |name: &str| held.is_empty() || held == name.as_bytes();
        self.by_name
            .iter_mut()
            .find(|(name, file)| file.number == number && is_it(name))
            .map(|(_, file)| file)
    }

    pub(super) fn verifier(&self) -> Verifier {
        self.starts.to_be_bytes()
    }

    /// The server starts anew: what was only in its memory is gone, and its verifier is another one.
    pub(super) fn restart(&mut self) {
        self.starts += 1;
        self.by_name.values_mut().for_each(File::lose);
    }
}

pub(super) fn handle(number: u64) -> Handle {
    handle_with(number, "")
}

/// A handle that holds a name too.
pub(super) fn handle_with(number: u64, name: &str) -> Handle {
    Handle::new(&[&number.to_be_bytes(), name.as_bytes()].concat()).expect("such names are short enough")
}
