use super::view::{Shape, View, microseconds, text};

/// Latency of cells and their disks, as the cells' server measures it.
pub static VIEW: View = View {
    name: "exadata_cell_latency",
    about: "a cell's or a disk's average latency",
    titles: &["exadatacellserveriolatency-topcells", "exadatacellserveriolatency-topdisks"],
    shape: Shape::Rows,
    columns: &[
        text("disk_type", &[("disktype", 1.0)]).carried(),
        text("cell", &[("cellname", 1.0)]).carried(),
        text("disk", &[("diskname", 1.0)]),
        microseconds("avg_us", &[("averagetimescelllatency", 1.0)]),
        microseconds("small_read_avg_us", &[("averagetimessmallread", 1.0)]),
        microseconds("small_write_avg_us", &[("averagetimessmallwrite", 1.0)]),
        microseconds("large_read_avg_us", &[("averagetimeslargeread", 1.0)]),
        microseconds("large_write_avg_us", &[("averagetimeslargewrite", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn times_are_in_microseconds() {
        let report = html(
            "Exadata Cell Server IO Latency - Top Cells",
            &["Disk Type", "Cell Name", "Average Times Cell Latency", "Average Times Large Write"],
            &[&["F/2.9T", "cel02", "621.5us", "2.5ms"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            ["disk_type=F/2.9T cell=cel02 avg_us=621.5 large_write_avg_us=2500"]
        );
    }
}
