use super::view::{Shape, View, bytes, microseconds, number, seconds, text};
use crate::value::{MIB};

/// AWR Miner's main metrics.
pub static VIEW: View = View {
    name: "miner_main_metrics",
    about: "what the database did in a snapshot, as AWR Miner puts it",
    titles: &["main-metrics"],
    shape: Shape::Rows,
    columns: &[
        text("snap_id", &[("snap_id", 1.0), ("snap", 1.0)]),
        seconds("duration_s", &[("dur_m", 60.0)]),
        text("end_time", &[("end", 1.0)]).about("year, month and day with two digits each"),
        number("host_cpu_percent", &[("os_cpu", 1.0)]),
        number("host_cpu_max_percent", &[("os_cpu_max", 1.0)]),
        number("host_cpu_std_dev_percent", &[("os_cpu_sd", 1.0)]),
        number("db_wait_ratio_percent", &[("db_wait_ratio", 1.0)]),
        number("db_cpu_ratio_percent", &[("db_cpu_ratio", 1.0)]),
        number("cpu_per_s", &[("cpu_per_s", 1.0)]),
        number("host_cpu_per_s", &[("h_cpu_per_s", 1.0)]),
        number("avg_active_sessions", &[("aas", 1.0)]),
        number("avg_active_sessions_max", &[("aas_max", 1.0)]),
        number("db_time", &[("db_time", 1.0)]),
        microseconds("sql_response_us", &[("sql_res_t_cs", 1e4)]),
        number("background_time_per_s", &[("bkgd_t_per_s", 1.0)]),
        number("logons_per_s", &[("logons_s", 1.0)]),
        number("logons", &[("logons_total", 1.0)]),
        number("executions_per_s", &[("exec_s", 1.0)]),
        number("hard_parses_per_s", &[("hard_p_s", 1.0)]),
        number("logical_reads_per_s", &[("l_reads_s", 1.0)]),
        number("commits_per_s", &[("commits_s", 1.0)]),
        bytes("read_bytes_per_s", &[("read_mb_s", MIB)]),
        bytes("read_bytes_per_s_max", &[("read_mb_s_max", MIB)]),
        number("reads_per_s", &[("read_iops", 1.0)]),
        number("reads_per_s_max", &[("read_iops_max", 1.0)]),
        number("read_blocks_per_s", &[("read_bks", 1.0)]),
        number("direct_read_blocks_per_s", &[("read_bks_direct", 1.0)]),
        number("direct_reads_per_s", &[("read_iops_direct", 1.0)]),
        number("direct_reads_per_s_max", &[("read_iops_direct_max", 1.0)]),
        bytes("write_bytes_per_s", &[("write_mb_s", MIB)]),
        bytes("write_bytes_per_s_max", &[("write_mb_s_max", MIB)]),
        number("writes_per_s", &[("write_iops", 1.0)]),
        number("writes_per_s_max", &[("write_iops_max", 1.0)]),
        number("write_blocks_per_s", &[("write_bks", 1.0)]),
        number("direct_write_blocks_per_s", &[("write_bks_direct", 1.0)]),
        number("direct_writes_per_s", &[("write_iops_direct", 1.0)]),
        number("direct_writes_per_s_max", &[("write_iops_direct_max", 1.0)]),
        bytes("redo_bytes_per_s", &[("redo_mb_s", MIB)]),
        number("block_gets_per_s", &[("db_block_gets_s", 1.0)]),
        number("block_changes_per_s", &[("db_block_changes_s", 1.0)]),
        number("cr_blocks_received_per_s", &[("gc_cr_rec_s", 1.0)]),
        number("current_blocks_received_per_s", &[("gc_cu_rec_s", 1.0)]),
        microseconds("cr_get_us", &[("gc_cr_get_cs", 1e4)]),
        microseconds("current_get_us", &[("gc_cu_get_cs", 1e4)]),
        number("blocks_corrupted", &[("gc_bk_corrupted", 1.0)]),
        number("blocks_lost", &[("gc_bk_lost", 1.0)]),
        number("parallel_sessions", &[("px_sess", 1.0)]),
        number("serial_sessions", &[("se_sess", 1.0)]),
        microseconds("single_block_read_us", &[("s_blk_r_lat", 1e3)]),
        bytes("cell_interconnect_bytes", &[("cell_io_int_mb", MIB)]),
        bytes("cell_interconnect_bytes_max", &[("cell_io_int_mb_max", MIB)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::rows;
    use super::VIEW;

    #[test]
    fn units_of_headings_are_read() {
        let report = [
            "~~BEGIN-MAIN-METRICS~~",
            "",
            "snap dur_m            end inst os_cpu read_mb_s read_iops s_blk_r_lat",
            "---- ----- -------------- ---- ------ --------- --------- -----------",
            "   7    10 13/05/09 13:52    2    8.5         2      11.5         3.5",
            "~~END-MAIN-METRICS~~",
        ]
        .join("\n");
        assert_eq!(
            rows(&VIEW, &report),
            [
                "instance_number=2 snap_id=7 duration_s=600 end_time=13/05/09 13:52 host_cpu_percent=8.5 read_bytes_per_s=2097152 reads_per_s=11.5 single_block_read_us=3500"
            ]
        );
    }
}
