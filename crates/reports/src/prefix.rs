//! What stands before each line of a report that came by mail, through a log or out of a terminal: marks of a quotation, moments,
//! line numbers, prompts, colours. All lines share its form, so that it can be told from what the report prints.

use std::borrow::Cow;

use memchr::memmem;

use crate::kind;

/// A text of fewer lines with words shows no form that all share.
const LINES_MIN: usize = 4;
/// So many lines are looked at first: most texts have no prefix, and that must be told at once.
const SAMPLE_LINES: usize = 64;
/// The share of lines that may lack it: those of a mail around the quotation.
const BARE_SHARE_MAX: f64 = 0.1;
/// A log may put a moment and a name before a quotation, and so on.
const PREFIXES_MAX: usize = 4;
/// No prefix of one form is longer.
const PREFIX_BYTES_MAX: usize = 80;

/// A text without what stood before its lines, and what that was.
pub struct Stripped {
    /// The text, with as many lines as before.
    pub text: String,
    /// In words, each form once.
    pub forms: Vec<&'static str>,
}

/// Forms that the lines of a text may share before their words.
#[derive(Clone, Debug, PartialEq)]
enum Form {
    /// `> `
    Quotation,
    /// `SQL> `
    Prompt,
    /// `2024-03-09 08:00:00 `; with a sign that stands alone behind it or without, as in `08:00:00 | `.
    Moment { has_sign: bool },
    /// `  12: `, rising by one.
    Number,
    /// The very same words.
    Words(String),
    /// So many spaces, as before code in a forum or a note. A report's title and rulers begin where its lines begin.
    Indent(usize),
}

impl Form {
    fn name(&self) -> &'static str {
        match self {
            Self::Quotation => "marks of a quotation",
            Self::Prompt => "prompts of SQL*Plus",
            Self::Moment { .. } => "moments",
            Self::Number => "line numbers",
            Self::Words(_) => "the same words",
            Self::Indent(_) => "spaces",
        }
    }

    /// How long it is in a line that has it.
    fn len(&self, line: &str) -> Option<usize> {
        match self {
            Self::Quotation => quotation(line),
            Self::Prompt => line.starts_with("SQL>").then_some("SQL>".len()),
            Self::Moment { has_sign: false } => moment(line),
            Self::Moment { has_sign: true } => moment(line).and_then(|end| lone_sign(line, end)),
            Self::Number => number(line).map(|(_, len)| len),
            Self::Words(words) => line.starts_with(words.as_str()).then_some(words.len()),
            Self::Indent(spaces) => (indent(line) >= *spaces).then_some(*spaces),
        }
    }
}

/// The text without colours and what stands before all of its lines; None where it has neither.
pub fn strip(text: &str) -> Option<Stripped> {
    let mut forms = Vec::new();
    let mut text = Cow::Borrowed(text);
    if let Some(plain) = without_colours(&text) {
        (text, forms) = (Cow::Owned(plain), vec!["colours of a terminal"]);
    }
    for _ in 0..PREFIXES_MAX {
        let Some(form) = find(&text) else { break };
        text = Cow::Owned(without(&text, &form));
        if !forms.contains(&form.name()) {
            forms.push(form.name());
        }
    }
    match text {
        Cow::Owned(text) => Some(Stripped { text, forms }),
        Cow::Borrowed(_) => None,
    }
}

