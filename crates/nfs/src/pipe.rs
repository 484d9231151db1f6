//! Many reads and writes of one file under way at once on one connection, which is made anew when it is lost.
//!
//! A connection over which nothing went either way for [`Patience::answer_ns`], while something was asked, is given up, and what was
//! asked is asked again on a new one: TCP keeps what was sent, so that only a server that lost a request or stopped to read, or a way
//! that lost its answers, is silent for so long. A slow way is not: bytes come over it.

use std::io;
use std::ops::DerefMut;

use crate::error::{NfsError, Result};
use crate::limits::{ANSWER_NS_MAX, ATTENTION_NS_MAX, CONNECT_AGAIN_NS, LOST_NS_MAX, OVERTAKEN_TIMES};
use crate::open::Found;
use crate::proc::Stable;
use crate::receive::Receiver;
use crate::session::Caller;
use crate::socket::{Socket, Wire, now_ns};
use crate::table::{Ask, Common, Counts, Done, Table, fits};

/// How long what is late is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// For a sign of life while anything is asked.
    pub answer_ns: u64,
    /// For a new connection.
    pub lost_ns: u64,
}

impl Default for Patience {
    fn default() -> Self {
        Self { answer_ns: ANSWER_NS_MAX, lost_ns: LOST_NS_MAX }
    }
}

/// What is asked of a pipe.
#[derive(Debug, Clone, Copy)]
pub struct Wish {
    /// I/Os under way at most.
    pub depth: u32,
    /// Bytes of the largest one.
    pub block_bytes_max: u32,
    /// How durable a write is to be when it is answered.
    pub stable: Stable,
    /// Whether anything may be written.
    pub writable: bool,
    /// How long what is late is waited for.
    pub patience: Patience,
}

enum Link {
    Up(Socket),
    Dialling(Socket),
    /// Tried again then.
    Down(u64),
    /// Not tried any more: why.
    Lost(i32),
}

/// A connection with I/Os under way.
pub struct Pipe<B> {
    caller: Caller,
    table: Table<B>,
    receiver: Receiver,
    link: Link,
    patience: Patience,
    /// Since when there is no connection.
    down_ns: Option<u64>,
    reconnects: u64,
    connected_ns: u64,
    looked_ns: u64,
    /// When bytes last came, or there was room for some to go again.
    stirred_ns: u64,
    /// Whether there is no room for what is to be sent.
    blocked: bool,
}

impl<B: DerefMut<Target = [u8]>> Pipe<B> {
    /// Goes on with the connection over which a file was found, and sees that it may be read. Fails as [`crate::open::find`] does.
    pub fn open(mut found: Found, wish: &Wish) -> Result<Self> {
        found.check_file()?;
        if !fits(wish.depth, wish.block_bytes_max, found.sizes) {
            return Err(NfsError::new(
                "nfs-too-deep",
                format!(
                    "{} I/Os of {} bytes are too many requests at once for {}, which takes {} bytes in one READ and {} in one WRITE",
                    wish.depth,
                    wish.block_bytes_max,
                    found.url.host,
                    found.sizes.read_bytes_max,
                    found.sizes.write_bytes_max
                ),
                "Use a smaller --depth or --block.",
            ));
        }
        found.read(0, 1)?;
        let common = Common {
            file: found.handle,
            credential: found.caller.credential.clone(),
            sizes: found.sizes,
            stable: wish.stable,
            writable: wish.writable,
            turn: (now_ns() >> 10) as u16,
        };
        Ok(Self {
            caller: found.caller,
            table: Table::new(common, wish.depth, wish.block_bytes_max),
            receiver: Receiver::default(),
            link: Link::Up(found.session.into_socket()),
            patience: wish.patience,
            down_ns: None,
            reconnects: 0,
            connected_ns: 0,
            looked_ns: 0,
            stirred_ns: now_ns(),
            blocked: false,
        })
    }

    /// Begins to read or write; `buffer` comes back when it has ended.
    pub fn submit(&mut self, ask: &Ask, buffer: Option<B>) {
        self.table.submit(ask, buffer);
    }

    /// Sends what waits and brings what has come, waiting for it until `deadline_ns`, but no longer than [`ATTENTION_NS_MAX`].
    pub fn reap(&mut self, deadline_ns: u64, done: impl FnMut(Done<B>)) {
        let begin_ns = now_ns();
        self.wake(begin_ns);
        let wait_ns = deadline_ns.saturating_sub(begin_ns).min(ATTENTION_NS_MAX);
        let worked = match &self.link {
            Link::Up(_) => self.exchange(if self.table.has_done() { 0 } else { wait_ns }),
            Link::Dialling(_) => self.dial(wait_ns),
            Link::Down(again_ns) if *again_ns <= begin_ns => self.begin_to_dial(),
            Link::Down(again_ns) => {
                idle_until(deadline_ns.min(*again_ns).min(begin_ns + ATTENTION_NS_MAX));
                Ok(())
            }
            Link::Lost(errno) => {
                let errno = *errno;
                if self.table.is_idle() && !self.table.has_done() {
                    idle_until(begin_ns + wait_ns);
                }
                self.table.give_up(errno);
                Ok(())
            }
        };
        if let Err(error) = worked {
            self.lose(&error);
        }
        self.table.take_done().for_each(done);
    }

