//! The list of findings before them: columns under a ruler, with the finding's number left of it.

use super::{Line, Said, quoted};

/// What a row says.
pub const COLUMNS: [&str; 6] =
    ["Task", "Finding", "Description", "Active Sessions", "Percent of Activity", "Recommendations"];

/// The list of one analysis; nothing where it found nothing.
pub fn read<'a>(lines: &'a [Line<'a>]) -> impl Iterator<Item = Said> + 'a {
    let ruler = lines.iter().position(is_ruler);
    let below = ruler.map_or(&[][..], |ruler| &lines[ruler + 1..]);
    let begins = ruler.map_or_else(Vec::new, |ruler| begins(lines[ruler].words));
    let task = quoted(lines[0].words);
    let listed = below.iter().take_while(|line| !line.trimmed().is_empty());
    listed.map(move |line| (line.number, row(task, line.words, &begins)))
}

/// Three runs of dashes, a little in.
fn is_ruler(line: &Line<'_>) -> bool {
    let runs = || line.words.split_whitespace();
    line.indent() > 0 && runs().count() == 3 && runs().all(|run| run.bytes().all(|byte| byte == b'-'))
}

fn row(task: &str, words: &str, begins: &[usize]) -> Vec<String> {
    let signs: Vec<char> = words.chars().collect();
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
        let rows: Vec<_> = read(&lines).map(|(line, row)| (line, row.join("/"))).collect();
        assert_eq!(
            rows,
            [(5, "T/1/SGA zu klein/.85/88.06/1".to_owned()), (6, "T/12/Größe/4.97/100/5".to_owned())]
        );
    }
}
