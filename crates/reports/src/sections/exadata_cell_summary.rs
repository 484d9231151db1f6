use super::view::{Shape, View, bytes, microseconds, number, text};
use crate::value::{MIB};

/// Traffic and latency of cells by kind of disk.
pub static VIEW: View = View {
    name: "exadata_cell_summary",
    about: "a kind of disk's requests, traffic and latency, in all and in a cell on average",
    titles: &["celli/osummary"],
    shape: Shape::Rows,
    columns: &[
        text("disk_type", &[("disktype", 1.0)]),
        number("cells", &[("#cells", 1.0)]),
        number("disks", &[("#disks", 1.0)]),
        number("ios_per_s", &[("iopstotal", 1.0)]),
        number("cell_ios_per_s", &[("iopspercellaverage", 1.0)]),
        number("cell_small_reads_per_s", &[("iopspercellsmallreads", 1.0)]),
        number("cell_small_writes_per_s", &[("iopspercellsmallwrites", 1.0)]),
        number("cell_large_reads_per_s", &[("iopspercelllargereads", 1.0)]),
        number("cell_large_writes_per_s", &[("iopspercelllargewrites", 1.0)]),
        bytes("bytes_per_s", &[("iomb/stotal", MIB)]),
        bytes("cell_bytes_per_s", &[("iomb/spercellaverage", MIB)]),
        microseconds("cell_latency_us", &[("latencypercellaverage", 1.0)]),
        microseconds("cell_small_read_latency_us", &[("latencypercellsmallreads", 1.0)]),
        microseconds("cell_small_write_latency_us", &[("latencypercellsmallwrites", 1.0)]),
        microseconds("cell_large_read_latency_us", &[("latencypercelllargereads", 1.0)]),
        microseconds("cell_large_write_latency_us", &[("latencypercelllargewrites", 1.0)]),
        number("utilization_percent", &[("%diskutilization", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn a_heading_over_two_cells_names_the_number() {
        let report = html(
            "Cell I/O Summary",
            &[
                "Disk Type",
                "#Cells",
                "#Disks",
                "IOPs Total",
                "IOPs per Cell Average",
                "IOPs per Cell Average",
                "IO MB/s Total",
                "Latency per Cell Average",
            ],
            &[&["H/8.9T", "3", "36", "33,252.5", "*", "11,084.25", "2.0", "2.5ms"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "disk_type=H/8.9T cells=3 disks=36 ios_per_s=33252.5 cell_ios_per_s=11084.25 bytes_per_s=2097152 cell_latency_us=2500"
            ]
        );
    }
}
