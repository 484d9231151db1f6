use super::view::{Shape, View, number, text};

/// Where blocks were found.
pub static VIEW: View = View {
    name: "rac_efficiency",
    about: "where blocks were found, in percent",
    titles: &["globalcacheefficiencypercentages(targetlocal+remote#%)", "globalcacheefficiencypercentages"],
    shape: Shape::Pairs(&[]),
    columns: &[text("statistic", &[("*", 1.0)]), number("percent", &[("*", 1.0)])],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn an_instance_and_a_cluster_say_the_same() {
        let report = html(
            "Global Cache Efficiency Percentages (Target local+remote 100%)",
            &[],
            &[&["Buffer access -  local cache %:", "95.88"]],
        );
        assert_eq!(rows(&VIEW, &report), ["statistic=Buffer access -  local cache % percent=95.88"]);
        let report = html(
            "Global Cache Efficiency Percentages",
            &["I#", "Buffer Access Local %", "Locality %"],
            &[&["2", "97.2", "99.7"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "instance_number=2 statistic=Buffer Access Local % percent=97.2",
                "instance_number=2 statistic=Locality % percent=99.7"
            ]
        );
    }
}
