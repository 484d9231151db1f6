use super::view::{Shape, View, bytes, number, text};
use crate::value::{MIB};

/// Writes that the flash cache of cells took.
pub static VIEW: View = View {
    name: "exadata_flash_writes",
    about: "what databases wrote to a cell's flash cache",
    titles: &["flashcacheuserwrites"],
    shape: Shape::Rows,
    columns: &[
        text("cell", &[("cellname", 1.0)]).about("Total for all"),
        number("writes", &[("writerequeststotaltotal", 1.0)]),
        number("first_writes", &[("writerequeststotalfirstwrites", 1.0)]),
        number("overwrites", &[("writerequeststotaloverwrites", 1.0)]),
        number("partial_writes", &[("writerequeststotalpartialwrites", 1.0)]),
        number("keep_writes", &[("writerequeststotalkeep", 1.0)]),
        number("large_writes", &[("writerequeststotallargewrites", 1.0)]),
        number("writes_per_s", &[("writerequestspersectotal", 1.0)]),
        number("first_writes_per_s", &[("writerequestspersecfirstwrites", 1.0)]),
        number("overwrites_per_s", &[("writerequestspersecoverwrites", 1.0)]),
        number("partial_writes_per_s", &[("writerequestspersecpartialwrites", 1.0)]),
        number("keep_writes_per_s", &[("writerequestsperseckeep", 1.0)]),
        number("large_writes_per_s", &[("writerequestsperseclargewrites", 1.0)]),
        bytes("write_bytes", &[("writemegabytestotaltotal", MIB)]),
        bytes("first_write_bytes", &[("writemegabytestotalfirstwrites", MIB)]),
        bytes("overwrite_bytes", &[("writemegabytestotaloverwrites", MIB)]),
        bytes("partial_write_bytes", &[("writemegabytestotalpartialwrites", MIB)]),
        bytes("keep_write_bytes", &[("writemegabytestotalkeep", MIB)]),
        bytes("large_write_bytes", &[("writemegabytestotallargewrites", MIB)]),
        bytes("write_bytes_per_s", &[("writemegabytespersectotal", MIB)]),
        bytes("first_write_bytes_per_s", &[("writemegabytespersecfirstwrites", MIB)]),
        bytes("overwrite_bytes_per_s", &[("writemegabytespersecoverwrites", MIB)]),
        bytes("partial_write_bytes_per_s", &[("writemegabytespersecpartialwrites", MIB)]),
        bytes("keep_write_bytes_per_s", &[("writemegabytesperseckeep", MIB)]),
        bytes("large_write_bytes_per_s", &[("writemegabytesperseclargewrites", MIB)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn megabytes_become_bytes() {
        let report = html(
            "Flash Cache User Writes",
            &[
                "Cell Name",
                "Write Requests Total Total",
                "Write Requests Total Overwrites",
                "Write Requests per Sec Total",
                "Write Megabytes Total Total",
                "Write Megabytes per Sec Large Writes",
            ],
            &[&["Total (3)", "294", "258", "11.5", "2.0", "1.0"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "cell=Total (3) writes=294 overwrites=258 writes_per_s=11.5 write_bytes=2097152 large_write_bytes_per_s=1048576"
            ]
        );
    }
}
