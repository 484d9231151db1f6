//! `nfs://HOST/EXPORT/FILE?paths=&local=&balance=&port=&mount_port=&uid=&gid=&privileged=&version=`: where a file is, and who asks for it.

use crate::error::{NfsError, Result};
use crate::limits::{PATH_BYTES_MAX, PATHS_MAX};
use crate::proc::VERSION;
use crate::table::ways::Balance;

/// What begins such a name.
pub const SCHEME: &str = "nfs://";
/// NFS's own port.
pub const PORT: u16 = 2049;

/// A file or folder of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    /// Name or address.
    pub host: String,
    /// Export and what lies in it, from `/` on, without a `/` at the end.
    pub path: String,
    /// Where NFS listens.
    pub port: u16,
    /// Where MOUNT listens; without it the port mapper is asked.
    pub mount_port: Option<u16>,
    /// Addresses of the server over which all goes; without any, the first one of the host at which it answers.
    pub paths: Vec<String>,
    /// Addresses of this host from which they are reached, one for each; without any, as the kernel's routes say.
    pub locals: Vec<String>,
    /// How requests are dealt out to them.
    pub balance: Balance,
    /// As which user; without it as who runs this.
    pub uid: Option<u32>,
    /// As which group.
    pub gid: Option<u32>,
    /// From a port below 1024; without it as root does, and as others cannot.
    pub privileged: Option<bool>,
    /// Of NFS: 3, or 4, which is not spoken here.
    pub version: u32,
}

impl Url {
    /// Reads one. Fails with `nfs-url`.
    pub fn parse(text: &str) -> Result<Self> {
        let rest = text.strip_prefix(SCHEME).ok_or_else(|| refused(text, "it does not begin with nfs://"))?;
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (server, path) = place.split_once('/').ok_or_else(|| refused(text, "it names no export"))?;
        if server.contains('@') {
            return Err(refused(text, "users are given with uid= and gid="));
        }
        let (host, port) = host_and_port(text, server)?;
        let mut url = Self {
            host,
            path: clean(text, path)?,
            port: port.unwrap_or(PORT),
            mount_port: None,
            paths: Vec::new(),
            locals: Vec::new(),
            balance: Balance::default(),
            uid: None,
            gid: None,
            privileged: None,
            version: VERSION,
        };
        let mut seen: Vec<&str> = if port.is_some() { vec!["port"] } else { Vec::new() };
        for option in query.split('&').filter(|option| !option.is_empty()) {
            let (key, value) = option.split_once('=').unwrap_or((option, ""));
            if seen.contains(&key) {
                return Err(refused(text, &format!("{key} is given twice")));
            }
            seen.push(key);
            url.set(text, key, value)?;
        }
        if !url.locals.is_empty() && url.locals.len() != url.paths.len() {
            let (own, paths) = (url.locals.len(), url.paths.len());
            let addresses = if own == 1 { "address" } else { "addresses" };
            return Err(refused(text, &format!("local= has {own} {addresses}, and paths= has {paths}")));
        }
        Ok(url)
    }

    fn set(&mut self, text: &str, key: &str, value: &str) -> Result<()> {
        match key {
            "port" => self.port = port_number(text, key, value)?,
            "mount_port" => self.mount_port = Some(port_number(text, key, value)?),
            "paths" => self.paths = paths(text, key, value)?,
            "local" => self.locals = paths(text, key, value)?,
            "balance" => {
                self.balance = match value {
                    "least" => Balance::LeastOutstanding,
                    "round-robin" => Balance::RoundRobin,
                    _ => {
                        return Err(refused(
                            text,
                            &format!("balance={value} is neither least nor round-robin"),
                        ));
                    }
                };
            }
            "uid" => self.uid = Some(number(text, key, value)?),
            "gid" => self.gid = Some(number(text, key, value)?),
            "privileged" => {
                self.privileged = Some(match value {
                    "yes" => true,
                    "no" => false,
                    _ => return Err(refused(text, &format!("privileged={value} is neither yes nor no"))),
                });
            }
            "version" => {
                self.version = match value {
                    "3" => 3,
                    "4" => 4,
                    _ => return Err(refused(text, &format!("version={value} is neither 3 nor 4"))),
                };
            }
            _ => return Err(refused(text, &format!("it has the unknown option '{key}'"))),
        }
        Ok(())
    }

    /// The same place with another path.
    pub fn with_path(&self, path: &str) -> Self {
        Self { path: path.to_owned(), ..self.clone() }
    }

    /// The folder and the last name of the path; none for the root of all.
    pub fn parent(&self) -> Option<(&str, &str)> {
        let (folder, name) = self.path.rsplit_once('/')?;
        (!name.is_empty()).then_some((if folder.is_empty() { "/" } else { folder }, name))
    }
}

fn paths(text: &str, key: &str, value: &str) -> Result<Vec<String>> {
    let bare = |name: &str| name.trim_start_matches('[').trim_end_matches(']').to_owned();
    let names: Vec<String> = value.split(',').map(bare).collect();
    if names.iter().any(String::is_empty) {
        return Err(refused(text, &format!("{key}={value} has an empty address")));
    }
    if names.len() > PATHS_MAX {
        return Err(refused(
            text,
            &format!("{key}= has {} addresses, and at most {PATHS_MAX} are taken", names.len()),
        ));
    }
    Ok(names)
}

