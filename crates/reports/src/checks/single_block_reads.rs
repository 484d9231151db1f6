use super::pages::Pages;
use super::{Check, Say, Violation};

/// Reads of one block are reads.
pub static CHECK: Check = Check {
    name: "single_block_reads",
    about: "reads of one block are no more than all reads of a tablespace or file",
    code: "identity-violated",
    find,
};

const TITLES: &[&str] = &["tablespaceio", "fileio"];

fn find(pages: &Pages<'_>, say: Say<'_>) {
    for sheet in pages.sheets(TITLES) {
        let columns =
            [&["avrds/s", "avreads/s"], &["1-bkrds/s", "1-bkreads/s"]].map(|names| sheet.column(names));
        let [Some(all), Some(single)] = columns else { continue };
        // The view has put such a table's columns right, or says that nobody can.
        if pages
            .tables
            .problems
            .iter()
            .any(|problem| problem.code.starts_with("columns-") && problem.line == Some(sheet.table.line))
        {
            continue;
        }
        for row in sheet.rows() {
            let (Some(all), Some(single)) = (sheet.rate(*row, all), sheet.rate(*row, single)) else {
                continue;
            };
            if !single.range.is_at_most(all.range) {
                let message =
                    format!("reads of one block {} are more than all reads {}", single.place, all.place);
                say(Violation::of(&single, message));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;
    use super::CHECK;

    #[test]
    fn reads_of_one_block_are_reads() {
        let headings: &[&str] = &["Tablespace", "Filename", "Reads", "Av Rds/s", "1-bk Rds/s"];
        let rows: &[&[&str]] = &[&["USERS", "/u1/a", "9", "2", "2.4"], &["USERS", "/u1/b", "9", "2", "4"]];
        let said = found(&CHECK, &[("File IO Stats", headings, rows)]);
        assert_eq!(said.len(), 1);
        assert!(said[0].contains("'4'"));
    }
}
