use super::view::{Shape, View};
use super::waits;

/// Waits of sessions that work for clients.
pub static VIEW: View = View {
    name: "foreground_waits",
    about: "an event that sessions of clients waited for",
    titles: &["foregroundwaitevents", "foregroundwaitevents(global)"],
    shape: Shape::Rows,
    columns: waits::COLUMNS,
};

#[cfg(test)]
mod tests {
    use super::VIEW;
    use crate::sections::testing::{html, rows};

    #[test]
    fn instances_of_a_cluster_are_summed_up() {
        let heads =
            ["Wait Event", "Event Waits", "Event %Timeouts", "Wait Time Total(s)", "Wait Time Avg Wait"];
        let more = ["Wait Time %DB time", "Summary Avg Wait Time Avg", "Summary Avg Wait Time Std Dev"];
        let cells = ["gc cr grant 2-way", "14,300", "0.00", "4.68", "327.59us", "0.13", "329.52us", "18ns"];
        let page = html("Foreground Wait Events (Global)", &[&heads[..], &more[..]].concat(), &[&cells]);
        let row = "event=gc cr grant 2-way waits=14300 timeouts_percent=0 total_wait_s=4.68 avg_wait_us=327.59 \
                   db_time_percent=0.13 instances_avg_us=329.52 instances_stddev_us=0.018";
        assert_eq!(rows(&VIEW, &page), [row]);
    }
}
