//! An NFS 3 server that answers from memory: what remains of a load on it is our own cost. By name it delays, cuts, drops, reorders,
//! fragments and shortens answers, asks for patience, loses what was not committed, and refuses.
//!
//! MOUNT and NFS listen on one port of the loopback interface, so that no port mapper is needed.

mod answers;
mod faults;
mod files;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};

use crate::rpc::LAST_FRAGMENT;
use crate::socket::now_ns;
use crate::status;
use crate::xdr::Put;

pub use faults::{Faults, Seen, Silence};

use files::Files;

/// The one folder that is exported.
pub const EXPORT: &str = "/export";
/// A call that is longer is none.
const CALL_BYTES_MAX: usize = (64 << 20) + 4096;
/// An answer that is held back for the next one is sent after so long if none comes.
const HELD: Duration = Duration::from_millis(20);

struct Shared {
    files: Files,
    faults: Faults,
    seen: Seen,
    answered: u64,
    /// How often the last call that is about no data was put off.
    put_off: u64,
    open: Vec<TcpStream>,
    clients: BTreeSet<IpAddr>,
    /// Until when no connection is accepted.
    gone_until_ns: u64,
    /// By the handle of the file.
    file_locks: BTreeMap<Vec<u8>, Arc<Mutex<()>>>,
    stopped: bool,
}

/// A server that ends when it is dropped.
pub struct Server {
    addresses: Vec<SocketAddr>,
    shared: Arc<Mutex<Shared>>,
    acceptors: Vec<JoinHandle<()>>,
}

impl Server {
    /// Listens on a port of its own.
    pub fn start() -> io::Result<Self> {
        Self::start_on(1)
    }

    /// Listens on the same port of so many addresses: 127.0.0.1, 127.0.0.2, and so on.
    pub fn start_on(paths: u8) -> io::Result<Self> {
        Self::serve(listeners(paths)?)
    }

    /// Listens on that port of one address, 127.0.0.`place`.
    pub fn start_at(place: u8, port: u16) -> io::Result<Self> {
        Self::serve(vec![TcpListener::bind((Ipv4Addr::new(127, 0, 0, place), port))?])
    }

    fn serve(listeners: Vec<TcpListener>) -> io::Result<Self> {
        let addresses = listeners.iter().map(TcpListener::local_addr).collect::<io::Result<_>>()?;
        let shared = Shared {
            files: Files::new(),
            faults: Faults::default(),
            seen: Seen::default(),
            answered: 0,
            put_off: 0,
            open: Vec::new(),
            clients: BTreeSet::new(),
            gone_until_ns: 0,
            file_locks: BTreeMap::new(),
            stopped: false,
        };
        let shared = Arc::new(Mutex::new(shared));
        let acceptor = |(path, listener): (usize, TcpListener)| {
            let shared = Arc::clone(&shared);
            let name = "plimsoll-nfsd".to_owned();
            thread::Builder::new().name(name).spawn(move || accept(&listener, path, &shared))
        };
        let acceptors = listeners.into_iter().enumerate().map(acceptor).collect::<io::Result<_>>()?;
        Ok(Self { addresses, shared, acceptors })
    }

    /// Puts a file into the export that belongs to that user.
    pub fn add(&self, name: &str, uid: u32, gid: u32, data: Vec<u8>) {
        lock(&self.shared).files.add(name, uid, gid, data);
    }

    /// What a target of that path is called.
    pub fn url(&self, path: &str) -> String {
        let port = self.addresses[0].port();
        let place = format!("nfs://127.0.0.1{path}?port={port}&mount_port={port}&privileged=no");
        if self.addresses.len() == 1 {
            return place;
        }
        let paths: Vec<String> = self.addresses.iter().map(|address| address.ip().to_string()).collect();
        format!("{place}&paths={}", paths.join(","))
    }

