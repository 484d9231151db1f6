//! Whether findings and their recommendations follow each other by number: where they do not, lines are lost.

use std::collections::BTreeMap;

use super::findings::{BENEFIT, DESCRIPTION, FINDING, IMPACT, RECOMMENDATION};
use super::target::is_ended;
use super::{Line, Said, numbers};

/// The line of the first row that does not follow the one above: findings of one analysis have the numbers from 1 on, and so have
/// the recommendations of one finding.
pub fn first_break(rows: &[Said]) -> Option<u32> {
    let place = |(_, row): &Said| {
        [FINDING, RECOMMENDATION].map(|at: usize| row[at].parse::<u32>().unwrap_or_default())
    };
    let mut above: Option<(&str, [u32; 2])> = None;
    for row in rows {
        let (task, [finding, recommendation]) = (row.1[0].as_str(), place(row));
        let last = above.filter(|(known, _)| *known == task).map_or([0, 0], |(_, last)| last);
        let goes_on = finding == last[0] && last[1] > 0 && recommendation == last[1] + 1;
        if !goes_on && (finding != last[0] + 1 || recommendation > 1) {
            return Some(row.0);
        }
        above = Some((task, [finding, recommendation]));
    }
    None
}

/// The line of the first finding that does not say its impact, or recommendation that does not say its benefit, where others do.
pub fn first_without_share(rows: &[Said]) -> Option<u32> {
    let lacks = |at: usize, of: usize| {
        let without = rows.iter().find(|(_, row)| !row[of].is_empty() && row[at].is_empty());
        let is_said = rows.iter().any(|(_, row)| !row[at].is_empty());
        without.filter(|_| is_said).map(|(line, _)| *line)
    };
    let lines = [lacks(IMPACT, FINDING), lacks(BENEFIT, RECOMMENDATION)];
    lines.into_iter().flatten().min()
}

/// The line of the first impact or benefit with more or fewer numbers than most have: `Impact is 4<.93 active sessions`.
pub fn first_odd_share(rows: &[Said]) -> Option<u32> {
    let shares = rows.iter().flat_map(|(line, row)| [(*line, &row[IMPACT]), (*line, &row[BENEFIT])]);
    let said = shares.filter(|(_, words)| !words.is_empty());
    let counted: Vec<(u32, usize)> = said.map(|(line, words)| (line, numbers(words).len())).collect();
    let mut rows_of = BTreeMap::new();
    counted.iter().for_each(|(_, count)| *rows_of.entry(*count).or_insert(0) += 1);
    let (usual, _) = rows_of.into_iter().max_by_key(|(_, rows)| *rows)?;
    counted.iter().find(|(_, count)| *count != usual).map(|(line, _)| *line)
}

/// So many lines of prose that are doubled are noticed.
const DOUBLED_MAX: usize = 3;
/// Shorter lines, such as the word over an action, may well stand there twice.
const PROSE_LEN_MIN: usize = 16;

