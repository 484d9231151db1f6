use super::view::{Shape, Titles, View, aggregate, number, seconds, text};

/// What the numbers of a table are.
const BASES: Titles = Titles {
    begin: "sysstatandglobalmessaging",
    names: &[("-rac", "total"), ("(persec)-rac", "per second"), ("(pertx)-rac", "per transaction")],
};

/// Traffic of a cluster's instances.
pub static VIEW: View = View {
    name: "rac_sysstat",
    about: "an instance's blocks and messages, in all, by second or by transaction",
    titles: &["sysstatandglobalmessaging*"],
    shape: Shape::Titled(&BASES),
    columns: &[
        text("basis", &[]).about("total, per second or per transaction"),
        aggregate(),
        number(
            "current_blocks_received",
            &[
                ("blocksreceivedgccurrent", 1.0),
                ("blocksreceivedpersecondgccurrent", 1.0),
                ("blocksreceivedpertxgccurrent", 1.0),
            ],
        ),
        number(
            "cr_blocks_received",
            &[
                ("blocksreceivedgccr", 1.0),
                ("blocksreceivedpersecondgccr", 1.0),
                ("blocksreceivedpertxgccr", 1.0),
            ],
        ),
        number(
            "current_blocks_served",
            &[("blocksservedgccurrent", 1.0), ("blocksservedpersecondgccurrent", 1.0)],
        ),
        number("cr_blocks_served", &[("blocksservedgccr", 1.0), ("blocksservedpersecondgccr", 1.0)]),
        seconds(
            "gc_cpu_s",
            &[("cpu(seconds)gc", 1.0), ("cpusecondspersecondgc", 1.0), ("cpu(seconds)pertxgc", 1.0)],
        ),
        seconds(
            "ipc_cpu_s",
            &[("cpu(seconds)ipc", 1.0), ("cpusecondspersecondipc", 1.0), ("cpu(seconds)pertxipc", 1.0)],
        ),
        number(
            "gcs_messages_received",
            &[
                ("messagesgcsreceived", 1.0),
                ("messagespersecondgcsreceived", 1.0),
                ("messagespertransactiongcsreceived", 1.0),
            ],
        ),
        number(
            "ges_messages_received",
            &[
                ("messagesgesreceived", 1.0),
                ("messagespersecondgesreceived", 1.0),
                ("messagespertransactiongesreceived", 1.0),
            ],
        ),
        number(
            "gcs_messages_sent",
            &[
                ("messagesgcssent", 1.0),
                ("messagespersecondgcssent", 1.0),
                ("messagespertransactiongcssent", 1.0),
            ],
        ),
        number(
            "ges_messages_sent",
            &[
                ("messagesgessent", 1.0),
                ("messagespersecondgessent", 1.0),
                ("messagespertransactiongessent", 1.0),
            ],
        ),
        number(
            "messages_sent_directly",
            &[
                ("messagessentdirect", 1.0),
                ("messagespersecondsentdirect", 1.0),
                ("messagespertransactionsentdirect", 1.0),
            ],
        ),
        number(
            "messages_sent_indirectly",
            &[
                ("messagessentindir", 1.0),
                ("messagespersecondsentindir", 1.0),
                ("messagespertransactionsentindir", 1.0),
            ],
        ),
        number("blocks_lost", &[("gcblkslost", 1.0), ("gcblkslost/s", 1.0), ("gcblkslost/tx", 1.0)]),
        number("cr_failures", &[("gccrfailure", 1.0), ("gccrfail/s", 1.0), ("gccrfail/tx", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn the_title_says_what_the_numbers_are() {
        let report = html(
            "SysStat and Global Messaging (per Sec)- RAC",
            &["I#", "Blocks Received Per Second GC Current", "CPU seconds per Second GC", "GC Blks Lost/s"],
            &[&["1", "1.16", "0.5", "0"], &["Sum", "2.32", "1.0", "0"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "instance_number=1 basis=per second current_blocks_received=1.16 gc_cpu_s=0.5 blocks_lost=0",
                "basis=per second aggregate=Sum current_blocks_received=2.32 gc_cpu_s=1 blocks_lost=0"
            ]
        );
    }
}
