use super::view::{Shape, View, number, text};

/// What Oracle's own advisor found.
pub static VIEW: View = View {
    name: "addm_findings",
    about: "a finding of the advisor in the database",
    titles: &["topaddmfindingsbyaverageactivesessions"],
    shape: Shape::Rows,
    columns: &[
        text("finding", &[("findingname", 1.0)]),
        number("task_active_sessions", &[("avgactivesessionsofthetask", 1.0), ("avgact", 1.0)])
            .about("average over the task"),
        number("finding_percent", &[("percentactivesessionsoffinding", 1.0), ("percen", 1.0)])
            .about("of the task's active sessions"),
        text("task", &[("taskname", 1.0)]),
        text("begin_snap_time", &[("beginsnaptime", 1.0)]),
        text("end_snap_time", &[("endsnaptime", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn cut_headings_are_known() {
        let report = html(
            "Top ADDM Findings by Average Active Sessions",
            &["Finding Name", "Avg act", "Percen", "Task Name"],
            &[&["Top-SQL", ".96", "74.74", "ADDM:1_1_2"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            ["finding=Top-SQL task_active_sessions=0.96 finding_percent=74.74 task=ADDM:1_1_2"]
        );
    }
}
