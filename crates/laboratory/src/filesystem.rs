//! The mounted folder as the kernel asks for it: the disk, a page of its counters beside it, and nothing else.
//!
//! The disk is always opened for direct I/O, so that each request of whoever measures comes here, with writes side by side.
//! One thread takes requests and only reckons; the threads of [`Answers`] copy data and reply.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fuser::{
    BsdFileFlags, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo,
    InitFlags, KernelConfig, LockOwner, OpenFlags, ReplyAttr, ReplyData, ReplyDirectory, ReplyEmpty,
    ReplyEntry, ReplyLseek, ReplyOpen, ReplyStatfs, ReplyWrite, ReplyXattr, Request as Caller, TimeOrNow,
    WriteFlags,
};
use plimsoll_engine::clock::{Clock, RealClock};

use crate::answers::Answers;
use crate::contents::Contents;
use crate::counters::{Counters, Told};
use crate::disk::{Action, Request};
use crate::volume::{Volume, VolumeSpec};

/// Name of the disk in the folder.
pub const DISK_NAME: &str = "disk";
/// Name of the counters in the folder.
pub const COUNTERS_NAME: &str = "counters.json";

const DISK: INodeNo = INodeNo(2);
const COUNTERS: INodeNo = INodeNo(3);
const ENTRIES: [(INodeNo, FileType, &str); 4] = [
    (INodeNo::ROOT, FileType::Directory, "."),
    (INodeNo::ROOT, FileType::Directory, ".."),
    (DISK, FileType::RegularFile, DISK_NAME),
    (COUNTERS, FileType::RegularFile, COUNTERS_NAME),
];
/// Nothing that the kernel was told may be remembered: size and times change without it.
const FORGET: Duration = Duration::ZERO;
/// The longest request; longer ones the kernel cuts.
const REQUEST_BYTES_MAX: u32 = 1 << 20;
/// Requests that the kernel lets wait here at once: all that the protocol can say, so that the law alone limits.
const REQUESTS_MAX: u16 = u16::MAX;
/// Two copy while others wait; more would only take turns with whoever measures.
const THREADS: usize = 2;
/// Bytes of all extended attributes together; a mark of `plimsoll` has about 80.
const ATTRIBUTE_BYTES_MAX: usize = 64 << 10;

/// What the kernel's thread and the answering threads share.
pub struct Shared {
    contents: Contents,
    begin_ns: u64,
    state: Mutex<State>,
    owner: (u32, u32),
}

struct State {
    volume: Volume,
    counters: Counters,
    attributes: BTreeMap<OsString, Vec<u8>>,
    modified_at: SystemTime,
}

/// By what a mark knows the disk again.
pub struct Identity {
    /// Its inode number in the mounted folder.
    pub inode: u64,
    /// Its size.
    pub size_bytes: u64,
    /// When it was last written to, in nanoseconds since 1970.
    pub modified_ns: u64,
}

/// An answer on its way.
enum Pending {
    Read { offset_bytes: u64, len_bytes: u32, reply: ReplyData },
    Write { len_bytes: u32, reply: ReplyWrite },
    Flush { reply: ReplyEmpty },
}

impl Shared {
    /// A disk at rest. Fails when there is no memory for its contents.
    pub fn new(spec: &VolumeSpec) -> io::Result<Self> {
        let volume = Volume::new(spec);
        let state = State {
            counters: Counters::new(volume.is_mirror()),
            volume,
            attributes: BTreeMap::new(),
            modified_at: SystemTime::now(),
        };
        Ok(Self {
            contents: Contents::new(spec.first.size_bytes, spec.first.filled, spec.first.seed)?,
            begin_ns: RealClock.now_ns(),
            state: Mutex::new(state),
            owner: (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw()),
        })
    }

    /// The counts at this moment.
    pub fn told(&self) -> Told {
        self.state().counters.told()
    }

    /// What the kernel would say of the disk.
    pub fn identity(&self) -> Identity {
        let since_1970 = self.state().modified_at.duration_since(UNIX_EPOCH).unwrap_or_default();
        let modified_ns = u64::try_from(since_1970.as_nanos()).unwrap_or(u64::MAX);
        Identity { inode: DISK.0, size_bytes: self.contents.size_bytes(), modified_ns }
    }

