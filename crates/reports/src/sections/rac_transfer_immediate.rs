use super::view::{Shape, View, microseconds, number, text};

/// Blocks that came from other instances at once.
pub static VIEW: View = View {
    name: "rac_transfer_immediate",
    about: "blocks of a class that came from an instance at once, by hops, and how long they took",
    titles: &["globalcachetransfer(immediate)", "globalcachetimes(immediate)"],
    shape: Shape::Rows,
    columns: &[
        text(
            "source_instance",
            &[("instance#src", 1.0), ("instno", 1.0), ("srcinst#", 1.0), ("srcinst", 1.0)],
        ),
        text("destination_instance", &[("instance#dest", 1.0)]).about("in reports of a cluster"),
        text("block_class", &[("blockclass", 1.0)]),
        number("blocks_lost", &[("blockslost", 1.0), ("lostblockscount", 1.0)]),
        microseconds("lost_time_us", &[("lostblockstime(ms)", 1e3), ("lostblockstime(us)", 1.0)]),
        number(
            "cr_blocks_received",
            &[("crimmedblksreceived", 1.0), ("immediatecrblocksreceived", 1.0), ("immedblksreceived", 1.0)],
        ),
        number("cr_two_hop_percent", &[("cr%2hop", 1.0), ("immediatecrblocks%2-hop", 1.0)]),
        number("cr_three_hop_percent", &[("cr%3hop", 1.0), ("immediatecrblocks%3-hop", 1.0), ("%3hop", 1.0)]),
        microseconds(
            "cr_immediate_avg_us",
            &[
                ("cravgtime(ms)immed", 1e3),
                ("cravgtime(us)immed", 1.0),
                ("immedcravgtime(ms)total", 1e3),
                ("immedcravgtime(us)total", 1.0),
                ("crimmed", 1e3),
            ],
        ),
        microseconds(
            "cr_two_hop_avg_us",
            &[
                ("cravgtime(ms)2hop", 1e3),
                ("cravgtime(us)2hop", 1.0),
                ("immedcravgtime(ms)2-hop", 1e3),
                ("immedcravgtime(us)2-hop", 1.0),
                ("avgtime2hop", 1e3),
            ],
        ),
        microseconds(
            "cr_three_hop_avg_us",
            &[
                ("cravgtime(ms)3hop", 1e3),
                ("cravgtime(us)3hop", 1.0),
                ("immedcravgtime(ms)3-hop", 1e3),
                ("immedcravgtime(us)3-hop", 1.0),
                ("(ms)3hop", 1e3),
            ],
        ),
        number(
            "current_blocks_received",
            &[
                ("currentimmedblksreceived", 1.0),
                ("immediatecurrentblocksreceived", 1.0),
                ("immedblksreceived@2", 1.0),
            ],
        ),
        number("current_two_hop_percent", &[("current%2hop", 1.0), ("immediatecurrentblocks%2-hop", 1.0)]),
        number(
            "current_three_hop_percent",
            &[("current%3hop", 1.0), ("immediatecurrentblocks%3-hop", 1.0), ("%3hop@2", 1.0)],
        ),
        microseconds(
            "current_immediate_avg_us",
            &[
                ("currentavgtime(ms)immed", 1e3),
                ("currentavgtime(us)immed", 1.0),
                ("immedcurrentavgtime(ms)total", 1e3),
                ("immedcurrentavgtime(us)total", 1.0),
                ("currentimmed", 1e3),
            ],
        ),
        microseconds(
            "current_two_hop_avg_us",
            &[
                ("currentavgtime(ms)2hop", 1e3),
                ("currentavgtime(us)2hop", 1.0),
                ("immedcurrentavgtime(ms)2-hop", 1e3),
                ("immedcurrentavgtime(us)2-hop", 1.0),
                ("avgtime2hop@2", 1e3),
            ],
        ),
        microseconds(
            "current_three_hop_avg_us",
            &[
                ("currentavgtime(ms)3hop", 1e3),
                ("currentavgtime(us)3hop", 1.0),
                ("immedcurrentavgtime(ms)3-hop", 1e3),
                ("immedcurrentavgtime(us)3-hop", 1.0),
                ("(ms)3hop@2", 1e3),
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
            "Global Cache Transfer (Immediate)",
            &["Src Inst#", "Block Class", "Blocks Lost", "CR Immed Blks Received", "CR % 2hop", "CR % 3hop"],
            &[&["2", "data block", "0", "143", "100.00", "0.00"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "source_instance=2 block_class=data block blocks_lost=0 cr_blocks_received=143 cr_two_hop_percent=100 cr_three_hop_percent=0"
            ]
        );
        let report = html(
            "Global Cache Times (Immediate)",
            &[
                "Src Inst",
                "Block Class",
                "Lost Time",
                "CR Immed",
                "Avg Time 2hop",
                "(ms) 3hop",
                "Current Immed",
                "Avg Time 2hop",
                "(ms) 3hop",
            ],
            &[&["2", "data block", "", "0.9", "0.8", "N/A", "0.7", "0.6", "0.5"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "source_instance=2 block_class=data block cr_immediate_avg_us=900 cr_two_hop_avg_us=800 current_immediate_avg_us=700 current_two_hop_avg_us=600 current_three_hop_avg_us=500"
            ]
        );
    }
}
