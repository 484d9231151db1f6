//! The instances of a cluster that were analysed: columns under a ruler, set in below their underlined title.

use super::{Line, Said, quoted};

/// What a row says.
pub const COLUMNS: [&str; 6] =
    ["Task", "Number", "Name", "Host Name", "Active Sessions", "Percent of Activity"];

/// The list of one analysis; nothing where it is about one instance.
pub fn read<'a>(lines: &'a [Line<'a>]) -> impl Iterator<Item = Said> + 'a {
    let ruler = (0..lines.len()).find(|at| is_ruler(lines, *at));
    let below = ruler.map_or(&[][..], |ruler| &lines[ruler + 1..]);
    let places = ruler.map_or_else(Vec::new, |ruler| places(lines[ruler].words));
    let task = quoted(lines[0].words);
    let listed = below.iter().take_while(|line| !line.trimmed().is_empty());
    listed.map(move |line| (line.number, row(task, line.words, &places)))
}

/// Whether dashes stand over the list: as many runs as it has columns, set in, two lines below those that underline its title.
pub fn is_ruler(lines: &[Line<'_>], at: usize) -> bool {
    let line = &lines[at];
    let runs = || line.words.split_whitespace();
    let is_under = || at >= 2 && lines[at - 2].is_dashes() && lines[at - 2].indent() == 0;
    line.indent() > 0
        && runs().count() == COLUMNS.len() - 1
        && runs().all(|run| run.bytes().all(|byte| byte == b'-'))
        && is_under()
}

/// Where the words under each run of dashes begin, and the end of the line.
fn places(ruler: &str) -> Vec<usize> {
    let bytes = ruler.as_bytes();
    let begins = (0..bytes.len()).filter(|at| bytes[*at] == b'-' && (*at == 0 || bytes[at - 1] != b'-'));
    let mut places: Vec<usize> = begins.chain([usize::MAX]).collect();
    places[0] = 0;
    places
}

/// The words under each run of dashes.
fn row(task: &str, words: &str, places: &[usize]) -> Vec<String> {
    let signs: Vec<char> = words.chars().collect();
    let cell = |pair: &[usize]| {
        let to = pair[1].min(signs.len());
        signs[pair[0].min(to)..to].iter().collect::<String>().trim().to_owned()
    };
    std::iter::once(task.to_owned()).chain(places.windows(2).map(cell)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Line, read};

    #[test]
    fn each_instance_is_a_row() {
        let list = "  ADDM Report for Task 'T'

Instances that were analyzed:
-----------------------------
    Number  Name   Host Name  Active Sessions  Percent of Activity
    ------  -----  ---------  ---------------  -------------------
    2       quay2  host 2     2.04             50.34
    1       quay1  host1      2.01             49.66

rest";
        let lines: Vec<_> = list.lines().zip(1..).map(|(words, number)| Line { words, number }).collect();
        let rows: Vec<_> = read(&lines).map(|(line, row)| (line, row.join("/"))).collect();
        assert_eq!(
            rows,
            [(7, "T/2/quay2/host 2/2.04/50.34".to_owned()), (8, "T/1/quay1/host1/2.01/49.66".to_owned())]
        );
    }
}
