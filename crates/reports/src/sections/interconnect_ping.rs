use super::view::{Shape, View, microseconds, number, seconds, text};

/// How long instances take to answer each other.
pub static VIEW: View = View {
    name: "interconnect_ping",
    about: "how long an instance took to answer, to a short and to a long message",
    titles: &["interconnectpinglatencystats", "interconnectpinglatencystatistics", "pingstatistics"],
    shape: Shape::Rows,
    columns: &[
        text("target_instance", &[("targetinstance", 1.0), ("instance#target", 1.0)]),
        text("source_instance", &[("instance#src", 1.0)]).about("in reports of a cluster"),
        number("short_pings", &[("500bpingcount", 1.0), ("500bpincount", 1.0), ("500bytespingcount", 1.0)]),
        seconds("short_total_s", &[("500bytespingtime(s)", 1.0)]),
        number("short_avg_latency", &[("avglatency500bmsg", 1.0)])
            .about("in ms up to release 12.1 and in us since"),
        microseconds("short_avg_latency_us", &[("500bytesavgtime(ms)", 1e3), ("500bytesavgtime(us)", 1.0)]),
        number("short_std_dev_ms", &[("stddev500bmsg", 1.0), ("500bytesstddev", 1.0)]),
        number("long_pings", &[("8kpingcount", 1.0), ("8kpincount", 1.0), ("8kbytespingcount", 1.0)]),
        seconds("long_total_s", &[("8kbytespingtime(s)", 1.0)]),
        number("long_avg_latency", &[("avglatency8kmsg", 1.0)])
            .about("in ms up to release 12.1 and in us since"),
        microseconds("long_avg_latency_us", &[("8kbytesavgtime(ms)", 1e3), ("8kbytesavgtime(us)", 1.0)]),
        number("long_std_dev_ms", &[("stddev8kmsg", 1.0), ("8kbytesstddev", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn a_unit_is_only_known_where_it_is_printed() {
        let report = html(
            "Interconnect Ping Latency Stats",
            &["Target Instance", "500B Pin Count", "Avg Latency 500B msg", "Stddev 500B msg"],
            &[&["1", "283", "1.75", ".5"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            ["target_instance=1 short_pings=283 short_avg_latency=1.75 short_std_dev_ms=0.5"]
        );
        let report = html(
            "Ping Statistics",
            &["Instance# Src", "Instance# Target", "500 bytes Ping Count", "500 bytes Ping Time(s)", "500 bytes Avg Time(ms)"],
            &[&["1", "2", "13", "0.01", "0.25"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            ["target_instance=2 source_instance=1 short_pings=13 short_total_s=0.01 short_avg_latency_us=250"]
        );
    }
}
