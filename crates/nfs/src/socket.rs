//! TCP connections: from a port below 1024 where the server wants one, and without waiting where a run is under way.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvFlags, SendAncillaryBuffer, SendFlags, SocketFlags, SocketType,
    bind, connect, recvmsg, sendmsg, socket_with, sockopt,
};
use rustix::time::{ClockId, clock_gettime};

use crate::limits::{ATTENTION_NS_MAX, PATHS_MAX};
use crate::sys::set_low_water;

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
    /// Waits until so many bytes have come, or the connection has ended, but no longer than [`ATTENTION_NS_MAX`]. What need not wait
    /// does not.
    fn gather(&mut self, _bytes: usize) -> io::Result<()> {
        Ok(())
    }
}

/// One connection.
#[derive(Debug)]
pub struct Socket {
    fd: OwnedFd,
    /// Whether its own port is below 1024.
    pub privileged: bool,
    /// Whether it is not because all those ports were taken.
    pub ports_taken: bool,
}

impl Socket {
    /// Begins to connect, from `own` address where there is one, and does not wait for it. `privileged` without a value tries a port
    /// below 1024 and does without.
    pub fn begin(server: SocketAddr, own: Option<IpAddr>, privileged: Option<bool>) -> io::Result<Self> {
        match privileged {
            Some(true) => privileged_one(server, own),
            Some(false) => ordinary(server, own),
            None => privileged_one(server, own).or_else(|error| instead(&error, server, own)),
        }
    }

    /// Ends it at once: what was not sent yet is never sent.
    pub fn abort(self) {
        let _ = sockopt::set_socket_linger(&self.fd, Some(Duration::ZERO));
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
        let deadline_ns = now_ns().saturating_add(patience_ns);
        let mut one = [PollFd::new(&self.fd, flags)];
        loop {
            let left_ns = deadline_ns.saturating_sub(now_ns());
            let left = Timespec {
                tv_sec: (left_ns / 1_000_000_000) as i64,
                tv_nsec: (left_ns % 1_000_000_000) as _,
            };
            match poll(&mut one, Some(&left)) {
                Ok(ready) => return Ok(ready > 0),
                // A signal is not the end of patience.
                Err(rustix::io::Errno::INTR) if left_ns > 0 => {}
                Err(rustix::io::Errno::INTR) => return Ok(false),
                Err(errno) => return Err(errno.into()),
            }
        }
    }
}

/// Waits until any of them is [ready](Socket::wait_for), each with whether something is to be sent over it; which are. Without any
/// it is a sleep.
pub fn wait_for_any(sockets: &[Option<(&Socket, bool)>], patience_ns: u64) -> io::Result<[bool; PATHS_MAX]> {
    let mut ready = [false; PATHS_MAX];
    let wait =
        Timespec { tv_sec: (patience_ns / 1_000_000_000) as _, tv_nsec: (patience_ns % 1_000_000_000) as _ };
    let Some((first, _)) = sockets.iter().flatten().next() else {
        let _ = rustix::thread::nanosleep(&wait);
        return Ok(ready);
    };
    let mut fds: [PollFd; PATHS_MAX] =
        std::array::from_fn(|place| match sockets.get(place).copied().flatten() {
            Some((socket, true)) => PollFd::new(&socket.fd, PollFlags::IN | PollFlags::OUT),
            Some((socket, false)) => PollFd::new(&socket.fd, PollFlags::IN),
            None => PollFd::new(&first.fd, PollFlags::empty()),
        });
    match poll(&mut fds, Some(&wait)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(errno) => return Err(errno.into()),
    }
    for (place, socket) in sockets.iter().enumerate() {
        ready[place] = socket.is_some() && !fds[place].revents().is_empty();
    }
    Ok(ready)
}

/// From any port, as none below 1024 could be had.
fn instead(error: &io::Error, server: SocketAddr, own: Option<IpAddr>) -> io::Result<Socket> {
    let ports_taken = error.raw_os_error() == Some(libc::EADDRINUSE);
    ordinary(server, own).map(|socket| Socket { ports_taken, ..socket })
}

fn ordinary(server: SocketAddr, own: Option<IpAddr>) -> io::Result<Socket> {
    let fd = unbound(server)?;
    if let Some(own) = own {
        bind(&fd, &SocketAddr::new(own, 0))?;
    }
    begin_to_connect(&fd, server)?;
    Ok(Socket { fd, privileged: false, ports_taken: false })
}