fn host_and_port(text: &str, server: &str) -> Result<(String, Option<u16>)> {
    let (host, port) = match server.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, "")) => (host, None),
        Some((host, rest)) => match rest.strip_prefix(':') {
            Some(port) => (host, Some(port)),
            None => return Err(refused(text, &format!("there is no : before {rest}"))),
        },
        None => server.split_once(':').map_or((server, None), |(host, port)| (host, Some(port))),
    };
    if host.is_empty() {
        return Err(refused(text, "it names no server"));
    }
    let port = port.map(|port| port_number(text, "port", port)).transpose()?;
    Ok((host.to_owned(), port))
}

fn clean(text: &str, path: &str) -> Result<String> {
    let path = percent_decoded(text, path)?;
    if path.len() > PATH_BYTES_MAX {
        return Err(refused(text, &format!("its path has more than {PATH_BYTES_MAX} bytes")));
    }
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    if parts.iter().any(|part| [".", ".."].contains(part)) {
        return Err(refused(text, "its path has a part that is . or .."));
    }
    if path.contains('\0') {
        return Err(refused(text, "its path has a zero byte"));
    }
    Ok(format!("/{}", parts.join("/")))
}

fn percent_decoded(text: &str, path: &str) -> Result<String> {
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == b'%' {
            let digits = rest.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
            let value = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
            let value = value.and_then(|digits| u8::from_str_radix(digits, 16).ok());
            bytes.push(value.ok_or_else(|| refused(text, "a % is not followed by two hexadecimal digits"))?);
            rest = &rest[2..];
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).map_err(|_| refused(text, "its path is no UTF-8"))
}

fn port_number(text: &str, key: &str, value: &str) -> Result<u16> {
    let port = value.parse().ok().filter(|&port: &u16| port > 0);
    port.ok_or_else(|| refused(text, &format!("{key}={value} is no port from 1 to 65535")))
}

fn number(text: &str, key: &str, value: &str) -> Result<u32> {
    value.parse().map_err(|_| refused(text, &format!("{key}={value} is no number from 0 to {}", u32::MAX)))
}

fn refused(text: &str, reason: &str) -> NfsError {
    let shown: String = text.chars().take(200).collect();
    NfsError::new(
        "nfs-url",
        format!("cannot read {shown}: {reason}"),
        "Write nfs://HOST/EXPORT/FILE, and behind a ? options such as port=2049&mount_port=20048&uid=54321&gid=54321.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_url_is_read() {
        let url = Url::parse(
            "nfs://filer/vol/data%20one/x.dbf?port=12049&mount_port=12050&uid=7&gid=8&privileged=no",
        );
        let url = url.expect("it is one");
        assert_eq!((url.host.as_str(), url.path.as_str(), url.port), ("filer", "/vol/data one/x.dbf", 12049));
        assert_eq!((url.mount_port, url.uid, url.gid), (Some(12050), Some(7), Some(8)));
        assert_eq!((url.privileged, url.parent()), (Some(false), Some(("/vol/data one", "x.dbf"))));
        let paths = Url::parse("nfs://filer/vol?paths=10.0.0.1,[::1],b").expect("it is one").paths;
        assert_eq!(paths, ["10.0.0.1", "::1", "b"]);
        let url =
            Url::parse("nfs://filer/vol?paths=10.0.0.1,10.0.1.1&local=10.0.0.9,10.0.1.9").expect("it is one");
        assert_eq!(url.locals, ["10.0.0.9", "10.0.1.9"]);
        assert_eq!((url.version, Url::parse("nfs://h/e?version=4").expect("it is one").version), (3, 4));
        let short = Url::parse("nfs://[::1]:77//vol/").expect("it is one");
        assert_eq!((short.host.as_str(), short.path.as_str(), short.port), ("::1", "/vol", 77));
        assert_eq!(short.parent(), Some(("/", "vol")));
        assert_eq!(Url::parse("nfs://h/").expect("the root").parent(), None);
    }

    #[test]
    fn what_is_none_is_refused_with_its_reason() {
        for (text, reason) in [
            ("http://h/e", "begin with"),
            ("nfs://h", "no export"),
            ("nfs:///e", "no server"),
            ("nfs://me@h/e", "uid="),
            ("nfs://[::1]2049/e", "no : before 2049"),
            ("nfs://h/e/../f", ".."),
            ("nfs://h/e?port=0", "port=0"),
            ("nfs://h/e?port=65536", "port=65536"),
            ("nfs://h/e?uid=-1", "uid=-1"),
            ("nfs://h/e?uid=1&uid=2", "uid is given twice"),
            ("nfs://h:1/e?port=2", "port is given twice"),
            ("nfs://h/e?paths=", "empty address"),
            ("nfs://h/e?paths=a,,b", "empty address"),
            ("nfs://h/e?paths=a,b,c,d,e", "paths= has 5 addresses"),
            ("nfs://h/e?paths=a,b&local=c", "local= has 1 address, and paths= has 2"),
            ("nfs://h/e?paths=a&local=b,c", "local= has 2 addresses, and paths= has 1"),
            ("nfs://h/e?local=c", "local= has 1 address, and paths= has 0"),
            ("nfs://h/e?ways=a,b", "ways"),
            ("nfs://h/e?balance=fair", "balance=fair"),
            ("nfs://h/e?privileged=1", "privileged=1"),
            ("nfs://h/e?version=4.1", "version=4.1"),
            ("nfs://h/%zz", "hexadecimal"),
            ("nfs://h/%+1", "hexadecimal"),
            ("nfs://h/a%00b", "zero byte"),
            ("nfs://h/%ff", "UTF-8"),
        ] {
            let error = Url::parse(text).expect_err(text);
            assert_eq!(error.id, "nfs-url");
            assert!(error.message.contains(reason), "{text}: {error}");
        }
    }
}
