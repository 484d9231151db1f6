use super::view::{MIB, Shape, View, bytes, number, seconds};

/// The library cache by the size of the shared pool.
pub static VIEW: View = View {
    name: "shared_pool_advisory",
    about: "what another size of the shared pool would have meant",
    titles: &["sharedpooladvisory"],
    shape: Shape::Rows,
    columns: &[
        bytes("size_bytes", &[("sharedpoolsize(m)", MIB), ("sharedpoolsizeforestim(m)", MIB)]),
        number("size_factor", &[("spsizefactr", 1.0)]),
        bytes("library_cache_bytes", &[("estlcsize(m)", MIB), ("estdlibcachesize(m)", MIB)]),
        number("library_cache_objects", &[("estlcmemobj", 1.0), ("estdlibcachememobj", 1.0)]),
        seconds("time_saved_s", &[("estlctimesaved(s)", 1.0), ("estdlibcachetimesaved(s)", 1.0)]),
        number("time_saved_factor", &[("estlctimesavedfactr", 1.0), ("estdlctimesavedfactr", 1.0)]),
        seconds("load_s", &[("estlcloadtime(s)", 1.0)]),
        number("load_factor", &[("estlcloadtimefactr", 1.0)]),
        number(
            "object_hits",
            &[("estlcmemobjhits", 1.0), ("estlcmemobjhits(k)", 1000.0), ("estdlibcachememobjhits", 1.0)],
        ),
    ],
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
