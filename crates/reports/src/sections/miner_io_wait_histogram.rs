use super::view::{Shape, View, microseconds, number, text};

/// AWR Miner's waits for I/O by their length.
pub static VIEW: View = View {
    name: "miner_io_wait_histogram",
    about: "how many waits of a snapshot were up to so long",
    titles: &["io-wait-histogram"],
    shape: Shape::Rows,
    columns: &[
        text("snap_id", &[("snap_id", 1.0), ("snap", 1.0)]),
        text("wait_class", &[("wait_class", 1.0)]),
        text("event", &[("event_name", 1.0)]),
        microseconds("up_to_us", &[("wait_time_milli", 1e3)]),
        number("waits", &[("wait_count", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::rows;
    use super::VIEW;

    #[test]
    fn milliseconds_become_microseconds() {
        let report = [
            "~~BEGIN-IO-WAIT-HISTOGRAM~~",
            "",
            "SNAP_ID WAIT_CLASS EVENT_NAME             WAIT_TIME_MILLI WAIT_COUNT",
            "------- ---------- ---------------------- --------------- ----------",
            "    800 User I/O   db file scattered read               2          8",
            "~~END-IO-WAIT-HISTOGRAM~~",
        ]
        .join("\n");
        assert_eq!(
            rows(&VIEW, &report),
            ["snap_id=800 wait_class=User I/O event=db file scattered read up_to_us=2000 waits=8"]
        );
    }
}
