use super::view::{Shape, View, number, seconds};

/// Writes by the time that recovery may take.
pub static VIEW: View = View {
    name: "mttr_advisory",
    about: "what another target for the time of recovery would have meant",
    titles: &["mttradvisory"],
    shape: Shape::Rows,
    columns: &[
        seconds("mttr_s", &[("sizeforest(s)", 1.0), ("sizefoest(s)", 1.0)]),
        number("dirty_limit_blocks", &[("dirtylimit", 1.0)]),
        number("cache_writes", &[("estcachewrites", 1.0)]),
        number("cache_write_factor", &[("estcachewritefctr", 1.0)]),
        number("total_writes", &[("esttotalwrites", 1.0)]),
        number("total_write_factor", &[("esttotalwritefctr", 1.0)]),
        number("total_ios", &[("esttotalios", 1.0)]),
        number("total_io_factor", &[("esttotaliofctr", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn writes_stand_by_the_time() {
        let report = html(
            "MTTR Advisory",
            &["Size for Est (s)", "Dirty Limit", "Est Cache Writes", "Est Cache Write Fctr", "Est Total IOs"],
            &[&["30", "6,154", "62,221", "2.08", "134,571"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            ["mttr_s=30 dirty_limit_blocks=6154 cache_writes=62221 cache_write_factor=2.08 total_ios=134571"]
        );
    }
}