/// The first line of prose that stands there twice in a row, alone or with its neighbours.
pub fn first_doubled(lines: &[Line<'_>]) -> Option<u32> {
    let has_words = |text: &str| text.bytes().any(|byte| byte.is_ascii_alphanumeric());
    let is_prose = |line: &Line<'_>| line.trimmed().len() >= PROSE_LEN_MIN && has_words(line.words);
    let is_heading = |lines: &[Line<'_>]| {
        lines.iter().any(Line::is_dashes) && lines.iter().any(|line| has_words(line.words))
    };
    (1..=DOUBLED_MAX)
        .flat_map(|len| lines.windows(2 * len))
        .find(|both| {
            let (first, second) = both.split_at(both.len() / 2);
            (first.iter().any(is_prose) || is_heading(first))
                && first.iter().zip(second).all(|(one, other)| one.words == other.words)
        })
        .map(|both| both[0].number)
}

/// The first line that shows that others are lost: dashes with nothing above, an action or a rationale that says nothing, a symptom
/// that only tells what it weighs, as the findings above do in the same words.
pub fn first_gap(lines: &[Line<'_>]) -> Option<u32> {
    let weights = weights(lines);
    let is_weight = |line: &Line<'_>| begin(line).is_some_and(|begin| weights.contains(&begin));
    let is_bare = |line: &Line<'_>| line.trimmed().is_empty() || line.is_dashes();
    let is_symptom = |line: &Line<'_>| line.indent() > SYMPTOM_INDENT_MIN && is_weight(line);
    let is_item = |line: &Line<'_>| {
        line.indent() == ITEM_INDENT && line.trimmed().bytes().all(|byte| byte.is_ascii_alphabetic())
    };
    let is_gap = |pair: &[Line<'_>]| {
        let [above, line] = [&pair[0], &pair[1]];
        if above.trimmed().is_empty() {
            return line.is_dashes() || is_symptom(line);
        }
        is_item(above) && line.indent() <= above.indent()
            || is_symptom(line) && (is_bare(above) || is_weight(above))
    };
    lines.windows(2).find(|pair| is_gap(pair)).map(|pair| pair[1].number)
}

/// The line of the first finding whose description is not there, or not from the begin to the end of its sentence, where that of another is.
pub fn first_cut_description(rows: &[Said]) -> Option<u32> {
    let is_begun = |words: &str| !words.starts_with(char::is_lowercase);
    let is_whole = |(_, row): &&Said| is_ended(&row[DESCRIPTION]) && is_begun(&row[DESCRIPTION]);
    let cut = rows.iter().find(|row| !is_whole(row))?;
    rows.iter().any(|row| is_whole(&row)).then_some(cut.0)
}

/// The first list of symptoms that does not tell what they weigh, where others do.
pub fn first_weightless(lines: &[Line<'_>]) -> Option<u32> {
    let weights = weights(lines);
    let begins = (1..lines.len()).filter(|at| {
        lines[*at].is_dashes() && lines[*at].indent() == ITEM_INDENT && lines[at - 1].trimmed().ends_with(':')
    });
    let below = |at: usize| lines[at + 1..].iter().take_while(|line| line.indent() > SYMPTOM_INDENT_MIN);
    let weighs =
        |at: &usize| below(*at).any(|line| begin(line).is_some_and(|begin| weights.contains(&begin)));
    let (told, untold): (Vec<usize>, Vec<usize>) = begins.partition(weighs);
    untold.first().filter(|_| !told.is_empty()).map(|at| lines[*at].number)
}

/// How the lines begin that tell what findings weigh.
fn weights<'a>(lines: &[Line<'a>]) -> Vec<[&'a str; 2]> {
    let findings = lines.windows(2).filter(|pair| pair[0].begins_finding());
    findings.filter_map(|pair| begin(&pair[1])).collect()
}

/// The first two words of a line.
fn begin<'a>(line: &Line<'a>) -> Option<[&'a str; 2]> {
    let mut words = line.trimmed().split(' ');
    Some([words.next()?, words.next()?])
}

/// Items of recommendations stand so far in, symptoms further.
const ITEM_INDENT: usize = 3;
const SYMPTOM_INDENT_MIN: usize = 4;

#[cfg(test)]
mod tests {
    use super::super::Line;
    use super::super::findings::{BENEFIT, COLUMNS, DESCRIPTION, FINDING, IMPACT, RECOMMENDATION};
    use super::{
        first_break, first_cut_description, first_doubled, first_gap, first_odd_share, first_weightless,
        first_without_share,
    };

    const FINDING_1: &str = "\
Finding 1: Slow Disks
Impact is 4.93 active sessions, 61.5% of total activity.
--------------------------------------------------------
Reads took long.

   Recommendation 1: Host Configuration
   Estimated benefit is .5 active sessions, 12% of total activity.
   ---------------------------------------------------------------
   Action
      Buy faster disks.
   Rationale
      Reads took 40 ms.

   Symptoms That Led to the Finding:
   ---------------------------------
      Wait class \"User I/O\" was consuming time.
      Impact is 4.32 active sessions, 86.88% of total activity.

";

