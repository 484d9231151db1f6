use super::view::{Shape, View, number, text};

/// How much the caches of cells saved.
pub static VIEW: View = View {
    name: "exadata_cache_savings",
    about: "how much a cache of the cells saved, in percent",
    titles: &["cachesavings"],
    shape: Shape::Pairs(&[]),
    columns: &[text("saving", &[]), number("percent", &[])],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn labels_stand_before_their_numbers() {
        let report = html("Cache Savings", &[], &[&["Database Flash Cache Hit %", "99.5"]]);
        assert_eq!(rows(&VIEW, &report), ["saving=Database Flash Cache Hit % percent=99.5"]);
    }
}
