use super::view::{Shape, View, number, text};

/// Memory of the host and of the instance.
pub static VIEW: View = View {
    name: "memory_statistics",
    about: "memory at both snapshots, in the unit that its name tells",
    titles: &["memorystatistics"],
    shape: Shape::Rows,
    columns: &[
        text("statistic", &[("", 1.0)]),
        number("begin_value", &[("begin", 1.0)]),
        number("end_value", &[("end", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::VIEW;
    use crate::sections::testing::rows;

    #[test]
    fn units_stay_in_the_label() {
        let text = "
Memory Statistics
~~~~~~~~~~~~~~~~~                       Begin          End
                                 ------------ ------------
                  Host Mem (MB):      7,673.1      7,673.1
   % Host Mem used for SGA+PGA:         32.62        33.80
";
        let expected = [
            "statistic=Host Mem (MB) begin_value=7673.1 end_value=7673.1",
            "statistic=% Host Mem used for SGA+PGA begin_value=32.62 end_value=33.8",
        ];
        assert_eq!(rows(&VIEW, text), expected);
    }
}
