//! An NFS 3 server that answers from memory: what remains of a load on it is our own cost. By name it delays, cuts, drops, reorders,
//! fragments and shortens answers, asks for patience, loses what was not committed, and refuses.
//!
//! MOUNT and NFS listen on one port of the loopback interface, so that no port mapper is needed.

mod answers;
mod files;

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};

use crate::proc::Stable;
use crate::rpc::{LAST_FRAGMENT, Refusal};
use crate::status;
use crate::xdr::Put;

use files::Files;

/// The one folder that is exported.
pub const EXPORT: &str = "/export";
/// A call that is longer is none.
const CALL_BYTES_MAX: usize = (64 << 20) + 4096;
/// An answer that is held back for the next one is sent after so long if none comes.
const HELD: Duration = Duration::from_millis(20);

/// What the server does wrong. Answers are counted from when this was set, those to READ, WRITE and COMMIT alone.
#[derive(Debug, Clone)]
pub struct Faults {
    /// Each answer comes so much later.
    pub delay: Option<Duration>,
    /// In the middle of the answer of that number the connection ends.
    pub cut: Option<u64>,
    /// The answer of that number is never sent.
    pub drop: Option<u64>,
    /// Behind the answer of that number, with it, comes something that is none.
    pub nonsense: Option<u64>,
    /// After the answer of that number its connection is not read any more.
    pub deaf: Option<u64>,
    /// Two answers change places wherever two can.
    pub reorder: bool,
    /// Answers come in fragments of so many bytes.
    pub fragment_bytes: Option<usize>,
    /// A READ or a WRITE moves at most so many bytes.
    pub short_bytes: Option<u32>,
    /// Each so-manieth answer asks for patience (NFS3ERR_JUKEBOX).
    pub put_off_every: Option<u64>,
    /// So many COMMITs find that the server has started anew and has lost what was not committed.
    pub restarts_before_commit: u32,
    /// The same before each so-manieth answer.
    pub restart_every: Option<u64>,
    /// Before each answer comes one to nothing that was asked.
    pub strays: bool,
    /// The answer of that number has the longest length that there is.
    pub huge: Option<u64>,
    /// Writes are at most that durable, whatever was asked.
    pub less_durable: Option<Stable>,
    /// Every call is refused.
    pub deny: Option<Refusal>,
    /// Calls come from a port below 1024, or are refused.
    pub wants_privileged: bool,
    /// Root is nobody.
    pub squash: bool,
    /// Attributes of a file are not told, but this status is.
    pub no_attributes: Option<u32>,
    /// Nothing is removed.
    pub no_remove: bool,
    /// Room that is left.
    pub free_bytes: u64,
    /// There is no version 3.
    pub only_version_4: bool,
    /// Of one READ.
    pub read_bytes_max: u32,
    /// Of one WRITE.
    pub write_bytes_max: u32,
}

impl Default for Faults {
    fn default() -> Self {
        Self {
            delay: None,
            cut: None,
            drop: None,
            nonsense: None,
            deaf: None,
            reorder: false,
            fragment_bytes: None,
            short_bytes: None,
            put_off_every: None,
            restarts_before_commit: 0,
            restart_every: None,
            strays: false,
            huge: None,
            less_durable: None,
            deny: None,
            wants_privileged: false,
            squash: false,
            no_attributes: None,
            no_remove: false,
            free_bytes: 1 << 40,
            only_version_4: false,
            read_bytes_max: 1 << 20,
            write_bytes_max: 1 << 20,
        }
    }
}

/// What was asked of the server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Seen {
    /// Mounts that were not taken back.
    pub mounts: i64,
    /// Connections that were made.
    pub connections: u64,
    /// READs.
    pub reads: u64,
    /// Bytes that they brought.
    pub read_bytes: u64,
    /// WRITEs: asked to be unstable, with durable data, and all durable.
    pub writes: [u64; 3],
    /// Bytes that they took.
    pub write_bytes: u64,
    /// COMMITs.
    pub commits: u64,
}

struct Shared {
    files: Files,
    faults: Faults,
    seen: Seen,
    answered: u64,
    open: Vec<TcpStream>,
    stopped: bool,
}

/// A server that ends when it is dropped.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Mutex<Shared>>,
    acceptor: Option<JoinHandle<()>>,
}

