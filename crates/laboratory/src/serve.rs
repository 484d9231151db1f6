//! A disk in a mounted folder, from the mount until it is taken away.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fuser::{BackgroundSession, Config, MountOption, Session, SessionACL};
use plimsoll_engine::CoreError;
use plimsoll_engine::clock::{Clock, NS_PER_S, RealClock};
use rustix::fs::{AtFlags, CWD, StatxFlags, statx};
use rustix::mount::{UnmountFlags, unmount};

use crate::counters::Told;
use crate::filesystem::{Folder, Identity, Shared};
use crate::volume::VolumeSpec;

const FUSE: &str = "/dev/fuse";
/// How the folder appears in the list of mounts, behind `fuse.`.
const KIND: &str = "plimsoll";
/// So long the kernel may take to let go; after that its thread is left behind, and ends with the process.
const PATIENCE_NS: u64 = 3 * NS_PER_S;
const LOOK_NS: u64 = 2_000_000;

/// A disk that is served. Dropped, it is taken away.
pub struct Served {
    folder: PathBuf,
    shared: Arc<Shared>,
    session: Option<BackgroundSession>,
    mount_id: Option<u64>,
}

impl Served {
    /// Mounts a folder with the disk in it, under the name `source` in the list of mounts. Fails with `disk-refused`.
    pub fn start(spec: VolumeSpec, folder: &str, source: &str) -> Result<Self, CoreError> {
        spec.check()?;
        let folder = Path::new(folder).canonicalize();
        let folder = folder.map_err(|error| refused("could not find the folder for the disk", &error))?;
        let shared = Shared::new(&spec).map_err(|error| {
            refused(&format!("could not hold a disk of {} bytes in memory", spec.first.size_bytes), &error)
                .hint("Ask for a smaller one with --size: a disk of the laboratory lies in memory.")
        })?;
        let shared = Arc::new(shared);
        let session = mounted(&shared, &folder, source);
        let session = session.map_err(|error| no_mount(&folder, &error))?;
        let mount_id = mount_id(&folder);
        Ok(Self { folder, shared, session: Some(session), mount_id })
    }

    /// Whether requests are still taken; not when somebody else has unmounted the folder.
    pub fn is_serving(&self) -> bool {
        self.session.as_ref().is_some_and(|session| !session.guard.is_finished())
    }

    /// What the disk counted until now.
    pub fn told(&self) -> Told {
        self.shared.told()
    }

    /// By what a mark knows the disk again. To ask the kernel instead would be a request of this process to itself, and one
    /// that is killed while it waits for its own answer never ends.
    pub fn identity(&self) -> Identity {
        self.shared.identity()
    }

    /// Puts an extended attribute on the disk, again without asking the kernel.
    pub fn set_attribute(&self, name: &str, value: &str) {
        self.shared.set_attribute(name, value);
    }

    /// Unmounts the folder; true when somebody still had something open in it, whose I/O fails from now on.
    pub fn stop(&mut self) -> Result<bool, CoreError> {
        let Some(session) = self.session.take() else { return Ok(false) };
        let mut was_used = false;
        if !session.guard.is_finished() {
            if mount_id(&self.folder) != self.mount_id {
                // To unmount by the folder's name would take theirs; ours dies with this process.
                std::mem::forget(session);
                return Err(self.covered());
            }
            was_used = self.leave()?;
        }
        end(session);
        Ok(was_used)
    }

    fn leave(&self) -> Result<bool, CoreError> {
        match unmount(&self.folder, UnmountFlags::NOFOLLOW) {
            Ok(()) => Ok(false),
            Err(rustix::io::Errno::BUSY) => {
                // FORCE ends the connection, so that whoever waits for an answer gets an error at once.
                let at_once = UnmountFlags::FORCE | UnmountFlags::DETACH | UnmountFlags::NOFOLLOW;
                unmount(&self.folder, at_once).map_err(|errno| self.stays(errno.into()))?;
                Ok(true)
            }
            // Without root's rights fusermount3 unmounts, which `end` calls.
            Err(rustix::io::Errno::PERM | rustix::io::Errno::INVAL) => Ok(false),
            Err(errno) => Err(self.stays(errno.into())),
        }
    }

    fn covered(&self) -> CoreError {
        let folder = self.folder.display();
        let why = io::Error::other("something else was mounted over it");
        refused(&format!("could not unmount {folder}"), &why)
            .hint(format!("Unmount what is on {folder} now; the next command then takes the disk away."))
    }

    fn stays(&self, error: io::Error) -> CoreError {
        let folder = self.folder.display();
        refused(&format!("could not unmount {folder}"), &error)
            .hint(format!("Unmount it: umount --lazy {folder}."))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // Whoever wants to know how it went calls `stop`.
        let _ = self.stop();
    }
}

/// Of what is mounted there now, without asking who serves it; `None` before Linux 5.8.
fn mount_id(folder: &Path) -> Option<u64> {
    let how = AtFlags::STATX_DONT_SYNC | AtFlags::SYMLINK_NOFOLLOW;
    let found = statx(CWD, folder, how, StatxFlags::MNT_ID).ok()?;
    (found.stx_mask & StatxFlags::MNT_ID.bits() != 0).then_some(found.stx_mnt_id)
}

fn mounted(shared: &Arc<Shared>, folder: &Path, source: &str) -> io::Result<BackgroundSession> {
    let is_root = rustix::process::geteuid().is_root();
    let mut how = Config::default();
    // The kernel checks owner and mode of the files; root may lend the disk, as to a database's own user by its owner.
    how.mount_options = vec![
        MountOption::FSName(source.to_owned()),
        MountOption::Subtype(KIND.to_owned()),
        MountOption::DefaultPermissions,
        MountOption::NoAtime,
        MountOption::NoExec,
    ];
    how.acl = if is_root { SessionACL::All } else { SessionACL::Owner };
    Session::new(Folder::new(shared.clone())?, folder, &how)?.spawn()
}

fn end(session: BackgroundSession) {
    let deadline_ns = RealClock.now_ns() + PATIENCE_NS;
    while !session.guard.is_finished() && RealClock.now_ns() < deadline_ns {
        RealClock.sleep_until(RealClock.now_ns() + LOOK_NS);
    }
    if session.guard.is_finished() {
        // How a session ended that nobody needs any more is of no interest.
        let _ = session.umount_and_join();
    } else {
        drop(session);
    }
}

fn no_mount(folder: &Path, error: &io::Error) -> CoreError {
    let what = format!("could not mount a disk on {}", folder.display());
    let missing = !Path::new(FUSE).exists();
    refused(&what, error).hint(if missing {
        format!(
            "There is no {FUSE}: load the kernel's module (modprobe fuse), or give the container that device."
        )
    } else {
        format!("It takes {FUSE} and root's rights, or fusermount3 (package fuse3) for another user.")
    })
}

fn refused(what: &str, error: &io::Error) -> CoreError {
    CoreError::kernel("disk-refused", what, error)
}
