//! TCP connections: from a port below 1024 where the server wants one, and without waiting where a run is under way.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvFlags, SendAncillaryBuffer, SendFlags, SocketFlags, SocketType,
    bind, connect, recvmsg, sendmsg, socket_with, sockopt,
};
use rustix::time::{ClockId, clock_gettime};

use crate::limits::ATTENTION_NS_MAX;

/// The lowest port that is tried; those below are for services.
const PRIVILEGED_FROM: u16 = 665;
const PRIVILEGED_TO: u16 = 1023;

/// Time since some moment of the past.
pub fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// What a receiver reads from and a sender writes to; a socket, or what a test puts in its place.
pub trait Wire {
    /// Takes as many bytes as there is room for, without waiting; `WouldBlock` where there is none.
    fn send(&mut self, pieces: &[IoSlice]) -> io::Result<usize>;
    /// Brings what has come; with `patient` it may wait for [`ATTENTION_NS_MAX`]. 0 says that nothing comes any more.
    fn receive(&mut self, pieces: &mut [IoSliceMut], patient: bool) -> io::Result<usize>;
}

/// One connection.
#[derive(Debug)]
pub struct Socket {
    fd: OwnedFd,
    /// Whether its own port is below 1024.
    pub privileged: bool,
}

impl Socket {
    /// Begins to connect, and does not wait for it. `privileged` without a value tries a port below 1024 and does without.
    pub fn begin(server: SocketAddr, privileged: Option<bool>) -> io::Result<Self> {
        match privileged {
            Some(true) => privileged_one(server),
            Some(false) => ordinary(server),
            None => privileged_one(server).or_else(|_| ordinary(server)),
        }
    }

    /// Whether it is connected by now, after waiting for at most so long.
    pub fn is_connected(&self, patience_ns: u64) -> io::Result<bool> {
        if !self.wait(PollFlags::OUT, patience_ns)? {
            return Ok(false);
        }
        sockopt::socket_error(&self.fd)??;
        sockopt::set_tcp_nodelay(&self.fd, true)?;
        sockopt::set_socket_timeout(
            &self.fd,
            sockopt::Timeout::Recv,
            Some(Duration::from_nanos(ATTENTION_NS_MAX)),
        )?;
        rustix::io::ioctl_fionbio(&self.fd, false)?;
        Ok(true)
    }

    /// Waits until something has come, or, with `to_send`, until there is room; false when the time is over.
    pub fn wait_for(&self, to_send: bool, patience_ns: u64) -> io::Result<bool> {
        let flags = if to_send { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
        self.wait(flags, patience_ns)
    }

    fn wait(&self, flags: PollFlags, patience_ns: u64) -> io::Result<bool> {
        let patience = Timespec {
            tv_sec: (patience_ns / 1_000_000_000) as i64,
            tv_nsec: (patience_ns % 1_000_000_000) as _,
        };
        let mut one = [PollFd::new(&self.fd, flags)];
        match poll(&mut one, Some(&patience)) {
            Ok(ready) => Ok(ready > 0),
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(errno) => Err(errno.into()),
        }
    }
}

fn ordinary(server: SocketAddr) -> io::Result<Socket> {
    let fd = unbound(server)?;
    begin_to_connect(&fd, server)?;
    Ok(Socket { fd, privileged: false })
}

/// From a free port below 1024. Ports of connections that have ended a moment ago are passed over, and the first one that is tried
/// is another one each time, so that many runs in a row do not wait for each other's.
fn privileged_one(server: SocketAddr) -> io::Result<Socket> {
    let ports = PRIVILEGED_TO - PRIVILEGED_FROM + 1;
    let first = (now_ns() / 1000 % u64::from(ports)) as u16;
    let any = if server.is_ipv4() { "0.0.0.0" } else { "::" };
    for turn in 0..ports {
        let port = PRIVILEGED_FROM + (first + turn) % ports;
        let own = SocketAddr::new(any.parse().expect("this is an address"), port);
        let fd = unbound(server)?;
        sockopt::set_socket_reuseaddr(&fd, true)?;
        match bind(&fd, &own).map_err(io::Error::from).and_then(|()| begin_to_connect(&fd, server)) {
            Ok(()) => return Ok(Socket { fd, privileged: true }),
            Err(error) if matches!(error.raw_os_error(), Some(libc::EADDRINUSE | libc::EADDRNOTAVAIL)) => {}
            Err(error) => return Err(error),
        }
    }
    Err(rustix::io::Errno::ADDRINUSE.into())
}

fn unbound(server: SocketAddr) -> io::Result<OwnedFd> {
    let family = if server.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    Ok(socket_with(family, SocketType::STREAM, flags, None)?)
}

fn begin_to_connect(fd: &OwnedFd, server: SocketAddr) -> io::Result<()> {
    match connect(fd, &server) {
        Ok(()) | Err(rustix::io::Errno::INPROGRESS) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

impl Wire for Socket {
    fn send(&mut self, pieces: &[IoSlice]) -> io::Result<usize> {
        let mut nothing = SendAncillaryBuffer::default();
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        Ok(sendmsg(self.fd.as_fd(), pieces, &mut nothing, flags)?)
    }

    fn receive(&mut self, pieces: &mut [IoSliceMut], patient: bool) -> io::Result<usize> {
        let mut none: [MaybeUninit<u8>; 0] = [];
        let mut nothing = RecvAncillaryBuffer::new(&mut none);
        let flags = if patient { RecvFlags::empty() } else { RecvFlags::DONTWAIT };
        Ok(recvmsg(self.fd.as_fd(), pieces, &mut nothing, flags)?.bytes)
    }
}
