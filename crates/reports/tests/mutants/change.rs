//! What happens to bytes: cut off, other bytes, lines lost or twice, bytes in between, two reports in one file.

use std::ops::Range;

/// Numbers that look like chance and are the same each time (SplitMix64, Steele, Lea and Flood 2014).
pub struct Dice(pub u64);

impl Dice {
    /// The next one.
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// One below a limit, which is not 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.roll() % limit as u64) as usize
    }
}

/// A damaged report.
pub struct Mutant {
    /// What was done.
    pub what: &'static str,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Where other bytes stand than before.
    pub touched: Vec<Range<usize>>,
    /// Where bytes follow each other that did not before.
    pub seams: Vec<usize>,
    /// Where a line end became another byte.
    pub ends_lost: Vec<usize>,
    /// Where a second report begins in the middle.
    pub second_from: Option<usize>,
}

impl Mutant {
    fn new(what: &'static str, bytes: Vec<u8>) -> Self {
        Self { what, bytes, touched: Vec::new(), seams: Vec::new(), ends_lost: Vec::new(), second_from: None }
    }

    /// The line of a byte, from 1.
    pub fn line(&self, byte: usize) -> u32 {
        memchr::memchr_iter(b'\n', &self.bytes[..byte.min(self.bytes.len())]).count() as u32 + 1
    }

    /// Whether a line end, or what looks like one, came or went there.
    pub fn breaks_lines(&self, range: &Range<usize>) -> bool {
        let is_end = |byte: u8| matches!(byte, b'\n' | b'\r' | b'\x0c');
        self.bytes[range.clone()].iter().any(|byte| is_end(*byte))
            || self.ends_lost.iter().any(|at| range.contains(at))
    }

    /// The words around each place with other bytes, up to white space, a tag or an entity, in lower case; decoded as the reader has
    /// decoded the report, since a damaged byte makes another encoding of some, and other words of the same bytes. No wrong number gets
    /// through by it: they are the words of the same places.
    pub fn words(&self, encoding: &str) -> Vec<String> {
        let encoding = encoding_rs::Encoding::for_label(encoding.as_bytes()).unwrap_or(encoding_rs::UTF_8);
        let decoded = |word: &[u8]| encoding.decode_without_bom_handling(word).0.to_lowercase();
        let is_edge = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'<' | b'>' | b'&' | b';');
        let around = |range: &Range<usize>| -> Vec<String> {
            let before = self.bytes[..range.start].iter().rev().take_while(|byte| !is_edge(byte)).count();
            let after = self.bytes[range.end..].iter().take_while(|byte| !is_edge(byte)).count();
            let words = &self.bytes[range.start - before..range.end + after];
            words.split(is_edge).map(decoded).collect()
        };
        self.touched.iter().flat_map(around).collect()
    }
}

/// One damage to the first report; a part of the second one may follow it.
pub fn damage(report: &[u8], second: &[u8], dice: &mut Dice) -> Mutant {
    match dice.below(6) {
        0 => cut_off(report, dice),
        1 => with_other_bytes(report, dice),
        2 => without_lines(report, dice),
        3 => with_lines_twice(report, dice),
        4 => with_more_bytes(report, dice),
        _ => spliced(report, second, dice),
    }
}

fn cut_off(report: &[u8], dice: &mut Dice) -> Mutant {
    let end = dice.below(report.len());
    let mut mutant = Mutant::new("cut off", report[..end].to_vec());
    mutant.touched.push(end..end);
    mutant
}

fn with_other_bytes(report: &[u8], dice: &mut Dice) -> Mutant {
    let mut mutant = Mutant::new("other bytes", report.to_vec());
    for _ in 0..=dice.below(3) {
        let at = dice.below(report.len());
        mutant.ends_lost.extend((mutant.bytes[at] == b'\n').then_some(at));
        mutant.bytes[at] ^= 1 << dice.below(8);
        mutant.touched.push(at..at + 1);
    }
    mutant
}

fn without_lines(report: &[u8], dice: &mut Dice) -> Mutant {
    let lines = some_lines(report, dice);
    let mut mutant = Mutant::new("lines lost", [&report[..lines.start], &report[lines.end..]].concat());
    mutant.seams.push(lines.start);
    mutant
}

fn with_lines_twice(report: &[u8], dice: &mut Dice) -> Mutant {
    let lines = some_lines(report, dice);
    let mut mutant = Mutant::new("lines twice", [&report[..lines.end], &report[lines.start..]].concat());
    mutant.seams.push(lines.end);
    mutant
}

/// One to three lines.
fn some_lines(report: &[u8], dice: &mut Dice) -> Range<usize> {
    let at = dice.below(report.len());
    let start = memchr::memrchr(b'\n', &report[..at]).map_or(0, |before| before + 1);
    let ends = memchr::memchr_iter(b'\n', &report[at..]).map(|len| at + len + 1);
    let end = ends.take(1 + dice.below(3)).last().unwrap_or(report.len());
    start..end
}

fn with_more_bytes(report: &[u8], dice: &mut Dice) -> Mutant {
    const ONES: &[u8] = b" 0127.,-KM<>\n'\"&#\x00\xff";
    let at = dice.below(report.len());
    let more: Vec<u8> = (0..=dice.below(4)).map(|_| ONES[dice.below(ONES.len())]).collect();
    let mut mutant = Mutant::new("more bytes", [&report[..at], &more, &report[at..]].concat());
    mutant.touched.push(at..at + more.len());
    mutant
}

fn spliced(report: &[u8], second: &[u8], dice: &mut Dice) -> Mutant {
    let (end, start) = (dice.below(report.len()), dice.below(second.len()));
    let mut mutant = Mutant::new("spliced", [&report[..end], &second[start..]].concat());
    mutant.touched.push(end..end);
    mutant.second_from = Some(end);
    mutant
}