    fn exchange(&mut self, wait_ns: u64) -> io::Result<()> {
        let Link::Up(socket) = &mut self.link else { return Ok(()) };
        self.table.commit_what_waits();
        send_all(&mut self.table, socket, &mut self.blocked, &mut self.stirred_ns)?;
        let to_send = self.table.has_to_send();
        let patient = !to_send && wait_ns >= ATTENTION_NS_MAX;
        if !patient && wait_ns > 0 && !socket.wait_for(to_send, wait_ns)? {
            return self.check_alive();
        }
        match self.receiver.receive(socket, &mut self.table, patient, now_ns) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(_) => self.stirred_ns = now_ns(),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {
                return self.check_alive();
            }
            Err(error) => return Err(error),
        }
        self.table.commit_what_waits();
        send_all(&mut self.table, socket, &mut self.blocked, &mut self.stirred_ns)
    }

    /// From time to time: asks again for what was put off, and gives up a connection on which a request was lost.
    fn wake(&mut self, now_ns: u64) {
        if now_ns.saturating_sub(self.looked_ns) < ATTENTION_NS_MAX / 2 {
            return;
        }
        self.looked_ns = now_ns;
        self.table.wake(now_ns);
        let late_ns = OVERTAKEN_TIMES * self.patience.answer_ns;
        if matches!(self.link, Link::Up(_)) && self.table.is_overtaken(late_ns) {
            self.lose(&io::ErrorKind::TimedOut.into());
        }
    }

    /// That the server is not silent; seen when nothing came, so that what came while nobody looked is a sign of life.
    fn check_alive(&self) -> io::Result<()> {
        let before_ns = now_ns().saturating_sub(self.patience.answer_ns);
        let late = self.stirred_ns < before_ns && (self.blocked || self.table.waits_since(before_ns));
        if late { Err(io::ErrorKind::TimedOut.into()) } else { Ok(()) }
    }

    fn lose(&mut self, error: &io::Error) {
        let (now_ns, errno) = (now_ns(), errno_of(error));
        let since_ns = *self.down_ns.get_or_insert(now_ns);
        self.receiver.start_over();
        if matches!(self.link, Link::Up(_)) {
            self.table.start_over(errno);
        }
        self.link = if now_ns - since_ns > self.patience.lost_ns {
            self.table.give_up(errno);
            Link::Lost(errno)
        } else {
            // The first attempt is made at once, unless the server closes what it has just accepted.
            let again_ns = if since_ns == now_ns { self.connected_ns } else { now_ns } + CONNECT_AGAIN_NS;
            Link::Down(again_ns)
        };
    }

    fn begin_to_dial(&mut self) -> io::Result<()> {
        self.link = Link::Dialling(Socket::begin(self.caller.server, self.caller.privileged)?);
        Ok(())
    }

    fn dial(&mut self, wait_ns: u64) -> io::Result<()> {
        let Link::Dialling(socket) = &self.link else { return Ok(()) };
        if !socket.is_connected(wait_ns)? {
            let late = self.down_ns.is_some_and(|since_ns| now_ns() - since_ns > self.patience.lost_ns);
            return if late { Err(io::ErrorKind::TimedOut.into()) } else { Ok(()) };
        }
        if let Link::Dialling(socket) = std::mem::replace(&mut self.link, Link::Down(0)) {
            self.link = Link::Up(socket);
        }
        (self.reconnects, self.connected_ns) = (self.reconnects + 1, now_ns());
        (self.down_ns, self.stirred_ns, self.blocked) = (None, self.connected_ns, false);
        Ok(())
    }

    /// What happened on the way.
    pub fn counts(&self) -> Counts {
        self.table.counts()
    }

    /// How often the connection was made anew.
    pub fn reconnects(&self) -> u64 {
        self.reconnects
    }
}

/// Sends what there is room for. What this host only keeps for a server is no sign of life from it; that there is room again is one.
fn send_all<B: DerefMut<Target = [u8]>>(
    table: &mut Table<B>,
    socket: &mut Socket,
    blocked: &mut bool,
    stirred_ns: &mut u64,
) -> io::Result<()> {
    while table.has_to_send() {
        let begin_ns = now_ns();
        match table.send_with(begin_ns, |pieces| socket.send(pieces)) {
            Ok(()) if *blocked => (*blocked, *stirred_ns) = (false, begin_ns),
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if !*blocked {
                    (*blocked, *stirred_ns) = (true, begin_ns);
                }
                return Ok(());
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Sleeps; nothing comes where there is no connection.
fn idle_until(deadline_ns: u64) {
    let left_ns = deadline_ns.saturating_sub(now_ns());
    let left = rustix::time::Timespec { tv_sec: 0, tv_nsec: left_ns.min(ATTENTION_NS_MAX) as _ };
    let _ = rustix::thread::nanosleep(&left);
}

fn errno_of(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(match error.kind() {
        io::ErrorKind::TimedOut => libc::ETIMEDOUT,
        io::ErrorKind::InvalidData => libc::EPROTO,
        _ => libc::ECONNRESET,
    })
}
