use super::view::{Shape, View, text};

/// Parameters that are set.
pub static VIEW: View = View {
    name: "parameters",
    about: "the value of a parameter; one of several values has a row of its own",
    titles: &[
        "init.oraparameters",
        "init.oramulti-valuedparameters",
        "modifiedparameters",
        "modifiedmulti-valuedparameters",
        "parametersmodifiedbythiscontainer",
        "parametersmodifiedbyothercontainers",
        "multi-valuedparametersmodifiedbythiscontainer",
        "multi-valuedparametersmodifiedbyothercontainers",
        "database-parameters",
    ],
    shape: Shape::Rows,
    columns: &[
        text("parameter", &[("parametername", 1.0), ("parameter_name", 1.0)]).carried(),
        text("begin_value", &[("beginvalue", 1.0), ("value", 1.0)]),
        text("end_value", &[("endvalue(ifdifferent)", 1.0)]).about("null where it is as at the begin"),
        text("pdb_name", &[("pdbname", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn values_below_each_other_are_of_one_parameter() {
        let report = html(
            "init.ora Multi-Valued Parameters",
            &["Parameter Name", "Begin value", "End value (if different)"],
            &[&["control_files", "/a/1.ctl", ""], &["", "/a/2.ctl", ""]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            ["parameter=control_files begin_value=/a/1.ctl", "parameter=control_files begin_value=/a/2.ctl"]
        );
    }
}
