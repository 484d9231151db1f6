//! Findings with their recommendations, a row for each recommendation.

use super::{Line, Number, Said, numbers, quoted};

/// What a row says.
pub const COLUMNS: [&str; 17] = [
    "Task",
    "Finding",
    "Title",
    "Impact Active Sessions",
    "Impact Percent",
    "Impact Seconds",
    "Description",
    "Recommendation",
    "Recommendation Type",
    "Benefit Active Sessions",
    "Benefit Percent",
    "Benefit Seconds",
    "Action",
    "Rationale",
    "Symptoms",
    "Impact",
    "Benefit",
];

/// Where the numbers of a finding and of a recommendation stand among them.
pub const FINDING: usize = 1;
/// Where the sentences stand that say what was found.
pub const DESCRIPTION: usize = 6;
pub const RECOMMENDATION: usize = 7;
/// Where the sentences stand that tell how much a finding weighs, and what a recommendation would win.
pub const IMPACT: usize = 15;
pub const BENEFIT: usize = 16;

#[derive(Default)]
struct Finding {
    line: u32,
    number: String,
    title: String,
    impact: String,
    description: String,
    symptoms: String,
    recommendations: Vec<Recommendation>,
}

#[derive(Default)]
struct Recommendation {
    line: u32,
    number: String,
    kind: String,
    benefit: String,
    action: String,
    rationale: String,
}

/// What the lines at hand belong to.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Outside,
    Description,
    Symptoms,
    Recommendation,
    Action,
    Rationale,
}

/// Recommendations stand so far in; what they say stands further in.
const INNER_INDENT_MAX: usize = 4;
/// So many lines may tell the impact, or the benefit, over the dashes.
const SHARE_LINES_MAX: usize = 3;

/// The findings of one analysis, up to one row more than so many.
pub fn read<'a>(lines: &'a [Line<'a>], rows_max: usize) -> impl Iterator<Item = Said> + 'a {
    let mut reader = Reader {
        lines,
        findings: Vec::new(),
        rows: 0,
        place: Place::Outside,
        action: String::new(),
        last_indent: 0,
    };
    let mut at = 2;
    while at < lines.len() && reader.rows <= rows_max {
        at = reader.line(at);
    }
    let task = quoted(lines[0].words);
    reader.findings.into_iter().flat_map(move |finding| rows(task, finding))
}

struct Reader<'a> {
    lines: &'a [Line<'a>],
    findings: Vec<Finding>,
    /// How many rows they make at least, each a finding or a recommendation.
    rows: usize,
    place: Place,
    /// The word over actions, in the language of the report.
    action: String,
    last_indent: usize,
}

