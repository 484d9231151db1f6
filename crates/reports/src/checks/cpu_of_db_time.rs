use super::figure::{Figure, Range};
use super::pages::Pages;
use super::{Check, Say, Violation};

/// DB CPU is a part of DB time, and processors give each second of theirs once.
pub static CHECK: Check = Check {
    name: "cpu_of_db_time",
    about: "DB CPU is no more than DB time, and no more than the processors have",
    code: "identity-violated",
    find,
};

/// Titles of the time model in text and HTML, and in Statspack.
pub const TIME_MODEL: &[&str] = &["timemodelstatistics", "timemodelsystemstats"];

fn find(pages: &Pages<'_>, say: Say<'_>) {
    let (time, cpu) = (of_model(pages, "dbtime"), of_model(pages, "dbcpu"));
    let time = time.or_else(|| pages.duration("dbtime"));
    let cpu = cpu.or_else(|| pages.duration("dbcpu"));
    let Some(cpu) = cpu else { return };
    let part = time.filter(|time| !cpu.range.is_at_most(time.range));
    let part = part.map(|time| format!("DB CPU {} is more than DB time {}", cpu.place, time.place));
    part.into_iter().chain(capacity(pages, &cpu)).for_each(|message| say(Violation::of(&cpu, message)));
}

fn of_model<'a>(pages: &'a Pages<'a>, label: &str) -> Option<Figure<'a>> {
    pages.sheets(TIME_MODEL).find_map(|sheet| sheet.labelled(label, sheet.column(&["time(s)"])?))
}

/// What the processors have in the interval, where the head says how many there are.
fn capacity(pages: &Pages<'_>, cpu: &Figure<'_>) -> Option<String> {
    let (cpus, elapsed) = (pages.header.cpus?, pages.duration("elapsed")?);
    let most = elapsed.range.times(Range::exact(cpus));
    let wrong = !cpu.range.is_at_most(most);
    wrong.then(|| format!("DB CPU {} is more than {cpus} CPUs have in {}", cpu.place, elapsed.place))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{HOUR, found};
    use super::CHECK;

    fn model(time: &'static str, cpu: &'static str) -> Vec<String> {
        let rows: &[&[&str]] = &[&["DB CPU", cpu], &["DB time", time]];
        let host: &[&[&str]] = &[&["h", "Linux", "2"]];
        let host = ("report for", &["Host Name", "Platform", "CPUs"] as &[&str], host);
        found(&CHECK, &[host, HOUR, ("Time Model Statistics", &["Statistic Name", "Time (s)"], rows)])
    }

    #[test]
    fn a_part_is_no_more_than_the_whole() {
        assert_eq!(model("100.00", "100.01"), [""; 0]);
        assert!(
            model("100.00", "100.02")[0]
                .contains("'100.02' (Time Model Statistics / DB CPU / Time (s), line")
        );
        assert!(model("9,000.00", "7,300.00")[0].contains("2 CPUs"));
    }
}
