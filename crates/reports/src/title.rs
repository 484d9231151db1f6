//! The title that tables stand under, and whether it can be theirs.

use crate::model::{Tables, title_of};

/// What came since the title was printed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Since {
    /// Nothing: what comes belongs to it.
    #[default]
    Nothing,
    /// A table.
    Table,
    /// The end of its section: what comes has lost its own.
    End,
}

/// The longest in known reports has 62.
const BYTES_MAX: usize = 120;

/// The title printed last.
#[derive(Debug, Default)]
pub struct Title {
    words: String,
    since: Since,
}

impl Title {
    /// A title is printed.
    pub fn set(&mut self, words: &str) {
        self.words.clear();
        self.words.push_str(title_of(words));
        self.since = Since::Nothing;
    }

    /// As it was printed; empty where a section has ended since.
    pub fn words(&self) -> &str {
        &self.words
    }

    /// Whether its section has ended.
    pub fn has_ended(&self) -> bool {
        self.since == Since::End
    }

    /// Its section ends.
    pub fn end(&mut self) {
        if !self.words.is_empty() {
            self.words.clear();
            self.since = Since::End;
        }
    }

    /// A table begins at a line: whether another one came before it under this title. Says so where its own is not there.
    pub fn take(&mut self, line: u32, out: &mut Tables) -> bool {
        self.require(line, out);
        let known = self.since != Since::End;
        known && std::mem::replace(&mut self.since, Since::Table) == Since::Table
    }

    /// Numbers stand at a line: says so where their title is not there.
    pub fn require(&self, line: u32, out: &mut Tables) {
        if self.since == Since::End {
            let message = "a table begins here behind the end of a section, and its title is not there";
            out.problem("title-missing", line, "", message.to_owned());
        } else if self.words.len() > BYTES_MAX {
            let message = "the words above this table are too long for its title";
            out.problem("title-missing", line, &self.words, message.to_owned());
        }
    }
}