impl Server {
    /// Listens on a port of its own.
    pub fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let (faults, seen) = (Faults::default(), Seen::default());
        let shared =
            Shared { files: Files::new(), faults, seen, answered: 0, open: Vec::new(), stopped: false };
        let shared = Arc::new(Mutex::new(shared));
        let for_acceptor = Arc::clone(&shared);
        let acceptor = thread::Builder::new()
            .name("plimsoll-nfsd".to_owned())
            .spawn(move || accept(&listener, &for_acceptor))?;
        Ok(Self { address, shared, acceptor: Some(acceptor) })
    }

    /// Puts a file into the export that belongs to that user.
    pub fn add(&self, name: &str, uid: u32, gid: u32, data: Vec<u8>) {
        lock(&self.shared).files.add(name, uid, gid, data);
    }

    /// What a target of that path is called.
    pub fn url(&self, path: &str) -> String {
        let port = self.address.port();
        format!("nfs://127.0.0.1{path}?port={port}&mount_port={port}&privileged=no")
    }

    /// From now on it goes wrong like this, counting from the next answer.
    pub fn set(&self, faults: Faults) {
        let mut shared = lock(&self.shared);
        (shared.faults, shared.answered) = (faults, 0);
    }

    /// What was asked so far.
    pub fn seen(&self) -> Seen {
        lock(&self.shared).seen
    }

    /// What a restart would leave of a file.
    pub fn durable(&self, name: &str) -> Option<Vec<u8>> {
        lock(&self.shared).files.by_name.get(name).map(|file| file.durable.clone())
    }

    /// Numbers of file system and file.
    pub fn numbers(&self, name: &str) -> Option<(u64, u64)> {
        let shared = lock(&self.shared);
        let attributes = shared.files.by_name.get(name)?.attributes();
        Some((attributes.fsid, attributes.fileid))
    }

    /// Connections that the other side has not closed, once those that it has are noticed.
    pub fn open_connections(&self) -> usize {
        let mut shared = lock(&self.shared);
        shared.open.retain(|stream| !has_ended(stream));
        shared.open.len()
    }

    /// Names of all files.
    pub fn names(&self) -> Vec<String> {
        lock(&self.shared).files.by_name.keys().cloned().collect()
    }

    /// Nobody is answered any more, and no connection is accepted.
    pub fn stop(&mut self) {
        {
            let mut shared = lock(&self.shared);
            shared.stopped = true;
            for stream in shared.open.drain(..) {
                let _ = stream.shutdown(Shutdown::Both);
            }
        }
        // Wakes the acceptor.
        let _ = TcpStream::connect(self.address);
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Whether the other side has closed it and all that it sent was read.
fn has_ended(stream: &TcpStream) -> bool {
    let patience = Some(Duration::from_secs(2));
    stream.set_read_timeout(patience).is_err() || stream.peek(&mut [0]).is_ok_and(|bytes| bytes == 0)
}

fn accept(listener: &TcpListener, shared: &Arc<Mutex<Shared>>) {
    let mut threads = Vec::new();
    for stream in listener.incoming() {
        let mut state = lock(shared);
        if state.stopped {
            break;
        }
        let Ok(stream) = stream else { continue };
        state.seen.connections += 1;
        state.open.extend(stream.try_clone());
        drop(state);
        let shared = Arc::clone(shared);
        threads.push(thread::spawn(move || {
            // An end of the connection is no failure of the server.
            let _ = Connection::new(stream).serve(&shared);
        }));
    }
    threads.into_iter().for_each(|thread| drop(thread.join()));
}

struct Connection {
    stream: TcpStream,
    privileged: bool,
    /// An answer that waits for the next one to go first.
    held: Option<Vec<u8>>,
}

/// What is done with one answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Sent,
    Cut,
    Dropped,
    PutOff,
    Huge,
    WithNonsense,
    TheLast,
}

impl Connection {
    fn new(stream: TcpStream) -> Self {
        let _ = stream.set_nodelay(true);
        let privileged = stream.peer_addr().is_ok_and(|peer| peer.port() < 1024);
        Self { stream, privileged, held: None }
    }

    fn serve(&mut self, shared: &Mutex<Shared>) -> io::Result<()> {
        loop {
            let record = self.receive()?;
            let Some((answer, fate, faults)) = self.answer(&record, shared) else {
                return self.stream.shutdown(Shutdown::Both);
            };
            if let Some(delay) = faults.delay {
                nap(delay);
            }
            if faults.strays {
                let mut stray = vec![0; 4];
                crate::rpc::begin_reply(&mut stray, 0xdead_beef, Ok(()));
                self.send(with_mark(stray), &Faults::default())?;
            }
            match fate {
                Fate::Sent | Fate::PutOff => self.send_in_turn(answer, &faults)?,
                Fate::Dropped => {}
                Fate::Cut => {
                    self.stream.write_all(&answer[..answer.len() / 2])?;
                    return self.stream.shutdown(Shutdown::Both);
                }
                Fate::Huge => self.stream.write_all(&u32::MAX.to_be_bytes())?,
                Fate::WithNonsense => {
                    self.stream.write_all(&[&answer[..], &u32::MAX.to_be_bytes()].concat())?;
                }
                Fate::TheLast => {
                    self.stream.write_all(&answer)?;
                    // Until the server stops: the end of a connection lies behind what is not read.
                    poll(&mut [PollFd::new(&self.stream, PollFlags::RDHUP)], None)?;
                    return Ok(());
                }
            }
        }
    }

