use super::view::{Shape, View, number, text};

/// Requests of cells and their disks, as the cells' server counts them.
pub static VIEW: View = View {
    name: "exadata_cell_ios",
    about: "a cell's or a disk's requests by second",
    titles: &["exadatacellserveriopsstatistics-topcells", "exadatacellserveriops-topdisks"],
    shape: Shape::Rows,
    columns: &[
        text("disk_type", &[("disktype", 1.0)]).carried(),
        text("cell", &[("cellname", 1.0)]).carried(),
        text("disk", &[("diskname", 1.0)]),
        number("total_percent", &[("iops%total", 1.0)]),
        number("ios_per_s", &[("iopsaverage", 1.0)]),
        number("small_reads_per_s", &[("averagepersecondsmallreads", 1.0)]),
        number("small_writes_per_s", &[("averagepersecondsmallwrites", 1.0)]),
        number("large_reads_per_s", &[("averagepersecondlargereads", 1.0)]),
        number("large_writes_per_s", &[("averagepersecondlargewrites", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn a_kind_of_disk_holds_below() {
        let report = html(
            "Exadata Cell Server IOPS Statistics - Top Cells",
            &["Disk Type", "Cell Name", "IOPs % Total", "IOPs Average", "Average Per Second Small Reads"],
            &[&["F/2.9T", "cel02", "33.5", "17.5", "3.5"], &["", "cel03", "33.25", "17.25", "3.25"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "disk_type=F/2.9T cell=cel02 total_percent=33.5 ios_per_s=17.5 small_reads_per_s=3.5",
                "disk_type=F/2.9T cell=cel03 total_percent=33.25 ios_per_s=17.25 small_reads_per_s=3.25"
            ]
        );
    }
}
