use super::view::{Shape, View, bytes, number, text};
use crate::value::{MIB};

/// What cells scanned by themselves.
pub static VIEW: View = View {
    name: "exadata_smart_io",
    about: "what was asked of a cell to scan, and how much of it did not need to be read or sent",
    titles: &["smartio"],
    shape: Shape::Rows,
    columns: &[
        text("cell", &[("cellname", 1.0)]).about("Total for all"),
        number("requested_percent", &[("mbrequested%total", 1.0)]),
        bytes("requested_bytes", &[("mbrequestedtotal", MIB)]),
        bytes("requested_bytes_per_s", &[("mbrequestedpersec", MIB)]),
        bytes("storage_index_bytes", &[("storageindexmb", MIB)]),
        number("storage_index_percent", &[("storageindex%optimized", 1.0)]),
        bytes("flash_cache_bytes", &[("flashcachemb", MIB)]),
        number("flash_cache_percent", &[("flashcache%optimized", 1.0)]),
        bytes("hard_disk_bytes", &[("harddiskmb", MIB)]),
        bytes("offload_bytes", &[("offloadmb", MIB)]),
        number("offload_percent", &[("offload%efficiency", 1.0)]),
        bytes("passthru_bytes", &[("passthrumb", MIB)]),
        number("passthru_percent", &[("passthru%passthru", 1.0)]),
        number("reverse_offload_percent", &[("reverseoffload%reverseoffload", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn megabytes_become_bytes() {
        let report = html(
            "Smart IO",
            &[
                "Cell Name",
                "MB Requested % Total",
                "MB Requested Total",
                "MB Requested per Sec",
                "Storage Index MB",
                "Storage Index % Optimized",
                "Offload % Efficiency",
            ],
            &[&["cel03", "33.5", "4.0", "2.0", "1.0", "25.0", "94.5"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "cell=cel03 requested_percent=33.5 requested_bytes=4194304 requested_bytes_per_s=2097152 storage_index_bytes=1048576 storage_index_percent=25 offload_percent=94.5"
            ]
        );
    }
}
