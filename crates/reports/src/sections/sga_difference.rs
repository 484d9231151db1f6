use super::view::{Shape, View, bytes, number, text};
use crate::value::{MIB};

/// The SGA by pool and name.
pub static VIEW: View = View {
    name: "sga_difference",
    about: "the size of a part of a pool at the begin and the end",
    titles: &["sgabreakdowndifference", "sgabreakdowndifferencebypoolandname"],
    shape: Shape::Rows,
    columns: &[
        text("pool", &[("pool", 1.0)]),
        text("part", &[("name", 1.0)]),
        bytes("begin_bytes", &[("beginmb", MIB), ("beginvalue", 1.0)]),
        bytes("end_bytes", &[("endmb", MIB), ("endvalue", 1.0)]),
        number("difference_percent", &[("%diff", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn bytes_and_megabytes_become_bytes() {
        let report = html(
            "SGA breakdown difference",
            &["Pool", "Name", "Begin MB", "End MB", "% Diff"],
            &[&["java", "free memory", "1.00", "2.00", "100.00"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            ["pool=java part=free memory begin_bytes=1048576 end_bytes=2097152 difference_percent=100"]
        );
        let report = html(
            "SGA breakdown difference",
            &["Pool", "Name", "Begin value", "End value", "% Diff"],
            &[&["java", "free memory", "2,925", "2,925", "0.00"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            ["pool=java part=free memory begin_bytes=2925 end_bytes=2925 difference_percent=0"]
        );
    }
}
