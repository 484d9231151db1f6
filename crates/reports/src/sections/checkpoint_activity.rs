use super::view::{Shape, View, number};

/// Writes by what asked for them.
pub static VIEW: View = View {
    name: "checkpoint_activity",
    about: "blocks that were written for checkpoints, by what asked for them",
    titles: &["checkpointactivity"],
    shape: Shape::Rows,
    columns: &[
        number("mttr_writes", &[("mttrwrites", 1.0)]),
        number("log_size_writes", &[("logsizewrites", 1.0)]),
        number("log_checkpoint_writes", &[("logckptwrites", 1.0)]),
        number("other_settings_writes", &[("othersettingswrites", 1.0)]),
        number("autotune_writes", &[("autotuneckptwrites", 1.0)]),
        number("thread_checkpoint_writes", &[("threadckptwrites", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn writes_are_counted_by_their_cause() {
        let report = html(
            "Checkpoint Activity",
            &[
                "MTTR Writes",
                "Log Size Writes",
                "Log Ckpt Writes",
                "Other Settings Writes",
                "Autotune Ckpt Writes",
                "Thread Ckpt Writes",
            ],
            &[&["0", "27", "0", "0", "1,237", "3"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "mttr_writes=0 log_size_writes=27 log_checkpoint_writes=0 other_settings_writes=0 autotune_writes=1237 thread_checkpoint_writes=3"
            ]
        );
    }
}
