use super::view::{Shape, View, number, text};

/// Current blocks that were served.
pub static VIEW: View = View {
    name: "rac_current_served",
    about: "what an instance did to serve current blocks and how long it took",
    titles: &["globalcurrentservedstats", "globalcurrentserverstatistics"],
    shape: Shape::Rows,
    columns: &[
        text("statistic", &[("statistic", 1.0)]),
        number("total", &[("total", 1.0)]),
        number("under_100us_percent", &[("%<100us", 1.0)]),
        number("under_1ms_percent", &[("%<1ms", 1.0)]),
        number("under_10ms_percent", &[("%<10ms", 1.0)]),
        number("under_100ms_percent", &[("%<100ms", 1.0)]),
        number("under_1s_percent", &[("%<1s", 1.0)]),
        number("under_10s_percent", &[("%<10s", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn buckets_stand_by_the_statistic() {
        let report = html(
            "Global CURRENT Served Stats",
            &["Statistic", "Total", "% <1ms", "% <10ms", "% <100ms", "% <1s", "% <10s"],
            &[&["Pins", "8", "75.00", "12.50", "0.00", "12.50", "0.00"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "statistic=Pins total=8 under_1ms_percent=75 under_10ms_percent=12.5 under_100ms_percent=0 under_1s_percent=12.5 under_10s_percent=0"
            ]
        );
    }
}
