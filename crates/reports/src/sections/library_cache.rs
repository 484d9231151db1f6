use super::view::{Shape, View, number, text};

/// The library cache.
pub static VIEW: View = View {
    name: "library_cache",
    about: "requests for a kind of objects in the library cache",
    titles: &["librarycacheactivity"],
    shape: Shape::Rows,
    columns: &[
        text("namespace", &[("namespace", 1.0)]),
        number("gets", &[("getrequests", 1.0)]),
        number("misses_percent", &[("pctmiss", 1.0)]),
        number("pins", &[("pinrequests", 1.0)]),
        number("pin_misses_percent", &[("pctmiss@2", 1.0)]),
        number("reloads", &[("reloads", 1.0)]),
        number("invalidations", &[("invali-dations", 1.0)]),
        number("ges_lock_requests", &[("geslockrequests", 1.0)]),
        number("ges_pin_requests", &[("gespinrequests", 1.0)]),
        number("ges_pin_releases", &[("gespinreleases", 1.0)]),
        number("ges_invalidation_requests", &[("gesinvalrequests", 1.0)]),
        number("ges_invalidations", &[("gesinvali-dations", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn a_cluster_says_its_locks_beside() {
        let report = html(
            "Library Cache Activity",
            &[
                "Namespace",
                "Get Requests",
                "Pct Miss",
                "Pin Requests",
                "Pct Miss",
                "Reloads",
                "Invali- dations",
                "GES Lock Requests",
                "GES Invali- dations",
            ],
            &[&["BODY", "74", "1.0", "140", "2.0", "3", "4", "5", "6"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "namespace=BODY gets=74 misses_percent=1 pins=140 pin_misses_percent=2 reloads=3 invalidations=4 ges_lock_requests=5 ges_invalidations=6"
            ]
        );
    }
}
