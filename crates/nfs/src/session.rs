//! One question after the other on one connection, each waited for: to find a file, to make one, to take one away.

use std::io::{self, IoSlice, IoSliceMut};
use std::net::{IpAddr, SocketAddr};

use crate::error::{NfsError, Result, garbled};
use crate::limits::{JUKEBOX_NS, PUT_OFF_NS_MAX, RECORD_BYTES_MAX, SETUP_PATIENCE};
use crate::rpc::{self, LAST_FRAGMENT, Procedure, Refusal};
use crate::socket::{Socket, Wire, now_ns};
use crate::status;
use crate::xdr::{Read, Reader};

/// Who talks to a server, and how.
#[derive(Debug, Clone)]
pub struct Caller {
    /// Where the service listens.
    pub server: SocketAddr,
    /// As a message names it.
    pub name: String,
    /// Proof of identity, as [`rpc::credential`] makes it.
    pub credential: Vec<u8>,
    /// From a port below 1024: yes, no, or where that works.
    pub privileged: Option<bool>,
    /// From which address of this host a server's address is reached, where that was asked for.
    pub locals: Vec<(IpAddr, IpAddr)>,
    /// Until when a server that wants patience gets it, whatever is asked; none where it gets a minute for each question.
    pub patience_until_ns: Option<u64>,
}

impl Caller {
    /// The address of this host from which that of the server is reached; none where the kernel's routes say.
    pub fn local_for(&self, server: SocketAddr) -> Option<IpAddr> {
        self.locals.iter().find(|(there, _)| *there == server.ip()).map(|&(_, own)| own)
    }

    /// Until when a question that is asked now is asked again.
    fn asks_until_ns(&self, now_ns: u64) -> u64 {
        self.patience_until_ns.unwrap_or(now_ns.saturating_add(PUT_OFF_NS_MAX))
    }
}

/// A connection on which one call at a time is made.
#[derive(Debug)]
pub struct Session {
    caller: Caller,
    socket: Socket,
    xid: u32,
}

impl Session {
    /// Connects. Fails with `nfs-unreachable` and `nfs-privileged-port`.
    pub fn open(caller: Caller, service: &str) -> Result<Self> {
        let socket = connect(&caller, service)?;
        // Numbers of an earlier connection from the same port would be taken for repetitions by a server that remembers answers.
        Ok(Self { caller, socket, xid: now_ns() as u32 })
    }

    /// From now on the server gets patience for each question.
    pub fn asks_each_anew(&mut self) {
        self.caller.patience_until_ns = None;
    }

    /// Its connection, on which nothing is under way between two questions.
    pub fn into_socket(self) -> Socket {
        self.socket
    }

    /// Whether it comes from a port below 1024.
    pub fn is_privileged(&self) -> bool {
        self.socket.privileged
    }

    /// Whether it was to come from a port below 1024, and all were taken.
    pub fn finds_ports_taken(&self) -> bool {
        self.socket.ports_taken
    }

    /// Asks, and asks again while the server wants patience and is to get it. The result is the answer, or the status that the server failed with.
    pub fn ask<T>(
        &mut self,
        procedure: Procedure,
        what: &str,
        put: impl Fn(&mut Vec<u8>),
        read: impl Fn(&mut Reader) -> Read<std::result::Result<T, u32>>,
    ) -> Result<std::result::Result<T, u32>> {
        let until_ns = self.caller.asks_until_ns(now_ns());
        loop {
            let answer = self.call(procedure, what, &put)?;
            let outcome = read(&mut Reader::new(&answer)).map_err(|_| garbled(&self.caller.name, what))?;
            if !matches!(outcome, Err(status::JUKEBOX)) || now_ns() >= until_ns {
                return Ok(outcome);
            }
            // Nothing comes unasked, so that this is a sleep that ends when the connection does.
            self.socket.wait_for(false, JUKEBOX_NS).map_err(|error| self.broken(what, &error))?;
        }
    }