/// From a free port below 1024. The first one that is tried is another one each time, so that a server that keeps one for a while
/// is not asked from it again at once.
fn privileged_one(server: SocketAddr, own: Option<IpAddr>) -> io::Result<Socket> {
    let ports = PRIVILEGED_TO - PRIVILEGED_FROM + 1;
    let first = (now_ns() / 1000 % u64::from(ports)) as u16;
    let any =
        if server.is_ipv4() { IpAddr::V4(Ipv4Addr::UNSPECIFIED) } else { IpAddr::V6(Ipv6Addr::UNSPECIFIED) };
    for turn in 0..ports {
        let port = PRIVILEGED_FROM + (first + turn) % ports;
        let own = SocketAddr::new(own.unwrap_or(any), port);
        let fd = unbound(server)?;
        sockopt::set_socket_reuseaddr(&fd, true)?;
        // There are few of them, and one that ends in the usual way is not free for a minute.
        sockopt::set_socket_linger(&fd, Some(Duration::ZERO))?;
        match bind(&fd, &own).map_err(io::Error::from).and_then(|()| begin_to_connect(&fd, server)) {
            Ok(()) => return Ok(Socket { fd, privileged: true, ports_taken: false }),
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
        Ok(()) | Err(rustix::io::Errno::INPROGRESS | rustix::io::Errno::INTR) => Ok(()),
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

    /// Only a wait by `poll` counts what has come already: one that receives would wait for as much again.
    fn gather(&mut self, bytes: usize) -> io::Result<()> {
        set_low_water(self.fd.as_fd(), bytes)?;
        let waited = self.wait(PollFlags::IN, ATTENTION_NS_MAX);
        set_low_water(self.fd.as_fd(), 1)?;
        waited.map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn it_is_remembered_that_ports_below_1024_were_taken_and_not_forbidden() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let server = listener.local_addr().expect("it has one");
        for (errno, taken) in [(libc::EADDRINUSE, true), (libc::EACCES, false)] {
            let error = io::Error::from_raw_os_error(errno);
            let socket = instead(&error, server, None).expect("any other port will do");
            assert_eq!((socket.privileged, socket.ports_taken), (false, taken));
        }
    }

    #[test]
    fn it_comes_from_the_address_that_was_asked_for() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let server = listener.local_addr().expect("it has one");
        let own: IpAddr = "127.0.0.9".parse().expect("this is an address");
        for privileged in [Some(false), rustix::process::geteuid().is_root().then_some(true)] {
            let socket = Socket::begin(server, Some(own), privileged).expect("all of 127.0.0.0/8 is ours");
            assert_eq!(listener.accept().expect("it came").1.ip(), own);
            drop(socket);
        }
    }

    #[test]
    fn what_has_come_is_enough_and_less_than_was_waited_for_is_no_loss() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let server = listener.local_addr().expect("it has one");
        let mut socket = Socket::begin(server, None, Some(false)).expect("it listens");
        let (mut peer, _) = listener.accept().expect("it came");
        assert!(socket.is_connected(1_000_000_000).expect("it is"));
        let mut bytes = [0; 600];
        let mut received = |socket: &mut Socket, wanted, patient| {
            socket.gather(wanted).expect("the connection stands");
            socket.receive(&mut [IoSliceMut::new(&mut bytes[..500])], patient)
        };
        peer.write_all(&[7; 600]).expect("there is room");
        assert_eq!(received(&mut socket, 600, false).expect("all is there"), 500);
        assert_eq!(received(&mut socket, 600, true).expect("some is there"), 100);
        peer.write_all(&[7; 1]).expect("there is room");
        let ready = wait_for_any(&[Some((&socket, false))], 1_000_000_000).expect("it stands");
        assert!(ready[0], "what was waited for before does not hold any more: one byte is enough");
        drop(peer);
        assert_eq!(received(&mut socket, 600, true).expect("some is there"), 1);
        assert_eq!(received(&mut socket, 600, true).expect("it has ended"), 0);
    }

    #[test]
    fn a_port_below_1024_is_given_back_at_once() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let server = listener.local_addr().expect("it has one");
        // To see it go would take another host: this one's kernel lets ports of the loopback interface be taken again.
        let lingers = |socket: Socket| sockopt::socket_linger(&socket.fd).expect("it is a socket");
        assert_eq!(lingers(privileged_one(server, None).expect("one is free")), Some(Duration::ZERO));
        assert_eq!(lingers(ordinary(server, None).expect("any will do")), None);
    }
}