impl Reader<'_> {
    /// Reads a line, and says which one is next.
    fn line(&mut self, at: usize) -> usize {
        let line = self.lines[at];
        let words = line.trimmed();
        if words.is_empty() || line.is_dashes() {
            return at + 1;
        }
        if words.bytes().all(|byte| matches!(byte, b'~' | b' ')) {
            self.place = Place::Outside;
            return at + 1;
        }
        if line.indent() == 0 {
            return self.at_margin(at);
        }
        if self.place == Place::Outside {
            return at + 1;
        }
        if line.indent() <= INNER_INDENT_MAX {
            return self.further_in(at);
        }
        match spoken_heading(words) {
            Some((heading, rest)) => {
                self.item(heading);
                self.last_indent = usize::MAX;
                self.say(rest, line.indent());
            }
            None => {
                // A line over one that stands further in is a heading of its own.
                let heads = self.lines.get(at + 1).is_some_and(|next| next.indent() > line.indent());
                self.last_indent = if heads { usize::MAX } else { self.last_indent };
                self.say(words, line.indent());
            }
        }
        at + 1
    }

    fn at_margin(&mut self, at: usize) -> usize {
        let line = self.lines[at];
        if let (Some((number, title)), Some((share, next))) = (numbered(line.trimmed()), self.share(at, 0)) {
            let mut finding = Finding { line: line.number, number: number.to_owned(), ..Finding::default() };
            let bare = share.is_empty() && numbers(title).iter().any(|number| number.is_percent);
            (finding.title, finding.impact) =
                if bare { (String::new(), title.to_owned()) } else { (title.to_owned(), share) };
            self.findings.push(finding);
            self.rows += 1;
            self.place = Place::Description;
            return next;
        }
        // A section of the report below its findings, and not of one of them.
        if self.lines.get(at + 1).is_some_and(Line::is_dashes) {
            self.place = Place::Outside;
        } else if self.place == Place::Description {
            self.say(line.trimmed(), 0);
        }
        at + 1
    }

    fn further_in(&mut self, at: usize) -> usize {
        let line = self.lines[at];
        let words = line.trimmed();
        let Some(finding) = self.findings.last_mut() else { return at + 1 };
        if let Some((number, kind)) = numbered(words).filter(|_| !spoken(words)) {
            let (number, kind) = (number.to_owned(), kind.to_owned());
            let share = self.share(at, 1);
            let mut new = Recommendation { line: line.number, number, kind, ..Recommendation::default() };
            let next = match share {
                Some((benefit, next)) => {
                    new.benefit = benefit;
                    next
                }
                None => at + 1,
            };
            if let Some((kind, benefit)) = new.kind.split_once(", ").filter(|_| new.benefit.is_empty()) {
                (new.kind, new.benefit) = (kind.to_owned(), benefit.to_owned());
            }
            if let Some(finding) = self.findings.last_mut() {
                // The first one stands in the row of its finding.
                self.rows += usize::from(!finding.recommendations.is_empty());
                finding.recommendations.push(new);
            }
            self.place = Place::Recommendation;
            return next;
        }
        if words.ends_with(':') {
            self.place = Place::Symptoms;
        } else if finding.recommendations.is_empty() || self.place == Place::Symptoms {
            self.say(words, line.indent());
        } else {
            self.item(words);
        }
        at + 1
    }

    /// The lines between one and the dashes below it, and the line behind; None where no dashes stand there as far in.
    fn share(&self, at: usize, inner: usize) -> Option<(String, usize)> {
        let indent = self.lines[at].indent();
        let mut said = String::new();
        for (next, line) in self.lines.iter().enumerate().skip(at + 1).take(SHARE_LINES_MAX + 1) {
            if line.is_dashes() && line.indent() == indent && (indent > 0) == (inner > 0) {
                return Some((said, next + 1));
            }
            if line.trimmed().is_empty() || line.indent() != indent {
                return None;
            }
            join(&mut said, line.trimmed(), ' ');
        }
        None
    }

    /// What follows is an action, or under any other word a rationale.
    fn item(&mut self, heading: &str) {
        if self.place == Place::Symptoms || self.place == Place::Description {
            return;
        }
        if self.action.is_empty() {
            self.action = heading.to_owned();
        }
        self.place = if heading == self.action { Place::Action } else { Place::Rationale };
        self.last_indent = usize::MAX;
    }

    fn say(&mut self, words: &str, indent: usize) {
        let place = self.place;
        let Some(finding) = self.findings.last_mut() else { return };
        let target = match (place, finding.recommendations.last_mut()) {
            (Place::Action, Some(last)) => &mut last.action,
            (Place::Rationale, Some(last)) => &mut last.rationale,
            (Place::Symptoms, _) => &mut finding.symptoms,
            (Place::Description, _) => &mut finding.description,
            _ => return,
        };
        join(target, words, if indent == self.last_indent { ' ' } else { '\n' });
        self.last_indent = indent;
    }
}

/// `Finding 1: Top SQL Statements`: the number and what follows the colon.
pub fn numbered(words: &str) -> Option<(&str, &str)> {
    let (before, after) = words.split_once([':', '：'])?;
    let number = before.trim_start_matches(|sign: char| !sign.is_ascii_digit());
    let label = &before[..before.len() - number.len()];
    let fits = !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && label.chars().filter(|sign| sign.is_alphabetic()).count() >= 2
        && label.chars().count() <= LABEL_SIGNS_MAX;
    fits.then(|| (number, after.trim()))
}

