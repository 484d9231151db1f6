//! What would keep the probe out, found before anything is tried: each piece that the kernel has to give, with the reason why it
//! does not and the way to it.

use std::fs;
use std::path::{Path, PathBuf};

use plimsoll_engine::error::{CoreError, Result};

const CAP_SYS_ADMIN: u32 = 21;
const CAP_PERFMON: u32 = 38;
const CAP_BPF: u32 = 39;
/// The namespace of processes that the kernel begins with; its number is the same on every host.
const FIRST_PROCESSES: &str = "pid:[4026531836]";
/// The mapping of users outside of any user namespace.
const WHOLE_MAP: [&str; 3] = ["0", "0", "4294967295"];

/// Where the kernel tells of itself; tests have files of their own.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// The types of the kernel's structures.
    pub types: PathBuf,
    /// What the kernel keeps from root.
    pub lockdown: PathBuf,
    /// This process's rights.
    pub status: PathBuf,
    /// This process's users.
    pub uid_map: PathBuf,
    /// This process's namespace of processes.
    pub processes: PathBuf,
}

impl Default for Surroundings {
    fn default() -> Self {
        Self {
            types: "/sys/kernel/btf/vmlinux".into(),
            lockdown: "/sys/kernel/security/lockdown".into(),
            status: "/proc/self/status".into(),
            uid_map: "/proc/self/uid_map".into(),
            processes: "/proc/self/ns/pid".into(),
        }
    }
}

impl Surroundings {
    /// Everything that stands in the way; empty where a probe can be tried.
    pub fn obstacles(&self) -> Vec<CoreError> {
        [self.rights(), self.users(), self.processes(), self.lockdown(), self.types()]
            .into_iter()
            .filter_map(Result::err)
            .collect()
    }

    fn rights(&self) -> Result<()> {
        let status = read(&self.status)?;
        let held = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
        let held = held.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok());
        let held = held
            .ok_or_else(|| CoreError::new("probe-no-rights", "could not read this process's capabilities"))?;
        let has = |capability: u32| held >> capability & 1 == 1;
        if has(CAP_SYS_ADMIN) || (has(CAP_BPF) && has(CAP_PERFMON)) {
            return Ok(());
        }
        Err(CoreError::new(
            "probe-no-rights",
            "this process may not load a probe: it has neither CAP_SYS_ADMIN nor CAP_BPF with CAP_PERFMON",
        )
        .hint("Run it as root, for instance with sudo."))
    }

    fn users(&self) -> Result<()> {
        let map = read(&self.uid_map)?;
        if map.split_whitespace().eq(WHOLE_MAP) {
            return Ok(());
        }
        Err(CoreError::new("probe-container", "this process is in a user namespace, from which no probe is loaded")
            .hint("Run it on the host itself, or in a container with the host's users (--privileged, no user namespace)."))
    }

    /// The kernel books I/O on the host's numbers of processes, which are others' in a namespace of their own.
    fn processes(&self) -> Result<()> {
        let own = fs::read_link(&self.processes).unwrap_or_default();
        if own == Path::new(FIRST_PROCESSES) {
            return Ok(());
        }
        Err(CoreError::new(
            "probe-container",
            "this process is in a process namespace, where processes have other numbers than the probe sees",
        )
        .hint("Run it on the host itself, or in a container with the host's processes (--pid=host)."))
    }

    fn lockdown(&self) -> Result<()> {
        // A kernel without lockdown has no such file.
        let modes = fs::read_to_string(&self.lockdown).unwrap_or_default();
        if !modes.contains("[confidentiality]") {
            return Ok(());
        }
        Err(CoreError::new(
            "probe-locked-down",
            "the kernel is locked down (confidentiality), which keeps its memory from probes",
        )
        .hint("Boot it with lockdown=integrity or without Secure Boot; it cannot be undone while it runs."))
    }

    fn types(&self) -> Result<()> {
        let Err(error) = fs::File::open(&self.types) else { return Ok(()) };
        let message = format!("could not read the types of the kernel in {}", self.types.display());
        Err(CoreError::kernel("probe-no-types", message, &error)
            .hint("Use a kernel that is built with CONFIG_DEBUG_INFO_BTF and has /sys mounted; distributions' since 2020 are."))
    }
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| {
        CoreError::kernel("probe-no-rights", format!("could not read {}", path.display()), &error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &str = "Name:\tplimsoll\nCapEff:\t000001ffffffffff\n";

    fn found(status: &str, uid_map: &str, lockdown: Option<&str>, has_types: bool) -> Vec<&'static str> {
        found_among(FIRST_PROCESSES, status, uid_map, lockdown, has_types)
    }

    fn found_among(
        processes: &str,
        status: &str,
        uid_map: &str,
        lockdown: Option<&str>,
        has_types: bool,
    ) -> Vec<&'static str> {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str, contents: Option<&str>| {
            let path = folder.path().join(name);
            contents.iter().for_each(|contents| fs::write(&path, contents).expect("written"));
            path
        };
        let surroundings = Surroundings {
            types: at("types", has_types.then_some("")),
            lockdown: at("lockdown", lockdown),
            status: at("status", Some(status)),
            uid_map: at("uid_map", Some(uid_map)),
            processes: folder.path().join("pid"),
        };
        std::os::unix::fs::symlink(processes, &surroundings.processes).expect("a link");
        surroundings.obstacles().into_iter().map(|error| error.id).collect()
    }

    #[test]
    fn nothing_stands_in_the_way_of_root_on_its_host() {
        assert!(found(ROOT, "         0          0 4294967295\n", None, true).is_empty());
        let two = format!("CapEff:\t{:016x}\n", 1u64 << CAP_BPF | 1 << CAP_PERFMON);
        assert!(found(&two, "0 0 4294967295", Some("none [integrity] confidentiality"), true).is_empty());
    }

    #[test]
    fn each_missing_piece_is_named_and_all_of_them_at_once() {
        let one = format!("CapEff:\t{:016x}\n", 1u64 << CAP_BPF);
        let all = found(&one, "0 100000 65536", Some("none integrity [confidentiality]"), false);
        assert_eq!(all, ["probe-no-rights", "probe-container", "probe-locked-down", "probe-no-types"]);
    }

    #[test]
    fn where_processes_have_numbers_of_their_own_their_io_is_nobodys() {
        assert_eq!(found_among("pid:[4026532555]", ROOT, "0 0 4294967295", None, true), ["probe-container"]);
    }

    #[test]
    fn rights_that_cannot_be_read_are_no_rights() {
        assert_eq!(found("Name:\tplimsoll\n", "0 0 4294967295", None, true), ["probe-no-rights"]);
    }
}