    fn lines(text: &str) -> Vec<Line<'_>> {
        text.lines().zip(1..).map(|(words, number)| Line { words, number }).collect()
    }

    #[test]
    fn lines_that_lack_the_one_above_are_noticed() {
        let without = |line: &str| first_gap(&lines(&FINDING_1.replace(line, "")));
        assert_eq!(first_gap(&lines(FINDING_1)), None);
        assert_eq!(without("      Wait class \"User I/O\" was consuming time.\n"), Some(16));
        assert_eq!(without("   Symptoms That Led to the Finding:\n"), Some(14));
        assert_eq!(without("      Buy faster disks.\n"), Some(10));
    }

    #[test]
    fn descriptions_are_there_up_to_their_end() {
        let cut = |description: &str| {
            let row = |description: &str| {
                let mut row = vec![String::new(); COLUMNS.len()];
                row[DESCRIPTION] = description.to_owned();
                row
            };
            first_cut_description(&[(7, row("Reads took long.")), (9, row(description))])
        };
        assert_eq!(cut("Nothing to recommend."), None);
        assert_eq!(cut("of database time."), Some(9));
        assert_eq!((cut(""), cut("Segments responsible for I/O and")), (Some(9), Some(9)));
    }

    #[test]
    fn symptoms_tell_what_they_weigh_where_others_do() {
        let symptom = "      Impact is 4.32 active sessions, 86.88% of total activity.\n";
        let second = FINDING_1.replace("Finding 1", "Finding 2");
        assert_eq!(first_weightless(&lines(&format!("{FINDING_1}{second}"))), None);
        let lost = format!("{FINDING_1}{}", second.replace(symptom, ""));
        assert_eq!(first_weightless(&lines(&lost)), Some(33));
        assert_eq!(first_weightless(&lines(&second.replace(symptom, ""))), None);
    }

    #[test]
    fn lines_of_prose_that_stand_twice_are_noticed() {
        let doubled = |text: &str| {
            let lines: Vec<_> = text.lines().zip(1..).map(|(words, number)| Line { words, number }).collect();
            first_doubled(&lines)
        };
        let sentence = "Run SQL Tuning Advisor on the statement";
        assert_eq!(doubled(&format!("Action\n{sentence}\n{sentence}\n")), Some(2));
        assert_eq!(doubled(&format!("Action\n{sentence}\nAction\n{sentence}\n")), Some(1));
        assert_eq!(doubled(&format!("Action\n{sentence}\nRationale\n{sentence}\n")), None);
        let heading = "Analysis Target\n---------------\n";
        assert_eq!(doubled(&format!("{heading}{heading}")), Some(1));
        assert_eq!(doubled("Action\nAction\n----------------------\n----------------------\n"), None);
        assert_eq!(doubled("~~~~~~~~~~~~~~~~~~~~~~\n~~~~~~~~~~~~~~~~~~~~~~\n"), None);
    }

    #[test]
    fn a_share_in_other_numbers_than_most_is_noticed() {
        let odd = |third: &str| {
            let shares = ["4.93 sessions, 100% of all", ".8 sessions, 17.73% of all", third];
            let row = |share: &str| {
                let mut row = vec![String::new(); COLUMNS.len()];
                row[IMPACT] = share.to_owned();
                row
            };
            first_odd_share(
                &shares.map(row).into_iter().zip(1..).map(|(row, line)| (line, row)).collect::<Vec<_>>(),
            )
        };
        assert_eq!(odd("2 sessions, 3% of all"), None);
        assert_eq!(odd("4<7K2.93 sessions, 3% of all"), Some(3));
        assert_eq!(odd(".09 sessions, 2.2 3% of all"), Some(3));
    }

    #[test]
    fn a_recommendation_without_its_benefit_is_noticed_where_others_have_one() {
        let row = |recommendation: &str, benefit: &str| {
            let mut row = vec![String::new(); COLUMNS.len()];
            (row[FINDING], row[RECOMMENDATION]) = ("1".to_owned(), recommendation.to_owned());
            row[BENEFIT] = benefit.to_owned();
            row
        };
        let lacking = |rows: [Vec<String>; 2]| {
            first_without_share(&rows.into_iter().zip(1..).map(|(row, line)| (line, row)).collect::<Vec<_>>())
        };
        assert_eq!(lacking([row("1", "66%"), row("2", "")]), Some(2));
        assert_eq!(lacking([row("1", "66%"), row("", "")]), None);
        assert_eq!(lacking([row("1", ""), row("2", "")]), None);
    }

    #[test]
    fn findings_and_recommendations_follow_each_other_by_number() {
        let broken = |rows: &[(&str, &str, &str)]| {
            let row = |(task, finding, recommendation): &(&str, &str, &str)| {
                let mut row = vec![String::new(); COLUMNS.len()];
                (row[0], row[FINDING], row[RECOMMENDATION]) =
                    (task.to_string(), finding.to_string(), recommendation.to_string());
                row
            };
            first_break(&rows.iter().map(row).zip(1..).map(|(row, line)| (line, row)).collect::<Vec<_>>())
        };
        assert_eq!(
            broken(&[("T", "1", "1"), ("T", "1", "2"), ("T", "2", ""), ("T", "3", "1"), ("U", "1", "")]),
            None
        );
        assert_eq!(broken(&[("T", "1", "1"), ("T", "3", "1")]), Some(2));
        assert_eq!(broken(&[("T", "1", "1"), ("T", "1", "1")]), Some(2));
        assert_eq!(broken(&[("T", "2", "1")]), Some(1));
        assert_eq!(broken(&[("T", "1", "1"), ("T", "2", "2")]), Some(2));
    }
}
