use super::view::{Shape, View, bytes, text};

/// The SGA by region.
pub static VIEW: View = View {
    name: "sga_summary",
    about: "the size of a region of the SGA",
    titles: &["sgamemorysummary"],
    shape: Shape::Rows,
    columns: &[
        text("region", &[("sgaregions", 1.0)]).about("sum for all, where it is printed"),
        bytes("begin_bytes", &[("beginsize(bytes)", 1.0), ("sizeinbytes", 1.0)]),
        bytes("end_bytes", &[("endsize(bytes)(ifdifferent)", 1.0)]).about("null where it is as at the begin"),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::rows;
    use super::VIEW;

    #[test]
    fn a_sum_below_its_rule_is_a_row() {
        let report = [
            "SGA Memory Summary  DB/Inst: POT/pot  Snaps: 1-2",
            "",
            "                                                      End Size (Bytes)",
            "SGA regions                     Begin Size (Bytes)      (if different)",
            "------------------------------ ------------------- -------------------",
            "Database Buffers                            75,000              76,000",
            "Fixed Size                                   2,000",
            "                               -------------------",
            "sum                                         77,000",
            "          -------------------------------------------------------------",
        ]
        .join("\n");
        let rows = rows(&VIEW, &report);
        assert_eq!(rows[0], "region=Database Buffers begin_bytes=75000 end_bytes=76000");
        assert_eq!(rows[1], "region=Fixed Size begin_bytes=2000");
        assert_eq!(rows[2], "region=sum begin_bytes=77000");
    }

    const SGA: [&str; 10] = [
        "SGA Memory Summary  DB/Inst: POT/pot  Snaps: 1-2",
        "",
        "                                                       End Size (Bytes)",
        "SGA regions                     Begin Size (Bytes)       (if different)",
        "------------------------------ ------------------- --------------------",
        "Database Buffers                        75,497,472",
        "Fixed Size                               2,260,088",
        "                               ------------------- --------------------",
        "sum                                     77,757,560",
        "          -------------------------------------------------------------",
    ];

    fn begins(report: &str) -> Vec<String> {
        rows(&VIEW, report)
    }

    #[test]
    fn dashes_over_sums_of_several_columns_begin_no_table() {
        let report = SGA.join("\n");
        assert_eq!(begins(&report)[2], "region=sum begin_bytes=77757560");
        let points = report.replace(',', ".") + "\n\n" + &"1,5 ".repeat(8);
        assert_eq!(begins(&points), begins(&report));
        assert_eq!(begins(&points)[0], "region=Database Buffers begin_bytes=75497472");
    }

    #[test]
    fn rows_of_overflows_are_no_headings() {
        let hashes: String =
            SGA.join("\n").chars().map(|sign| if sign.is_ascii_digit() || sign == ',' { '#' } else { sign }).collect();
        let hashes = hashes.replace("Snaps: #-#", "Snaps: 1-2");
        assert_eq!(begins(&hashes), ["region=Database Buffers", "region=Fixed Size", "region=sum"]);
    }
}
