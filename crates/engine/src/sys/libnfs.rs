//! libnfs, where it is installed: loaded when somebody asks for it or which engines there are, as its licence and its dependencies
//! stay out of the package. Its functions are called by their addresses, so that only versions are taken whose functions are known to
//! be these.

mod functions;

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::BorrowedFd;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use libc::{c_int, c_void};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::completion::Completion;
use super::memory::Buffer;
use crate::clock::{Clock, RealClock};
use crate::io::{Action, Io};
use functions::{Functions, RawContext, RawFile, Stat, functions};

pub use functions::{PACKAGE, probe};

/// Whose file is opened, and how.
#[derive(Debug, Clone)]
pub struct Place {
    /// Address of the server.
    pub server: String,
    /// 3 or 4.
    pub version: u32,
    /// Where NFS listens.
    pub port: u16,
    /// Where MOUNT listens; without it the port mapper is asked, and version 4 has none.
    pub mount_port: Option<u16>,
    /// What is mounted.
    pub export: String,
    /// The file in it, from `/` on.
    pub file: String,
    /// As which user and group; without them as who runs this.
    pub uid: Option<u32>,
    /// See `uid`.
    pub gid: Option<u32>,
    /// How long an answer may take, in whole seconds.
    pub patience_s: u32,
    /// Whether it is written to, each write durable when it is answered (O_SYNC).
    pub writable: bool,
}

/// What libnfs tells of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told {
    /// Number of its file system.
    pub device: u64,
    /// Its own number.
    pub inode: u64,
    /// Type and permissions, as of stat(2).
    pub mode: u64,
    /// User.
    pub uid: u64,
    /// Group.
    pub gid: u64,
    /// Bytes in it.
    pub size_bytes: u64,
    /// What it takes on the server.
    pub used_bytes: u64,
    /// Bytes that one READ of the connection takes.
    pub read_bytes_max: u64,
    /// Bytes that one WRITE of the connection takes.
    pub write_bytes_max: u64,
}

/// The longest answer that libnfs receives (its NFS_MAX_XFER_SIZE).
const VERSION_4_BYTES_MAX: u32 = 1 << 20;

/// What libnfs says of what it could not do.
#[derive(Debug)]
pub struct Refused {
    /// Error number.
    pub errno: i32,
    /// Its own words.
    pub words: String,
}

/// A connection of libnfs.
struct Context {
    functions: &'static Functions,
    raw: *mut RawContext,
    /// Whether a call that waits for its answer has failed: it may have left its request under way, with the place for the answer on
    /// a stack that is no more, and then the context is never ended.
    is_left_behind: Cell<bool>,
}

/// No signal comes to this thread while it lives: libnfs takes one that interrupts its waiting for a failure.
struct WithoutSignals(libc::sigset_t);

impl WithoutSignals {
    fn begin() -> Self {
        let mut before = std::mem::MaybeUninit::uninit();
        let mut all = std::mem::MaybeUninit::uninit();
        // SAFETY: both are written whole before anything is read of them.
        unsafe {
            libc::sigfillset(all.as_mut_ptr());
            libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
            Self(before.assume_init())
        }
    }
}

impl Drop for WithoutSignals {
    fn drop(&mut self) {
        // SAFETY: it is the set that there was.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.0, std::ptr::null_mut()) };
    }
}

impl Context {
    fn refused(&self, result: c_int) -> Refused {
        Refused { errno: -result, words: self.words().unwrap_or_else(|| "no reason given".to_owned()) }
    }

    /// What it says of what failed last.
    fn words(&self) -> Option<String> {
        // SAFETY: the context lives; the text ends with 0 and is copied before anything else is asked of it.
        let words = unsafe {
            let text = (self.functions.get_error)(self.raw);
            (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().trim().to_owned())
        };
        words.filter(|words| !words.is_empty())
    }

    fn checked(&self, result: c_int) -> Result<(), Refused> {
        if result < 0 { Err(self.refused(result)) } else { Ok(()) }
    }

    /// The result of a call that has waited for its answer.
    fn answered(&self, result: c_int) -> Result<(), Refused> {
        self.is_left_behind.set(self.is_left_behind.get() || result < 0);
        self.checked(result)
    }

