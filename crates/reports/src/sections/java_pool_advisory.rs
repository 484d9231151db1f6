use super::library_cache_gain::COLUMNS;
use super::view::{Shape, View, bytes, joined, number};
use crate::value::{MIB};

/// The library cache by the size of the Java pool.
pub static VIEW: View = View {
    name: "java_pool_advisory",
    about: "what another size of the Java pool would have meant",
    titles: &["javapooladvisory"],
    shape: Shape::Rows,
    columns: &joined::<9>(
        &[
            bytes("size_bytes", &[("javapoolsize(m)", MIB)]),
            number("size_factor", &[("jpsizefactr", 1.0)]),
        ],
        COLUMNS,
    ),
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn objects_stand_by_the_size() {
        let report = html(
            "Java Pool Advisory",
            &[
                "Java Pool Size(M)",
                "JP Size Factr",
                "Est LC Mem Obj",
                "Est LC Time Saved Factr",
                "Est LC Mem Obj Hits",
            ],
            &[&["4", ".5", "45", "", "9"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            ["size_bytes=4194304 size_factor=0.5 library_cache_objects=45 object_hits=9"]
        );
    }
}
