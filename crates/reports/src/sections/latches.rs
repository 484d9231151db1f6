use super::view::{Shape, View, number, seconds, text};

/// Latches.
pub static VIEW: View = View {
    name: "latches",
    about: "requests for a latch",
    titles: &["latchactivity"],
    shape: Shape::Rows,
    columns: &[
        text("latch", &[("latchname", 1.0), ("latch", 1.0)]),
        number("gets", &[("getrequests", 1.0)]),
        number("misses_percent", &[("pctgetmiss", 1.0)]),
        number("sleeps_per_miss", &[("avgslps/miss", 1.0)]),
        seconds("total_wait_s", &[("waittime(s)", 1.0)]),
        number("no_wait_gets", &[("nowaitrequests", 1.0)]),
        number("no_wait_misses_percent", &[("pctnowaitmiss", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn requests_stand_by_the_latch() {
        let report = html(
            "Latch Activity",
            &[
                "Latch",
                "Get Requests",
                "Pct Get Miss",
                "Avg Slps /Miss",
                "Wait Time (s)",
                "NoWait Requests",
                "Pct NoWait Miss",
            ],
            &[&["shared pool", "6,479", "0.5", "", "3", "0", ""]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            ["latch=shared pool gets=6479 misses_percent=0.5 total_wait_s=3 no_wait_gets=0"]
        );
    }
}
