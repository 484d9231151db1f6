use super::view::{Shape, View, number, text};

/// Events by their share of all activity, from samples of active sessions.
pub static VIEW: View = View {
    name: "top_session_events",
    about: "an event and its share of all activity",
    titles: &["topevents", "topuserevents", "topbackgroundevents"],
    shape: Shape::Rows,
    columns: &[
        text("event", &[("event", 1.0)]),
        text("wait_class", &[("eventclass", 1.0)]),
        text("session_type", &[("sessiontype", 1.0)]),
        number("activity_percent", &[("%activity", 1.0), ("%event", 1.0)]),
        number("avg_active_sessions", &[("avgactivesessions", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn releases_share_their_columns() {
        let report = html(
            "Top User Events",
            &["Event", "Event Class", "% Event", "Avg Active Sessions"],
            &[&["log file sync", "Commit", "40.5", "57.5"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            ["event=log file sync wait_class=Commit activity_percent=40.5 avg_active_sessions=57.5"]
        );
        let report = html(
            "Top Events",
            &["Event", "Event Class", "Session Type", "% Activity", "Avg Active Sessions"],
            &[&["CPU", "CPU", "FOREGROUND", "87.5", "0.5"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "event=CPU wait_class=CPU session_type=FOREGROUND activity_percent=87.5 avg_active_sessions=0.5"
            ]
        );
    }
}
