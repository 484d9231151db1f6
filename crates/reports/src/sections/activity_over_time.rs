use super::view::{Shape, View, number, text};

/// Activity over the time of the report, from samples of active sessions.
pub static VIEW: View = View {
    name: "activity_over_time",
    about: "an event in a stretch of time and its share of all activity",
    titles: &["activityovertime"],
    shape: Shape::Rows,
    columns: &[
        text("slot", &[("slottime(duration)", 1.0)]).carried().about("when it begins, and how long it is"),
        number("slot_samples", &[("slotcount", 1.0)]).carried(),
        text("event", &[("event", 1.0)]),
        number("event_samples", &[("eventcount", 1.0)]),
        number("event_percent", &[("%event", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn a_slot_holds_below() {
        let report = html(
            "Activity Over Time",
            &["Slot Time (Duration)", "Slot Count", "Event", "Event Count", "% Event"],
            &[
                &["07:45:00 (5.0 min)", "3,992", "log file sync", "1,676", "6.5"],
                &["", "", "CPU", "773", "3.0"],
            ],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "slot=07:45:00 (5.0 min) slot_samples=3992 event=log file sync event_samples=1676 event_percent=6.5",
                "slot=07:45:00 (5.0 min) slot_samples=3992 event=CPU event_samples=773 event_percent=3"
            ]
        );
    }
}
