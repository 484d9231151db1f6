use super::view::{Shape, View, microseconds, number, text};

/// Blocks that came from other instances.
pub static VIEW: View = View {
    name: "rac_transfer",
    about: "blocks of a class that came from an instance, and how long they took",
    titles: &[
        "globalcachetransferstats",
        "globalcachetransferstatistics",
        "globalcachetransfertimes(ms)",
        "globalcachetransfertimes(us)",
    ],
    shape: Shape::Rows,
    columns: &[
        text(
            "source_instance",
            &[("instance#src", 1.0), ("instno", 1.0), ("srcinst#", 1.0), ("srcinst", 1.0)],
        ),
        text("destination_instance", &[("instance#dest", 1.0)]).about("in reports of a cluster"),
        text("block_class", &[("blockclass", 1.0)]),
        number("cr_blocks_received", &[("crblocksreceived", 1.0), ("blocksreceived", 1.0)]),
        number("cr_immediate_percent", &[("cr%immed", 1.0), ("crblocks%immed", 1.0)]),
        number("cr_busy_percent", &[("cr%busy", 1.0), ("crblocks%busy", 1.0), ("%busy", 1.0)]),
        number("cr_congested_percent", &[("cr%congst", 1.0), ("crblocks%cngst", 1.0), ("%congst", 1.0)]),
        number("current_blocks_received", &[("currentblocksreceived", 1.0), ("blocksreceived@2", 1.0)]),
        number("current_immediate_percent", &[("current%immed", 1.0), ("currentblocks%immed", 1.0)]),
        number(
            "current_busy_percent",
            &[("current%busy", 1.0), ("currentblocks%busy", 1.0), ("%busy@2", 1.0)],
        ),
        number(
            "current_congested_percent",
            &[("current%congst", 1.0), ("currentblocks%cngst", 1.0), ("%congst@2", 1.0)],
        ),
        microseconds("cr_avg_us", &[("cravgtime(ms)all", 1e3), ("cravgtime(us)all", 1.0), ("all", 1e3)]),
        microseconds(
            "cr_immediate_avg_us",
            &[("cravgtime(ms)immed", 1e3), ("cravgtime(us)immed", 1.0), ("cravgimmed", 1e3)],
        ),
        microseconds(
            "cr_busy_avg_us",
            &[("cravgtime(ms)busy", 1e3), ("cravgtime(us)busy", 1.0), ("time(ms)busy", 1e3)],
        ),
        microseconds(
            "cr_congested_avg_us",
            &[
                ("cravgtime(ms)congst", 1e3),
                ("cravgtime(us)congst", 1.0),
                ("cravgtime(ms)cngst", 1e3),
                ("cravgtime(us)cngst", 1.0),
                ("congst", 1e3),
            ],
        ),
        microseconds(
            "current_avg_us",
            &[("currentavgtime(ms)all", 1e3), ("currentavgtime(us)all", 1.0), ("all@2", 1e3)],
        ),
        microseconds(
            "current_immediate_avg_us",
            &[("currentavgtime(ms)immed", 1e3), ("currentavgtime(us)immed", 1.0), ("currentavgimmed", 1e3)],
        ),
        microseconds(
            "current_busy_avg_us",
            &[("currentavgtime(ms)busy", 1e3), ("currentavgtime(us)busy", 1.0), ("timebusy", 1e3)],
        ),
        microseconds(
            "current_congested_avg_us",
            &[
                ("currentavgtime(ms)congst", 1e3),
                ("currentavgtime(us)congst", 1.0),
                ("currentavgtime(ms)cngst", 1e3),
                ("currentavgtime(us)cngst", 1.0),
                ("(ms)congst", 1e3),
            ],
        ),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn counts_and_times_of_html_and_text_share_their_columns() {
        let report = html(
            "Global Cache Transfer Stats",
            &[
                "Inst No",
                "Block Class",
                "CR Blocks Received",
                "CR % Immed",
                "CR % Busy",
                "CR % Congst",
                "Current Blocks Received",
            ],
            &[&["2", "data block", "148", "96.6", "3.4", "0.0", "333"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "source_instance=2 block_class=data block cr_blocks_received=148 cr_immediate_percent=96.6 cr_busy_percent=3.4 cr_congested_percent=0 current_blocks_received=333"
            ]
        );
        let report = html(
            "Global Cache Transfer Times (ms)",
            &[
                "Inst No",
                "Block Class",
                "All",
                "CR Avg Immed",
                "Time (ms) Busy",
                "Congst",
                "All",
                "Current Avg Immed",
                "Time Busy",
                "(ms) Congst",
            ],
            &[&["2", "data block", "1.0", "0.9", "4.4", "N/A", "1.6", "0.7", "6.0", "8.0"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "source_instance=2 block_class=data block cr_avg_us=1000 cr_immediate_avg_us=900 cr_busy_avg_us=4400 current_avg_us=1600 current_immediate_avg_us=700 current_busy_avg_us=6000 current_congested_avg_us=8000"
            ]
        );
    }
}
