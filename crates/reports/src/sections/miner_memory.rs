use super::view::{Shape, View, bytes, text};
use crate::value::{GIB};

/// AWR Miner's memory of an instance.
pub static VIEW: View = View {
    name: "miner_memory",
    about: "the memory of an instance at a snapshot",
    titles: &["memory"],
    shape: Shape::Rows,
    columns: &[
        text("snap_id", &[("snap_id", 1.0), ("snap", 1.0)]),
        bytes("sga_bytes", &[("sga", GIB)]),
        bytes("pga_bytes", &[("pga", GIB)]),
        bytes("total_bytes", &[("total", GIB)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::rows;
    use super::VIEW;

    #[test]
    fn gigabytes_become_bytes() {
        let report = [
            "~~BEGIN-MEMORY~~",
            "",
            "SNAP_ID INSTANCE_NUMBER SGA PGA TOTAL",
            "------- --------------- --- --- -----",
            "    800               1 2.5 .5      3",
            "~~END-MEMORY~~",
        ]
        .join("\n");
        assert_eq!(
            rows(&VIEW, &report),
            ["instance_number=1 snap_id=800 sga_bytes=2684354560 pga_bytes=536870912 total_bytes=3221225472"]
        );
    }
}
