//! What was found out for some words, so that it is not found out again: reports of one release share their titles and headings.

use std::collections::HashMap;

/// So many words are remembered: a dozen releases have as many kinds of table.
const KNOWN_MAX: usize = 4096;
/// What is longer is looked at anew each time.
const WORDS_BYTES_MAX: usize = 2048;
/// So much is remembered of words and values together: those of the known releases take less than a tenth of it.
const BYTES_MAX: usize = 8 << 20;
/// Ends each of several words.
const END: char = '\u{1f}';

/// Values by words. One thread's: nothing is shared, and nothing waits.
pub struct Memo<V> {
    known: HashMap<String, V, ahash::RandomState>,
    bytes: usize,
    /// What was looked up last.
    words: String,
}

impl<V> Default for Memo<V> {
    fn default() -> Self {
        Self { known: HashMap::default(), bytes: 0, words: String::new() }
    }
}

impl<V: Clone> Memo<V> {
    /// What is remembered of these words.
    pub fn look_up<'a>(&mut self, words: impl IntoIterator<Item = &'a str>) -> Option<V> {
        self.words.clear();
        for words in words {
            self.words.push_str(words);
            self.words.push(END);
        }
        self.known.get(&self.words).cloned()
    }

    /// For the words that were looked up last; the value takes so many bytes.
    pub fn remember(&mut self, value: V, bytes: usize) {
        if self.words.len() > WORDS_BYTES_MAX {
            return;
        }
        self.bytes += self.words.len() + bytes;
        if self.known.len() >= KNOWN_MAX || self.bytes > BYTES_MAX {
            self.known.clear();
            self.bytes = self.words.len() + bytes;
        }
        self.known.insert(self.words.clone(), value);
    }

    /// What is remembered of one word, or what `find` finds, which is remembered and is no longer than the word.
    pub fn of(&mut self, words: &str, find: impl FnOnce() -> V) -> V {
        self.look_up([words]).unwrap_or_else(|| {
            let found = find();
            self.remember(found.clone(), words.len());
            found
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_apart_by_where_they_end() {
        let mut memo = Memo::default();
        assert_eq!(memo.look_up(["a", "bc"]), None);
        memo.remember(1, 0);
        assert_eq!(memo.look_up(["ab", "c"]), None);
        assert_eq!(memo.look_up(["a", "bc"]), Some(1));
        assert_eq!(memo.of("word", || 2), 2);
        assert_eq!(memo.of("word", || 3), 2);
    }

    #[test]
    fn memory_is_bounded() {
        let mut memo = Memo::default();
        for number in 0..KNOWN_MAX + 10 {
            memo.of(&number.to_string(), || number);
        }
        assert!(memo.known.len() <= KNOWN_MAX);
        let long = "x".repeat(WORDS_BYTES_MAX);
        memo.of(&long, || 1);
        assert_eq!(memo.of(&long, || 2), 2);
    }

    #[test]
    fn large_values_are_fewer() {
        let mut memo = Memo::default();
        for number in 0..10 {
            memo.look_up([number.to_string().as_str()]);
            memo.remember(number, BYTES_MAX / 3);
            assert!(memo.known.len() <= 3 && memo.bytes <= BYTES_MAX, "{number}");
        }
    }
}