    /// Puts an extended attribute on the disk.
    pub fn set_attribute(&self, name: &str, value: &str) {
        self.state().attributes.insert(name.into(), value.into());
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn page(&self) -> Vec<u8> {
        let mut page = serde_json::to_vec(&self.told()).unwrap_or_default();
        page.push(b'\n');
        page
    }

    /// When a request that comes now is to be answered, by the machine's clock.
    fn promise(&self, request: &Request) -> u64 {
        let now_ns = RealClock.now_ns() - self.begin_ns;
        let mut state = self.state();
        let taken = state.volume.take(now_ns, request);
        state.counters.taken(request, now_ns, &taken);
        self.begin_ns + taken.whole.end_ns
    }

    fn give(&self, pending: Pending, late_ns: u64) {
        // Counted before the answer, so that whoever got it finds it counted.
        self.state().counters.answered(late_ns);
        match pending {
            Pending::Read { offset_bytes, len_bytes, reply } => {
                self.give_data(offset_bytes, len_bytes, reply)
            }
            Pending::Write { len_bytes, reply } => reply.written(len_bytes),
            Pending::Flush { reply } => reply.ok(),
        }
    }

    fn give_data(&self, offset_bytes: u64, len_bytes: u32, reply: ReplyData) {
        thread_local! {
            static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
        }
        BUFFER.with_borrow_mut(|buffer| {
            buffer.resize(REQUEST_BYTES_MAX.max(len_bytes) as usize, 0);
            let bytes = &mut buffer[..len_bytes as usize];
            match self.contents.read(bytes, offset_bytes) {
                Ok(()) => reply.data(bytes),
                Err(error) => reply.error(error.into()),
            }
        });
    }

    fn attributes_of(&self, ino: INodeNo) -> io::Result<FileAttr> {
        let modified_at = self.state().modified_at;
        let (kind, perm, size, held_bytes) = match ino {
            DISK => (FileType::RegularFile, 0o600, self.contents.size_bytes(), self.contents.held_bytes()?),
            COUNTERS => (FileType::RegularFile, 0o400, 0, 0),
            _ => (FileType::Directory, 0o500, 0, 0),
        };
        Ok(FileAttr {
            ino,
            size,
            blocks: held_bytes / 512,
            atime: modified_at,
            mtime: modified_at,
            ctime: modified_at,
            crtime: modified_at,
            kind,
            perm,
            nlink: if kind == FileType::Directory { 2 } else { 1 },
            uid: self.owner.0,
            gid: self.owner.1,
            rdev: 0,
            blksize: 4096,
            flags: 0,
        })
    }
}

/// The file system.
pub struct Folder {
    shared: Arc<Shared>,
    answers: Answers<Pending>,
}

impl Folder {
    /// Serves this disk. Fails when no thread can be started.
    pub fn new(shared: Arc<Shared>) -> io::Result<Self> {
        let giver = shared.clone();
        let answers = Answers::new(THREADS, move |pending, late_ns| giver.give(pending, late_ns))?;
        Ok(Self { shared, answers })
    }

    fn reply_attributes(&self, ino: INodeNo, reply: ReplyAttr) {
        match self.shared.attributes_of(ino) {
            Ok(attributes) => reply.attr(&FORGET, &attributes),
            Err(error) => reply.error(error.into()),
        }
    }

    fn read_counters(&self, offset_bytes: u64, len_bytes: u32, reply: ReplyData) {
        let page = self.shared.page();
        let begin = (offset_bytes as usize).min(page.len());
        let end = begin.saturating_add(len_bytes as usize).min(page.len());
        reply.data(&page[begin..end]);
    }
}

impl Filesystem for Folder {
    fn init(&mut self, _caller: &Caller, config: &mut KernelConfig) -> io::Result<()> {
        // Older kernels lack some of them, and then serve asynchronous I/O one at a time.
        for wanted in [InitFlags::FUSE_ASYNC_DIO, InitFlags::FUSE_ASYNC_READ, InitFlags::FUSE_BIG_WRITES] {
            let _ = config.add_capabilities(wanted);
        }
        let _ = config.set_max_write(REQUEST_BYTES_MAX);
        let _ = config.set_max_background(REQUESTS_MAX);
        let _ = config.set_congestion_threshold(REQUESTS_MAX);
        Ok(())
    }

