use super::view::{Shape, View};
use super::waits;

/// Waits of the database's own processes.
pub static VIEW: View = View {
    name: "background_waits",
    about: "an event that processes of the database waited for",
    titles: &["backgroundwaitevents", "backgroundwaitevents(global)"],
    shape: Shape::Rows,
    columns: waits::COLUMNS,
};

#[cfg(test)]
mod tests {
    use super::VIEW;
    use crate::sections::testing::{html, rows};

    #[test]
    fn shares_are_of_background_time() {
        let heads = [
            "Event",
            "Waits",
            "%Time -outs",
            "Total Wait Time (s)",
            "Avg wait (ms)",
            "Waits /txn",
            "% bg time",
        ];
        let cells = ["log file parallel write", "263,324", "0", "1,159", "4", "0.51", "70.86"];
        let row = "event=log file parallel write waits=263324 timeouts_percent=0 total_wait_s=1159 avg_wait_us=4000 \
                   waits_per_txn=0.51 background_time_percent=70.86";
        assert_eq!(rows(&VIEW, &html("Background Wait Events", &heads, &[&cells])), [row]);
    }
}
