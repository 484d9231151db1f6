use super::view::{Shape, View, microseconds, number, seconds, text};

/// Locks.
pub static VIEW: View = View {
    name: "enqueues",
    about: "requests for a kind of lock and waits for it",
    titles: &["enqueueactivity"],
    shape: Shape::Rows,
    columns: &[
        text("enqueue", &[("enqueuetype(requestreason)", 1.0), ("eq", 1.0)]),
        number("requests", &[("requests", 1.0)]),
        number("gets", &[("succgets", 1.0)]),
        number("failed_gets", &[("failedgets", 1.0)]),
        number("waits", &[("waits", 1.0)]),
        seconds("total_wait_s", &[("wttime(s)", 1.0), ("waittime(s)", 1.0)]),
        microseconds("avg_wait_us", &[("avwttime(ms)", 1e3), ("avgwttime(ms)", 1e3)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn columns_stand_in_any_order() {
        let report = html(
            "Enqueue activity",
            &["Eq", "Requests", "Succ Gets", "Failed Gets", "Waits", "Avg Wt Time (ms)", "Wait Time (s)"],
            &[&["TX", "489", "480", "9", "4", "1.50", "6"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            ["enqueue=TX requests=489 gets=480 failed_gets=9 waits=4 total_wait_s=6 avg_wait_us=1500"]
        );
    }
}