    fn answer(&self, record: &[u8], shared: &Mutex<Shared>) -> Option<(Vec<u8>, Fate, Faults)> {
        let mut state = lock(shared);
        let Shared { files, faults, seen, answered, .. } = &mut *state;
        let mut server = answers::Server { files, faults, seen, privileged: self.privileged };
        let about_data = is_about_data(record);
        *answered += u64::from(about_data);
        let turn = |wanted: Option<u64>| about_data && wanted == Some(*answered);
        let put_off = faults_put_off(server.faults, about_data, *answered);
        let fate = match &*server.faults {
            faults if turn(faults.cut) => Fate::Cut,
            faults if turn(faults.drop) => Fate::Dropped,
            faults if turn(faults.huge) => Fate::Huge,
            faults if turn(faults.nonsense) => Fate::WithNonsense,
            faults if turn(faults.deaf) => Fate::TheLast,
            _ if put_off => Fate::PutOff,
            _ => Fate::Sent,
        };
        if about_data && server.faults.restart_every.is_some_and(|every| answered.is_multiple_of(every)) {
            server.files.restart();
        }
        let answer = match fate {
            // What is put off is not done.
            Fate::PutOff => put_off_answer(record),
            _ => answers::reply(&mut server, record)?,
        };
        let faults = server.faults.clone();
        Some((with_mark([vec![0; 4], answer].concat()), fate, faults))
    }

    fn receive(&mut self) -> io::Result<Vec<u8>> {
        let mut record = Vec::new();
        loop {
            let mut mark = [0; 4];
            self.receive_mark(&mut mark)?;
            let mark = u32::from_be_bytes(mark);
            let (begin, bytes) = (record.len(), (mark & !LAST_FRAGMENT) as usize);
            if begin + bytes > CALL_BYTES_MAX {
                return Err(io::ErrorKind::InvalidData.into());
            }
            record.resize(begin + bytes, 0);
            self.stream.read_exact(&mut record[begin..])?;
            if mark & LAST_FRAGMENT != 0 {
                return Ok(record);
            }
        }
    }

    /// The next mark; an answer that is held back goes out when none comes soon.
    fn receive_mark(&mut self, mark: &mut [u8; 4]) -> io::Result<()> {
        self.stream.set_read_timeout(self.held.is_some().then_some(HELD))?;
        let first = self.stream.peek(mark);
        self.stream.set_read_timeout(None)?;
        match first {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if let Some(held) = self.held.take() {
                    self.stream.write_all(&held)?;
                }
            }
            other => drop(other?),
        }
        self.stream.read_exact(mark)
    }

    fn send_in_turn(&mut self, answer: Vec<u8>, faults: &Faults) -> io::Result<()> {
        if faults.reorder && self.held.is_none() {
            self.held = Some(answer);
            return Ok(());
        }
        self.send(answer, faults)?;
        match self.held.take() {
            Some(held) => self.send(held, faults),
            None => Ok(()),
        }
    }

    fn send(&mut self, answer: Vec<u8>, faults: &Faults) -> io::Result<()> {
        let Some(bytes) = faults.fragment_bytes else { return self.stream.write_all(&answer) };
        let body = &answer[4..];
        let pieces = body.chunks(bytes).count();
        let mut out = Vec::new();
        for (index, piece) in body.chunks(bytes).enumerate() {
            let last = if index + 1 == pieces { LAST_FRAGMENT } else { 0 };
            out.put_u32(last | piece.len() as u32);
            out.extend_from_slice(piece);
        }
        self.stream.write_all(&out)
    }
}

fn faults_put_off(faults: &Faults, about_data: bool, answered: u64) -> bool {
    about_data && faults.put_off_every.is_some_and(|every| answered.is_multiple_of(every))
}

fn procedure_of(record: &[u8]) -> Option<crate::rpc::Procedure> {
    crate::rpc::read_call(&mut crate::xdr::Reader::new(record)).ok().map(|(_, procedure, _)| procedure)
}

fn is_about_data(record: &[u8]) -> bool {
    use crate::proc::{COMMIT, READ, WRITE};
    procedure_of(record).is_some_and(|procedure| [READ, WRITE, COMMIT].contains(&procedure))
}

/// NFS3ERR_JUKEBOX, with what belongs to it in an answer to that call.
fn put_off_answer(record: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let xid = u32::from_be_bytes(record[..4].try_into().expect("a call has a number"));
    crate::rpc::begin_reply(&mut out, xid, Ok(()));
    out.put_u32(status::JUKEBOX);
    out.put_u32(0);
    if procedure_of(record) != Some(crate::proc::READ) {
        out.put_u32(0);
    }
    out
}

/// Writes the mark of a record of one fragment into its first four bytes.
fn with_mark(mut record: Vec<u8>) -> Vec<u8> {
    let mark = LAST_FRAGMENT | (record.len() - 4) as u32;
    record[..4].copy_from_slice(&mark.to_be_bytes());
    record
}

fn nap(delay: Duration) {
    let delay = rustix::time::Timespec { tv_sec: delay.as_secs() as i64, tv_nsec: delay.subsec_nanos() as _ };
    let _ = rustix::thread::nanosleep(&delay);
}
