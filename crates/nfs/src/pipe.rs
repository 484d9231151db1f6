//! Many reads and writes of one file under way at once, over one connection or over one to each of several addresses of the server.
//!
//! A path over which nothing went either way for [`Patience::answer_ns`], while something was asked, is given up, and what was asked
//! is asked over another one, or on a new connection. After half of that time it is asked whether anybody is there: a server that
//! answers that works on something long, which is waited for without end, as a hard mount does. The other paths are asked the same
//! then, as nothing else tells a path from a server that is lost, where fewer I/Os are under way than there are paths. Requests that
//! come while there is no path wait for one. A time without any is an outage, and so is one in which nothing came over any for
//! longer than [`Patience::answer_ns`] though something was asked: what one silent path was asked goes over the next one, which takes
//! as long to be given up. All has failed when none came back for [`Patience::lost_ns`] after the last one was given up.

mod path;

use std::io;
use std::net::SocketAddr;
use std::ops::DerefMut;

use crate::error::{NfsError, Result};
use crate::limits::{ATTENTION_NS_MAX, LOST_TIMES, OVERDUE_TIMES, PATH_TIMEOUT_NS, PATHS_MAX};
use crate::open::Found;
use crate::proc::Stable;
use crate::session::Caller;
use crate::socket::{Socket, now_ns, wait_for_any};
use crate::table::ways::Tally;
use crate::table::{Ask, Common, Counts, Done, Table, fits};

use path::{Link, Path};

/// How long what is late is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// For a sign of life from a path while anything is asked over it.
    pub answer_ns: u64,
    /// For any path, after the last one was given up.
    pub lost_ns: u64,
}

impl Patience {
    /// With that timeout of a path.
    pub fn of(answer_ns: u64) -> Self {
        Self { answer_ns, lost_ns: LOST_TIMES.saturating_mul(answer_ns) }
    }
}

impl Default for Patience {
    fn default() -> Self {
        Self::of(PATH_TIMEOUT_NS)
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

/// A time without any path, or in which all of them were silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outage {
    /// The last sign of life over any path, or when something was asked first that had no answer over any.
    pub begin_ns: u64,
    /// The first one behind it, or now.
    pub end_ns: u64,
}

/// What is known of one path.
#[derive(Debug, Clone)]
pub struct PathTold {
    /// Its address.
    pub server: SocketAddr,
    /// What came over it in the measured time.
    pub tally: Tally,
    /// How often it was lost.
    pub losses: u64,
    /// For how long it was away.
    pub away_ns: u64,
}

/// An outage that lasts.
#[derive(Debug, Clone, Copy)]
struct Down {
    begin_ns: u64,
    /// When the last path was given up, where there is none.
    lost_ns: Option<u64>,
}

/// Paths to one file with I/Os under way.
pub struct Pipe<B> {
    caller: Caller,
    table: Table<B>,
    paths: Vec<Path>,
    patience: Patience,
    looked_ns: u64,
    /// While nobody answers over any path.
    down: Option<Down>,
    outages: Vec<Outage>,
    /// Why the last path was lost.
    errno: i32,
    /// Not tried any more.
    gone: bool,
    ports_taken: bool,
}

impl<B: DerefMut<Target = [u8]>> Pipe<B> {
    /// Goes on with the connection over which a file was found, connects to the server's other addresses, and sees that the file may
    /// be read. Fails as [`crate::open::find`] does.
    pub fn open(mut found: Found, wish: &Wish) -> Result<Self> {
        found.check_file()?;
        check_fits(&found, wish)?;
        found.read(0, 1)?;
        let others = found.other_paths()?;
        let common = Common {
            file: found.handle,
            credential: found.caller.credential.clone(),
            sizes: found.sizes,
            stable: wish.stable,
            writable: wish.writable,
            turn: (now_ns() >> 10) as u16,
            ways: 1 + others.len(),
            balance: found.url.balance,
        };
        let mut ports_taken = found.session.finds_ports_taken();
        let mut paths = vec![(found.caller.server, found.session.into_socket())];
        for (server, session) in others {
            ports_taken |= session.finds_ports_taken();
            paths.push((server, session.into_socket()));
        }
        let answer_ns = wish.patience.answer_ns;
        let path = |(way, (server, socket)): (usize, (SocketAddr, Socket))| {
            Path::new(server, socket, way, answer_ns)
        };
        Ok(Self {
            caller: found.caller,
            table: Table::new(common, wish.depth, wish.block_bytes_max),
            paths: paths.into_iter().enumerate().map(path).collect(),
            patience: wish.patience,
            looked_ns: 0,
            down: None,
            outages: Vec::new(),
            errno: 0,
            gone: false,
            ports_taken,
        })
    }

