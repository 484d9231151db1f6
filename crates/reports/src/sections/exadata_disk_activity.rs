use super::view::{Shape, View, number, text};

/// What the disks of cells were busy with.
pub static VIEW: View = View {
    name: "exadata_disk_activity",
    about: "a cause of disk activity and its requests by second",
    titles: &["diskactivity"],
    shape: Shape::Rows,
    columns: &[text("activity", &[("i/opersecond", 1.0)]), number("ios_per_s", &[("i/opersecond@2", 1.0)])],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn one_heading_stands_over_cause_and_number() {
        let report = html("Disk Activity", &["I/O per second", "I/O per second"], &[&["Read Misses", "8.5"]]);
        assert_eq!(rows(&VIEW, &report), ["activity=Read Misses ios_per_s=8.5"]);
    }
}
