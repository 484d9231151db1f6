//! A ruler and the headings over it, as many tables of a release have them.

use std::cell::RefCell;
use std::iter::once;
use std::rc::Rc;
use std::sync::Arc;

use super::headings::{is_damaged, names};
use super::ruler::Ruler;
use crate::bounds::COLUMN_BYTES;
use crate::memo::Memo;

/// What a ruler and the lines stacked over it say of their columns.
#[derive(PartialEq)]
pub struct Heads {
    /// Where they stand.
    pub ruler: Ruler,
    /// What they are called.
    pub names: Arc<[String]>,
    /// Whether the first column holds names: its heading stands at the left of its dashes, and not at the right.
    pub named: bool,
    /// The first name that no report has.
    damaged: Option<usize>,
}

impl Heads {
    /// Of a line of dashes that is this ruler, and the lines over it; None where names get longer than those of any report.
    pub fn of(dashes: &str, ruler: Ruler, stacked: &[&str]) -> Option<Rc<Self>> {
        KNOWN.with_borrow_mut(|known| {
            known.look_up(once(dashes).chain(stacked.iter().copied())).or_else(|| {
                let heads = Rc::new(Self::read(ruler, stacked)?);
                known.remember(Rc::clone(&heads), heads.bytes());
                Some(heads)
            })
        })
    }

    fn read(ruler: Ruler, stacked: &[&str]) -> Option<Self> {
        let (from, to) = ruler.columns[0];
        let heading = stacked.last().map_or(&b""[..], |line| line.as_bytes());
        let dark = |at: usize| heading.get(at).is_some_and(|byte| *byte != b' ');
        let names: Arc<[String]> = names(&ruler, stacked)?.into();
        let damaged = names.iter().position(|name| is_damaged(name));
        Some(Self { named: dark(from) && !dark(to - 1), ruler, names, damaged })
    }

    /// Whether both hold the same headings, be they under other dashes.
    pub fn says_the_same(&self, other: &Self) -> bool {
        let words = |heads: &Self| -> String { heads.names.concat().split(' ').collect() };
        self == other || words(self) == words(other)
    }

    fn bytes(&self) -> usize {
        let each = size_of::<(usize, usize)>() + COLUMN_BYTES;
        self.names.iter().map(|name| name.len() + each).sum()
    }

    /// The first name that no report has, if there is one.
    pub fn damaged(&self) -> Option<&str> {
        self.damaged.map(|at| self.names[at].as_str())
    }
}

thread_local! {
    static KNOWN: RefCell<Memo<Rc<Heads>>> = RefCell::default();
}

#[cfg(test)]
mod tests {
    fn read(above: &str) -> (Vec<&'static str>, u32) {
        let report = format!(
            "Harbour Stats  DB/Inst: ORCL/orcl  Snaps: 1-2\n\n{above}\n\
             ------------------------ --------------\nshared pool                      7\n"
        );
        let tables = crate::read(report.into_bytes()).tables;
        (tables.problems.iter().map(|problem| problem.code).collect(), tables.numbers.unread)
    }

    #[test]
    fn values_among_headings_are_in_no_table() {
        assert_eq!(read("Harbour Name                   Requests"), (vec![], 0));
        assert_eq!(
            read("Harbour Name        1,234,567 7,654,321"),
            (vec!["heading-damaged", "numbers-unread"], 2)
        );
        assert_eq!(
            read("Harbour Name        1.234.567 7.654.321"),
            (vec!["heading-damaged", "numbers-unread"], 2)
        );
        assert_eq!(read("Harbour Name           ######### ######"), (vec!["heading-damaged"], 0));
    }
}
