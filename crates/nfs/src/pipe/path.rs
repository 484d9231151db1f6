//! One path to the server: its connection, and what is known of its health.

use std::io;
use std::net::SocketAddr;
use std::ops::DerefMut;

use crate::limits::{CONNECT_AGAIN_NS, PATIENCE_NS_MAX, PING_SHARE};
use crate::receive::Receiver;
use crate::session::Caller;
use crate::socket::{Socket, Wire, now_ns};
use crate::table::Table;

pub(super) enum Link {
    /// Connected; whether anybody answers is the table's to know.
    Up(Socket),
    /// Since then.
    Dialling(Socket, u64),
    /// Tried again then.
    Down(u64),
}

/// One address of the server.
pub(super) struct Path {
    pub(super) server: SocketAddr,
    pub(super) link: Link,
    receiver: Receiver,
    way: usize,
    /// How long silence is borne.
    answer_ns: u64,
    /// The same after silence on earlier connections.
    patience_ns: u64,
    connected_ns: u64,
    /// When bytes last came, or there was room for some to go again.
    stirred_ns: u64,
    /// When there last was a sign of life: the same without new connections, which a frozen server has too.
    pub(super) heard_ns: u64,
    /// Whether there is no room for what is to be sent.
    blocked: bool,
    /// Since when requests go elsewhere.
    pub(super) down_ns: Option<u64>,
    /// How often it was lost.
    pub(super) losses: u64,
    /// How often it came back.
    pub(super) reconnects: u64,
    /// For how long it was away, until it last came back.
    pub(super) away_ns: u64,
}

impl Path {
    pub(super) fn new(server: SocketAddr, socket: Socket, way: usize, answer_ns: u64) -> Self {
        Self {
            server,
            link: Link::Up(socket),
            receiver: Receiver::new(way),
            way,
            answer_ns,
            patience_ns: answer_ns,
            connected_ns: 0,
            stirred_ns: now_ns(),
            heard_ns: now_ns(),
            blocked: false,
            down_ns: None,
            losses: 0,
            reconnects: 0,
            away_ns: 0,
        }
    }

    /// Its connection, and whether something is to be sent over it; where there is one, or will be.
    pub(super) fn to_wait_for<B: DerefMut<Target = [u8]>>(
        &self,
        table: &Table<B>,
    ) -> Option<(&Socket, bool)> {
        match &self.link {
            Link::Up(socket) => Some((socket, table.has_to_send(self.way))),
            Link::Dialling(socket, _) => Some((socket, true)),
            Link::Down(_) => None,
        }
    }

    /// Goes on with getting a connection, where there is none.
    pub(super) fn dial<B: DerefMut<Target = [u8]>>(
        &mut self,
        caller: &Caller,
        table: &mut Table<B>,
        now_ns: u64,
    ) -> io::Result<()> {
        match &self.link {
            Link::Up(_) => Ok(()),
            Link::Down(again_ns) if *again_ns > now_ns => Ok(()),
            Link::Down(_) => {
                self.link = Link::Dialling(
                    Socket::begin(self.server, caller.local_for(self.server), caller.privileged)?,
                    now_ns,
                );
                Ok(())
            }
            Link::Dialling(socket, since_ns) => {
                if !socket.is_connected(0)? {
                    let late = now_ns.saturating_sub(*since_ns) > self.answer_ns;
                    return if late { Err(io::ErrorKind::TimedOut.into()) } else { Ok(()) };
                }
                if let Link::Dialling(socket, _) = std::mem::replace(&mut self.link, Link::Down(0)) {
                    self.link = Link::Up(socket);
                }
                (self.connected_ns, self.stirred_ns, self.blocked) = (now_ns, now_ns, false);
                // That a connection can be made does not say that anybody answers on it.
                table.ping(self.way);
                Ok(())
            }
        }
    }

