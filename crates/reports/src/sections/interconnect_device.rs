use super::view::{Shape, Titles, View, aggregate, bytes, number, text};
use crate::value::{MIB};

/// What the numbers of a table are.
const BASES: Titles =
    Titles { begin: "interconnectdevicestatistics", names: &[("", "total"), ("(persecond)", "per second")] };

/// Traffic over the interconnect by device.
pub static VIEW: View = View {
    name: "interconnect_device",
    about: "what a device sent and received, in all or by second",
    titles: &["interconnectdevicestatistics", "interconnectdevicestatistics(persecond)"],
    shape: Shape::Titled(&BASES),
    columns: &[
        text("basis", &[]).about("total or per second"),
        text("device", &[("devicename", 1.0), ("interfacename", 1.0)]),
        aggregate(),
        text("ip_address", &[("ipaddress", 1.0), ("interfaceipaddress", 1.0)]),
        text("ip_mask", &[("interfaceipmask", 1.0)]),
        text("is_public", &[("public", 1.0)]),
        text("source", &[("source", 1.0)]),
        bytes("sent_bytes", &[("sentmbytes", MIB)]),
        bytes("sent_bytes_per_s", &[("sendmbytes/sec", MIB)]),
        number("sent_packets", &[("sentpackets", 1.0)]),
        number("send_errors", &[("senderrors", 1.0), ("senterrors", 1.0)]),
        number("sends_dropped", &[("senddropped", 1.0), ("sentpacketsdropped", 1.0)]),
        number("send_overruns", &[("sendbufferoverrun", 1.0), ("sentbufferovrrun", 1.0)]),
        number("send_carriers_lost", &[("sendcarrierlost", 1.0), ("sentcarrierlost", 1.0)]),
        bytes("received_bytes", &[("receivedmbytes", MIB)]),
        bytes("received_bytes_per_s", &[("receivembytes/sec", MIB)]),
        number("received_packets", &[("receivedpackets", 1.0)]),
        number("receive_errors", &[("receiveerrors", 1.0), ("receivederrors", 1.0)]),
        number("receives_dropped", &[("receivedropped", 1.0), ("receivedpacketsdropped", 1.0)]),
        number("receive_overruns", &[("receivebufferoverrun", 1.0), ("receivedbufferovrrun", 1.0)]),
        number("receive_frame_errors", &[("receiveframeerrors", 1.0), ("receivedframeerrors", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn an_instance_and_a_cluster_say_the_same() {
        let report = html(
            "Interconnect Device Statistics",
            &[
                "Device Name",
                "IP Address",
                "Public",
                "Send Mbytes/sec",
                "Send Errors",
                "Receive Mbytes/sec",
                "Receive Dropped",
            ],
            &[&["eth2", "10.0.0.1", "NO", "1.00", "0", "2.00", "3"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "basis=total device=eth2 ip_address=10.0.0.1 is_public=NO sent_bytes_per_s=1048576 send_errors=0 received_bytes_per_s=2097152 receives_dropped=3"
            ]
        );
        let report = html(
            "Interconnect Device Statistics (per Second)",
            &["I#", "Interface NAME", "Sent MBytes", "Sent Packets"],
            &[&["1", "eth2", "1.00", "2"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            ["instance_number=1 basis=per second device=eth2 sent_bytes=1048576 sent_packets=2"]
        );
    }
}