    /// From now on it goes wrong like this, counting from the next answer.
    pub fn set(&self, faults: Faults) {
        let mut shared = lock(&self.shared);
        (shared.faults, shared.answered, shared.put_off) = (faults, 0, 0);
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

    /// Addresses from which it was reached.
    pub fn clients(&self) -> Vec<IpAddr> {
        lock(&self.shared).clients.iter().copied().collect()
    }

    /// Gives a file of that name so many names more, which are nowhere.
    pub fn link(&self, name: &str, more: u32) {
        if let Some(file) = lock(&self.shared).files.by_name.get_mut(name) {
            file.links += more;
        }
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
            shared.cut_all();
        }
        for (address, acceptor) in self.addresses.iter().zip(self.acceptors.drain(..)) {
            // Wakes the acceptor.
            let _ = TcpStream::connect(address);
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

impl Shared {
    fn cut_all(&mut self) {
        for stream in self.open.drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

/// One port that is free on each of the first addresses of the loopback interface.
fn listeners(paths: u8) -> io::Result<Vec<TcpListener>> {
    let mut last = io::Error::from(io::ErrorKind::AddrInUse);
    for _ in 0..16 {
        let first = TcpListener::bind("127.0.0.1:0")?;
        let port = first.local_addr()?.port();
        let others = (2..=paths).map(|place| TcpListener::bind((Ipv4Addr::new(127, 0, 0, place), port)));
        match [Ok(first)].into_iter().chain(others).collect() {
            Ok(all) => return Ok(all),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Whether the other side has closed it and all that it sent was read.
fn has_ended(stream: &TcpStream) -> bool {
    let patience = Some(Duration::from_secs(2));
    stream.set_read_timeout(patience).is_err() || stream.peek(&mut [0]).is_ok_and(|bytes| bytes == 0)
}

fn accept(listener: &TcpListener, path: usize, shared: &Arc<Mutex<Shared>>) {
    let mut threads = Vec::new();
    for stream in listener.incoming() {
        let mut state = lock(shared);
        if state.stopped {
            break;
        }
        let Ok(stream) = stream else { continue };
        if now_ns() < state.gone_until_ns {
            continue;
        }
        state.seen.connections += 1;
        state.open.extend(stream.try_clone());
        state.clients.extend(stream.peer_addr().map(|peer| peer.ip()));
        drop(state);
        let shared = Arc::clone(shared);
        threads.push(thread::spawn(move || {
            // An end of the connection is no failure of the server.
            let _ = Connection::new(stream, path).serve(&shared);
        }));
    }
    threads.into_iter().for_each(|thread| drop(thread.join()));
}

struct Connection {
    stream: TcpStream,
    /// Over which address it comes, counted from 0.
    path: usize,
    privileged: bool,
    /// An answer that waits for the next one to go first.
    held: Option<Vec<u8>>,
}

/// What is done with one answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Sent,
    Cut,
    Gone(Duration),
    Dropped,
    PutOff,
    Huge,
    WithNonsense,
    TheLast,
}

impl Connection {
    fn new(stream: TcpStream, path: usize) -> Self {
        let _ = stream.set_nodelay(true);
        let privileged = stream.peer_addr().is_ok_and(|peer| peer.port() < 1024);
        Self { stream, path, privileged, held: None }
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
            if let Some((_, delay)) = faults.slow.filter(|(path, _)| *path == self.path) {
                nap(delay);
            }
            if let Some(lasts) = faults.file_lock {
                nap_alone_with_file(&record, lasts, shared);
            }
            if faults.strays {
                let mut stray = vec![0; 4];
                crate::rpc::begin_reply(&mut stray, 0xdead_beef, Ok(()));
                self.send(with_mark(stray), &Faults::default())?;
            }
            match fate {
                Fate::Sent | Fate::PutOff => self.send_in_turn(answer, &faults)?,
                Fate::Dropped => {}
                Fate::Gone(lasts) => {
                    let mut state = lock(shared);
                    state.gone_until_ns = now_ns() + lasts.as_nanos() as u64;
                    state.cut_all();
                    return Ok(());
                }
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
        let Shared { files, faults, seen, answered, put_off, .. } = &mut *state;
        let mut server = answers::Server { files, faults, seen, privileged: self.privileged };
        let about_data = is_about_data(record);
        let called = procedure_of(record).filter(|procedure| procedure.program == crate::proc::PROGRAM);
        let called = called.map(|procedure| procedure.number);
        let refused = server.faults.refuse.filter(|&(number, _)| called == Some(number));
        *answered += u64::from(about_data);
        let turn = |wanted: Option<u64>| about_data && wanted == Some(*answered);
        let is_put_off = faults_put_off(server.faults, about_data, *answered)
            || (called.is_some() && !about_data && is_again(put_off, server.faults.put_off_each));
        let fate = match &*server.faults {
            Faults { silent: Some(silence), .. } if silence.covers(self.path, *answered) => Fate::Dropped,
            Faults { gone: Some((number, lasts)), .. } if turn(Some(*number)) => Fate::Gone(*lasts),
            faults if called == faults.cut_after && called.is_some() => Fate::Gone(Duration::ZERO),
            faults if turn(faults.cut) => Fate::Cut,
            faults if turn(faults.drop) => Fate::Dropped,
            Faults { frozen: Some(from), .. } if *answered >= *from => Fate::Dropped,
            faults if turn(faults.huge) => Fate::Huge,
            faults if turn(faults.nonsense) => Fate::WithNonsense,
            faults if turn(faults.deaf) => Fate::TheLast,
            _ if is_put_off => Fate::PutOff,
            _ => Fate::Sent,
        };
        if about_data && server.faults.restart_every.is_some_and(|every| answered.is_multiple_of(every)) {
            server.files.restart();
        }
        let answer = match fate {
            // What is put off is not done.
            Fate::PutOff => refusal(record, status::JUKEBOX),
            _ if refused.is_some() => refusal(record, refused.map_or(0, |(_, status)| status)),
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

/// Whether a call is put off once more; counts so far, and anew with the next call.
fn is_again(so_far: &mut u64, wanted: u64) -> bool {
    *so_far = if *so_far < wanted { *so_far + 1 } else { 0 };
    *so_far > 0
}

fn procedure_of(record: &[u8]) -> Option<crate::rpc::Procedure> {
    crate::rpc::read_call(&mut crate::xdr::Reader::new(record)).ok().map(|(_, procedure, _)| procedure)
}

fn is_about_data(record: &[u8]) -> bool {
    use crate::proc::{COMMIT, READ, WRITE};
    procedure_of(record).is_some_and(|procedure| [READ, WRITE, COMMIT].contains(&procedure))
}

/// The time of a call about data during which no other one about its file gets on.
fn nap_alone_with_file(record: &[u8], lasts: Duration, shared: &Mutex<Shared>) {
    let mut reader = crate::xdr::Reader::new(record);
    let Some(handle) = crate::rpc::read_call(&mut reader).ok().and_then(|_| reader.opaque(64).ok()) else {
        return;
    };
    if is_about_data(record) {
        let own = Arc::clone(lock(shared).file_locks.entry(handle.to_vec()).or_default());
        let _alone = own.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        nap(lasts);
    }
}

/// A status, with what belongs to it in an answer to that call.
fn refusal(record: &[u8], status: u32) -> Vec<u8> {
    let mut out = Vec::new();
    let xid = u32::from_be_bytes(record[..4].try_into().expect("a call has a number"));
    crate::rpc::begin_reply(&mut out, xid, Ok(()));
    out.put_u32(status);
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
