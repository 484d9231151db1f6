use super::view::{Shape, View, microseconds, number, seconds, text};

/// Waits for buffers by the class of their block.
pub static VIEW: View = View {
    name: "buffer_waits",
    about: "waits for buffers of a class of blocks",
    titles: &["bufferwaitstatistics"],
    shape: Shape::Rows,
    columns: &[
        text("class", &[("class", 1.0)]),
        number("waits", &[("waits", 1.0)]),
        seconds("total_wait_s", &[("totalwaittime(s)", 1.0), ("totwaittime(s)", 1.0)]),
        microseconds("avg_wait_us", &[("avgtime(ms)", 1e3)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn milliseconds_become_microseconds() {
        let report = html(
            "Buffer wait Statistics",
            &["Class", "Waits", "Tot Wait Time (s)", "Avg Time (ms)"],
            &[&["data block", "32,311", "136", "4"]],
        );
        assert_eq!(rows(&VIEW, &report), ["class=data block waits=32311 total_wait_s=136 avg_wait_us=4000"]);
    }
}
