//! Files of NFS servers by libnfs: where it is to look for one, what it refuses in our words, and what a file is that only it reaches.

use std::io;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;

use plimsoll_nfs::limits::SETUP_PATIENCE;
use plimsoll_nfs::open::Found;
use plimsoll_nfs::proc::{Attributes, Sizes};
use plimsoll_nfs::socket::now_ns;
use plimsoll_nfs::url::Url;

use crate::error::{CoreError, Result};
use crate::inspect::{Contents, sampled};
use crate::remote_findings::{Findings, too_slow};
use crate::sys::libnfs::{self, File, Place, Refused, Told};

/// The version of NFS that nothing but libnfs speaks here.
pub const VERSION_4: u32 = 4;

/// Options of a URL that libnfs has nothing for. Fails with `nfs-unfit`.
pub fn check_url(url: &Url) -> Result<()> {
    let over_4 = url.version == VERSION_4;
    let given = [
        ("paths=", !url.paths.is_empty()),
        ("local=", !url.locals.is_empty()),
        ("balance=", url.balance != Default::default()),
        ("mount_port=", over_4 && url.mount_port.is_some()),
        ("privileged=", over_4 && url.privileged.is_some()),
    ];
    let Some((option, _)) = given.into_iter().find(|(_, given)| *given) else { return Ok(()) };
    let (version, hint) = match over_4 {
        true => (" over version 4", "Leave it out: it would change nothing."),
        false => ("", "Leave it out, or leave --engine out: the engine nfs takes it."),
    };
    let message = format!("engine libnfs does not take {option} of {}{version}", url.host);
    Err(CoreError::new("nfs-unfit", message).hint(hint))
}

/// Where a file of version 3 is that was found.
pub fn place_of(found: &Found, patience_s: u32, writable: bool) -> Place {
    let url = &found.url;
    let rest = url.path.strip_prefix(found.export.trim_end_matches('/')).unwrap_or(&url.path);
    Place {
        server: found.caller.server.ip().to_string(),
        export: found.export.clone(),
        file: if rest.is_empty() { "/".to_owned() } else { rest.to_owned() },
        writable,
        ..unplaced(url, patience_s)
    }
}

/// Where a file of version 4 is: its folder is mounted. Fails with `nfs-unreachable` where nobody listens.
pub fn place_of_4(url: &Url, patience_s: u32) -> Result<Place> {
    let (folder, name) = url.parent().unwrap_or(("/", ""));
    let (export, file) = (folder.to_owned(), format!("/{name}"));
    Ok(Place { server: listening(url)?.ip().to_string(), export, file, ..unplaced(url, patience_s) })
}

fn unplaced(url: &Url, patience_s: u32) -> Place {
    Place {
        server: String::new(),
        version: url.version,
        port: url.port,
        mount_port: url.mount_port,
        export: String::new(),
        file: String::new(),
        uid: url.uid,
        gid: url.gid,
        patience_s,
        writable: false,
    }
}

/// The first address of the host at which somebody listens; libnfs would wait for minutes.
fn listening(url: &Url) -> Result<SocketAddr> {
    let unreachable = |reason: String| {
        CoreError::new(
            "nfs-unreachable",
            format!("could not reach NFS of {} at port {}: {reason}", url.host, url.port),
        )
        .hint("See whether it serves NFS 4 there: port= names another port.")
    };
    let addresses = (url.host.as_str(), url.port).to_socket_addrs();
    let mut reason = "it has no address".to_owned();
    for server in addresses.map_err(|error| unreachable(words(&error)))? {
        match TcpStream::connect_timeout(&server, SETUP_PATIENCE) {
            Ok(_) => return Ok(server),
            Err(error) => reason = words(&error),
        }
    }
    Err(unreachable(reason))
}

/// The system's words in lower case.
fn words(error: &io::Error) -> String {
    error.to_string().split(" (os error").next().unwrap_or_default().to_lowercase()
}

