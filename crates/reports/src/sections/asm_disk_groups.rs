use super::view::{Shape, View, bytes, number, text};
use crate::value::{GIB};

/// Disk groups.
pub static VIEW: View = View {
    name: "asm_disk_groups",
    about: "the size of a disk group",
    titles: &["asmdiskgroups"],
    shape: Shape::Rows,
    columns: &[
        text("disk_group", &[("diskgroup", 1.0)]),
        bytes("size_bytes", &[("size(gb)", GIB)]),
        bytes("used_bytes", &[("used(gb)", GIB)]),
        number("grid_disks", &[("#griddisks", 1.0)]),
        text("redundancy", &[("redundancy", 1.0)]),
        text("state", &[("state", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn gigabytes_become_bytes() {
        let report = html(
            "ASM Diskgroups",
            &["Disk Group", "Size (GB)", "Used (GB)", "# Griddisks", "Redundancy"],
            &[&["DATA", "2.0", "1.0", "38", "HIGH"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            ["disk_group=DATA size_bytes=2147483648 used_bytes=1073741824 grid_disks=38 redundancy=HIGH"]
        );
    }
}
