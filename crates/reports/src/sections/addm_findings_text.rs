use super::view::{Shape, View, number, seconds, text};

/// What ADDM found and recommends, in full.
pub static VIEW: View = View {
    name: "addm_findings_text",
    about: "a recommendation of a finding in the prose of the advisor in the database, or a finding without any",
    titles: &["addmfindingsandrecommendations"],
    shape: Shape::Rows,
    columns: &[
        text("task", &[("task", 1.0)]),
        number("finding_number", &[("finding", 1.0)]),
        text("finding", &[("title", 1.0)]).about("null in 10g, which gives findings no title"),
        number("impact_active_sessions", &[("impactactivesessions", 1.0)]).about("average; null in 10g"),
        number("impact_percent", &[("impactpercent", 1.0)]).about("of all activity; of database time in 10g"),
        seconds("impact_s", &[("impactseconds", 1.0)]).about("in 10g only"),
        text("description", &[("description", 1.0)]),
        number("recommendation_number", &[("recommendation", 1.0)]),
        text("recommendation", &[("recommendationtype", 1.0)]).about("its kind, as 'SQL Tuning'"),
        number("benefit_active_sessions", &[("benefitactivesessions", 1.0)]).about("average; null in 10g"),
        number("benefit_percent", &[("benefitpercent", 1.0)])
            .about("of all activity; of database time in 10g"),
        seconds("benefit_s", &[("benefitseconds", 1.0)]).about("in 10g only"),
        text("action", &[("action", 1.0)]),
        text("rationale", &[("rationale", 1.0)]),
        text("symptoms", &[("symptoms", 1.0)]).about("what led to the finding"),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::rows;
    use super::VIEW;

    #[test]
    fn prose_becomes_rows_in_text_and_html() {
        let prose = "
          ADDM Report for Task 'T'
          ------------------------

Finding 1: \"Slow\" Disks
Impact is .93 active sessions, 1.5% of total activity.
------------------------------------------------------
Reads took long.

   Recommendation 1: Host Configuration
   Estimated benefit is .5 active sessions, 1% of total activity.
   --------------------------------------------------------------
   Action
      Buy faster disks.
";
        let expected = "task=T finding_number=1 finding=\"Slow\" Disks impact_active_sessions=0.93 impact_percent=1.5 \
                        description=Reads took long. recommendation_number=1 recommendation=Host Configuration \
                        benefit_active_sessions=0.5 benefit_percent=1 action=Buy faster disks.";
        assert_eq!(rows(&VIEW, prose), [expected]);
        let page = format!(
            "<html><h1>x</h1><h2>ADDM Task T</h2>\n<pre>\n{}</pre></html>",
            prose.replace('"', "&quot;")
        );
        assert_eq!(rows(&VIEW, &page), [expected]);
    }
}