    /// Begins to read or write; `buffer` comes back when it has ended.
    pub fn submit(&mut self, ask: &Ask, buffer: Option<B>) {
        self.table.submit(ask, buffer);
    }

    /// Sends what waits and brings what has come, waiting for it until `deadline_ns`, but no longer than [`ATTENTION_NS_MAX`].
    pub fn reap(&mut self, deadline_ns: u64, done: impl FnMut(Done<B>)) {
        let begin_ns = now_ns();
        let wait_ns = deadline_ns.saturating_sub(begin_ns).min(ATTENTION_NS_MAX);
        if self.gone {
            if self.table.is_idle() && !self.table.has_done() {
                idle(wait_ns);
            }
            self.table.give_up(self.errno);
        } else {
            self.look(begin_ns);
            self.exchange(begin_ns, wait_ns);
        }
        self.table.take_done().for_each(done);
    }

    fn exchange(&mut self, begin_ns: u64, wait_ns: u64) {
        self.table.commit_what_waits();
        self.each_path(|path, caller, table| {
            path.dial(caller, table, begin_ns)?;
            path.send(table)
        });
        let wait_ns = if self.table.has_done() { 0 } else { wait_ns };
        if let [path] = &self.paths[..]
            && matches!(path.link, Link::Up(_))
            && !self.table.has_to_send(0)
            && (wait_ns == 0 || wait_ns >= ATTENTION_NS_MAX)
        {
            self.each_path(|path, _, table| path.receive(table, wait_ns > 0));
        } else {
            self.receive_from_any(wait_ns);
        }
        if self.paths.iter().any(|path| path.down_ns.is_some()) {
            self.note_silence();
        }
        self.note_outage();
        self.table.commit_what_waits();
        self.each_path(|path, _, table| path.send(table));
    }

    /// Waits for any connection, and brings what has come over those where something has.
    fn receive_from_any(&mut self, wait_ns: u64) {
        let mut sockets = [None; PATHS_MAX];
        for (place, path) in sockets.iter_mut().zip(&self.paths) {
            *place = path.to_wait_for(&self.table);
        }
        let Ok(ready) = wait_for_any(&sockets[..self.paths.len()], wait_ns) else { return };
        let mut way = 0;
        self.each_path(|path, _, table| {
            way += 1;
            if ready[way - 1] { path.receive(table, false) } else { Ok(()) }
        });
    }

    /// Does something with each path; one that fails is lost.
    fn each_path(&mut self, mut act: impl FnMut(&mut Path, &Caller, &mut Table<B>) -> io::Result<()>) {
        for way in 0..self.paths.len() {
            if let Err(error) = act(&mut self.paths[way], &self.caller, &mut self.table) {
                self.lose(way, &error);
            }
        }
    }

    /// From time to time: asks again for what was put off, and gives up paths that are silent or on which a request was lost.
    fn look(&mut self, now_ns: u64) {
        if now_ns.saturating_sub(self.looked_ns) < ATTENTION_NS_MAX / 2 {
            return;
        }
        self.looked_ns = now_ns;
        self.table.wake(now_ns);
        let late_ns = OVERDUE_TIMES.saturating_mul(self.patience.answer_ns);
        let mut way = 0;
        self.each_path(|path, _, table| {
            way += 1;
            // What came while nobody looked is a sign of life.
            path.receive(table, false)?;
            if table.is_overdue(way - 1, late_ns, now_ns) {
                return Err(io::ErrorKind::TimedOut.into());
            }
            Ok(())
        });
        self.ask_around();
        self.note_silence();
        self.note_outage();
        let lost_ns = self.down.and_then(|down| down.lost_ns);
        if lost_ns.is_some_and(|lost_ns| now_ns.saturating_sub(lost_ns) > self.patience.lost_ns) {
            self.gone = true;
            self.table.give_up(self.errno);
        }
    }

    /// Where one path is silent, asks over each over which nothing came for as long whether anybody is there.
    fn ask_around(&mut self) {
        if self.paths.iter().any(|path| path.is_suspect(&self.table)) {
            self.paths.iter().for_each(|path| path.ping_if_still(&mut self.table));
        }
    }

