use super::view::{Shape, View, bytes, text};
use crate::value::{GIB};

/// AWR Miner's size of the database.
pub static VIEW: View = View {
    name: "miner_size_on_disk",
    about: "the size of the database at a snapshot",
    titles: &["size-on-disk"],
    shape: Shape::Rows,
    columns: &[text("snap_id", &[("snap_id", 1.0), ("snap", 1.0)]), bytes("size_bytes", &[("size_gb", GIB)])],
};

#[cfg(test)]
mod tests {
    use super::super::testing::rows;
    use super::VIEW;

    #[test]
    fn gigabytes_become_bytes() {
        let report = [
            "~~BEGIN-SIZE-ON-DISK~~",
            "",
            "SNAP_ID SIZE_GB",
            "------- -------",
            "    800     2.5",
            "~~END-SIZE-ON-DISK~~",
        ]
        .join("\n");
        assert_eq!(rows(&VIEW, &report), ["snap_id=800 size_bytes=2684354560"]);
    }
}
