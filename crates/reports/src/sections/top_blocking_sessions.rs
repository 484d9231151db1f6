use super::view::{Shape, View, number, text};

/// Sessions that others waited for, from samples of active sessions.
pub static VIEW: View = View {
    name: "top_blocking_sessions",
    about: "a session that others waited for, and in which event",
    titles: &["topblockingsessions"],
    shape: Shape::Rows,
    columns: &[
        text("blocking_session", &[("blockingsid(inst)", 1.0)]).carried(),
        number("activity_percent", &[("%activity", 1.0)]).carried(),
        text("event", &[("eventcaused", 1.0)]),
        number("event_percent", &[("%event", 1.0)]),
        text("user_name", &[("user", 1.0)]).carried(),
        text("program", &[("program", 1.0)]).carried(),
        text("samples_active", &[("#samplesactive", 1.0)]),
        text("transactions", &[("xids", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn a_blocker_stands_by_what_it_caused() {
        let report = html(
            "Top Blocking Sessions",
            &[
                "Blocking Sid (Inst)",
                "% Activity",
                "Event Caused",
                "% Event",
                "User",
                "Program",
                "# Samples Active",
                "XIDs",
            ],
            &[&["32,1(1)", "41.5", "log file sync", "40.0", "SYS", "LGWR", "17/18 [ 98%]", "0"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "blocking_session=32,1(1) activity_percent=41.5 event=log file sync event_percent=40 user_name=SYS program=LGWR samples_active=17/18 [ 98%] transactions=0"
            ]
        );
    }
}
