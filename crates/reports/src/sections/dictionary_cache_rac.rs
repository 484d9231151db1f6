use super::view::{Shape, View, number, text};

/// The cache of the dictionary in a cluster.
pub static VIEW: View = View {
    name: "dictionary_cache_rac",
    about: "locks of the cluster for a part of the dictionary",
    titles: &["dictionarycachestats(rac)"],
    shape: Shape::Rows,
    columns: &[
        text("cache", &[("cache", 1.0)]),
        number("ges_requests", &[("gesrequests", 1.0)]),
        number("ges_conflicts", &[("gesconflicts", 1.0)]),
        number("ges_releases", &[("gesreleases", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn locks_stand_by_the_cache() {
        let report = html(
            "Dictionary Cache Stats (RAC)",
            &["Cache", "GES Requests", "GES Conflicts", "GES Releases"],
            &[&["dc_files", "14", "2", "6"]],
        );
        assert_eq!(rows(&VIEW, &report), ["cache=dc_files ges_requests=14 ges_conflicts=2 ges_releases=6"]);
    }
}
