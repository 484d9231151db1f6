use super::view::{Shape, View, bytes, number, text};
use crate::value::{MIB};

/// Parts of memory that change their size.
pub static VIEW: View = View {
    name: "memory_components",
    about: "the size of a part of memory",
    titles: &["memorydynamiccomponents"],
    shape: Shape::Rows,
    columns: &[
        text("component", &[("component", 1.0), ("cache", 1.0)]),
        bytes("begin_bytes", &[("beginsnapsize(mb)", MIB), ("beginsnapsize(m)", MIB)]),
        bytes("end_bytes", &[("currentsize(mb)", MIB), ("endsnapsize(m)", MIB)])
            .about("null in Statspack where it is as at the begin"),
        bytes("min_bytes", &[("minsize(mb)", MIB)]),
        bytes("max_bytes", &[("maxsize(mb)", MIB)]),
        number("operations", &[("opercount", 1.0), ("opcount", 1.0)]),
        text("last_operation", &[("lastoptyp/mod", 1.0), ("lastoptype/mode", 1.0)]),
        text("last_operation_time", &[("lastoptime", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn megabytes_become_bytes() {
        let report = html(
            "Memory Dynamic Components",
            &[
                "Component",
                "Begin Snap Size (Mb)",
                "Current Size (Mb)",
                "Min Size (Mb)",
                "Max Size (Mb)",
                "Oper Count",
                "Last Op Typ/Mod",
            ],
            &[&["shared pool", "1.00", "2.00", "1.00", "4.00", "3", "GRO/IMM"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "component=shared pool begin_bytes=1048576 end_bytes=2097152 min_bytes=1048576 max_bytes=4194304 operations=3 last_operation=GRO/IMM"
            ]
        );
    }
}
