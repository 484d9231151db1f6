use super::view::{Shape, View, number, text};

/// The host at each snapshot.
pub static VIEW: View = View {
    name: "os_statistics_detail",
    about: "the host's load at a snapshot, and its processors since the one before",
    titles: &["operatingsystemstatistics-detail", "osstatistics-detail"],
    shape: Shape::Rows,
    columns: &[
        text("snap_time", &[("snaptime", 1.0), ("snapshotdaytime", 1.0)]).about("as printed, without a year"),
        number("snap_id", &[("snapid", 1.0)]),
        number("load", &[("load", 1.0)]),
        number("busy_percent", &[("%busy", 1.0)]),
        number("user_percent", &[("%user", 1.0)]),
        number("system_percent", &[("%sys", 1.0), ("%system", 1.0)]),
        number("idle_percent", &[("%idle", 1.0)]),
        number("io_wait_percent", &[("%iowait", 1.0), ("%wio", 1.0)]),
        number("cpu_wait_percent", &[("%wcpu", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::VIEW;
    use crate::sections::testing::{html, rows};

    #[test]
    fn the_first_snapshot_has_a_load_only() {
        let heads = ["Snap Time", "Load", "%busy", "%user", "%sys", "%idle", "%iowait"];
        let cells: [&[&str]; 2] = [
            &["15-Oct 18:30:16", "14.47", "", "", "", "", ""],
            &["15-Oct 19:30:32", "17.5", "92", "57", "35", "8", "3"],
        ];
        let expected = [
            "snap_time=15-Oct 18:30:16 load=14.47",
            "snap_time=15-Oct 19:30:32 load=17.5 busy_percent=92 user_percent=57 system_percent=35 idle_percent=8 io_wait_percent=3",
        ];
        assert_eq!(rows(&VIEW, &html("Operating System Statistics - Detail", &heads, &cells)), expected);
    }
}
