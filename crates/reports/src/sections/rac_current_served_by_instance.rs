use super::view::{Shape, View, aggregate, number};

/// Current blocks that a cluster's instances served.
pub static VIEW: View = View {
    name: "rac_current_served_by_instance",
    about: "what each instance did to serve current blocks and how long it took",
    titles: &["globalcurrentserverstatistics", "currentblocksservedstatistics"],
    shape: Shape::Rows,
    columns: &[
        number("pins", &[("pins", 1.0)]),
        number("pins_under_100us_percent", &[("%<100us", 1.0)]),
        number("pins_under_1ms_percent", &[("%<1ms", 1.0)]),
        number("pins_under_10ms_percent", &[("%<10ms", 1.0)]),
        number("pins_under_100ms_percent", &[("%<100ms", 1.0)]),
        number("pins_under_1s_percent", &[("%<1s", 1.0)]),
        number("pins_under_10s_percent", &[("%<10s", 1.0)]),
        number("flushes", &[("flushes", 1.0)]),
        number("flushes_under_100us_percent", &[("%<100us@2", 1.0)]),
        number("flushes_under_1ms_percent", &[("%<1ms@2", 1.0)]),
        number("flushes_under_10ms_percent", &[("%<10ms@2", 1.0)]),
        number("flushes_under_100ms_percent", &[("%<100ms@2", 1.0)]),
        number("flushes_under_1s_percent", &[("%<1s@2", 1.0)]),
        number("flushes_under_10s_percent", &[("%<10s@2", 1.0)]),
        number("writes", &[("writes", 1.0)]),
        number("writes_under_100us_percent", &[("%<100us@3", 1.0)]),
        number("writes_under_1ms_percent", &[("%<1ms@3", 1.0)]),
        number("writes_under_10ms_percent", &[("%<10ms@3", 1.0)]),
        number("writes_under_100ms_percent", &[("%<100ms@3", 1.0)]),
        number("writes_under_1s_percent", &[("%<1s@3", 1.0)]),
        number("writes_under_10s_percent", &[("%<10s@3", 1.0)]),
        aggregate(),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn buckets_stand_behind_their_statistic() {
        let report = html(
            "Current Blocks Served Statistics",
            &["I#", "Pins", "% <1ms", "Flushes", "% <1ms"],
            &[&["1", "8", "75.00", "12", "50.0"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            ["instance_number=1 pins=8 pins_under_1ms_percent=75 flushes=12 flushes_under_1ms_percent=50"]
        );
    }
}
