use super::view::{Shape, View, bytes, number};

/// Work areas by their size.
pub static VIEW: View = View {
    name: "pga_histogram",
    about: "how work areas of a range of sizes were done",
    titles: &["pgaaggrtargethistogram"],
    shape: Shape::Rows,
    columns: &[
        bytes("low_bytes", &[("lowoptimal", 1.0)]),
        bytes("high_bytes", &[("highoptimal", 1.0)]),
        number("executions", &[("totalexecs", 1.0)]),
        number("optimal_executions", &[("optimalexecs", 1.0)]),
        number("one_pass_executions", &[("1-passexecs", 1.0)]),
        number("multi_pass_executions", &[("m-passexecs", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn sizes_are_bytes() {
        let report = html(
            "PGA Aggr Target Histogram",
            &["Low Optimal", "High Optimal", "Total Execs", "Optimal Execs", "1-Pass Execs", "M-Pass Execs"],
            &[&["64K", "128K", "8", "7", "1", "0"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "low_bytes=65536 high_bytes=131072 executions=8 optimal_executions=7 one_pass_executions=1 multi_pass_executions=0"
            ]
        );
    }
}