    /// Sends what there is room for. What this host only keeps for a server is no sign of life from it; that there is room again is
    /// one.
    pub(super) fn send<B: DerefMut<Target = [u8]>>(&mut self, table: &mut Table<B>) -> io::Result<()> {
        let Link::Up(socket) = &mut self.link else { return Ok(()) };
        while table.has_to_send(self.way) {
            let begin_ns = now_ns();
            match table.send_with(self.way, begin_ns, |pieces| socket.send(pieces)) {
                Ok(()) if self.blocked => {
                    (self.blocked, self.stirred_ns, self.heard_ns) = (false, begin_ns, begin_ns);
                }
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if !self.blocked {
                        (self.blocked, self.stirred_ns) = (true, begin_ns);
                    }
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Brings what has come; with `patient` it may wait for it. Fails where the path is lost.
    pub(super) fn receive<B: DerefMut<Target = [u8]>>(
        &mut self,
        table: &mut Table<B>,
        patient: bool,
    ) -> io::Result<()> {
        let Link::Up(socket) = &mut self.link else { return Ok(()) };
        match self.receiver.receive(socket, table, patient, now_ns) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(_) => {
                (self.stirred_ns, self.heard_ns) = (table.now_ns(), table.now_ns());
                if self.patience_ns > self.answer_ns && table.has_caught_up(self.way) {
                    self.patience_ns = self.answer_ns;
                }
                if self.down_ns.is_some() && table.is_up(self.way) {
                    self.came_back();
                }
                Ok(())
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {
                self.check_alive(table)
            }
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                // What cannot be an answer came from somebody.
                (self.stirred_ns, self.heard_ns) = (now_ns(), now_ns());
                Err(error)
            }
            Err(error) => Err(error),
        }
    }

    fn came_back(&mut self) {
        let since_ns = self.down_ns.take().unwrap_or(self.stirred_ns);
        self.away_ns += self.stirred_ns.saturating_sub(since_ns);
        self.reconnects += 1;
    }

    /// That the path is not silent; seen when nothing came, so that what came while nobody looked is a sign of life.
    pub(super) fn check_alive<B: DerefMut<Target = [u8]>>(&self, table: &Table<B>) -> io::Result<()> {
        let late = self.is_silent(table, self.patience_ns);
        if late { Err(io::ErrorKind::TimedOut.into()) } else { Ok(()) }
    }

    fn is_silent<B: DerefMut<Target = [u8]>>(&self, table: &Table<B>, for_ns: u64) -> bool {
        let before_ns = now_ns().saturating_sub(for_ns);
        self.is_still(before_ns) && (self.blocked || table.waits_since(self.way, before_ns))
    }

    /// Whether nothing came since then, be it that nothing was asked.
    fn is_still(&self, before_ns: u64) -> bool {
        matches!(self.link, Link::Up(_)) && self.stirred_ns < before_ns
    }

    /// Whether it is silent for a part of the time that is borne at first.
    pub(super) fn is_suspect<B: DerefMut<Target = [u8]>>(&self, table: &Table<B>) -> bool {
        self.is_silent(table, self.answer_ns / PING_SHARE)
    }

    /// Asks whether anybody is there, where nothing came for a part of the time that is borne at first.
    pub(super) fn ping_if_still<B: DerefMut<Target = [u8]>>(&self, table: &mut Table<B>) {
        if !self.blocked && self.is_still(now_ns().saturating_sub(self.answer_ns / PING_SHARE)) {
            table.ping(self.way);
        }
    }

    /// The connection is given up, and made anew: at once, unless it was just made.
    ///
    /// It was lost at the last sign of life, or when something was asked over it first that it did not answer, whatever ended the
    /// silence; now where nothing was asked.
    pub(super) fn lose(&mut self, error: &io::Error, now_ns: u64, asked_ns: Option<u64>) {
        self.receiver.start_over();
        let silent = error.kind() == io::ErrorKind::TimedOut;
        let was_connected = matches!(self.link, Link::Up(_));
        if self.down_ns.is_none() {
            self.losses += 1;
            let asked_ns = asked_ns.or(self.blocked.then_some(0));
            self.down_ns = Some(asked_ns.map_or(now_ns, |asked_ns| asked_ns.max(self.stirred_ns)));
        }
        if silent && was_connected {
            self.patience_ns = (2 * self.patience_ns).min(PATIENCE_NS_MAX.max(self.answer_ns));
        }
        let again_ns = if was_connected { self.connected_ns } else { now_ns } + CONNECT_AGAIN_NS;
        if let Link::Up(socket) = std::mem::replace(&mut self.link, Link::Down(again_ns)) {
            socket.abort();
        }
    }

    /// For how long it was away, until now.
    pub(super) fn away_ns(&self, now_ns: u64) -> u64 {
        self.away_ns + self.down_ns.map_or(0, |since_ns| now_ns.saturating_sub(since_ns))
    }
}
