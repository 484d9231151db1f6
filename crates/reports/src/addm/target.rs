//! What ADDM analysed: the snapshots, the database, its load.

use super::{Line, Said, numbers, quoted};
use crate::dates;

/// What a row says.
pub const COLUMNS: [&str; 12] = [
    "Task",
    "Begin Snap",
    "End Snap",
    "Begin Time",
    "End Time",
    "DB Name",
    "DB Id",
    "Release",
    "Instance",
    "Inst Num",
    "Host",
    "DB Time (s)",
];

/// Snapshots, database and release: numbers that every analysis has, in any language.
const ALWAYS_SAID: [usize; 4] = [1, 2, 6, 7];
/// Where the begin and the end stand.
const MOMENTS: [usize; 2] = [3, 4];

/// The line of the first analysis that lacks one of them, and which; snapshots that do not follow each other are none.
pub fn first_lack(analyses: &[Said]) -> Option<(u32, &'static str)> {
    // Moments are not read in every language, but then neither of both.
    let half = |row: &[String]| {
        let lacking = MOMENTS.into_iter().filter(|at| row[*at].is_empty()).collect::<Vec<_>>();
        if let [only] = lacking.as_slice() { Some(*only) } else { None }
    };
    let lack = |row: &[String]| ALWAYS_SAID.into_iter().find(|at| row[*at].is_empty()).or(half(row));
    let backward = |row: &[String]| {
        let [begin, end] = [1, 2].map(|at| row[at].parse::<u64>().ok());
        Some(1).filter(|_| begin.zip(end).is_some_and(|(begin, end)| end <= begin))
    };
    analyses.iter().find_map(|(line, row)| Some((*line, COLUMNS[lack(row).or(backward(row))?])))
}

/// The head of one analysis: three sections in any language, or the labels of 10g.
pub fn read(lines: &[Line<'_>]) -> Said {
    let labels: Vec<(&str, &str)> = lines
        .iter()
        .take(LINES_MAX)
        .filter_map(|line| line.trimmed().split_once(": "))
        .map(|(label, value)| (label, value.trim()))
        .collect();
    let labelled =
        |label: &str| labels.iter().find(|(known, _)| *known == label).map_or("", |(_, value)| *value);
    let mut said = if labelled("Snapshot Range").is_empty() { sections(lines) } else { old(labelled) };
    said.insert(0, quoted(lines[0].words).to_owned());
    (lines[0].number, said)
}

/// Whether sentences about what was analysed are not there: the database, its release, and of which instances, the last up to its end.
pub fn is_cut(lines: &[Line<'_>]) -> bool {
    let sections = paragraphs(lines);
    let Some(target) = sections.get(1) else { return false };
    let is_old = lines.iter().take(LINES_MAX).any(|line| line.trimmed().starts_with("Snapshot Range: "));
    !is_old
        && (sections[0].len() < PERIOD_LINES_MIN
            || target.len() < TARGET_LINES_MIN
            || !target.last().is_some_and(|line| is_ended(line)))
}

/// The snapshots, and when the first and the last were taken.
const PERIOD_LINES_MIN: usize = 3;
/// The fewest that any analysis from 11g on has.
const TARGET_LINES_MIN: usize = 3;
/// The head takes no more.
const LINES_MAX: usize = 40;

/// Of 10g.
fn old<'a>(labelled: impl Fn(&str) -> &'a str) -> Vec<String> {
    let pair = |label: &str| labelled(label).split_once('/').unwrap_or_default();
    let snaps = numbers(labelled("Snapshot Range"));
    let snap = |at: usize| snaps.get(at).map_or("", |number| number.words).to_owned();
    let (day, clocks) = labelled("Analysis Period").split_once(" from ").unwrap_or_default();
    let (from, to) = clocks.split_once(" to ").unwrap_or_default();
    let moment = |clock: &str| if clock.is_empty() { String::new() } else { format!("{day} {clock}") };
    let (db_id, number) = pair("Database ID/Instance");
    let (db_name, instance) = pair("Database/Instance Names");
    let seconds = numbers(labelled("Database Time")).first().map_or("", |number| number.words).to_owned();
    let others = [db_name, db_id, labelled("Database Version"), instance, number, labelled("Host Name")];
    let times = [snap(0), snap(1), moment(from), moment(to)];
    times.into_iter().chain(others.map(str::to_owned)).chain([seconds]).collect()
}

/// From 11g on.
fn sections(lines: &[Line<'_>]) -> Vec<String> {
    let sections = paragraphs(lines);
    let section = |at: usize| sections.get(at).map_or(&[][..], Vec::as_slice);
    let (period, target) = (section(0), section(1).join(" "));
    // Where the line of dashes over it is lost, the list of findings comes next, which is no sentence.
    let is_told = section(2).last().is_some_and(|line| is_ended(line));
    let activity = if is_told { section(2).join(" ") } else { String::new() };
    let range = period.first().copied().unwrap_or_default();
    let snaps = numbers(range);
    // Of three nobody knows which two are meant. One at the end of the line, without so much as a point behind it, may go on.
    let is_whole = |number: &&super::Number<'_>| !range.ends_with(number.words) && snaps.len() == 2;
    let snap = |at: usize| snaps.get(at).filter(is_whole).map_or("", |number| number.words).to_owned();
    let moments: Vec<&str> = period.iter().skip(1).filter_map(|line| moment(line)).collect();
    let moment = |at: usize| moments.get(at).copied().unwrap_or_default().to_owned();
    let found = numbers(&target);
    let whole = |number: &&super::Number<'_>| number.words.bytes().all(|byte| byte.is_ascii_digit());
    let named = target.find('\'').map_or("", |at| &target[at..]);
    let named = numbers(named);
    let db_id = named.iter().find(whole).map_or("", |number| number.words);
    let release = found.iter().find(|number| number.words.matches('.').count() >= 3);
    let [instance, number, host] = instance(&target);
    vec![
        snap(0),
        snap(1),
        moment(0),
        moment(1),
        quoted(&target).to_owned(),
        db_id.to_owned(),
        release.map_or("", |number| number.words).to_owned(),
        instance,
        number,
        host,
        numbers(&activity).first().map_or("", |number| number.words).to_owned(),
    ]
}

/// Whether a sentence is there up to its end.
pub fn is_ended(words: &str) -> bool {
    words.ends_with(['.', '。', '．'])
}

/// The lines of each section: below a line with dashes at the margin, up to a blank one.
fn paragraphs<'a>(lines: &[Line<'a>]) -> Vec<Vec<&'a str>> {
    let head = &lines[..lines.len().min(LINES_MAX)];
    let begins = (2..head.len()).filter(|at| head[*at].is_dashes() && head[*at].indent() == 0);
    let below = |at: usize| head[at + 1..].iter().map(Line::trimmed).take_while(|words| !words.is_empty());
    begins.map(|at| below(at).collect()).collect()
}

