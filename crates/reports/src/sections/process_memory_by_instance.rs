use super::view::{Shape, View, bytes, number, text};
use crate::value::{MIB};

/// Memory of processes by category in a cluster of release 12.1, whose begin and end stand side by side.
pub static VIEW: View = View {
    name: "process_memory_by_instance",
    about: "memory of all processes of an instance in a category at the begin and the end",
    titles: &["processmemorysummary"],
    shape: Shape::Rows,
    columns: &[
        text("category", &[("category", 1.0)]),
        bytes("allocated_begin_bytes", &[("allocatedbegin", MIB)]),
        bytes("allocated_end_bytes", &[("allocatedend", MIB)]),
        bytes("used_begin_bytes", &[("usedbegin", MIB)]),
        bytes("used_end_bytes", &[("usedend", MIB)]),
        bytes("avg_allocated_begin_bytes", &[("avgallocbegin", MIB)]),
        bytes("avg_allocated_end_bytes", &[("avgallocend", MIB)]),
        bytes("std_dev_allocated_begin_bytes", &[("stddevbegin", MIB)]),
        bytes("std_dev_allocated_end_bytes", &[("stddevend", MIB)]),
        bytes("max_allocated_begin_bytes", &[("maxallocbegin", MIB)]),
        bytes("max_allocated_end_bytes", &[("maxallocend", MIB)]),
        bytes("hist_max_allocated_begin_bytes", &[("histmaxbegin", MIB)]),
        bytes("hist_max_allocated_end_bytes", &[("histmaxend", MIB)]),
        number("processes_begin", &[("numprocsbegin", 1.0)]),
        number("processes_end", &[("numprocsend", 1.0)]),
        number("allocations_begin", &[("numallocsbegin", 1.0)]),
        number("allocations_end", &[("numallocsend", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn begin_and_end_stand_side_by_side() {
        let report = html(
            "Process Memory Summary",
            &["I#", "Category", "Allocated Begin", "Allocated End", "Num Procs Begin", "Num Procs End"],
            &[&["1", "Other", "1.00", "2.00", "3", "4"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "instance_number=1 category=Other allocated_begin_bytes=1048576 allocated_end_bytes=2097152 processes_begin=3 processes_end=4"
            ]
        );
    }
}
