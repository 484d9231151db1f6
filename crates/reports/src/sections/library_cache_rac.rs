use super::view::{Shape, View, number, text};

/// The library cache in a cluster.
pub static VIEW: View = View {
    name: "library_cache_rac",
    about: "locks of the cluster for a kind of objects in the library cache",
    titles: &["librarycacheactivity(rac)"],
    shape: Shape::Rows,
    columns: &[
        text("namespace", &[("namespace", 1.0)]),
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
    fn locks_stand_by_the_namespace() {
        let report = html(
            "Library Cache Activity (RAC)",
            &[
                "Namespace",
                "GES Lock Requests",
                "GES Pin Requests",
                "GES Pin Releases",
                "GES Inval Requests",
                "GES Invali- dations",
            ],
            &[&["BODY", "1", "836", "835", "2", "3"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "namespace=BODY ges_lock_requests=1 ges_pin_requests=836 ges_pin_releases=835 ges_invalidation_requests=2 ges_invalidations=3"
            ]
        );
    }
}
