use super::view::{Shape, View, bytes, number, seconds, text};
use crate::value::{MIB};

/// DB time by the size of all memory.
pub static VIEW: View = View {
    name: "memory_target_advisory",
    about: "what another size of all memory would have meant",
    titles: &["memorytargetadvice", "memorytargetadvisory"],
    shape: Shape::Rows,
    columns: &[
        bytes("size_bytes", &[("memorysize(m)", MIB)]),
        number("size_factor", &[("memorysizefactor", 1.0)]),
        seconds("db_time_s", &[("est.dbtime(s)", 1.0), ("estdbtime(s)", 1.0)]),
        text("advice_reset", &[("advicereset", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn db_time_stands_by_the_size() {
        let report = html(
            "Memory Target Advice",
            &["Memory Size (M)", "Memory Size Factor", "Est. DB time (s)", "Advice Reset"],
            &[&["768", ".8", "95", "Y"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            ["size_bytes=805306368 size_factor=0.8 db_time_s=95 advice_reset=Y"]
        );
    }
}
