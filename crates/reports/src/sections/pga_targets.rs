use super::view::{Shape, View, bytes, number, text};
use crate::value::{KIB, MIB};

/// PGA at the begin and the end.
pub static VIEW: View = View {
    name: "pga_targets",
    about: "how much memory work areas have at the begin and the end",
    titles: &["pgaaggrtargetstats"],
    shape: Shape::Rows,
    columns: &[
        text("snapshot", &[("", 1.0)]).about("B for begin, E for end"),
        bytes("aggregate_target_bytes", &[("pgaaggrtarget(m)", MIB)]),
        bytes("auto_target_bytes", &[("autopgatarget(m)", MIB)]),
        bytes("allocated_bytes", &[("pgamemalloc(m)", MIB)]),
        bytes("work_area_bytes", &[("w/apgaused(m)", MIB)]),
        number("work_area_percent", &[("%pgaw/amem", 1.0)]),
        number("auto_work_area_percent", &[("%autow/amem", 1.0)]),
        number("manual_work_area_percent", &[("%manw/amem", 1.0)]),
        bytes("global_bound_bytes", &[("globalmembound(k)", KIB)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn units_of_headings_become_bytes() {
        let report = html(
            "PGA Aggr Target Stats",
            &["", "PGA Aggr Target(M)", "Auto PGA Target(M)", "%Auto W/A Mem", "Global Mem Bound(K)"],
            &[&["B", "16", "4", "100.0", "8"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "snapshot=B aggregate_target_bytes=16777216 auto_target_bytes=4194304 auto_work_area_percent=100 global_bound_bytes=8192"
            ]
        );
    }
}
