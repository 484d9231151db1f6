use super::view::{Shape, View, bytes, number, text};
use crate::value::{MIB};

/// Physical reads by the size of a buffer pool.
pub static VIEW: View = View {
    name: "buffer_pool_advisory",
    about: "what another size of a buffer pool would have meant",
    titles: &["bufferpooladvisory"],
    shape: Shape::Rows,
    columns: &[
        text("pool", &[("p", 1.0)]),
        bytes("size_bytes", &[("sizeforest(m)", MIB), ("sizeforestimate(m)", MIB)]),
        number("size_factor", &[("sizefactor", 1.0), ("sizefactr", 1.0)]),
        number("buffers", &[("buffers(thousands)", 1000.0), ("buffersforestimate", 1.0)]),
        number(
            "physical_read_factor",
            &[("estphysreadfactor", 1.0), ("estphysreadfactr", 1.0), ("estphysicalreadfactor", 1.0)],
        ),
        number(
            "physical_reads",
            &[("estimatedphysreads(thousands)", 1000.0), ("estimatedphysicalreads", 1.0)],
        ),
        number("db_time_for_reads_percent", &[("est%dbtimeforrds", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn thousands_in_headings_are_counted() {
        let report = html(
            "Buffer Pool Advisory",
            &[
                "P",
                "Size for Est (M)",
                "Size Factor",
                "Buffers (thousands)",
                "Est Phys Read Factor",
                "Estimated Phys Reads (thousands)",
                "Est %DBtime for Rds",
            ],
            &[&["D", "64", ".5", "8", "1.2", "18", "721.0"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "pool=D size_bytes=67108864 size_factor=0.5 buffers=8000 physical_read_factor=1.2 physical_reads=18000 db_time_for_reads_percent=721"
            ]
        );
    }
}
