use super::view::{Shape, View};
use super::waits;

/// Waits of the database's own processes.
pub static VIEW: View = View {
    name: "background_waits",
    about: "an event that background processes waited for",
    titles: &["backgroundwaitevents", "backgroundwaitevents(global)"],
    shape: Shape::Rows,
    columns: waits::COLUMNS,
};
