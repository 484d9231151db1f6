use super::view::{Shape, View, number, text};

/// CPU use of cells.
pub static VIEW: View = View {
    name: "exadata_os_cpu",
    about: "a cell's use of its CPUs",
    titles: &["exadataoscpustatistics-topcells"],
    shape: Shape::Rows,
    columns: &[
        text("cell", &[("cellname", 1.0)]),
        number("cpu_percent", &[("%cpu", 1.0)]),
        number("user_percent", &[("%user", 1.0)]),
        number("system_percent", &[("%sys", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn shares_stand_by_the_cell() {
        let report = html(
            "Exadata OS CPU Statistics - Top Cells",
            &["Cell Name", "% CPU", "% User", "% Sys"],
            &[&["cel01", "18.5", "14.5", "4.0"]],
        );
        assert_eq!(rows(&VIEW, &report), ["cell=cel01 cpu_percent=18.5 user_percent=14.5 system_percent=4"]);
    }
}
