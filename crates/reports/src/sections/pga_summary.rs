use super::view::{Shape, View, bytes, number};
use crate::value::{MIB};

/// How much work fitted into memory.
pub static VIEW: View = View {
    name: "pga_summary",
    about: "what work areas processed",
    titles: &["pgaaggrsummary", "pgaaggrtargetstats"],
    shape: Shape::Rows,
    columns: &[
        number("cache_hit_percent", &[("pgacachehit%", 1.0)]),
        bytes("processed_bytes", &[("w/ambprocessed", MIB)]),
        bytes("extra_bytes", &[("extraw/ambread/written", MIB)]).about("read from and written to disk"),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn megabytes_become_bytes() {
        let report = html(
            "PGA Aggr Target Stats",
            &["PGA Cache Hit %", "W/A MB Processed", "Extra W/A MB Read/Written"],
            &[&["34.9", "2", "1"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            ["cache_hit_percent=34.9 processed_bytes=2097152 extra_bytes=1048576"]
        );
    }
}
