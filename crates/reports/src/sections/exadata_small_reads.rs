use super::view::{Shape, View, microseconds, number, text};

/// Small reads by database.
pub static VIEW: View = View {
    name: "exadata_small_reads",
    about: "a database's small reads from flash and disk of the cells",
    titles: &["databasesmalliosummary"],
    shape: Shape::Rows,
    columns: &[
        text("database", &[("databasename", 1.0)]),
        number("reads_per_s", &[("smallreadrequestspersecond", 1.0)]),
        number("flash_percent", &[("smallreadrequests%flash", 1.0)]),
        number("disk_percent", &[("smallreadrequests%disk", 1.0)]),
        microseconds("flash_latency_us", &[("smallreadlatencyflashlatency", 1.0)]),
        microseconds("disk_latency_us", &[("smallreadlatencydisklatency", 1.0)]),
        microseconds("flash_queue_us", &[("smallreadlatencyflashqueuetime", 1.0)]),
        microseconds("disk_queue_us", &[("smallreadlatencydiskqueuetime", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn times_are_in_microseconds() {
        let report = html(
            "Database Small IO Summary",
            &[
                "Database Name",
                "Small Read Requests per Second",
                "Small Read Requests %Flash",
                "Small Read Latency Flash Latency",
                "Small Read Latency Disk Latency",
            ],
            &[&["POT", "6,653.5", "98.5", "185.75us", "22.5ms"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "database=POT reads_per_s=6653.5 flash_percent=98.5 flash_latency_us=185.75 disk_latency_us=22500"
            ]
        );
    }
}