/// What libnfs could not do with a file, in our words.
pub fn refused(url: &Url, what: &str, refused: &Refused) -> CoreError {
    let id = match refused.errno {
        libc::ENOENT => "nfs-no-file",
        libc::EACCES | libc::EPERM => "nfs-forbidden",
        libc::ENOSYS => "engine-unavailable",
        _ => "nfs-failed",
    };
    let message = format!("libnfs could not {what} {} of {}: {}", url.path, url.host, refused.words);
    let hint = match id {
        "nfs-no-file" => "Check the path.",
        "nfs-forbidden" => "Give uid= and gid= of a user who may, and see the export's clients.",
        "engine-unavailable" => INSTALL,
        _ => "The server's own log says more.",
    };
    CoreError { errno: Some(refused.errno).filter(|&errno| errno > 0), ..CoreError::new(id, message) }
        .hint(hint)
}

/// What to do where it cannot be loaded.
pub const INSTALL: &str = "Install it (Debian 12: apt install libnfs13; later ones have libnfs14), or leave --engine out: the engine nfs needs no library.";

/// Looks at a file of version 4 and reads `samples` blocks of it. Fails with `nfs-unreachable` where that takes too long.
pub fn inspect(url: &Url, samples: u32, limit_ns: u64) -> Result<Findings> {
    check_url(url)?;
    libnfs::probe().map_err(|words| CoreError::new("engine-unavailable", words).hint(INSTALL))?;
    let place = place_of_4(url, whole_seconds(SETUP_PATIENCE))?;
    let told = libnfs::look(&place).map_err(|error| refused(url, "find", &error))?;
    let (attributes, sizes) = (attributes(&told), sizes(&told));
    let mut contents = Contents::default();
    if attributes.kind == Attributes::FILE {
        let file = File::open(&place, 0).map_err(|error| refused(url, "open", &error))?;
        let end_ns = now_ns().saturating_add(limit_ns);
        contents = sampled(attributes.size_bytes, samples, |bytes, offset_bytes| {
            if now_ns() > end_ns {
                return Err(too_slow(&url.path, samples, limit_ns));
            }
            read_exactly(url, &file, offset_bytes, bytes)
        })?;
    }
    Ok(Findings { attributes, sizes, free_bytes: None, contents })
}

fn read_exactly(url: &Url, file: &File, offset_bytes: u64, bytes: &mut [u8]) -> Result<()> {
    let read = file.read_at(offset_bytes, bytes).map_err(|error| refused(url, "read", &error))?;
    if read == bytes.len() {
        return Ok(());
    }
    let message = format!(
        "{} of {} ends at byte {}, earlier than its size says",
        url.path,
        url.host,
        offset_bytes + read as u64
    );
    Err(CoreError::new("nfs-failed", message)
        .hint("Something changes it: name a file that nobody writes to."))
}

/// Time in whole seconds, none of which is cut off.
pub fn whole_seconds(time: Duration) -> u32 {
    u32::try_from(time.as_nanos().div_ceil(1_000_000_000)).unwrap_or(u32::MAX)
}

fn attributes(told: &Told) -> Attributes {
    let kind = match told.mode as u32 & libc::S_IFMT {
        libc::S_IFREG => Attributes::FILE,
        libc::S_IFDIR => Attributes::FOLDER,
        _ => 0,
    };
    Attributes {
        kind,
        mode: told.mode as u32 & 0o7777,
        uid: told.uid as u32,
        gid: told.gid as u32,
        size_bytes: told.size_bytes,
        used_bytes: told.used_bytes,
        links: 1,
        fsid: told.device,
        fileid: told.inode,
    }
}

/// Of version 4 libnfs tells none (0): what is asked for in one request, or answered, is less than an I/O then, which is continued.
fn sizes(told: &Told) -> Sizes {
    let narrow = |bytes: u64| match bytes {
        0 => u32::MAX,
        bytes => u32::try_from(bytes).unwrap_or(u32::MAX),
    };
    Sizes { read_bytes_max: narrow(told.read_bytes_max), write_bytes_max: narrow(told.write_bytes_max) }
}
