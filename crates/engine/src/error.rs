//! The one error of the engine: an id for programs, one line for people, and a way on.

use std::io;

/// The result of anything in this crate that can fail.
pub type Result<T> = std::result::Result<T, CoreError>;

/// Why something failed.
///
/// `message` is one lower-case line with the reason and the value; `hint` is whole sentences that name the
/// next step; `errno` is set where the kernel refused.
#[derive(Debug, Clone, thiserror::Error, PartialEq, Eq)]
#[error("{message}")]
pub struct CoreError {
    /// Stable name such as `engine-open`, for programs.
    pub id: &'static str,
    /// One lower-case line: what failed, with the value that made it fail.
    pub message: String,
    /// Sentences that name what to do next, when there is something to do.
    pub hint: Option<String>,
    /// The kernel's error number, when it was the kernel that refused.
    pub errno: Option<i32>,
}

impl CoreError {
    /// An error without a hint or an error number.
    pub fn new(id: &'static str, message: impl Into<String>) -> Self {
        Self { id, message: message.into(), hint: None, errno: None }
    }

    /// A kernel refusal: `what` names the attempt, the system's words are added.
    pub fn kernel(id: &'static str, what: impl AsRef<str>, error: &io::Error) -> Self {
        let errno = error.raw_os_error();
        let message = format!("{}: {}", what.as_ref(), errno_text(error));
        Self { id, message, hint: None, errno }
    }

    /// The same error with a way on.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// The system's words for an error in lower case and without "(os error N)".
pub fn errno_text(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    text.to_lowercase()
}

/// A `spec-invalid` error.
pub fn invalid(message: impl AsRef<str>) -> CoreError {
    CoreError::new("spec-invalid", format!("run specification is invalid: {}", message.as_ref()))
}
