use super::view::{Shape, View, bytes, number, seconds};
use crate::value::{MIB};

/// Spilled messages by the size of the streams pool.
pub static VIEW: View = View {
    name: "streams_pool_advisory",
    about: "what another size of the streams pool would have meant",
    titles: &["streamspooladvisory"],
    shape: Shape::Rows,
    columns: &[
        bytes("size_bytes", &[("sizeforest(mb)", MIB), ("streamspoolsize(m)", MIB)]),
        number("size_factor", &[("sizefactor", 1.0), ("streamspoolsizefactor", 1.0)]),
        number("spills", &[("estspillcount", 1.0)]),
        seconds("spill_s", &[("estspilltime(s)", 1.0)]),
        number("unspills", &[("estunspillcount", 1.0)]),
        seconds("unspill_s", &[("estunspilltime(s)", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn spills_stand_by_the_size() {
        let report = html(
            "Streams Pool Advisory",
            &[
                "Size for Est (MB)",
                "Size Factor",
                "Est Spill Count",
                "Est Spill Time (s)",
                "Est Unspill Count",
                "Est Unspill Time (s)",
            ],
            &[&["16", "0.50", "154", "4", "51", "2"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            ["size_bytes=16777216 size_factor=0.5 spills=154 spill_s=4 unspills=51 unspill_s=2"]
        );
    }
}
