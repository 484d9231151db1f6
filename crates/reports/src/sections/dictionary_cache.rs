use super::view::{Shape, View, number, text};

/// The cache of the dictionary.
pub static VIEW: View = View {
    name: "dictionary_cache",
    about: "requests for a part of the dictionary",
    titles: &["dictionarycachestats"],
    shape: Shape::Rows,
    columns: &[
        text("cache", &[("cache", 1.0)]),
        number("gets", &[("getrequests", 1.0)]),
        number("misses_percent", &[("pctmiss", 1.0)]),
        number("scans", &[("scanreqs", 1.0)]),
        number("scan_misses_percent", &[("pctmiss@2", 1.0)]),
        number("modifications", &[("modreqs", 1.0)]),
        number("usage", &[("finalusage", 1.0)]).about("entries at the end"),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn both_columns_of_misses_are_kept_apart() {
        let report = html(
            "Dictionary Cache Stats",
            &["Cache", "Get Requests", "Pct Miss", "Scan Reqs", "Pct Miss", "Mod Reqs", "Final Usage"],
            &[&["dc_files", "568", "1.5", "2", "50.0", "3", "560"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "cache=dc_files gets=568 misses_percent=1.5 scans=2 scan_misses_percent=50 modifications=3 usage=560"
            ]
        );
    }
}
