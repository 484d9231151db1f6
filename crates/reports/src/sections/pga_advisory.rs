use super::view::{Shape, View, bytes, number, seconds};
use crate::value::{MIB};

/// Work areas by the size of the PGA.
pub static VIEW: View = View {
    name: "pga_advisory",
    about: "what another size of the PGA would have meant",
    titles: &["pgamemoryadvisory"],
    shape: Shape::Rows,
    columns: &[
        bytes("target_bytes", &[("pgatargetest(mb)", MIB), ("pgaaggrtargetest(mb)", MIB)]),
        number("size_factor", &[("sizefactr", 1.0)]),
        bytes("processed_bytes", &[("w/ambprocessed", MIB)]),
        bytes("extra_bytes", &[("estdextraw/ambread/writtentodisk", MIB)])
            .about("read from and written to disk"),
        number("cache_hit_percent", &[("estdpgacachehit%", 1.0), ("estdpcachehit%", 1.0)]),
        number(
            "overallocations",
            &[("estdpgaoveralloccount", 1.0), ("estdpgaovealloccount", 1.0), ("estdpgaoverallocount", 1.0)],
        ),
        seconds("processing_s", &[("estdtimetoprocessbytes(s)", 1.0), ("estdtime", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn cut_headings_are_known() {
        let report = html(
            "PGA Memory Advisory",
            &[
                "PGA Target Est (MB)",
                "Size Factr",
                "W/A MB Processed",
                "Estd Extra W/A MB Read/ Written to Disk",
                "Estd P Cache Hit %",
                "Estd PGA Overallo Count",
            ],
            &[&["16", "0.1", "2.0", "1.0", "92.0", "3"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "target_bytes=16777216 size_factor=0.1 processed_bytes=2097152 extra_bytes=1048576 cache_hit_percent=92 overallocations=3"
            ]
        );
    }
}
