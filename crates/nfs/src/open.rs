//! Finds what a URL names: asks MOUNT for the handle of the export, and looks the rest of the path up in it.

use std::net::{IpAddr, SocketAddr, TcpListener, ToSocketAddrs};

use crate::error::{NfsError, Result};
use crate::limits::PUT_OFF_NS_MAX;
use crate::mount;
use crate::proc::{self, Attributes, Handle, Sizes};
use crate::rpc::{self, Identity};
use crate::session::{Caller, Session, no_version_3, wants_privilege};
use crate::socket::now_ns;
use crate::status;
use crate::url::Url;

/// A file or folder that was found, with the connection over which it was.
#[derive(Debug)]
pub struct Found {
    /// What was asked for.
    pub url: Url,
    /// Who asks, for more connections.
    pub caller: Caller,
    /// As whom.
    pub identity: Identity,
    /// What the server let be mounted: the path of the URL, or a folder above it.
    pub export: String,
    /// The server's name for it.
    pub handle: Handle,
    /// What the server tells of it.
    pub attributes: Attributes,
    /// Sizes that the server can take.
    pub sizes: Sizes,
    /// Answers more questions.
    pub session: Session,
    /// All addresses over which it is to be reached; none but that of the session where the URL names none.
    paths: Vec<SocketAddr>,
}

impl Found {
    /// Connections to the other addresses, each seen to lead to the same file. Fails with `nfs-paths-differ` where one does not, and
    /// as [`find`] does where nobody answers there.
    pub fn other_paths(&self) -> Result<Vec<(SocketAddr, Session)>> {
        let others = self.paths.iter().filter(|&&server| server != self.caller.server);
        others.map(|&server| self.path(server).map(|session| (server, session))).collect()
    }

    fn path(&self, server: SocketAddr) -> Result<Session> {
        let name = format!("{} ({})", self.url.host, server.ip());
        let mut session = Session::open(Caller { server, name, ..self.caller.clone() }, "NFS")?;
        let put = |out: &mut Vec<u8>| crate::xdr::Put::put_opaque(out, self.handle.as_bytes());
        let answer = session.ask(proc::GETATTR, "for a file's attributes", put, read_attributes)?;
        let reason = match answer {
            Ok(there) if (there.fsid, there.fileid) == self.numbers() => return Ok(session),
            Ok(there) => format!("its handle is that of file {} of file system {}", there.fileid, there.fsid),
            Err(status) => format!("its handle is answered with {}", status::name(status)),
        };
        let (first, path) = (self.caller.server.ip(), &self.url.path);
        Err(NfsError::new(
            "nfs-paths-differ",
            format!("{} does not lead to the {path} that {first} has: {reason}", server.ip()),
            "Name addresses of one and the same server in paths=.",
        )
        .errno(libc::ESTALE))
    }
}

/// Reads the answer to GETATTR, or the status that it failed with.
pub fn read_attributes(
    reader: &mut crate::xdr::Reader,
) -> crate::xdr::Read<std::result::Result<Attributes, u32>> {
    match reader.u32()? {
        status::OK => Attributes::read(reader).map(Ok),
        status => Ok(Err(status)),
    }
}

/// Finds the file or folder of a URL; a server that wants patience gets a minute for all of it. Fails with `nfs-unreachable`, `nfs-version`, `nfs-no-export`, `nfs-no-file`, `nfs-forbidden`,
/// `nfs-privileged-port`, `nfs-protocol` and `nfs-failed`.
pub fn find(url: &Url) -> Result<Found> {
    find_within(url, PUT_OFF_NS_MAX)
}

/// The same with another limit.
pub fn find_within(url: &Url, patience_ns: u64) -> Result<Found> {
    let mut found = find_until(url, now_ns().saturating_add(patience_ns))?;
    found.caller.patience_until_ns = None;
    found.session.asks_each_anew();
    Ok(found)
}

