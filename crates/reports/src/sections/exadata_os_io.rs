use super::view::{Shape, View, bytes, number, text};
use crate::value::{MIB};

/// Requests and traffic of cells and their disks, as the cells' system counts them.
pub static VIEW: View = View {
    name: "exadata_os_io",
    about: "a cell's or a disk's requests, traffic and utilization",
    titles: &["exadataosiostatistics-topcells", "exadataosiostatistics-topdisks"],
    shape: Shape::Rows,
    columns: &[
        text("disk_type", &[("disktype", 1.0)]).carried(),
        text("cell", &[("cellname", 1.0)]).carried(),
        text("disk", &[("diskname", 1.0)]),
        number("ios_percent", &[("iops%total", 1.0)]),
        number("ios_per_s", &[("iopsavg", 1.0)]),
        number("bytes_percent", &[("iomb/s%total", 1.0)]),
        bytes("bytes_per_s", &[("iomb/savg", MIB)]),
        number("utilization_percent", &[("%diskutilizationavg", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn utilization_stands_by_the_cell() {
        let report = html(
            "Exadata OS IO Statistics - Top Cells",
            &[
                "Disk Type",
                "Cell Name",
                "IOPs %Total",
                "IOPs Avg",
                "IO MB/s %Total",
                "IO MB/s Avg",
                "%Disk Utilization Avg",
            ],
            &[&["F/2.9T", "cel02", "33.5", "17.5", "33.25", "2.0", "9.5"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "disk_type=F/2.9T cell=cel02 ios_percent=33.5 ios_per_s=17.5 bytes_percent=33.25 bytes_per_s=2097152 utilization_percent=9.5"
            ]
        );
    }
}
