use super::view::{Shape, View, bytes, number, text};
use crate::value::{MIB};

/// AWR Miner's statistics of the system.
pub static VIEW: View = View {
    name: "miner_sysstat",
    about: "reads and their traffic in a snapshot",
    titles: &["sysstat"],
    shape: Shape::Rows,
    columns: &[
        text("snap_id", &[("snap_id", 1.0), ("snap", 1.0)]),
        number("cell_flash_hits", &[("cell_flash_hits", 1.0)]),
        number("reads_per_s", &[("read_iops", 1.0)]),
        bytes("read_bytes", &[("read_mb", MIB)]),
        bytes("optimized_read_bytes", &[("read_mb_opt", MIB)]),
        bytes("cell_interconnect_bytes", &[("cell_int_mb", MIB)]),
        bytes("smart_scan_bytes", &[("cell_int_ss_mb", MIB)]),
        number("compressed_row_changes", &[("ehcc_con_dmls", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::rows;
    use super::VIEW;

    #[test]
    fn megabytes_become_bytes() {
        let report = [
            "~~BEGIN-SYSSTAT~~",
            "",
            "SNAP_ID cell_flash_hits read_iops read_mb cell_int_mb",
            "------- --------------- --------- ------- -----------",
            "    800               1      18.5       2           4",
            "~~END-SYSSTAT~~",
        ]
        .join("\n");
        assert_eq!(
            rows(&VIEW, &report),
            [
                "snap_id=800 cell_flash_hits=1 reads_per_s=18.5 read_bytes=2097152 cell_interconnect_bytes=4194304"
            ]
        );
    }
}