/// The same with patience until then, also for what is asked of the result.
fn find_until(url: &Url, until_ns: u64) -> Result<Found> {
    check_version(url)?;
    let identity = Identity {
        uid: url.uid.unwrap_or_else(|| rustix::process::geteuid().as_raw()),
        gid: url.gid.unwrap_or_else(|| rustix::process::getegid().as_raw()),
    };
    let paths = paths(url)?;
    let servers = if paths.is_empty() { addresses(url, &url.host)? } else { paths.clone() };
    let locals = locals(url, &paths)?;
    Ok(Found { paths, ..first_that_answers(url, &servers, &locals, identity, until_ns)? })
}

/// That the version of NFS is the one that is spoken here. Fails with `nfs-version`.
pub fn check_version(url: &Url) -> Result<()> {
    if url.version == proc::VERSION {
        return Ok(());
    }
    Err(NfsError::new(
        "nfs-version",
        format!(
            "{} is to be asked by version 4 of NFS (version=4), which engine libnfs alone speaks, and only to read",
            url.host
        ),
        "To read a file that is there add --engine libnfs. What is to be written over NFS 4 is measured on a mount of the kernel's \
         client (mount -t nfs4): name a folder there.",
    ))
}

/// From which address of this host each of the server's is reached. Fails with `nfs-local` for one that this host does not have, or
/// that is of another version of IP.
fn locals(url: &Url, paths: &[SocketAddr]) -> Result<Vec<(IpAddr, IpAddr)>> {
    let pairs = url.locals.iter().zip(paths);
    let pairs = pairs.map(|(name, path)| {
        let mut addresses = addresses(url, name)?.into_iter().map(|own| own.ip());
        let own = addresses.find(|own| own.is_ipv4() == path.is_ipv4());
        let own =
            own.ok_or_else(|| not_ours(name, &format!("is no address from which {} is reached", path.ip())))?;
        // Whether it is this host's is what its kernel says when it is to be used.
        TcpListener::bind((own, 0))
            .map_err(|error| not_ours(name, &format!("cannot be used by this host ({error})")))?;
        Ok((path.ip(), own))
    });
    pairs.collect()
}

fn not_ours(name: &str, reason: &str) -> NfsError {
    NfsError::new(
        "nfs-local",
        format!("{name}, which local= names, {reason}"),
        "Name addresses of this host (ip addr shows them), one for each address in paths= and in the same order.",
    )
}

/// The addresses that are named as paths. Fails with `nfs-path-twice` where two are the same.
fn paths(url: &Url) -> Result<Vec<SocketAddr>> {
    let mut found: Vec<SocketAddr> = Vec::new();
    for name in &url.paths {
        let server =
            addresses(url, name)?.first().copied().ok_or_else(|| without_address(name, "it has none"))?;
        if found.contains(&server) {
            return Err(NfsError::new(
                "nfs-path-twice",
                format!("two of the paths {} lead to one address, {}", url.paths.join(", "), server.ip()),
                "Name each address of the server once: a second connection to the same one is no second path.",
            ));
        }
        found.push(server);
    }
    Ok(found)
}

/// Finds it at the first address where somebody answers; the error is that of the first one where nobody does.
fn first_that_answers(
    url: &Url,
    servers: &[SocketAddr],
    locals: &[(IpAddr, IpAddr)],
    identity: Identity,
    until_ns: u64,
) -> Result<Found> {
    let mut unreachable = None;
    for &server in servers {
        match find_at(url, server, locals, identity, until_ns) {
            Err(error) if error.id == "nfs-unreachable" => unreachable = unreachable.or(Some(error)),
            other => return other,
        }
    }
    Err(unreachable.unwrap_or_else(|| without_address(&url.host, "it has none")))
}