/// Longer words before a number are prose.
const LABEL_SIGNS_MAX: usize = 30;

/// `ACTION: Run SQL Tuning Advisor …`, as 10g writes it.
fn spoken_heading(words: &str) -> Option<(&str, &str)> {
    let (heading, rest) = words.split_once(": ")?;
    spoken(words).then(|| (heading, rest.trim()))
}

fn spoken(words: &str) -> bool {
    words.split_once(':').is_some_and(|(heading, _)| {
        heading.len() > 3 && heading.chars().all(|sign| sign == ' ' || sign.is_uppercase())
    })
}

fn join(target: &mut String, words: &str, between: char) {
    if !target.is_empty() {
        target.push(between);
    }
    target.push_str(words);
}

/// A row for each recommendation, and one for a finding without any.
fn rows(task: &str, mut finding: Finding) -> impl Iterator<Item = Said> {
    let mut all = std::mem::take(&mut finding.recommendations);
    if all.is_empty() {
        all.push(Recommendation { line: finding.line, ..Recommendation::default() });
    }
    all.into_iter().map(move |recommendation| (recommendation.line, row(task, &finding, &recommendation)))
}

fn row(task: &str, finding: &Finding, recommendation: &Recommendation) -> Vec<String> {
    let [impact_sessions, impact_percent, impact_seconds] = shares(&finding.impact);
    let [benefit_sessions, benefit_percent, benefit_seconds] = shares(&recommendation.benefit);
    let words = |words: &str| words.to_owned();
    vec![
        words(task),
        words(&finding.number),
        words(&finding.title),
        impact_sessions,
        impact_percent,
        impact_seconds,
        words(&finding.description),
        words(&recommendation.number),
        words(&recommendation.kind),
        benefit_sessions,
        benefit_percent,
        benefit_seconds,
        words(&recommendation.action),
        words(&recommendation.rationale),
        words(&finding.symptoms),
        words(&finding.impact),
        words(&recommendation.benefit),
    ]
}

