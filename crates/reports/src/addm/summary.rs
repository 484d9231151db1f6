//! The list of findings before them: columns under a ruler, with the finding's number left of it.

use super::{Line, Said, quoted};

/// What a row says.
pub const COLUMNS: [&str; 6] =
    ["Task", "Finding", "Description", "Active Sessions", "Percent of Activity", "Recommendations"];

/// The list of one analysis; nothing where it found nothing.
pub fn read(lines: &[Line<'_>]) -> Vec<Said> {
    let Some(ruler) = lines.iter().position(is_ruler) else { return Vec::new() };
    let task = quoted(lines[0].words);
    let below = lines[ruler + 1..].iter().take_while(|line| !line.trimmed().is_empty());
    below.map(|line| (line.number, row(task, line.words, lines[ruler].words))).collect()
}

/// Three runs of dashes, a little in.
fn is_ruler(line: &Line<'_>) -> bool {
    let runs = || line.words.split_whitespace();
    line.indent() > 0 && runs().count() == 3 && runs().all(|run| run.bytes().all(|byte| byte == b'-'))
}

fn row(task: &str, words: &str, ruler: &str) -> Vec<String> {
    let signs: Vec<char> = words.chars().collect();
    let begins: Vec<usize> = begins(ruler);
    let cell = |from: usize, to: usize| {
        let to = to.min(signs.len());
        signs[from.min(to)..to].iter().collect::<String>().trim().to_owned()
    };
    let shares = cell(begins[1], begins[2]);
    let (sessions, percent) = shares.split_once('|').unwrap_or((&shares, ""));
    vec![
        task.to_owned(),
        cell(0, begins[0]),
        cell(begins[0], begins[1]),
        sessions.trim().to_owned(),
        percent.trim().to_owned(),
        cell(begins[2], usize::MAX),
    ]
}

/// Where each run of dashes begins.
fn begins(ruler: &str) -> Vec<usize> {
    let bytes = ruler.as_bytes();
    (0..bytes.len()).filter(|at| bytes[*at] == b'-' && (*at == 0 || bytes[at - 1] != b'-')).collect()
}

#[cfg(test)]
mod tests {
    use super::{Line, read};

    #[test]
    fn the_number_stands_left_of_the_ruler() {
        let list = "  ADDM Report for Task 'T'

   Beschreibung  Aktive Sessions        Empfehlungen
   ------------  ---------------------  ------------
1  SGA zu klein  .85 | 88.06            1
12 Größe         4.97 | 100             5

rest";
        let lines: Vec<_> = list.lines().zip(1..).map(|(words, number)| Line { words, number }).collect();
        let rows: Vec<_> = read(&lines).into_iter().map(|(line, row)| (line, row.join("/"))).collect();
        assert_eq!(
            rows,
            [(5, "T/1/SGA zu klein/.85/88.06/1".to_owned()), (6, "T/12/Größe/4.97/100/5".to_owned())]
        );
    }
}
