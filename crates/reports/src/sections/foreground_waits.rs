use super::view::{Shape, View};
use super::waits;

/// Waits of sessions that work for clients.
pub static VIEW: View = View {
    name: "foreground_waits",
    about: "an event that sessions of clients waited for",
    titles: &["foregroundwaitevents", "foregroundwaitevents(global)"],
    shape: Shape::Rows,
    columns: waits::COLUMNS,
};
