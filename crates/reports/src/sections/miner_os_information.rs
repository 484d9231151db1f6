use super::view::{Shape, View, text};

/// AWR Miner's facts about the host.
pub static VIEW: View = View {
    name: "miner_os_information",
    about: "a fact about the host or the database, as AWR Miner puts it",
    titles: &["os-information"],
    shape: Shape::Rows,
    columns: &[text("statistic", &[("stat_name", 1.0)]), text("value", &[("stat_value", 1.0)])],
};

#[cfg(test)]
mod tests {
    use super::super::testing::rows;
    use super::VIEW;

    #[test]
    fn values_are_words() {
        let report = [
            "~~BEGIN-OS-INFORMATION~~",
            "",
            "STAT_NAME STAT_VALUE",
            "--------- ----------",
            "NUM_CPUS  8",
            "VERSION   11.2",
            "~~END-OS-INFORMATION~~",
        ]
        .join("\n");
        assert_eq!(rows(&VIEW, &report), ["statistic=NUM_CPUS value=8", "statistic=VERSION value=11.2"]);
    }
}
