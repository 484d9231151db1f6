//! Why something failed before anything was measured: an id for programs, one line for people, and a way on.

use std::fmt;

/// The result of anything in this crate that can fail with words.
pub type Result<T> = std::result::Result<T, NfsError>;

/// What went wrong, as the engine and the command line say it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NfsError {
    /// Stable name, such as `nfs-no-export`.
    pub id: &'static str,
    /// One lower-case line with the value that made it fail.
    pub message: String,
    /// Sentences that name what to do next.
    pub hint: String,
    /// The system's error number that is nearest.
    pub errno: Option<i32>,
}

impl NfsError {
    /// An error with a way on.
    pub fn new(id: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { id, message: message.into(), hint: hint.into(), errno: None }
    }

    /// The same with an error number.
    pub fn errno(mut self, errno: i32) -> Self {
        self.errno = Some(errno);
        self
    }
}

impl fmt::Display for NfsError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{} (hint: {})", self.message, self.hint)
    }
}

impl std::error::Error for NfsError {}

/// What came over the wire is not NFS, or was cut.
pub fn garbled(server: &str, what: &str) -> NfsError {
    NfsError::new(
        "nfs-protocol",
        format!("{server} answered {what} with something that is no NFS"),
        "Check port= and mount_port=: another service may listen there.",
    )
    .errno(libc::EPROTO)
}
