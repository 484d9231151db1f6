use super::view::{Shape, View, number, text};

/// Statements by what their sessions did, from samples of active sessions.
pub static VIEW: View = View {
    name: "top_sql_events",
    about: "a statement, an event its sessions were in or a step of its plan, and their share of all activity",
    titles: &["topsqlwithtopevents", "topsqlwithtoprowsources"],
    shape: Shape::Rows,
    columns: &[
        text("sql_id", &[("sqlid", 1.0)]).carried(),
        text("plan_hash", &[("planhash", 1.0)]).carried(),
        number("executions", &[("executions", 1.0), ("sampled#ofexecutions", 1.0)])
            .carried()
            .about("those that samples met"),
        number("activity_percent", &[("%activity", 1.0)]).carried(),
        text("event", &[("event", 1.0), ("topevent", 1.0)]),
        number("event_percent", &[("%event", 1.0)]),
        text("row_source", &[("toprowsource", 1.0), ("rowsource", 1.0)]),
        number("row_source_percent", &[("%rwsrc", 1.0), ("%rowsource", 1.0)]),
        text("sql_text", &[("sqltext", 1.0)]),
        text("container", &[("containername", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn what_is_printed_once_holds_below() {
        let report = html(
            "Top SQL with Top Events",
            &[
                "SQL ID",
                "Planhash",
                "Sampled # of Executions",
                "% Activity",
                "Event",
                "% Event",
                "Top Row Source",
                "% RwSrc",
            ],
            &[
                &["aaaaaaaaaaaaa", "11", "7", "9.5", "log file sync", "5.5", "INDEX", "2.5"],
                &["", "", "", "", "CPU", "4.0", "TABLE", "1.0"],
                &["bbbbbbbbbbbbb", "", "3", "1.5", "CPU", "1.5", "", ""],
            ],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "sql_id=aaaaaaaaaaaaa plan_hash=11 executions=7 activity_percent=9.5 event=log file sync event_percent=5.5 row_source=INDEX row_source_percent=2.5",
                "sql_id=aaaaaaaaaaaaa plan_hash=11 executions=7 activity_percent=9.5 event=CPU event_percent=4 row_source=TABLE row_source_percent=1",
                "sql_id=bbbbbbbbbbbbb executions=3 activity_percent=1.5 event=CPU event_percent=1.5"
            ]
        );
    }
}