    fn connected(place: &Place) -> Result<Self, Refused> {
        let functions = functions().map_err(|words| Refused { errno: libc::ENOSYS, words })?;
        // SAFETY: it takes nothing.
        let raw = unsafe { (functions.init_context)() };
        if raw.is_null() {
            return Err(Refused { errno: libc::ENOMEM, words: "out of memory".to_owned() });
        }
        let context = Self { functions, raw, is_left_behind: Cell::new(false) };
        let _quiet = WithoutSignals::begin();
        context.set_ports(place)?;
        let patience_ms = c_int::try_from(place.patience_s.saturating_mul(1000)).unwrap_or(c_int::MAX);
        let (server, export, name) = (text(&place.server)?, text(&place.export)?, text(&unique_name())?);
        // SAFETY: the context lives, and all texts end with 0 and live until the calls return.
        unsafe {
            context.checked((functions.set_version)(raw, place.version as c_int))?;
            (functions.set_client_name)(raw, name.as_ptr());
            (functions.set_timeout)(raw, patience_ms);
            // A connection that was lost is told, and not made anew without a word.
            (functions.set_autoreconnect)(raw, 0);
            if let Some(uid) = place.uid {
                (functions.set_uid)(raw, uid as c_int);
            }
            if let Some(gid) = place.gid {
                (functions.set_gid)(raw, gid as c_int);
            }
            context.checked((functions.mount)(raw, server.as_ptr(), export.as_ptr()))?;
        }
        Ok(context)
    }

    /// Ports are settings that a URL alone can make.
    fn set_ports(&self, place: &Place) -> Result<(), Refused> {
        let mount_port = place.mount_port.map_or_else(String::new, |port| format!("&mountport={port}"));
        let url = text(&format!("nfs://server/export?nfsport={}{mount_port}", place.port))?;
        // SAFETY: the context lives, the text ends with 0, and what is made of it is given back at once.
        unsafe {
            let parsed = (self.functions.parse_url_dir)(self.raw, url.as_ptr());
            if parsed.is_null() {
                return Err(self.refused(-libc::EINVAL));
            }
            (self.functions.destroy_url)(parsed);
        }
        Ok(())
    }

    fn opened(&self, place: &Place) -> Result<*mut RawFile, Refused> {
        let flags = if place.writable { libc::O_RDWR | libc::O_SYNC } else { libc::O_RDONLY };
        let (path, mut file) = (text(&place.file)?, std::ptr::null_mut());
        let _quiet = WithoutSignals::begin();
        // SAFETY: the context is mounted, the text ends with 0, and one pointer is written.
        let result = unsafe { (self.functions.open)(self.raw, path.as_ptr(), flags, &raw mut file) };
        self.answered(result).map(|()| file)
    }
}

impl Drop for Context {
    /// Ends the connection; what is under way is called back first, as failed.
    fn drop(&mut self) {
        if self.is_left_behind.get() {
            // SAFETY: the context lives; its socket is closed for both sides, and nothing is called back for it any more.
            let fd = unsafe { (self.functions.get_fd)(self.raw) };
            if fd >= 0 {
                // SAFETY: the context has it open.
                let _ =
                    rustix::net::shutdown(unsafe { BorrowedFd::borrow_raw(fd) }, rustix::net::Shutdown::Both);
            }
            return;
        }
        // SAFETY: nobody uses the context after this.
        unsafe { (self.functions.destroy_context)(self.raw) };
    }
}

/// By which a server of version 4 knows a client, and takes one of the same name for the same that has started anew; libnfs gives
/// those of one process the same name in the same second.
fn unique_name() -> String {
    static MADE: AtomicU64 = AtomicU64::new(0);
    let host = rustix::system::uname();
    let (process, now_ns) = (std::process::id(), RealClock.now_ns());
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    format!("plimsoll {} {process} {now_ns} {number}", host.nodename().to_string_lossy())
}

fn text(text: &str) -> Result<CString, Refused> {
    CString::new(text)
        .map_err(|_| Refused { errno: libc::EINVAL, words: format!("{text:?} has a zero byte in it") })
}

/// What a file or folder is, without opening it.
pub fn look(place: &Place) -> Result<Told, Refused> {
    let context = Context::connected(place)?;
    let (path, mut stat) = (text(&place.file)?, Stat::default());
    let _quiet = WithoutSignals::begin();
    // SAFETY: the context is mounted, the text ends with 0, and one structure of that layout is written.
    let result = unsafe { (context.functions.stat64)(context.raw, path.as_ptr(), &raw mut stat) };
    context.answered(result)?;
    Ok(told(&context, &stat))
}

fn told(context: &Context, stat: &Stat) -> Told {
    // SAFETY: the context is mounted.
    let (read_bytes_max, write_bytes_max) = unsafe {
        ((context.functions.get_readmax)(context.raw), (context.functions.get_writemax)(context.raw))
    };
    let &Stat { device, inode, mode, uid, gid, size: size_bytes, used: used_bytes, .. } = stat;
    Told { device, inode, mode, uid, gid, size_bytes, used_bytes, read_bytes_max, write_bytes_max }
}

/// Slots that have ended, with their results.
type Ended = RefCell<Vec<(u32, i32)>>;