/// Active sessions, percent and seconds of an impact or a benefit.
fn shares(words: &str) -> [String; 3] {
    let found = numbers(words);
    let first = |fits: &dyn Fn(&&Number<'_>) -> bool| found.iter().find(fits).map_or_else(String::new, plain);
    [
        first(&|number| !number.is_percent && !number.is_in_parentheses),
        first(&|number| number.is_percent),
        first(&|number| !number.is_percent && number.is_in_parentheses),
    ]
}

/// With a point before its decimals, whatever the language of the session.
fn plain(number: &Number<'_>) -> String {
    let decimals =
        number.words.split_once(',').filter(|(_, rest)| !rest.contains([',', '.']) && rest.len() != 3);
    decimals.map_or_else(|| number.words.to_owned(), |(whole, rest)| format!("{whole}.{rest}"))
}

#[cfg(test)]
mod tests {
    use super::{COLUMNS, Line, read};

    fn said(text: &str, row: usize) -> Vec<String> {
        let lines: Vec<_> = text.lines().zip(1..).map(|(words, number)| Line { words, number }).collect();
        let row = read(&lines, usize::MAX).nth(row).map_or_else(Vec::new, |(_, row)| row);
        let columns = COLUMNS.iter().zip(&row);
        columns
            .filter(|(_, words)| !words.is_empty())
            .map(|(name, words)| format!("{name}={words}"))
            .collect()
    }

    const ENGLISH: &str = "\
     ADDM Report for Task 'T'
     ------------------------

Findings
--------

Finding 1: Slow Disks
Impact is 4.93 active sessions, 61.5% of total activity.
--------------------------------------------------------
Reads took long. They
were many.

   Recommendation 1: Host Configuration
   Estimated benefit is .5 active sessions, 12% of total activity.
   ---------------------------------------------------------------
   Action
      Buy faster disks, and
      more of them.
      Related Object
         A disk with ID 7.
   Rationale
      Reads took 40 ms.
   Rationale
      Note 12: this is slow.

   Symptoms That Led to the Finding:
   ---------------------------------
      Wait class \"User I/O\" was consuming time.
      Impact is 4.32 active sessions, 86.88% of total activity.

Finding 2: Idle CPU
Impact is 1 active sessions, 3% of total activity.
--------------------------------------------------
Nothing to recommend.

~~~~~~~~~~~~~~~~~~~
          Additional Information
          ----------------------
Miscellaneous
-------------
CPU was not a bottleneck.
";

    #[test]
    fn findings_are_read_with_all_that_belongs_to_them() {
        assert_eq!(
            said(ENGLISH, 0),
            [
                "Task=T",
                "Finding=1",
                "Title=Slow Disks",
                "Impact Active Sessions=4.93",
                "Impact Percent=61.5",
                "Description=Reads took long. They were many.",
                "Recommendation=1",
                "Recommendation Type=Host Configuration",
                "Benefit Active Sessions=.5",
                "Benefit Percent=12",
                "Action=Buy faster disks, and more of them.\nRelated Object\nA disk with ID 7.",
                "Rationale=Reads took 40 ms.\nNote 12: this is slow.",
                "Symptoms=Wait class \"User I/O\" was consuming time. Impact is 4.32 active sessions, 86.88% of total activity.",
                "Impact=Impact is 4.93 active sessions, 61.5% of total activity.",
                "Benefit=Estimated benefit is .5 active sessions, 12% of total activity.",
            ]
        );
        assert_eq!(
            said(ENGLISH, 1)[2..6],
            [
                "Title=Idle CPU",
                "Impact Active Sessions=1",
                "Impact Percent=3",
                "Description=Nothing to recommend."
            ]
        );
        assert!(said(ENGLISH, 2).is_empty());
    }

    #[test]
    fn words_of_another_language_need_no_list() {
        let german = "\
     ADDM-Bericht für Task 'T'
     -------------------------

Ergebnis 1: SGA zu klein
Auswirkung ist ,85 aktive Sessions, 88,06\\% der Gesamtaktivität.
----------------------------------------------------------------
Die SGA war zu klein.

   Empfehlung 1: Datenbankkonfiguration
   Geschätzter Vorteil beträgt 1,5 aktive Sessions, 86.91\\% der
   Gesamtaktivität.
   ------------------------------------------------------------
   --
   Aktion
      Vergrößern Sie die SGA.
   Begründung
      Weil sie zu klein war.
";
        let said = said(german, 0);
        for words in [
            "Title=SGA zu klein",
            "Impact Percent=88.06",
            "Benefit Active Sessions=1.5",
            "Benefit Percent=86.91",
            "Action=Vergrößern Sie die SGA.",
            "Rationale=Weil sie zu klein war.",
        ] {
            assert!(said.contains(&words.to_owned()), "{words} in {said:?}");
        }
    }

    #[test]
    fn the_form_of_10g_is_read() {
        let old = "\
          DETAILED ADDM REPORT FOR TASK 'TASK_7' WITH ID 7
          ------------------------------------------------

FINDING 1: 90% impact (637 seconds)
-----------------------------------
The host was swapping.

   RECOMMENDATION 1: Host Configuration, 45% benefit (318 seconds)
      ACTION: Add memory to
         the host.
      RATIONALE: It swaps.

   SYMPTOMS THAT LED TO THE FINDING:
      SYMPTOM: Wait class \"User I/O\" was slow. (27% impact [9 seconds])
";
        let said = said(old, 0);
        for words in [
            "Impact Percent=90",
            "Impact Seconds=637",
            "Description=The host was swapping.",
            "Recommendation Type=Host Configuration",
            "Benefit Percent=45",
            "Benefit Seconds=318",
            "Action=Add memory to\nthe host.",
            "Rationale=It swaps.",
        ] {
            assert!(said.contains(&words.to_owned()), "{words} in {said:?}");
        }
        assert!(!said.iter().any(|words| words.starts_with("Title")));
    }
}
