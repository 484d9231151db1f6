//! Sections of AWR-Miner, each of which says where it begins and ends: `~~BEGIN-MEMORY~~`, `~~END-MEMORY~~`.

use super::{Line, Scan};

/// A section whose end has not come.
pub(super) struct Begun<'a> {
    line: u32,
    name: &'a str,
    /// How many tables stand before it.
    first_table: usize,
}

impl<'a> Scan<'a, '_> {
    /// A line says that a section begins.
    pub(super) fn begin_named(&mut self, line: Line<'a>, name: &'a str) {
        self.require_end();
        self.end_section();
        self.begun = Some(Begun { line: line.number, name, first_table: self.out.tables.len() });
        self.title.set(name);
    }

    /// A line says that a section ends. Where another one began, or none, the lines between are lost.
    pub(super) fn end_named(&mut self, line: Line<'a>, name: &'a str) {
        self.end_section();
        match self.begun.take() {
            Some(begun) if begun.name == name => {}
            Some(begun) => self.tear(&begun, line.number, name),
            None => {
                let message = format!("the section {name} ends here, and its begin is not there");
                self.out.problem("table-unfinished", line.number, name, message);
            }
        }
    }

    /// Nobody knows behind which row of a section another one goes on.
    fn tear(&mut self, begun: &Begun<'_>, line: u32, name: &str) {
        let message = format!(
            "the section {} begins here, and line {line} ends another, {name}: lines between are lost, and no row \
             of both is in a typed table",
            begun.name
        );
        self.out.problem("table-unfinished", begun.line, begun.name, message);
        self.out.tables[begun.first_table..].iter_mut().for_each(|table| table.is_torn = true);
    }

    /// Whether a section that says where it ends has done so.
    pub(super) fn require_end(&mut self) {
        if let Some(begun) = self.begun.take() {
            let message = "the end of this section is not there".to_owned();
            self.out.problem("table-unfinished", begun.line, self.title.words(), message);
        }
    }
}

#[cfg(test)]
mod tests {
    const WHOLE: &str = "\
~~BEGIN-OS-INFORMATION~~
STAT_NAME                      STAT_VALUE
------------------------------ ------------------------------
DB_NAME                        SHOP
~~END-OS-INFORMATION~~
~~BEGIN-SIZE-ON-DISK~~

   SNAP_ID    SIZE_GB
---------- ----------
       800        2.5
~~END-SIZE-ON-DISK~~
~~BEGIN-MEMORY~~

   SNAP_ID INSTANCE_NUMBER        SGA        PGA      TOTAL
---------- --------------- ---------- ---------- ----------
       801               1         .4         .1         .5
~~END-MEMORY~~
";

    /// The typed tables, and the problems with their lines.
    fn read(report: &str) -> (Vec<&'static str>, Vec<(&'static str, Option<u32>)>) {
        let report = crate::read(report.as_bytes().to_vec());
        let typed = report.typed.iter().map(|typed| typed.view.name).collect();
        let problems = report.tables.problems.iter();
        (typed, problems.map(|problem| (problem.code, problem.line)).collect())
    }

    #[test]
    fn a_section_that_another_ends_is_in_no_typed_table() {
        let (typed, problems) = read(WHOLE);
        assert_eq!(typed, ["miner_os_information", "miner_size_on_disk", "miner_memory"]);
        assert_eq!(problems, []);
        let hole = WHOLE.replace("       800        2.5\n~~END-SIZE-ON-DISK~~\n~~BEGIN-MEMORY~~\n", "");
        let (typed, problems) = read(&hole);
        assert_eq!(typed, ["miner_os_information"]);
        assert_eq!(problems, [("table-unfinished", Some(6))]);
        let report = crate::read(hole.into_bytes());
        assert!(report.tables.tables.iter().any(|table| table.is_torn && table.row_count > 0));
    }

    #[test]
    fn names_of_a_torn_section_are_not_believed() {
        let hole = WHOLE.replace("~~END-OS-INFORMATION~~\n~~BEGIN-SIZE-ON-DISK~~\n", "");
        let report = crate::read(hole.into_bytes());
        assert_eq!(report.header.db_name, None);
    }

    #[test]
    fn a_section_whose_begin_is_lost_is_said() {
        let at = WHOLE.find("       800").unwrap();
        assert_eq!(read(&WHOLE[at..]).1[0], ("table-unfinished", Some(2)));
        let at = WHOLE.find("~~BEGIN-MEMORY~~").unwrap();
        assert_eq!(read(&WHOLE[at..]), (vec!["miner_memory"], vec![]));
    }
}
