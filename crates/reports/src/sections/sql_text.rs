use super::view::{Shape, View, text};

/// Statements in full.
pub static VIEW: View = View {
    name: "sql_text",
    about: "a statement in full, by its identifier",
    titles: &["completelistofsqltext"],
    shape: Shape::Rows,
    columns: &[text("sql_id", &[("sqlid", 1.0)]), text("sql_text", &[("sqltext", 1.0)])],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn a_statement_stands_by_its_identifier() {
        let report = html(
            "Complete List of SQL Text",
            &["SQL Id", "SQL Text"],
            &[&["abcdef0123456", "select 1 from pot"]],
        );
        assert_eq!(rows(&VIEW, &report), ["sql_id=abcdef0123456 sql_text=select 1 from pot"]);
    }
}
