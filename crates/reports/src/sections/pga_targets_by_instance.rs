use super::view::{Shape, View, aggregate, bytes};
use crate::value::{MIB};

/// A cluster's PGA at the begin and the end.
pub static VIEW: View = View {
    name: "pga_targets_by_instance",
    about: "how much memory the work areas of an instance have at the begin and the end",
    titles: &["pgaaggregatetargetstatistics"],
    shape: Shape::Rows,
    columns: &[
        aggregate(),
        bytes("aggregate_target_begin_bytes", &[("pgaaggrtargetbegin", MIB)]),
        bytes("aggregate_target_end_bytes", &[("pgaaggrtargetend", MIB)]),
        bytes("auto_target_begin_bytes", &[("autopgatargetbegin", MIB)]),
        bytes("auto_target_end_bytes", &[("autopgatargetend", MIB)]),
        bytes("allocated_begin_bytes", &[("pgamemallocbegin", MIB)]),
        bytes("allocated_end_bytes", &[("pgamemallocend", MIB)]),
        bytes("auto_work_area_begin_bytes", &[("autoworkareasbegin", MIB)]),
        bytes("auto_work_area_end_bytes", &[("autoworkareasend", MIB)]),
        bytes("manual_work_area_begin_bytes", &[("manualworkareabegin", MIB)]),
        bytes("manual_work_area_end_bytes", &[("manualworkareaend", MIB)]),
        bytes("global_bound_begin_bytes", &[("globalmemboundbegin", MIB)]),
        bytes("global_bound_end_bytes", &[("globalmemboundend", MIB)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn megabytes_of_an_instance_become_bytes() {
        let report = html(
            "PGA Aggregate Target Statistics",
            &["I#", "PGA Aggr Target Begin", "PGA Aggr Target End"],
            &[&["2", "8.0", "16.0"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            ["instance_number=2 aggregate_target_begin_bytes=8388608 aggregate_target_end_bytes=16777216"]
        );
    }
}
