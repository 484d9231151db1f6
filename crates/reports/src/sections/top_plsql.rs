use super::view::{Shape, View, number, text};

/// Procedures by their share of all activity, from samples of active sessions.
pub static VIEW: View = View {
    name: "top_plsql",
    about: "a procedure that was called, what ran in it and its share of all activity",
    titles: &["toppl/sqlprocedures"],
    shape: Shape::Rows,
    columns: &[
        text("entry", &[("pl/sqlentrysubprogram", 1.0), ("plsqlentrysubprogram", 1.0)]).carried(),
        number("activity_percent", &[("%activity", 1.0)]).carried(),
        text("current", &[("pl/sqlcurrentsubprogram", 1.0), ("plsqlcurrentsubprogram", 1.0)]),
        number("current_percent", &[("%current", 1.0)]),
        text("container", &[("containername", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::rows;
    use super::VIEW;

    #[test]
    fn a_row_of_two_lines_is_one() {
        let report = [
            "Top PL/SQL Procedures         DB/Inst: POT/pot  (May 01 10:00 to 11:00)",
            "",
            "PL/SQL Entry Subprogram                                           % Activity",
            "----------------------------------------------------------------- ----------",
            "PL/SQL Current Subprogram                                          % Current",
            "----------------------------------------------------------------- ----------",
            "COOK.SOUP.STIR                                                          3.50",
            "   SQL                                                                  2.50",
            "          -------------------------------------------------------------",
        ]
        .join("\n");
        assert_eq!(
            rows(&VIEW, &report),
            ["entry=COOK.SOUP.STIR activity_percent=3.5 current=SQL current_percent=2.5"]
        );
    }
}
