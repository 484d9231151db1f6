use super::view::{Shape, View, bytes, number, text};
use crate::value::{GIB};

/// What cells have.
pub static VIEW: View = View {
    name: "exadata_storage",
    about: "how much flash and how many disks cells have",
    titles: &["exadatastorageinformation"],
    shape: Shape::Rows,
    columns: &[
        text("cells", &[("cellname", 1.0)]),
        text("cell_count", &[("#cells", 1.0)]).about("Total for all"),
        bytes("flash_cache_bytes", &[("flashcachesize(gb)", GIB), ("size(gb)flashcache", GIB)]),
        bytes("pmem_cache_bytes", &[("size(gb)pmemcache", GIB)]),
        bytes("flash_log_bytes", &[("flashlogsize(gb)", GIB), ("size(gb)flashlog", GIB)]),
        number("hard_disks", &[("#celldisksharddisk", 1.0)]),
        number("flash_disks", &[("#celldisksflash", 1.0)]),
        number("pmem_disks", &[("#celldiskspmem", 1.0)]),
        number("grid_disks", &[("#griddisks", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn gigabytes_become_bytes() {
        let report = html(
            "Exadata Storage Information",
            &[
                "# Cells",
                "Flash Cache Size (GB)",
                "Flash Log Size (GB)",
                "# Celldisks Hard Disk",
                "# Celldisks Flash",
                "# Griddisks",
                "Cell Name",
            ],
            &[&["3", "2.0", "0.50", "12", "4", "34", "All (3)"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "cells=All (3) cell_count=3 flash_cache_bytes=2147483648 flash_log_bytes=536870912 hard_disks=12 flash_disks=4 grid_disks=34"
            ]
        );
    }
}