/// The form that nearly all lines with words share.
fn find(text: &str) -> Option<Form> {
    // From the middle, as the lines of a mail stand above the quotation.
    let middle = (text.len() / 2..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    let whole = memchr::memchr(b'\n', &text.as_bytes()[middle..]).map_or(0, |at| middle + at + 1);
    let mut sample: Vec<&str> = dark(&text[whole..]).take(SAMPLE_LINES).collect();
    if sample.len() < LINES_MIN {
        sample = dark(text).take(SAMPLE_LINES).collect();
    }
    if sample.len() < LINES_MIN {
        return None;
    }
    let same = Form::Words(common(&sample));
    let forms = [
        Form::Quotation,
        Form::Prompt,
        Form::Moment { has_sign: true },
        Form::Moment { has_sign: false },
        Form::Number,
        same,
        Form::Indent(title_indent(text, &sample)),
    ];
    let says = |form: &Form| *form != Form::Words(String::new()) && *form != Form::Indent(0);
    forms.into_iter().find(|form| {
        let shared = || has_most(sample.iter().copied(), form) && has_most(dark(text), form);
        says(form) && shared() && (*form != Form::Number || rises(text))
    })
}

/// The spaces before the first title of a report or of a section that stands at the margin; none where there is no title, as an excerpt
/// may begin with labels that are set to the right, and none where most lines of the sample have no spaces.
fn title_indent(text: &str, sample: &[&str]) -> usize {
    let is_title = |line: &&str| kind::begins_head(line) || begins_miner(line) || line.contains("DB/Inst:");
    if !has_most(sample.iter().copied(), &Form::Indent(1)) {
        return 0;
    }
    dark(text).find(is_title).map_or(0, indent)
}

/// Whether a line begins a section of AWR-Miner.
fn begins_miner(line: &str) -> bool {
    line.trim_start().starts_with("~~BEGIN-")
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The lines that have words.
fn dark(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim_ascii().is_empty())
}

fn has_most<'a>(lines: impl Iterator<Item = &'a str>, form: &Form) -> bool {
    let (mut all, mut bare) = (0_usize, 0_usize);
    for line in lines {
        all += 1;
        bare += usize::from(form.len(line).is_none());
    }
    bare as f64 <= all as f64 * BARE_SHARE_MAX
}

/// Whether the numbers of lines rise by one: those of a table's first column do not.
fn rises(text: &str) -> bool {
    let numbers: Vec<u64> = dark(text).filter_map(number).map(|(number, _)| number).collect();
    let steps = numbers.windows(2).filter(|pair| pair[1] == pair[0] + 1).count();
    // A second table under the same snapshots begins anew.
    let begins_anew = numbers.windows(3).any(|three| three[1] <= three[0] && three[2] == three[1] + 1);
    !begins_anew && steps as f64 >= (numbers.len() - 1) as f64 * (1.0 - BARE_SHARE_MAX)
}

/// The text without the form, and without the spaces behind it that all lines have.
fn without(text: &str, form: &Form) -> String {
    let rests = dark(text).filter_map(|line| Some(&line[form.len(line)?..]));
    let shared = rests.filter(|rest| !rest.trim().is_empty()).map(indent).min().unwrap_or_default();
    let mut bare = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let words = line.trim_end_matches(['\n', '\r']);
        let len = form.len(words).unwrap_or_default();
        let left_out = if len > 0 { shared.min(indent(&words[len..])) } else { 0 };
        bare.push_str(&line[len + left_out..]);
    }
    bare
}

/// `> `, `>> `, `> > `, `| `.
fn quotation(line: &str) -> Option<usize> {
    let mark = |byte: &u8| matches!(byte, b'>' | b'|');
    let bytes = line.as_bytes();
    let mut at = bytes.iter().take(1).filter(|byte| **byte == b' ').count();
    let first = at;
    while bytes.get(at).is_some_and(mark) {
        at += 1;
        // `> > `
        at += usize::from(bytes.get(at) == Some(&b' ') && bytes.get(at + 1).is_some_and(mark));
    }
    (at > first && at <= PREFIX_BYTES_MAX).then_some(at)
}

/// A clock with a date before it or none, perhaps in brackets, with a zone and the level that a log gives each line.
fn moment(line: &str) -> Option<usize> {
    let mut end = 0;
    let mut has_clock = false;
    for (at, word) in spaced(line).take(MOMENT_WORDS_MAX) {
        let bare = word.trim_matches(['[', ']', '(', ')', ',', ':', '-', '|']);
        let fits = if has_clock {
            at == end + 1 && (is_zone(bare) || is_level(bare))
        } else {
            is_clock(bare) || is_date(bare)
        };
        if !fits {
            break;
        }
        has_clock |= is_clock(bare);
        end = at + word.len();
    }
    has_clock.then_some(end)
}