fn find_at(
    url: &Url,
    server: SocketAddr,
    locals: &[(IpAddr, IpAddr)],
    identity: Identity,
    until_ns: u64,
) -> Result<Found> {
    let machine = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let caller = Caller {
        server,
        name: url.host.clone(),
        credential: rpc::credential(identity, &machine),
        privileged: url.privileged,
        locals: locals.to_vec(),
        patience_until_ns: Some(until_ns),
    };
    let (root, rest) = mounted(url, &caller)?;
    let mut session = Session::open(caller.clone(), "NFS")?;
    let mut handle = root;
    for name in rest.split('/').filter(|part| !part.is_empty()) {
        handle = look_up(&mut session, url, identity, &handle, name)?;
    }
    let attributes = attributes(&mut session, url, identity, &handle)?;
    let sizes = sizes(&mut session, url, identity, &handle)?;
    let export = match &url.path[..url.path.len() - rest.len()] {
        "" => "/".to_owned(),
        export => export.to_owned(),
    };
    let (url, paths) = (url.clone(), Vec::new());
    Ok(Found { url, caller, identity, export, handle, attributes, sizes, session, paths })
}

/// All addresses of a server's name, in the order in which they are tried.
fn addresses(url: &Url, name: &str) -> Result<Vec<SocketAddr>> {
    let found = (name, url.port).to_socket_addrs();
    found.map(Iterator::collect).map_err(|error| without_address(name, &error.to_string()))
}

fn without_address(name: &str, reason: &str) -> NfsError {
    NfsError::new(
        "nfs-unreachable",
        format!("could not find the address of {name}: {reason}"),
        "Check the name: getent hosts NAME shows what it stands for.",
    )
}

/// The handle of the longest beginning of the path that the server gives one for, and the rest of the path.
fn mounted<'a>(url: &'a Url, caller: &Caller) -> Result<(Handle, &'a str)> {
    let port = url.mount_port.map_or_else(|| mapped_port(caller), Ok)?;
    let server = SocketAddr::new(caller.server.ip(), port);
    let mut session = Session::open(Caller { server, ..caller.clone() }, "MOUNT")?;
    let mut refusals = Vec::new();
    for end in beginnings(&url.path) {
        let path = if end == 0 { "/" } else { &url.path[..end] };
        let put = |out: &mut Vec<u8>| crate::xdr::Put::put_opaque(out, path.as_bytes());
        match session.ask(mount::MNT, &format!("to mount {path}"), put, mount::read_mounted)? {
            Ok(handle) => {
                // The server's list of who mounted what is not to keep a run that has ended; its answer does not matter.
                let _ = session.ask(mount::UMNT, "to forget the mount", put, |_| Ok(Ok(())));
                return Ok((handle, &url.path[end..]));
            }
            Err(status) => refusals.push(status),
        }
    }
    Err(no_export(url, &mut session, &refusals))
}

/// Where each beginning of a path ends, the whole path first and the root last.
fn beginnings(path: &str) -> Vec<usize> {
    let mut ends: Vec<usize> = path.match_indices('/').map(|(at, _)| at).collect();
    if path.len() > 1 {
        ends.push(path.len());
    }
    ends.reverse();
    ends
}

fn mapped_port(caller: &Caller) -> Result<u16> {
    let server = SocketAddr::new(caller.server.ip(), mount::PORT_MAPPER);
    let asked = Session::open(Caller { server, ..caller.clone() }, "the port mapper");
    let mut session = asked.map_err(|mut error| {
        if error.id == "nfs-unreachable" {
            error.hint = "Name the port of MOUNT with mount_port=; a server that has none speaks NFS 4 only: \
                          mount that with the kernel's client (mount -t nfs4) and name the folder, or read a file of it with \
                          version=4 and --engine libnfs."
                .to_owned();
        }
        error
    })?;
    let put = |out: &mut Vec<u8>| mount::put_getport(out, mount::PROGRAM, mount::VERSION);
    let port = session.ask(mount::GETPORT, "where MOUNT listens", put, |reader| reader.u32().map(Ok))?;
    match port {
        Ok(port @ 1..=0xffff) => Ok(port as u16),
        _ => Err(no_version_3(&caller.name, mount::MNT, "its port mapper knows no MOUNT version 3")),
    }
}