    /// Makes one call. Its result are the bytes behind the head of the reply.
    pub fn call(&mut self, procedure: Procedure, what: &str, put: impl Fn(&mut Vec<u8>)) -> Result<Vec<u8>> {
        self.xid = self.xid.wrapping_add(1);
        let mut record = vec![0; 4];
        rpc::begin_call(&mut record, self.xid, procedure, &self.caller.credential);
        put(&mut record);
        let mark = LAST_FRAGMENT | (record.len() - 4) as u32;
        record[..4].copy_from_slice(&mark.to_be_bytes());
        let deadline_ns = now_ns() + SETUP_PATIENCE.as_nanos() as u64;
        self.send(&record, deadline_ns).map_err(|error| self.broken(what, &error))?;
        loop {
            let record = self.receive_record(deadline_ns).map_err(|error| self.broken(what, &error))?;
            let mut reader = Reader::new(&record);
            let (xid, outcome) =
                rpc::read_reply(&mut reader).map_err(|_| garbled(&self.caller.name, what))?;
            if xid != self.xid {
                continue;
            }
            outcome.map_err(|refusal| self.refused(procedure, what, refusal))?;
            return Ok(record[record.len() - reader.left()..].to_vec());
        }
    }

    fn send(&mut self, mut bytes: &[u8], deadline_ns: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.socket.send(&[IoSlice::new(bytes)]) {
                Ok(sent) => bytes = &bytes[sent..],
                Err(error) if is_passing(&error) => self.wait(true, deadline_ns)?,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn wait(&self, to_send: bool, deadline_ns: u64) -> io::Result<()> {
        let left_ns = deadline_ns.saturating_sub(now_ns());
        if left_ns == 0 {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.socket.wait_for(to_send, left_ns).map(|_| ())
    }

    /// The next record, whatever number of fragments it comes in.
    fn receive_record(&mut self, deadline_ns: u64) -> io::Result<Vec<u8>> {
        let mut record = Vec::new();
        loop {
            let mut mark = [0; 4];
            self.receive(&mut mark, deadline_ns)?;
            let mark = u32::from_be_bytes(mark);
            let (begin, bytes) = (record.len(), (mark & !LAST_FRAGMENT) as usize);
            if begin + bytes > RECORD_BYTES_MAX {
                return Err(io::ErrorKind::InvalidData.into());
            }
            // Memory follows what has really come, not what a mark promises.
            let mut left = bytes;
            while left > 0 {
                let (begin, part) = (record.len(), left.min(64 << 10));
                record.resize(begin + part, 0);
                self.receive(&mut record[begin..], deadline_ns)?;
                left -= part;
            }
            if mark & LAST_FRAGMENT != 0 {
                return Ok(record);
            }
        }
    }

    fn receive(&mut self, mut bytes: &mut [u8], deadline_ns: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.socket.receive(&mut [IoSliceMut::new(bytes)], false) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(came) => bytes = &mut bytes[came..],
                Err(error) if is_passing(&error) => self.wait(false, deadline_ns)?,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn broken(&self, what: &str, error: &io::Error) -> NfsError {
        let name = &self.caller.name;
        match error.kind() {
            io::ErrorKind::InvalidData => garbled(name, what),
            io::ErrorKind::UnexpectedEof => NfsError::new(
                "nfs-unreachable",
                format!("{name} closed the connection when it was asked {what}"),
                "Some servers do so where the source port is not below 1024 (privileged=yes, as root); its own log says more.",
            )
            .errno(libc::ECONNRESET),
            io::ErrorKind::TimedOut => NfsError::new(
                "nfs-unreachable",
                format!("{name} did not answer {what} within {} s", SETUP_PATIENCE.as_secs()),
                "See whether the server is well: showmount -e HOST, and its own log.",
            )
            .errno(libc::ETIMEDOUT),
            _ => unreachable(&self.caller, "NFS", error),
        }
    }

    fn refused(&self, procedure: Procedure, what: &str, refusal: Refusal) -> NfsError {
        let name = &self.caller.name;
        let words = refusal.words();
        match refusal {
            Refusal::NoProgram | Refusal::NoVersion { .. } => no_version_3(name, procedure, &words),
            Refusal::Auth(_) if !self.is_privileged() => {
                wants_privilege(name, what, &words, self.finds_ports_taken())
            }
            Refusal::Auth(_) => {
                NfsError::new("nfs-forbidden", format!("{name} refused {what}: {words}"), KERBEROS)
            }
            _ => NfsError::new(
                "nfs-protocol",
                format!("{name} refused {what}: {words}"),
                "The server's own log says more.",
            ),
        }
        .errno(refusal.errno())
    }
}

const KERBEROS: &str =
    "The export may want Kerberos (sec=krb5), which is not spoken here; add sec=sys to it.";

/// Connects, and waits for it. Fails with `nfs-unreachable` and `nfs-privileged-port`.
pub fn connect(caller: &Caller, service: &str) -> Result<Socket> {
    let connected = Socket::begin(caller.server, caller.local_for(caller.server), caller.privileged)
        .and_then(|socket| {
            let there = socket.is_connected(SETUP_PATIENCE.as_nanos() as u64)?;
            if there { Ok(socket) } else { Err(io::ErrorKind::TimedOut.into()) }
        });
    connected.map_err(|error| unreachable(caller, service, &error))
}

/// A server without version 3, which is all that is spoken here.
pub fn no_version_3(name: &str, procedure: Procedure, words: &str) -> NfsError {
    NfsError::new(
        "nfs-version",
        format!("{name} does not serve version 3 of program {}: {words}", procedure.program),
        "Turn NFS 3 on at the server, or mount it with the kernel's client (mount -t nfs4) and name the folder. A file can be read \
         over NFS 4 with version=4 and --engine libnfs.",
    )
    .errno(libc::EPROTONOSUPPORT)
}

/// A server that wants a source port below 1024; `ports_taken` says why it was not asked from one.
pub fn wants_privilege(name: &str, what: &str, words: &str, ports_taken: bool) -> NfsError {
    let way = if ports_taken {
        "There is no free port below 1024: each connection of a command takes one. Try again with fewer --jobs, or fewer addresses in paths="
    } else {
        "Run it as root, which may use such a port"
    };
    NfsError::new(
        "nfs-privileged-port",
        format!("{name} refused {what}: {words}; it was asked from a port that is not below 1024"),
        format!("{way}, or mark the export as insecure at the server. {KERBEROS}"),
    )
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

fn unreachable(caller: &Caller, service: &str, error: &io::Error) -> NfsError {
    let errno = error.raw_os_error().unwrap_or(libc::ETIMEDOUT);
    if caller.privileged == Some(true) && [libc::EACCES, libc::EPERM, libc::EADDRINUSE].contains(&errno) {
        return NfsError::new(
            "nfs-privileged-port",
            format!("could not take a port below 1024 to ask {}: {}", caller.name, words(error)),
            "Only root may (CAP_NET_BIND_SERVICE); leave privileged=yes out where the export is insecure.",
        )
        .errno(errno);
    }
    NfsError::new(
        "nfs-unreachable",
        format!("could not reach {service} of {} at {}: {}", caller.name, caller.server, words(error)),
        "See whether it serves NFS 3 there: rpcinfo -p HOST; port= and mount_port= name other ports.",
    )
    .errno(errno)
}

/// The system's words in lower case.
fn words(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::TimedOut {
        return format!("no answer within {} s", SETUP_PATIENCE.as_secs());
    }
    error.to_string().split(" (os error").next().unwrap_or_default().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_wants_patience_gets_a_minute() {
        let caller = |patience_until_ns| Caller {
            server: SocketAddr::from(([127, 0, 0, 1], 2049)),
            name: "filer".to_owned(),
            credential: Vec::new(),
            privileged: None,
            locals: Vec::new(),
            patience_until_ns,
        };
        assert_eq!(caller(None).asks_until_ns(5), 60_000_000_005);
        assert_eq!(caller(Some(7)).asks_until_ns(5), 7, "one minute for several questions");
    }

    #[test]
    fn who_finds_all_ports_taken_is_not_told_to_become_root() {
        let hint = |ports_taken| wants_privilege("filer", "to mount /e", "no", ports_taken).hint;
        assert!(hint(false).contains("root") && hint(false).contains("krb5"));
        assert!(hint(true).contains("no free port below 1024") && !hint(true).contains("root"));
        assert!(
            hint(true).contains("--jobs") && hint(true).contains("paths=") && !hint(true).contains("minute")
        );
    }
}