/// Where a sign ends that stands alone behind a moment.
fn lone_sign(line: &str, end: usize) -> Option<usize> {
    let bytes = line.as_bytes();
    let is_sign = |byte: &u8| matches!(byte, b':' | b'|' | b'-' | b']');
    let is_blank = |at: usize| bytes.get(at).is_none_or(|byte| *byte == b' ');
    (is_blank(end) && bytes.get(end + 1).is_some_and(is_sign) && is_blank(end + 2)).then_some(end + 2)
}

/// `Sat`, `Mar`, `9`, `08:00:00`, `+0100`, `INFO`.
const MOMENT_WORDS_MAX: usize = 6;

/// The words of a line, with the byte that each begins at.
fn spaced(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    line.split(' ').filter_map(move |word| {
        let begin = at;
        at += word.len() + 1;
        (!word.is_empty()).then_some((begin, word))
    })
}

/// `08:00:00`, `08:00:00.123Z`, and a date with one behind a `T`.
fn is_clock(word: &str) -> bool {
    let word = word.rsplit_once('T').filter(|(date, _)| is_date(date)).map_or(word, |(_, clock)| clock);
    let bytes = word.as_bytes();
    let digits = |at: usize| bytes.get(at..at + 2).is_some_and(|two| two.iter().all(u8::is_ascii_digit));
    let is_rest =
        |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b':' | b'Z' | b'+' | b'-');
    digits(0)
        && bytes.get(2) == Some(&b':')
        && digits(3)
        && bytes.get(5) == Some(&b':')
        && digits(6)
        && bytes[8..].iter().all(is_rest)
}

/// `2024-03-09`, `09/03/24`, `09-MAR-2024`, `Mar`, `9`.
fn is_date(word: &str) -> bool {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    let is_number =
        |part: &str| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_named = |part: &str| {
        let part = part.to_ascii_lowercase();
        MONTHS.contains(&part.as_str()) || DAYS.contains(&part.as_str())
    };
    (1..=12).contains(&word.len())
        && word.split(['-', '/', '.']).all(|part| is_number(part) || is_named(part))
}

/// `UTC`, `CEST`, `+0100`, `PM`.
fn is_zone(word: &str) -> bool {
    let is_offset = |rest: &str| rest.len() == 4 && rest.bytes().all(|byte| byte.is_ascii_digit());
    matches!(word, "UTC" | "GMT" | "Z" | "CET" | "CEST" | "AM" | "PM")
        || word.strip_prefix(['+', '-']).is_some_and(is_offset)
}

/// How grave a line of a log is.
fn is_level(word: &str) -> bool {
    matches!(word, "TRACE" | "DEBUG" | "INFO" | "NOTICE" | "WARN" | "WARNING" | "ERROR" | "FATAL")
}

/// A number at the begin of a line with one sign or space behind it, and how long both are.
fn number(line: &str) -> Option<(u64, usize)> {
    let words = line.trim_start_matches(' ');
    let indent = line.len() - words.len();
    let digits = words.bytes().take_while(u8::is_ascii_digit).count();
    let value = words[..digits].parse().ok()?;
    let rest = &words.as_bytes()[digits..];
    let sign = rest.first().is_some_and(|byte| matches!(byte, b':' | b'.' | b')' | b'|' | b'\t'));
    let ends = sign || rest.first().is_none_or(|byte| *byte == b' ');
    ends.then_some((value, indent + digits + usize::from(sign)))
}

