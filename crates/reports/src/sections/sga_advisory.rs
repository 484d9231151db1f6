use super::view::{Shape, View, bytes, number, seconds};
use crate::value::{MIB};

/// DB time by the size of the SGA.
pub static VIEW: View = View {
    name: "sga_advisory",
    about: "what another size of the SGA would have meant",
    titles: &["sgatargetadvisory"],
    shape: Shape::Rows,
    columns: &[
        bytes("target_bytes", &[("sgatargetsize(m)", MIB)]),
        number("size_factor", &[("sgasizefactor", 1.0)]),
        seconds("db_time_s", &[("estdbtime(s)", 1.0)]),
        number("db_time_factor", &[("estdbtimefactor", 1.0)]),
        number("physical_reads", &[("estphysicalreads", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn db_time_stands_by_the_size() {
        let report = html(
            "SGA Target Advisory",
            &["SGA Target Size (M)", "SGA Size Factor", "Est DB Time (s)", "Est Physical Reads"],
            &[&["512", "0.5", "95", "4,864"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            ["target_bytes=536870912 size_factor=0.5 db_time_s=95 physical_reads=4864"]
        );
    }
}
