use super::view::{Shape, View, bytes, number, text};
use crate::value::{MIB};

/// Traffic of cells and their disks, as the cells' server counts it.
pub static VIEW: View = View {
    name: "exadata_cell_throughput",
    about: "a cell's or a disk's traffic by second",
    titles: &["exadatacellserveriomb/sstatistics-topcells", "exadatacellserveriomb/s-topdisks"],
    shape: Shape::Rows,
    columns: &[
        text("disk_type", &[("disktype", 1.0)]).carried(),
        text("cell", &[("cellname", 1.0)]).carried(),
        text("disk", &[("diskname", 1.0)]),
        number("total_percent", &[("iomb/s%total", 1.0)]),
        bytes("bytes_per_s", &[("iomb/saverage", MIB)]),
        bytes("small_reads_bytes_per_s", &[("averagemb/ssmallreads", MIB)]),
        bytes("small_writes_bytes_per_s", &[("averagemb/ssmallwrites", MIB)]),
        bytes("large_reads_bytes_per_s", &[("averagemb/slargereads", MIB)]),
        bytes("large_writes_bytes_per_s", &[("averagemb/slargewrites", MIB)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn megabytes_become_bytes() {
        let report = html(
            "Exadata Cell Server IO MB/s - Top Disks",
            &[
                "Disk Type",
                "Cell Name",
                "Disk Name",
                "IO MB/s %Total",
                "IO MB/s Average",
                "Average MB/s Large Writes",
            ],
            &[&["F/2.9T", "cel02", "FD_00", "33.5", "2.0", "1.0"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "disk_type=F/2.9T cell=cel02 disk=FD_00 total_percent=33.5 bytes_per_s=2097152 large_writes_bytes_per_s=1048576"
            ]
        );
    }
}
