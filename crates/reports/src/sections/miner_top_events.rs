use super::view::{Shape, View, number, text};

/// AWR Miner's events that took longest.
pub static VIEW: View = View {
    name: "miner_top_events",
    about: "an event that took long in a snapshot",
    titles: &["top-n-timed-events"],
    shape: Shape::Rows,
    columns: &[
        text("snap_id", &[("snap_id", 1.0), ("snap", 1.0)]),
        text("wait_class", &[("wait_class", 1.0)]),
        text("event", &[("event_name", 1.0)]),
        number("db_time_percent", &[("pctdbt", 1.0)]),
        number("total_wait", &[("total_time_s", 1.0)])
            .about("as printed: seconds, but microseconds in some versions of AWR Miner"),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::rows;
    use super::VIEW;

    #[test]
    fn shares_stand_by_the_event() {
        let report = [
            "~~BEGIN-TOP-N-TIMED-EVENTS~~",
            "",
            "SNAP_ID WAIT_CLASS EVENT_NAME              PCTDBT TOTAL_TIME_S",
            "------- ---------- ----------------------- ------ ------------",
            "    800 User I/O   db file sequential read   62.5          275",
            "~~END-TOP-N-TIMED-EVENTS~~",
        ]
        .join("\n");
        assert_eq!(
            rows(&VIEW, &report),
            [
                "snap_id=800 wait_class=User I/O event=db file sequential read db_time_percent=62.5 total_wait=275"
            ]
        );
    }
}