/// The moment at the end of a sentence.
fn moment(words: &str) -> Option<&str> {
    let starts = words.match_indices(' ').map(|(at, _)| at + 1);
    starts.map(|at| words[at..].trim_end_matches('.')).find(|rest| dates::read(rest).is_some())
}

/// Name, number and host, where the sentence is one that is known; there is no other sign of them.
fn instance(words: &str) -> [String; 3] {
    let between = |words: &str, begin: &str, end: &str| -> Option<String> {
        let rest = words.split_once(begin)?.1;
        Some(rest.split_once(end)?.0.trim().to_owned())
    };
    let english = || {
        let rest = words.split_once("of instance ")?.1;
        let host = rest.split_once("hosted at ")?.1.split_whitespace().next()?.trim_end_matches('.');
        Some([rest.split_once(',')?.0.to_owned(), between(rest, "numbered ", " ")?, host.to_owned()])
    };
    let german = || {
        let rest = words.split_once("Instanz ")?.1;
        Some([
            rest.split_once(' ')?.0.to_owned(),
            between(rest, "der Nummer ", " ")?,
            between(rest, " auf ", " ")?,
        ])
    };
    english().or_else(german).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::testing::HEAD;
    use super::{Line, read};

    fn said(text: &str) -> Vec<String> {
        let lines: Vec<_> = text.lines().zip(1..).map(|(words, number)| Line { words, number }).collect();
        read(&lines).1
    }

    #[test]
    fn the_head_is_read_by_its_sections() {
        assert_eq!(
            said(HEAD.trim_start_matches('\n')),
            [
                "T",
                "410",
                "411",
                "04-APR-15 06.22.17 AM",
                "04-APR-15 02.24.18 PM",
                "SHOP",
                "1329819247",
                "12.1.0.2.0",
                "shop1",
                "1",
                "h1.example",
                "602",
            ]
        );
    }

    #[test]
    fn what_a_lost_line_said_is_unknown() {
        let last = |head: &str| said(head.trim_start_matches('\n')).pop();
        let list = "\nSummary of Findings\n-------------------\n1 Slow Disks 4.93 | 61.5\n";
        let dashes = "\n-----------------------------------\nTotal";
        assert_eq!(last(&format!("{HEAD}{list}")).as_deref(), Some("602"));
        assert_eq!(last(&format!("{}{list}", HEAD.replace(dashes, "\nTotal"))).as_deref(), Some(""));
        let nameless = HEAD.replace("Database 'SHOP' with DB ID 1329819247.\n", "");
        assert_eq!(said(nameless.trim_start_matches('\n'))[6], "");
        assert_eq!(said(HEAD.replace("AWR", "2AWR").trim_start_matches('\n'))[1], "");
        assert_eq!(said(HEAD[..HEAD.find("1.\n").unwrap()].trim_start_matches('\n'))[2], "");
    }

    #[test]
    fn the_labels_of_10g_are_read() {
        let head = "\
  DETAILED ADDM REPORT FOR TASK 'T' WITH ID 7
  -------------------------------------------

       Analysis Period: 20-MAR-2010 from 08:01:06 to 22:00:07
  Database ID/Instance: 1998456309/1
Database/Instance Names: TEST/test
             Host Name: H4
      Database Version: 10.2.0.1.0
        Snapshot Range: from 2821 to 2835
         Database Time: 637 seconds
";
        assert_eq!(
            said(head),
            [
                "T",
                "2821",
                "2835",
                "20-MAR-2010 08:01:06",
                "20-MAR-2010 22:00:07",
                "TEST",
                "1998456309",
                "10.2.0.1.0",
                "test",
                "1",
                "H4",
                "637",
            ]
        );
    }
}
