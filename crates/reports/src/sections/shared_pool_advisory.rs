use super::library_cache_gain::COLUMNS;
use super::view::{Shape, View, bytes, joined, number};
use crate::value::{MIB};

/// The library cache by the size of the shared pool.
pub static VIEW: View = View {
    name: "shared_pool_advisory",
    about: "what another size of the shared pool would have meant",
    titles: &["sharedpooladvisory"],
    shape: Shape::Rows,
    columns: &joined::<9>(
        &[
            bytes("size_bytes", &[("sharedpoolsize(m)", MIB), ("sharedpoolsizeforestim(m)", MIB)]),
            number("size_factor", &[("spsizefactr", 1.0)]),
        ],
        COLUMNS,
    ),
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn thousands_in_headings_are_counted() {
        let report = html(
            "Shared Pool Advisory",
            &[
                "Shared Pool Size(M)",
                "SP Size Factr",
                "Est LC Size (M)",
                "Est LC Time Saved (s)",
                "Est LC Mem Obj Hits (K)",
            ],
            &[&["168", ".9", "13", "1,087", "29"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "size_bytes=176160768 size_factor=0.9 library_cache_bytes=13631488 time_saved_s=1087 object_hits=29000"
            ]
        );
    }
}
