use super::view::{Shape, View, bytes, number, seconds, text};
use crate::value::{MIB};

/// How far recovery would reach back.
pub static VIEW: View = View {
    name: "instance_recovery",
    about: "what recovery would have to do at the begin and the end",
    titles: &["instancerecoverystats"],
    shape: Shape::Rows,
    columns: &[
        text("snapshot", &[("", 1.0)]).about("B for begin, E for end"),
        seconds("target_mttr_s", &[("targtmttr(s)", 1.0)]),
        seconds("estimated_mttr_s", &[("estdmttr(s)", 1.0)]),
        number("recovery_ios", &[("recoveryestdios", 1.0)]),
        number("actual_redo_blocks", &[("actualredoblks", 1.0)]),
        number("target_redo_blocks", &[("targetredoblks", 1.0)]),
        number("log_size_redo_blocks", &[("logszredoblks", 1.0), ("logfilesizeredoblks", 1.0)]),
        number("log_checkpoint_timeout_redo_blocks", &[("logckpttimeoutredoblks", 1.0)]),
        number("log_checkpoint_interval_redo_blocks", &[("logckptintervalredoblks", 1.0)]),
        bytes("optimal_log_size_bytes", &[("optlogsz(m)", MIB)]),
        number("rac_available_time", &[("estdracavailtime", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn what_is_not_printed_is_unknown() {
        let report = html(
            "Instance Recovery Stats",
            &[
                "",
                "Targt MTTR (s)",
                "Estd MTTR (s)",
                "Recovery Estd IOs",
                "Log Sz RedoBlks",
                "Log Ckpt Interval RedoBlks",
                "Opt Log Sz(M)",
            ],
            &[&["B", "0", "29", "6733", "1.36E+07", "N/A", "2"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "snapshot=B target_mttr_s=0 estimated_mttr_s=29 recovery_ios=6733 log_size_redo_blocks=13600000 optimal_log_size_bytes=2097152"
            ]
        );
    }
}