fn no_export(url: &Url, session: &mut Session, refusals: &[u32]) -> NfsError {
    let (name, path) = (&url.host, &url.path);
    let forbidden = refusals.iter().find(|status| [status::ACCES, status::PERM].contains(status));
    let put = |_: &mut Vec<u8>| ();
    let exports =
        session.ask(mount::EXPORT, "what it exports", put, |reader| mount::read_exports(reader).map(Ok));
    let exports = exports.ok().and_then(|answer| answer.ok()).unwrap_or_default();
    let covers = |export: &String| {
        path.strip_prefix(export.trim_end_matches('/'))
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let there =
        if exports.is_empty() { String::new() } else { format!(" It exports {}.", exports.join(", ")) };
    if let Some(&status) = forbidden
        && (exports.is_empty() || exports.iter().any(covers))
    {
        let words = status::name(status).replace("NFS3ERR", "MNT3ERR");
        if !session.is_privileged() {
            let mut error =
                wants_privilege(name, &format!("to mount {path}"), &words, session.finds_ports_taken());
            error.hint =
                format!("{} Or this host may not mount it: see the export's clients.{there}", error.hint);
            return error.errno(libc::EACCES);
        }
        let hint = format!("Let the export's list of clients have this host.{there}");
        return NfsError::new(
            "nfs-forbidden",
            format!("{name} does not let this host mount {path} ({words})"),
            hint,
        )
        .errno(libc::EACCES);
    }
    let hint = format!("showmount -e {name} shows what there is.{there}");
    NfsError::new("nfs-no-export", format!("{name} exports neither {path} nor a folder above it"), hint)
        .errno(libc::ENOENT)
}

/// The handle of what has a name in a folder.
pub(crate) fn look_up(
    session: &mut Session,
    url: &Url,
    identity: Identity,
    folder: &Handle,
    name: &str,
) -> Result<Handle> {
    let put = |out: &mut Vec<u8>| proc::put_name(out, folder, name);
    let answer = session.ask(proc::LOOKUP, &format!("for {name}"), put, |reader| match reader.u32()? {
        status::OK => Handle::read(reader).map(Ok),
        status => Ok(Err(status)),
    })?;
    answer.map_err(|status| match status {
        status::NOENT | status::NOTDIR => NfsError::new(
            "nfs-no-file",
            format!("{} has no {}: there is no {name}", url.host, url.path),
            "Check the path, or name a folder: a scratch file is made in it and removed.",
        )
        .errno(libc::ENOENT),
        _ => failed(url, identity, &format!("look {name} up"), status, None),
    })
}

/// What the server tells of a file or folder.
pub(crate) fn attributes(
    session: &mut Session,
    url: &Url,
    identity: Identity,
    handle: &Handle,
) -> Result<Attributes> {
    let put = |out: &mut Vec<u8>| crate::xdr::Put::put_opaque(out, handle.as_bytes());
    let answer = session.ask(proc::GETATTR, "for a file's attributes", put, read_attributes)?;
    answer.map_err(|status| failed(url, identity, "ask for attributes", status, None))
}

fn sizes(session: &mut Session, url: &Url, identity: Identity, handle: &Handle) -> Result<Sizes> {
    let put = |out: &mut Vec<u8>| crate::xdr::Put::put_opaque(out, handle.as_bytes());
    let answer = session.ask(proc::FSINFO, "for its sizes", put, proc::read_sizes)?;
    let sizes = answer.map_err(|status| failed(url, identity, "ask for the server's sizes", status, None))?;
    if sizes.read_bytes_max == 0 || sizes.write_bytes_max == 0 {
        return Err(NfsError::new(
            "nfs-protocol",
            format!("{} says that a READ or a WRITE may have 0 bytes (FSINFO)", url.host),
            "The server's own log says more.",
        ));
    }
    Ok(sizes)
}

/// What a server refused, in words: with whose file it is where a right is missing.
pub fn failed(url: &Url, identity: Identity, what: &str, status: u32, file: Option<&Attributes>) -> NfsError {
    let (name, path) = (&url.host, &url.path);
    let message = format!("{name} refused to {what} of {path}: {}", status::name(status));
    let (id, hint) = match status {
        status::ACCES | status::PERM => {
            let owner = file.map_or_else(String::new, |file| {
                format!(
                    " It belongs to uid {} and gid {}, mode {:o}.",
                    file.uid,
                    file.gid,
                    file.mode & 0o7777
                )
            });
            let squashed =
                if identity.uid == 0 { " Most servers take root for nobody (root_squash)." } else { "" };
            (
                "nfs-forbidden",
                format!(
                    "It was asked as uid {} and gid {}.{squashed}{owner} Give uid= and gid= of a user who may.",
                    identity.uid, identity.gid
                ),
            )
        }
        status::ROFS => {
            ("nfs-forbidden", "The export is read-only: measure it with a workload that reads.".to_owned())
        }
        status::NOSPC | 69 => {
            ("disk-full", "Ask for less with --size, or free some space on the server.".to_owned())
        }
        status::JUKEBOX => (
            "nfs-failed",
            "It asked to be asked again later for a minute: it may be starting, moving the file, or fetching it from an archive. Try again \
             when it has."
                .to_owned(),
        ),
        status::STALE => {
            ("nfs-failed", "The file or its export was replaced meanwhile: name it again.".to_owned())
        }
        _ => ("nfs-failed", "The server's own log says more.".to_owned()),
    };
    NfsError::new(id, message, hint).errno(status::errno(status))
}

/// The folder that a file is in, and its name there.
pub(crate) fn folder_of(url: &Url) -> Result<(Found, String)> {
    let (folder, name) = place_of(url)?;
    Ok((find(&folder)?, name))
}

/// The same with patience until then, also for what is asked of the folder.
pub(crate) fn folder_until(url: &Url, until_ns: u64) -> Result<(Found, String)> {
    let (folder, name) = place_of(url)?;
    Ok((find_until(&folder, until_ns)?, name))
}

fn place_of(url: &Url) -> Result<(Url, String)> {
    let (folder, name) = url.parent().ok_or_else(|| {
        NfsError::new(
            "nfs-url",
            format!("{} is no name of a file", url.path),
            "Write nfs://HOST/EXPORT/FILE.",
        )
    })?;
    Ok((url.with_path(folder), name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::Server;

    #[test]
    fn the_next_address_is_tried_where_nobody_answers_at_the_first() {
        let server = Server::start().expect("a port is free");
        let url = Url::parse(&server.url("/export")).expect("the server's own url");
        let right = SocketAddr::new([127, 0, 0, 1].into(), url.port);
        // The server listens on that port of one address alone.
        let wrong = SocketAddr::new([127, 0, 0, 2].into(), url.port);
        let identity = Identity { uid: 0, gid: 0 };
        let found = first_that_answers(&url, &[wrong, right], &[], identity, u64::MAX)
            .expect("it answers at the second");
        assert_eq!(found.caller.server, right);
        let error = first_that_answers(&url, &[wrong], &[], identity, u64::MAX)
            .map(|_| ())
            .expect_err("nobody is there");
        assert!(error.id == "nfs-unreachable" && error.message.contains("127.0.0.2"), "{error}");
    }

    #[test]
    fn a_path_is_tried_whole_first_and_its_root_last() {
        let tried =
            |path: &'static str| beginnings(path).into_iter().map(|end| &path[..end]).collect::<Vec<_>>();
        assert_eq!(tried("/a/b/c"), ["/a/b/c", "/a/b", "/a", ""]);
        assert_eq!(tried("/"), [""]);
    }
}