/// The words that all lines begin with: a name in brackets, a colon behind it. None where they end in a letter or a digit, and none
/// of tags.
fn common(lines: &[&str]) -> String {
    let first = lines.first().copied().unwrap_or_default();
    let shared = |one: &str, other: &str| {
        let same = one.char_indices().zip(other.chars()).take_while(|((_, one), other)| one == other);
        same.last().map_or(0, |((at, sign), _)| at + sign.len_utf8())
    };
    // One in ten may lack it, so that a line alone proves nothing: the second shares with the last.
    let middle = &lines[lines.len() / 2];
    let len = lines.iter().map(|line| shared(middle, line)).filter(|len| *len > 0).min().unwrap_or_default();
    let words = &middle[..len];
    let is_end = |sign: char| matches!(sign, ':' | ']' | '|' | '>' | ')' | '#' | '*');
    let end = words.rfind(is_end).map_or(0, |at| at + 1);
    let words = &words[..end];
    let fits = !first.is_empty() && !words.contains('<') && words.len() <= PREFIX_BYTES_MAX && end > 0;
    if fits { words.to_owned() } else { String::new() }
}

/// The text without the sequences that a terminal takes for colours and places.
fn without_colours(text: &str) -> Option<String> {
    let mut marks = memmem::find_iter(text.as_bytes(), b"\x1b[").peekable();
    marks.peek()?;
    let mut plain = String::with_capacity(text.len());
    let mut from = 0;
    for at in marks.filter(|at| *at < text.len()) {
        if at < from {
            continue;
        }
        plain.push_str(&text[from..at]);
        let rest = text.as_bytes()[at + 2..].iter();
        let len = rest.take_while(|byte| matches!(byte, b'0'..=b'?')).count();
        let end = at + 2 + len;
        let is_ended = text.as_bytes().get(end).is_some_and(|byte| matches!(byte, b'@'..=b'~'));
        from = end + usize::from(is_ended);
    }
    plain.push_str(&text[from..]);
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::strip;

    const REPORT: &str = "STATSPACK report for\n\nDatabase    DB Id    Instance\n----------- -------- --------\n\
        1           2        three\n\nLoad Profile     Per Second\n~~~~~~~~~~~~     ----------\n    Redo size:        12.5\n\
        1            4         five\n2            6        seven\nEnd of Report\n";

    fn each(prefix: impl Fn(usize) -> String) -> String {
        let lines = REPORT.lines().enumerate();
        lines.map(|(at, line)| format!("{}{line}", prefix(at)).trim_end().to_owned() + "\n").collect()
    }

    /// What stands before a line, by its number.
    type Before = Box<dyn Fn(usize) -> String>;

    #[test]
    fn what_stands_before_each_line_goes() {
        let cases: [(&str, Before); 17] = [
            ("marks of a quotation", Box::new(|_| "> ".to_owned())),
            ("marks of a quotation", Box::new(|_| "> > ".to_owned())),
            ("marks of a quotation", Box::new(|_| ">".to_owned())),
            ("prompts of SQL*Plus", Box::new(|_| "SQL> ".to_owned())),
            ("moments", Box::new(|at| format!("2024-03-09 08:00:{at:02} "))),
            ("moments", Box::new(|at| format!("[2024-03-09T08:00:{at:02}.123Z] "))),
            ("moments", Box::new(|at| format!("Mar  9 08:00:{at:02} "))),
            ("moments", Box::new(|at| format!("08:00:{at:02} | "))),
            ("moments", Box::new(|at| format!("2024-03-09 08:00:{at:02} INFO "))),
            ("moments", Box::new(|at| format!("2024-03-09T08:00:{at:02}Z [WARN] "))),
            ("line numbers", Box::new(|at| format!("{:5}  ", at + 1))),
            ("line numbers", Box::new(|at| format!("{}: ", at + 1))),
            ("line numbers", Box::new(|at| format!("{}:", at + 1))),
            ("line numbers", Box::new(|at| format!("{:6}\t", at + 9))),
            ("line numbers", Box::new(|at| format!("{:6} ", at + 1))),
            ("the same words", Box::new(|_| "[quay1] spool: ".to_owned())),
            ("spaces", Box::new(|_| "    ".to_owned())),
        ];
        for (form, prefix) in cases {
            let stripped = strip(&each(&prefix)).unwrap_or_else(|| panic!("{form}: {:?}", prefix(3)));
            assert_eq!((stripped.text.as_str(), stripped.forms), (REPORT, vec![form]), "{:?}", prefix(3));
        }
    }

    #[test]
    fn several_forms_may_stand_before_each_other() {
        let stripped = strip(&each(|at| format!("2024-03-09 08:00:{at:02} quay1: > "))).unwrap();
        assert_eq!(stripped.text, REPORT);
        assert_eq!(stripped.forms, ["moments", "the same words"]);
    }

    #[test]
    fn colours_go() {
        let coloured = REPORT.replace("Redo", "\u{1b}[1;31mRedo\u{1b}[0m");
        let stripped = strip(&coloured).unwrap();
        assert_eq!((stripped.text.as_str(), stripped.forms), (REPORT, vec!["colours of a terminal"]));
        assert_eq!(strip("\u{1b}[").unwrap().text, "");
    }

    #[test]
    fn a_report_keeps_what_it_prints() {
        assert!(strip(REPORT).is_none());
        let rows: String = (1..40).map(|row| format!("{row:4} log file sync {}\n", row * 7)).collect();
        let page: String = (1..40).map(|row| format!("<tr><td>{row}</td></tr>\n")).collect();
        assert!(strip(&page).is_none());
        assert!(strip(&format!("{REPORT}{}", rows.replace("   1 ", "  11 "))).is_none());
    }

    #[test]
    fn sections_stand_at_the_margin() {
        let miner = "~~BEGIN-MEMORY~~\n\n   SNAP_ID        SGA\n---------- ----------\n       800         .4\n\
            ~~END-MEMORY~~\n";
        let section = "Latches  DB/Inst: SHOP/shop\n\nName        Gets\n------- --------\n   shared      12\n   cache        9\n";
        for text in [miner, section] {
            let indented: String = text.lines().map(|line| format!("   {line}\n")).collect();
            assert_eq!(strip(&indented).unwrap().text.replace("   \n", "\n"), text);
            assert!(strip(text).is_none());
        }
    }

    #[test]
    fn labels_set_to_the_right_are_no_indent() {
        let labels =
            "   DB time(s):    0.3\n DB CPU(s):    0.2\n Redo size:   11.6\n User calls:   3.3\n".repeat(8);
        assert!(strip(&labels).is_none());
        assert!(strip(&format!("{REPORT}{labels}")).is_none());
    }

    #[test]
    fn a_mail_around_the_quotation_stays() {
        let mail = format!("Dear all,\n{}", each(|_| "> ".to_owned()));
        assert_eq!(strip(&mail).unwrap().text, format!("Dear all,\n{REPORT}"));
    }

    #[test]
    fn a_long_mail_above_a_long_quotation_stays() {
        let report = REPORT.repeat(20);
        let quoted: String =
            report.lines().map(|line| format!("> {line}").trim_end().to_owned() + "\n").collect();
        let head = "From: me\nTo: you\nSubject: it\n\nHello,\nplease look at this.\n".repeat(4);
        assert_eq!(strip(&format!("{head}{quoted}")).unwrap().text, format!("{head}{report}"));
    }

    #[test]
    fn snapshots_of_two_tables_are_no_line_numbers() {
        let rows =
            |from: u32| (from..from + 40).map(|snap| format!("     {snap} 1 2.5\n")).collect::<String>();
        assert!(strip(&rows(700)).is_some());
        assert!(strip(&(rows(700) + "SNAP_ID I GB\n" + &rows(700))).is_none());
    }

    #[test]
    fn a_ruler_of_one_dash_is_no_sign_behind_a_moment() {
        let table = "B or E   Targt\n- ----- ------\nB     0     10\nE     1     12\n".repeat(4);
        let logged: String = table
            .lines()
            .enumerate()
            .map(|(at, line)| format!("2024-03-09 08:00:{at:02} {line}\n"))
            .collect();
        assert_eq!(strip(&logged).unwrap().text, table);
    }
}