    fn lookup(&self, _caller: &Caller, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let found = ENTRIES[2..].iter().find(|entry| parent == INodeNo::ROOT && name == entry.2);
        match found.map(|entry| self.shared.attributes_of(entry.0)) {
            Some(Ok(attributes)) => reply.entry(&FORGET, &attributes, Generation(0)),
            Some(Err(error)) => reply.error(error.into()),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _caller: &Caller, ino: INodeNo, _fh: Option<FileHandle>, reply: ReplyAttr) {
        self.reply_attributes(ino, reply);
    }

    /// Times may be set and are not kept; the size of a disk stays as it is.
    fn setattr(
        &self,
        _caller: &Caller,
        ino: INodeNo,
        mode: Option<u32>,
        uid: Option<u32>,
        gid: Option<u32>,
        size: Option<u64>,
        _atime: Option<TimeOrNow>,
        _mtime: Option<TimeOrNow>,
        _ctime: Option<SystemTime>,
        _fh: Option<FileHandle>,
        _crtime: Option<SystemTime>,
        _chgtime: Option<SystemTime>,
        _bkuptime: Option<SystemTime>,
        _flags: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let resized = size.is_some_and(|bytes| bytes != self.shared.contents.size_bytes());
        if resized || mode.is_some() || uid.is_some() || gid.is_some() {
            reply.error(Errno::EPERM);
        } else {
            self.reply_attributes(ino, reply);
        }
    }

    fn open(&self, _caller: &Caller, _ino: INodeNo, _flags: OpenFlags, reply: ReplyOpen) {
        let how = FopenFlags::FOPEN_DIRECT_IO
            | FopenFlags::FOPEN_PARALLEL_DIRECT_WRITES
            | FopenFlags::FOPEN_NOFLUSH;
        reply.opened(FileHandle(0), how);
    }

    fn read(
        &self,
        _caller: &Caller,
        ino: INodeNo,
        _fh: FileHandle,
        offset: u64,
        size: u32,
        _flags: OpenFlags,
        _lock_owner: Option<LockOwner>,
        reply: ReplyData,
    ) {
        if ino == COUNTERS {
            return self.read_counters(offset, size, reply);
        }
        let len_bytes = self.shared.contents.within(offset, size);
        if len_bytes == 0 {
            return reply.data(&[]);
        }
        let request = Request { action: Action::Read, offset_bytes: offset, len_bytes };
        let at_ns = self.shared.promise(&request);
        self.answers.push(at_ns, Pending::Read { offset_bytes: offset, len_bytes, reply });
    }

    /// The data is kept at once, as the kernel's buffer is used again; only the answer waits.
    fn write(
        &self,
        _caller: &Caller,
        ino: INodeNo,
        _fh: FileHandle,
        offset: u64,
        data: &[u8],
        _write_flags: WriteFlags,
        flags: OpenFlags,
        _lock_owner: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let len_bytes = self.shared.contents.within(offset, data.len() as u32);
        if ino != DISK || len_bytes == 0 {
            return reply.error(if ino == DISK { Errno::ENOSPC } else { Errno::EPERM });
        }
        let durably = flags.0 & libc::O_DSYNC != 0;
        let action = if durably { Action::WriteDurably } else { Action::Write };
        let at_ns = self.shared.promise(&Request { action, offset_bytes: offset, len_bytes });
        if let Err(error) = self.shared.contents.write(&data[..len_bytes as usize], offset) {
            self.shared.state().counters.answered(0);
            return reply.error(error.into());
        }
        self.shared.state().modified_at = SystemTime::now();
        self.answers.push(at_ns, Pending::Write { len_bytes, reply });
    }

    fn fsync(&self, _caller: &Caller, ino: INodeNo, _fh: FileHandle, _datasync: bool, reply: ReplyEmpty) {
        if ino != DISK {
            return reply.ok();
        }
        let at_ns = self.shared.promise(&Request { action: Action::Flush, offset_bytes: 0, len_bytes: 0 });
        self.answers.push(at_ns, Pending::Flush { reply });
    }

    fn lseek(
        &self,
        _caller: &Caller,
        ino: INodeNo,
        _fh: FileHandle,
        offset: i64,
        whence: i32,
        reply: ReplyLseek,
    ) {
        let offset_bytes = u64::try_from(offset).ok().filter(|_| ino == DISK);
        match offset_bytes.and_then(|at| self.shared.contents.seek(at, whence)) {
            Some(Ok(at)) => reply.offset(at as i64),
            Some(Err(error)) => reply.error(error.into()),
            None => reply.error(Errno::EINVAL),
        }
    }

    fn readdir(
        &self,
        _caller: &Caller,
        _ino: INodeNo,
        _fh: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        for (index, (ino, kind, name)) in ENTRIES.iter().enumerate().skip(offset as usize) {
            if reply.add(*ino, index as u64 + 1, *kind, name) {
                break;
            }
        }
        reply.ok();
    }

    fn statfs(&self, _caller: &Caller, _ino: INodeNo, reply: ReplyStatfs) {
        let blocks = self.shared.contents.size_bytes() / 4096;
        reply.statfs(blocks, 0, 0, 2, 0, 4096, 255, 4096);
    }

    /// Attributes of users alone, as `plimsoll` puts its mark into one.
    fn setxattr(
        &self,
        _caller: &Caller,
        ino: INodeNo,
        name: &OsStr,
        value: &[u8],
        flags: i32,
        _position: u32,
        reply: ReplyEmpty,
    ) {
        let mut state = self.shared.state();
        let is_user = name.as_encoded_bytes().starts_with(b"user.");
        let held: usize = state.attributes.iter().map(|(name, value)| name.len() + value.len()).sum();
        let answer = match state.attributes.contains_key(name) {
            _ if ino != DISK || !is_user => Some(Errno::EOPNOTSUPP),
            true if flags & libc::XATTR_CREATE != 0 => Some(Errno::EEXIST),
            false if flags & libc::XATTR_REPLACE != 0 => Some(Errno::ENODATA),
            _ if held + name.len() + value.len() > ATTRIBUTE_BYTES_MAX => Some(Errno::ENOSPC),
            _ => None,
        };
        match answer {
            Some(refusal) => reply.error(refusal),
            None => {
                state.attributes.insert(name.to_owned(), value.to_vec());
                reply.ok();
            }
        }
    }

    fn getxattr(&self, _caller: &Caller, ino: INodeNo, name: &OsStr, size: u32, reply: ReplyXattr) {
        let state = self.shared.state();
        match state.attributes.get(name).filter(|_| ino == DISK) {
            Some(value) => give_list(value, size, reply),
            None => reply.error(Errno::ENODATA),
        }
    }

    fn listxattr(&self, _caller: &Caller, ino: INodeNo, size: u32, reply: ReplyXattr) {
        let state = self.shared.state();
        let mut names = Vec::new();
        for name in state.attributes.keys().filter(|_| ino == DISK) {
            names.extend_from_slice(name.as_encoded_bytes());
            names.push(0);
        }
        give_list(&names, size, reply);
    }

    fn removexattr(&self, _caller: &Caller, ino: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        match self.shared.state().attributes.remove(name).filter(|_| ino == DISK) {
            Some(_) => reply.ok(),
            None => reply.error(Errno::ENODATA),
        }
    }
}

/// Its length where 0 bytes are asked for, as the kernel does to make room.
fn give_list(value: &[u8], size: u32, reply: ReplyXattr) {
    if size == 0 {
        reply.size(value.len() as u32);
    } else if value.len() > size as usize {
        reply.error(Errno::ERANGE);
    } else {
        reply.data(value);
    }
}