/// What a callback needs to know of an I/O.
struct Ticket {
    ended: Rc<Ended>,
    slot: u32,
    /// Whether it is under way.
    busy: Cell<bool>,
    /// Where what is read goes, and how much there is room for; nowhere for what reads nothing.
    room: Cell<(*mut u8, usize)>,
}

/// An open file, with I/Os under way.
pub struct File {
    /// None once the connection has ended.
    context: Option<Context>,
    file: *mut RawFile,
    ended: Rc<Ended>,
    /// One for each slot.
    tickets: Vec<Rc<Ticket>>,
    /// Of each slot the memory while its I/O is under way; nobody touches it meanwhile but libnfs and its callbacks.
    buffers: Vec<Option<Buffer>>,
    /// What was said of the first I/O that failed.
    failure: Option<String>,
    /// Of one request: over version 4 libnfs cuts none, and ends the connection at a longer answer.
    bytes_max: u32,
}

impl File {
    /// Opens it, for so many I/Os at once. May wait for the server for as long as `place` says, for each of its answers.
    pub fn open(place: &Place, depth: u32) -> Result<Self, Refused> {
        let context = Context::connected(place)?;
        let file = context.opened(place)?;
        let ended = Rc::new(RefCell::new(Vec::with_capacity(depth as usize)));
        let ticket = |slot| {
            let room = Cell::new((std::ptr::null_mut(), 0));
            Rc::new(Ticket { ended: Rc::clone(&ended), slot, busy: Cell::new(false), room })
        };
        let tickets = (0..depth).map(ticket).collect();
        let buffers = (0..depth).map(|_| None).collect();
        let bytes_max = if place.version == 4 { VERSION_4_BYTES_MAX } else { u32::MAX };
        Ok(Self { context: Some(context), file, ended, tickets, buffers, failure: None, bytes_max })
    }

    /// What it is.
    pub fn told(&self) -> Result<Told, Refused> {
        let Some(context) = &self.context else { return Err(gone()) };
        let mut stat = Stat::default();
        let _quiet = WithoutSignals::begin();
        // SAFETY: the file is open, and one structure of that layout is written.
        let result = unsafe { (context.functions.fstat64)(context.raw, self.file, &raw mut stat) };
        context.answered(result)?;
        Ok(told(context, &stat))
    }

    /// Reads now; how many bytes there were.
    pub fn read_at(&self, offset_bytes: u64, bytes: &mut [u8]) -> Result<usize, Refused> {
        let Some(context) = &self.context else { return Err(gone()) };
        let (room, len) = (bytes.as_mut_ptr().cast::<c_void>(), bytes.len() as u64);
        let _quiet = WithoutSignals::begin();
        // SAFETY: the file is open, and no more bytes are written than there are at that address.
        let result = unsafe { (context.functions.pread)(context.raw, self.file, offset_bytes, len, room) };
        context.answered(result)?;
        Ok(result as usize)
    }

    /// Whether the connection has ended.
    pub fn is_gone(&self) -> bool {
        self.context.is_none()
    }

    /// What libnfs said of the first I/O that failed.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Begins an I/O; its buffer comes back when it has ended.
    pub fn submit(&mut self, io: &Io, mut buffer: Option<Buffer>) {
        let (slot, begin) = (io.slot as usize, io.skip_bytes as usize);
        let bytes = buffer.as_mut().map(|buffer| &mut buffer[begin..begin + io.len_bytes as usize]);
        let at = bytes.map_or(std::ptr::null_mut(), |bytes| bytes.as_mut_ptr());
        self.buffers[slot] = buffer;
        let ticket = &self.tickets[slot];
        ticket.busy.set(true);
        let reads = io.action == Action::Read;
        ticket.room.set(if reads { (at, io.len_bytes as usize) } else { (std::ptr::null_mut(), 0) });
        let Some(context) = &self.context else {
            return self.ended.borrow_mut().push((io.slot, -libc::ENOTCONN));
        };
        let ticket: *mut c_void = Rc::as_ptr(ticket).cast_mut().cast();
        let (f, raw, file) = (context.functions, context.raw, self.file);
        let (offset, len) = (io.offset_bytes, u64::from(io.len_bytes.min(self.bytes_max)));
        // SAFETY: the file is open; ticket and buffer stay where they are until the callback, or until the context has ended, behind
        // which there is none.
        let result = unsafe {
            match io.action {
                Action::Read => (f.pread_async)(raw, file, offset, len, on_end, ticket),
                Action::Write | Action::WriteDurably => {
                    (f.pwrite_async)(raw, file, offset, len, at.cast(), on_end, ticket)
                }
                Action::Flush(_) => (f.fsync_async)(raw, file, on_end, ticket),
            }
        };
        if result < 0 {
            self.ended.borrow_mut().push((io.slot, -libc::EIO));
        }
    }

