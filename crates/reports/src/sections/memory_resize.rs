use super::view::{Shape, View, bytes, seconds, text};
use crate::value::{MIB};

/// Changes of sizes in memory.
pub static VIEW: View = View {
    name: "memory_resize",
    about: "one change of the size of a part of memory",
    titles: &["memoryresizeops"],
    shape: Shape::Rows,
    columns: &[
        text("start_time", &[("start", 1.0)]),
        seconds("elapsed_s", &[("ela(s)", 1.0)]),
        text("component", &[("component", 1.0)]),
        text("operation", &[("opertyp/mod", 1.0)]),
        bytes("initial_bytes", &[("initsize(m)", MIB)]),
        bytes("delta_bytes", &[("delta", MIB)]),
        bytes("target_delta_bytes", &[("targetdelta", MIB)]),
        bytes("final_bytes", &[("final(m)", MIB)]),
        text("status", &[("sta", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn a_shrink_is_negative() {
        let report = html(
            "Memory Resize Ops",
            &[
                "Start",
                "Ela (s)",
                "Component",
                "Oper Typ/Mod",
                "Init Size (M)",
                "Delta",
                "Target Delta",
                "Final (M)",
                "Sta",
            ],
            &[&["10/05 05:24:50", "2", "bufcache", "SHR/IMM", "3", "-1", "-2", "2", "COM"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "start_time=10/05 05:24:50 elapsed_s=2 component=bufcache operation=SHR/IMM initial_bytes=3145728 delta_bytes=-1048576 target_delta_bytes=-2097152 final_bytes=2097152 status=COM"
            ]
        );
    }
}
