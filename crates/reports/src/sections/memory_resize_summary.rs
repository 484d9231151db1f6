use super::view::{Shape, View, bytes, number, text};
use crate::value::{MIB};

/// Parts of memory that changed their size.
pub static VIEW: View = View {
    name: "memory_resize_summary",
    about: "how often and how far a part of memory changed its size",
    titles: &["memoryresizeoperationssummary"],
    shape: Shape::Rows,
    columns: &[
        text("component", &[("component", 1.0)]),
        bytes("min_bytes", &[("minsize(mb)", MIB)]),
        bytes("max_bytes", &[("maxsize(mb)", MIB)]),
        bytes("avg_bytes", &[("avgsize(mb)", MIB)]),
        number("resizes", &[("re-sizes", 1.0)]),
        number("grows", &[("grows", 1.0)]),
        number("shrinks", &[("shrinks", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn resizes_are_counted() {
        let report = html(
            "Memory Resize Operations Summary",
            &[
                "Component",
                "Min Size (Mb)",
                "Max Size (Mb)",
                "Avg Size (Mb)",
                "Re- Sizes",
                "Grows",
                "Shrinks",
            ],
            &[&["shared pool", "1.00", "4.00", "2.00", "3", "2", "1"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "component=shared pool min_bytes=1048576 max_bytes=4194304 avg_bytes=2097152 resizes=3 grows=2 shrinks=1"
            ]
        );
    }
}
