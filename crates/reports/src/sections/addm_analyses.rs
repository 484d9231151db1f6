use super::view::{Shape, View, number, seconds, text};

/// What ADDM analysed.
pub static VIEW: View = View {
    name: "addm_analyses",
    about: "an analysis of the advisor in the database whose prose the report holds",
    titles: &["addmanalyses"],
    shape: Shape::Rows,
    columns: &[
        text("task", &[("task", 1.0)]),
        number("begin_snap", &[("beginsnap", 1.0)]),
        number("end_snap", &[("endsnap", 1.0)]),
        text("begin_time", &[("begintime", 1.0)]),
        text("end_time", &[("endtime", 1.0)]),
        text("db_name", &[("dbname", 1.0)]),
        number("db_id", &[("dbid", 1.0)]),
        text("release", &[("release", 1.0)]),
        text("instance", &[("instance", 1.0)]),
        text("host", &[("host", 1.0)]),
        seconds("db_time_s", &[("dbtime(s)", 1.0)]),
    ],
};
