use super::view::{Shape, View, bytes, number, text};
use crate::value::{MIB};

/// Memory of processes by category.
pub static VIEW: View = View {
    name: "process_memory",
    about: "memory of all processes in a category at the begin or the end",
    titles: &["processmemorysummary", "processmemorysummarystats"],
    shape: Shape::Rows,
    columns: &[
        text("snapshot", &[("", 1.0)]).carried().about("B for begin, E for end"),
        text("category", &[("category", 1.0)]).about("dashes for all"),
        bytes("allocated_bytes", &[("alloc(mb)", MIB)]),
        bytes("used_bytes", &[("used(mb)", MIB)]),
        bytes("freeable_bytes", &[("freeabl(mb)", MIB)]),
        bytes("avg_allocated_bytes", &[("avgalloc(mb)", MIB)]),
        bytes("std_dev_allocated_bytes", &[("stddevalloc(mb)", MIB)]),
        bytes("max_allocated_bytes", &[("maxalloc(mb)", MIB)]),
        bytes("hist_max_allocated_bytes", &[("histmaxalloc(mb)", MIB)]).about("since the processes began"),
        number("processes", &[("numproc", 1.0)]),
        number("allocations", &[("numalloc", 1.0), ("numprocsorallocs", 1.0)]),
        text("pdb_name", &[("pdbname", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn begin_and_end_are_printed_once() {
        let report = html(
            "Process Memory Summary Stats",
            &["", "Category", "Alloc (MB)", "Used (MB)", "Freeabl (MB)", "Num Procs or Allocs"],
            &[&["B", "--------", "4.0", "3.0", "1.0", "16"], &["", "Other", "2.0", "", "", "15"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "snapshot=B category=-------- allocated_bytes=4194304 used_bytes=3145728 freeable_bytes=1048576 allocations=16",
                "snapshot=B category=Other allocated_bytes=2097152 allocations=15"
            ]
        );
    }
}
