use super::view::{Shape, View, microseconds, text};

/// Latency of cells and their disks, as the cells' system measures it.
pub static VIEW: View = View {
    name: "exadata_os_latency",
    about: "a cell's or a disk's average times of service and of waiting",
    titles: &["exadataosiolatency-topcells", "exadataosiolatency-topdisks"],
    shape: Shape::Rows,
    columns: &[
        text("disk_type", &[("disktype", 1.0)]).carried(),
        text("cell", &[("cellname", 1.0)]).carried(),
        text("disk", &[("diskname", 1.0)]),
        microseconds("avg_service_us", &[("averagetimesservicetime", 1.0)]),
        microseconds("avg_wait_us", &[("averagetimeswaittime", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn times_are_in_microseconds() {
        let report = html(
            "Exadata OS IO Latency - Top Cells",
            &["Disk Type", "Cell Name", "Average Times Service Time", "Average Times Wait Time"],
            &[&["F/2.9T", "cel02", "21.5us", "2.5ms"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            ["disk_type=F/2.9T cell=cel02 avg_service_us=21.5 avg_wait_us=2500"]
        );
    }
}
