use super::pages::Pages;
use super::{Check, Say, Violation};

/// No instance was started between the snapshots: its counters would begin anew.
pub static CHECK: Check = Check {
    name: "restart",
    about: "no instance was started between the snapshots",
    code: "instance-restart",
    find,
};

fn find(pages: &Pages<'_>, say: Say<'_>) {
    let header = pages.header;
    let one = restarted(&header.startup_time, &header.begin_time, &header.end_time);
    let one = one.map(|message| format!("the instance {message}"));
    let cluster = header.instances.iter().filter_map(|instance| {
        let message = restarted(&instance.startup_time, &instance.begin_time, &instance.end_time)?;
        let name = instance.instance.as_deref().unwrap_or("of a cluster");
        Some(format!("the instance {name} {message}"))
    });
    let said = one.into_iter().chain(cluster);
    let said = said.map(|message| Violation { message, section: String::new(), line: 1 });
    said.chain(statement(pages)).for_each(say);
}

/// Whether the start lies between both; it is cut to its minute, so that one in the first snapshot's minute says nothing.
fn restarted(startup: &Option<String>, begin: &Option<String>, end: &Option<String>) -> Option<String> {
    let (startup, begin, end) = (startup.as_deref()?, begin.as_deref()?, end.as_deref()?);
    let between = startup > begin && startup <= end;
    between.then(|| {
        format!("was started at {startup}, between its snapshots of {begin} and {end}: counters began anew")
    })
}

/// What Statspack says of it.
fn statement(pages: &Pages<'_>) -> Option<Violation> {
    let said =
        pages.tables.problems.iter().find(|problem| problem.message.contains("span an instance shutdown"))?;
    Some(Violation {
        message: "the report says that its snapshots span a shutdown of the instance: counters began anew"
            .to_owned(),
        section: said.section.clone().unwrap_or_default(),
        line: said.line.unwrap_or(1),
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{HOUR, found};
    use super::CHECK;

    #[test]
    fn only_a_start_between_the_snapshots_is_one() {
        let started = |time: &'static str| -> Vec<String> {
            let rows: &[&[&str]] = &[&["1", "X", "1", time]];
            found(&CHECK, &[("report for", &["DB Id", "Instance", "Inst Num", "Startup Time"], rows), HOUR])
        };
        assert_eq!(started("01-Feb-23 09:59"), [""; 0]);
        assert_eq!(started("01-Feb-23 10:00"), [""; 0]);
        assert!(started("01-Feb-23 10:20")[0].contains("2023-02-01T10:20:00"));
    }

    #[test]
    fn statspack_says_it_in_words() {
        let words = "STATSPACK report for\nERROR: Snapshots chosen span an instance shutdown: RESULTS ARE INVALID\n\n";
        let report = crate::read(words.as_bytes().to_vec());
        assert!(report.tables.problems.iter().any(|problem| problem.code == "instance-restart"));
    }
}