    fn lose(&mut self, way: usize, error: &io::Error) {
        self.errno = errno_of(error);
        let now_ns = now_ns();
        self.paths[way].lose(error, now_ns, self.table.asked_ns(way));
        // What cannot be an answer may come each time that something is asked; what is lost was not the request's fault.
        self.table.start_over(way, self.errno, error.kind() == io::ErrorKind::InvalidData);
        if !self.table.has_way() {
            let begin_ns = self.down.map_or_else(|| self.silent_since_ns(), |down| down.begin_ns);
            let lost_ns = self.down.and_then(|down| down.lost_ns).or(Some(now_ns));
            self.down = Some(Down { begin_ns, lost_ns });
        }
    }

    /// Whether an outage has begun although a path stands: it is as silent as the others, and was asked later.
    fn note_silence(&mut self) {
        let late_ns = now_ns().saturating_sub(self.patience.answer_ns);
        if self.down.is_some() || self.heard_ns() >= late_ns || self.table.unanswered_since_ns().is_none() {
            return;
        }
        let begin_ns = self.silent_since_ns();
        if begin_ns < late_ns {
            self.down = Some(Down { begin_ns, lost_ns: None });
        }
    }

    /// Since when nothing came over any path, though something was asked.
    fn silent_since_ns(&self) -> u64 {
        let lost_ns = self.paths.iter().filter_map(|path| path.down_ns).max();
        self.table.unanswered_since_ns().or(lost_ns).unwrap_or(0).max(self.heard_ns())
    }

    /// The last sign of life over any path.
    fn heard_ns(&self) -> u64 {
        self.paths.iter().map(|path| path.heard_ns).max().unwrap_or(0)
    }

    /// Whether an outage has ended.
    fn note_outage(&mut self) {
        let Some(Down { begin_ns, .. }) = self.down else { return };
        if !self.table.has_way() || self.heard_ns() <= begin_ns {
            return;
        }
        self.down = None;
        let end_ns = now_ns();
        self.outages.push(Outage { begin_ns, end_ns });
    }

    /// Only what is answered from the first moment on and before the second one counts to the paths.
    pub fn measure(&mut self, from_ns: u64, until_ns: u64) {
        self.table.measure(from_ns, until_ns);
    }

    /// What happened on the way.
    pub fn counts(&self) -> Counts {
        self.table.counts()
    }

    /// How often a connection was made anew, and somebody answered on it.
    pub fn reconnects(&self) -> u64 {
        self.paths.iter().map(|path| path.reconnects).sum()
    }

    /// Times in which nobody answered; one that lasts yet ends now.
    pub fn outages(&self) -> Vec<Outage> {
        let lasts = self.down.map(|Down { begin_ns, .. }| Outage { begin_ns, end_ns: now_ns() });
        self.outages.iter().copied().chain(lasts).collect()
    }

    /// What is known of each path.
    pub fn paths(&self) -> Vec<PathTold> {
        let now_ns = now_ns();
        let told = |(way, path): (usize, &Path)| PathTold {
            server: path.server,
            tally: self.table.tally(way).clone(),
            losses: path.losses,
            away_ns: path.away_ns(now_ns),
        };
        self.paths.iter().enumerate().map(told).collect()
    }

    /// Whether there was no path for so long that nothing is tried any more.
    pub fn is_gone(&self) -> bool {
        self.gone
    }

    /// Whether it is asked from a port from 1024 on because all below were taken.
    pub fn finds_ports_taken(&self) -> bool {
        self.ports_taken
    }
}

fn check_fits(found: &Found, wish: &Wish) -> Result<()> {
    let Wish { depth, block_bytes_max, .. } = *wish;
    if fits(depth, block_bytes_max, found.sizes) {
        return Ok(());
    }
    let (host, sizes) = (&found.url.host, found.sizes);
    Err(NfsError::new(
        "nfs-too-deep",
        format!(
            "{depth} I/Os of {block_bytes_max} bytes are too many requests at once for {host}, which takes {} bytes in one READ and {} \
             in one WRITE",
            sizes.read_bytes_max, sizes.write_bytes_max
        ),
        "Use a smaller --depth or --block.",
    ))
}

/// Sleeps; nothing comes where there is no connection.
fn idle(wait_ns: u64) {
    let left = rustix::time::Timespec { tv_sec: 0, tv_nsec: wait_ns.min(ATTENTION_NS_MAX) as _ };
    let _ = rustix::thread::nanosleep(&left);
}

fn errno_of(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(match error.kind() {
        io::ErrorKind::TimedOut => libc::ETIMEDOUT,
        io::ErrorKind::InvalidData => libc::EPROTO,
        _ => libc::ECONNRESET,
    })
}
