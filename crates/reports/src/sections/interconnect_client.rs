use super::view::{Shape, View, aggregate, bytes, text};
use crate::value::{MIB};

/// Traffic over the interconnect by what caused it.
pub static VIEW: View = View {
    name: "interconnect_client",
    about: "what a part of the database sent and received over the interconnect",
    titles: &[
        "interconnectthroughputbyclient",
        "interconnectclientstatistics",
        "interconnectclientstatistics(persecond)",
    ],
    shape: Shape::Rows,
    columns: &[
        text("client", &[("usedby", 1.0), ("*", 1.0)]),
        aggregate(),
        bytes("sent_bytes", &[("sent(mb)*", MIB)]),
        bytes("received_bytes", &[("received(mb)*", MIB)]),
        bytes("sent_bytes_per_s", &[("sendmbytes/sec", MIB), ("sent(mb/s)*", MIB)]),
        bytes("received_bytes_per_s", &[("receivembytes/sec", MIB), ("received(mb/s)*", MIB)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn an_instance_and_a_cluster_say_the_same() {
        let report = html(
            "Interconnect Throughput by Client",
            &["Used By", "Send Mbytes/sec", "Receive Mbytes/sec"],
            &[&["Global Cache", "1.00", "2.00"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            ["client=Global Cache sent_bytes_per_s=1048576 received_bytes_per_s=2097152"]
        );
        let report = html(
            "Interconnect Client Statistics",
            &["I#", "Sent (MB) Cache", "Sent (MB) DLM", "Received (MB) Cache", "Received (MB) DLM"],
            &[&["1", "1.0", "2.0", "4.0", "0"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "instance_number=1 client=Cache sent_bytes=1048576 received_bytes=4194304",
                "instance_number=1 client=DLM sent_bytes=2097152 received_bytes=0"
            ]
        );
    }
}
