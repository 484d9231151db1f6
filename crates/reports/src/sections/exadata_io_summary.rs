use super::view::{Shape, View, bytes, number, text};
use crate::value::{MIB};

/// Traffic of all cells by kind of disk.
pub static VIEW: View = View {
    name: "exadata_io_summary",
    about: "a kind of disk's requests and traffic in all cells",
    titles: &["i/osummary"],
    shape: Shape::Rows,
    columns: &[
        text("disk_type", &[("disktype", 1.0)]),
        number("reads_per_s", &[("requestsreads/s", 1.0)]),
        number("writes_per_s", &[("requestswrites/s", 1.0)]),
        bytes("read_bytes_per_s", &[("throughputreadmb/s", MIB)]),
        bytes("write_bytes_per_s", &[("throughputwritemb/s", MIB)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn megabytes_become_bytes() {
        let report = html(
            "I/O Summary",
            &[
                "Disk Type",
                "Requests Reads/s",
                "Requests Writes/s",
                "Throughput Read MB/s",
                "Throughput Write MB/s",
            ],
            &[&["F/2.9T", "3,846.5", "410.5", "2.0", "1.0"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "disk_type=F/2.9T reads_per_s=3846.5 writes_per_s=410.5 read_bytes_per_s=2097152 write_bytes_per_s=1048576"
            ]
        );
    }
}
