//! Files of NFS servers before and after a run: found, checked against a permit, looked at, made and removed.

use plimsoll_nfs::open::{Found, find};
use plimsoll_nfs::proc::Attributes;
use plimsoll_nfs::socket::now_ns;
use plimsoll_nfs::url::Url;
use plimsoll_nfs::{NfsError, file, listing, removal, url};

use crate::error::{CoreError, Result};
use crate::inspect::{Contents, SAMPLES_MAX, sampled};
use crate::limits::NFS_INSPECT_NS_MAX;
use crate::over_libnfs;
use crate::permit::WritePermit;
use crate::remote_findings::too_slow;
use crate::spec::TargetSpec;

pub use crate::remote_findings::Findings;

impl From<NfsError> for CoreError {
    fn from(error: NfsError) -> Self {
        Self { id: error.id, message: error.message, hint: Some(error.hint), errno: error.errno }
    }
}

/// Whether a path is such a file's.
pub fn is_remote(path: &str) -> bool {
    path.starts_with(url::SCHEME)
}

/// Looks at the file or folder of a URL, and reads `samples` blocks of a file.
pub fn inspect(path: &str, samples: u32) -> Result<Findings> {
    inspect_within(path, samples, NFS_INSPECT_NS_MAX)
}

/// The same with another limit. Fails with `nfs-unreachable` where it takes longer.
pub fn inspect_within(path: &str, samples: u32, limit_ns: u64) -> Result<Findings> {
    if samples > SAMPLES_MAX {
        let message = format!("{samples} samples are more than {SAMPLES_MAX}");
        return Err(CoreError::new("samples-invalid", message));
    }
    let url = Url::parse(path)?;
    if url.version == over_libnfs::VERSION_4 {
        return over_libnfs::inspect(&url, samples, limit_ns);
    }
    let mut found = find(&url)?;
    let (attributes, sizes) = (found.attributes, found.sizes);
    let (mut contents, mut free_bytes) = (Contents::default(), None);
    if attributes.kind == Attributes::FILE {
        let end_ns = now_ns().saturating_add(limit_ns);
        contents = sampled(attributes.size_bytes, samples, |bytes, offset_bytes| {
            if now_ns() > end_ns {
                return Err(too_slow(path, samples, limit_ns));
            }
            found.read_exactly(offset_bytes, bytes).map_err(CoreError::from)
        })?;
    } else if attributes.kind == Attributes::FOLDER {
        free_bytes = found.free_bytes()?;
    } else {
        found.check_file()?;
    }
    Ok(Findings { attributes, sizes, free_bytes, contents })
}

/// Makes a file that was not there before, and says what it is.
pub fn create(path: &str) -> Result<Attributes> {
    Ok(file::create(&Url::parse(path)?)?)
}

/// Removes the file that has these numbers; the result is none, or what is so instead, in words that follow its name.
pub fn remove(path: &str, permit: &WritePermit) -> Result<Option<String>> {
    Ok(removal::remove(&Url::parse(path)?, permit.device, permit.inode)?)
}

/// Names in the folder of a URL that begin like that.
pub fn names(path: &str, beginning: &str) -> Result<Vec<String>> {
    Ok(listing::names(&Url::parse(path)?, beginning)?)
}

/// Finds the file of a URL; for writing exactly when a permit is given, which must name this very file.
pub fn open(path: &str, permit: Option<&WritePermit>) -> Result<Found> {
    let found = find(&Url::parse(path)?)?;
    let Some(permit) = permit else { return Ok(found) };
    let numbers = found.numbers();
    if numbers == (permit.device, permit.inode) && permit.number == 0 {
        return Ok(found);
    }
    let message = format!(
        "the permit is for file system {} file {} ({}), but {path} is file system {} file {}",
        permit.device, permit.inode, permit.path, numbers.0, numbers.1
    );
    Err(CoreError::new("write-not-permitted", message)
        .hint("Nothing was written. Something replaced the file after it was confirmed: confirm it again."))
}

/// That the stretch of a target is within its file.
pub fn check_size(found: &Found, wanted: &TargetSpec) -> Result<()> {
    check_end(found.attributes.size_bytes, wanted)
}

/// That it is within so many bytes.
pub fn check_end(size: u64, wanted: &TargetSpec) -> Result<()> {
    let end = wanted.offset_bytes + wanted.span_bytes;
    if end <= size {
        return Ok(());
    }
    let message = format!("{} has {size} bytes, and the span ends at byte {end}", wanted.path);
    Err(CoreError::new("target-too-small", message).hint("Use a smaller --size."))
}