    /// Sends and receives until something has ended, or for so long; all that has ended goes to `done`.
    pub fn wait(&mut self, patience_ns: u64, done: &mut Vec<Completion>) {
        let until_ns = RealClock.now_ns().saturating_add(patience_ns);
        while self.ended.borrow().is_empty() && self.context.is_some() {
            if !self.turn(until_ns.saturating_sub(RealClock.now_ns())) {
                self.end_connection();
            } else if RealClock.now_ns() >= until_ns {
                break;
            }
        }
        self.hand_back(done);
    }

    /// Waits once for the connection, and lets libnfs do what there is to do; false when the connection has ended.
    fn turn(&mut self, patience_ns: u64) -> bool {
        let Some(Context { functions, raw, .. }) = &self.context else { return false };
        // SAFETY: the context lives.
        let (fd, wanted) = unsafe { ((functions.get_fd)(*raw), (functions.which_events)(*raw)) };
        if fd < 0 {
            return false;
        }
        // SAFETY: the context has it open for as long as nothing is asked of it.
        let fd = unsafe { BorrowedFd::borrow_raw(fd) };
        let mut fds = [PollFd::from_borrowed_fd(fd, PollFlags::from_bits_truncate(wanted as _))];
        let wait = Timespec {
            tv_sec: (patience_ns / 1_000_000_000) as _,
            tv_nsec: (patience_ns % 1_000_000_000) as _,
        };
        let came = match poll(&mut fds, Some(&wait)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => c_int::from(fds[0].revents().bits() as i16),
            Err(_) => return false,
        };
        // Also without any event: this is when it looks for what is late.
        // SAFETY: the context lives; callbacks touch tickets, buffers and the list of what has ended, which nobody else does now.
        unsafe { (functions.service)(*raw, came) >= 0 }
    }

    /// Ends it; everything that is under way has failed then.
    fn end_connection(&mut self) {
        if let Some(context) = self.context.take() {
            self.failure = self.failure.take().or_else(|| context.words());
        }
        let mut ended = self.ended.borrow_mut();
        for ticket in self.tickets.iter().filter(|ticket| ticket.busy.get()) {
            if !ended.iter().any(|&(slot, _)| slot == ticket.slot) {
                ended.push((ticket.slot, -libc::ENOTCONN));
            }
        }
    }

    fn hand_back(&mut self, done: &mut Vec<Completion>) {
        let stands = self.context.is_some();
        for (slot, result) in self.ended.borrow_mut().drain(..) {
            if let (true, None, Some(context)) = (result < 0, &self.failure, &self.context) {
                self.failure = context.words();
            }
            self.tickets[slot as usize].busy.set(false);
            let buffer = self.buffers[slot as usize].take();
            done.push(Completion { slot, result: plainly(result, stands), buffer });
        }
    }
}

/// A result with an error number that says what happened: libnfs has EFAULT for whatever a server answers, and EINTR for what it
/// waits for no longer.
fn plainly(result: i32, stands: bool) -> i32 {
    match -result {
        // ERANGE is an answer of version 4 that version 3 has not.
        libc::EFAULT | libc::ERANGE => -libc::EIO,
        libc::EINTR if stands => -libc::ETIMEDOUT,
        libc::EINTR => -libc::ENOTCONN,
        _ => result,
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let Some(context) = &self.context else { return };
        if !context.is_left_behind.get() && !self.tickets.iter().any(|ticket| ticket.busy.get()) {
            let _quiet = WithoutSignals::begin();
            // SAFETY: the file is open, nothing is under way on it, and nobody uses it after this.
            let result = unsafe { (context.functions.close)(context.raw, self.file) };
            let _ = context.answered(result);
        }
        // Before tickets and buffers, to which its callbacks go.
        self.end_connection();
    }
}

fn gone() -> Refused {
    Refused { errno: libc::ENOTCONN, words: io::Error::from_raw_os_error(libc::ENOTCONN).to_string() }
}

/// Called by libnfs when an I/O has ended: with bytes moved or a negative error number, and with what was read.
extern "C" fn on_end(result: c_int, _: *mut RawContext, data: *mut c_void, ticket: *mut c_void) {
    // SAFETY: this is the ticket that the I/O was begun with.
    let ticket = unsafe { &*ticket.cast::<Ticket>() };
    let (mut result, (room, room_bytes)) = (result, ticket.room.get());
    if result > 0 && !room.is_null() {
        if data.is_null() || result as usize > room_bytes {
            result = -libc::EPROTO;
        } else {
            // SAFETY: so many bytes were read, and there is room for them in a buffer that nobody else has now.
            unsafe { std::ptr::copy_nonoverlapping(data.cast(), room, result as usize) };
        }
    }
    // Nobody borrows it while callbacks come.
    ticket.ended.borrow_mut().push((ticket.slot, result));
}
