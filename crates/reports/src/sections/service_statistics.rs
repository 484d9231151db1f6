use super::view::{Shape, View, number, seconds, text};

/// Load by service.
pub static VIEW: View = View {
    name: "service_statistics",
    about: "what sessions of a service did",
    titles: &["servicestatistics"],
    shape: Shape::Rows,
    columns: &[
        text("service", &[("servicename", 1.0)]),
        seconds("db_time_s", &[("dbtime(s)", 1.0)]),
        seconds("db_cpu_s", &[("dbcpu(s)", 1.0)]),
        number("physical_reads", &[("physicalreads(k)", 1e3), ("physicalreads", 1.0)]),
        number("logical_reads", &[("logicalreads(k)", 1e3), ("logicalreads", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::VIEW;
    use crate::sections::testing::{html, rows};

    #[test]
    fn reads_are_in_thousands_where_the_heading_says_so() {
        let heads = ["Service Name", "DB Time (s)", "DB CPU (s)", "Physical Reads (K)", "Logical Reads"];
        let page = html("Service Statistics", &heads, &[&["SALES", "29,730", "2,695", "156", "294"]]);
        assert_eq!(
            rows(&VIEW, &page),
            ["service=SALES db_time_s=29730 db_cpu_s=2695 physical_reads=156000 logical_reads=294"]
        );
    }
}
