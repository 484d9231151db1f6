use super::figure::Range;
use super::pages::{Pages, Sheet};
use super::{Check, Say, Violation};

/// Traffic between instances is estimated from blocks and messages, with 200 bytes for each message: to all digits that are
/// printed.
pub static CHECK: Check = Check {
    name: "interconnect_traffic",
    about: "the estimated interconnect traffic is that of its blocks and messages",
    code: "identity-violated",
    find,
};

const MESSAGE_KIB: f64 = 200.0 / 1024.0;
const BLOCKS: [&str; 2] = ["globalcacheblocksreceived", "globalcacheblocksserved"];
const MESSAGES: [&str; 2] = ["gcs/gesmessagesreceived", "gcs/gesmessagessent"];
const TRAFFIC: &[&str] = &["estdinterconnecttraffic(kb)", "estdinterconnecttraffic(kb/s)"];

fn find(pages: &Pages<'_>, say: Say<'_>) {
    let Some(block_bytes) = pages.header.block_bytes else { return };
    let sheets = pages.sheets(&["globalcacheloadprofile"]);
    sheets.filter_map(|sheet| violation(&sheet, block_bytes / 1024.0)).for_each(say);
}

fn violation(sheet: &Sheet<'_>, block_kib: f64) -> Option<Violation> {
    let column = sheet.column(&["persecond"])?;
    let sum = |labels: [&str; 2]| -> Option<(Range, String)> {
        let [one, other] = labels.map(|label| sheet.labelled_rate(label, column));
        let (one, other) = (one?, other?);
        Some((one.range.plus(other.range), format!("{}, {}", one.place, other.place)))
    };
    let traffic = TRAFFIC.iter().find_map(|label| sheet.labelled_rate(label, column))?;
    let ((blocks, blocks_place), (messages, messages_place)) = (sum(BLOCKS)?, sum(MESSAGES)?);
    let made = blocks.scaled(block_kib).plus(messages.scaled(MESSAGE_KIB));
    (!made.meets(traffic.range)).then(|| {
        let made = (made.least + made.most) / 2.0;
        let message = format!(
            "the traffic {} is not that of blocks {blocks_place} and messages {messages_place}, which is {made:.2}",
            traffic.place
        );
        Violation::of(&traffic, message)
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;
    use super::CHECK;

    fn said(traffic: &str) -> Vec<String> {
        let rows: &[&[&str]] = &[
            &["Global Cache blocks received:", "100.00"],
            &["Global Cache blocks served:", "50.00"],
            &["GCS/GES messages received:", "512.00"],
            &["GCS/GES messages sent:", "512.00"],
            &["DBWR Fusion writes:", "0.00"],
            &["Estd Interconnect traffic (KB)", traffic],
        ];
        let cache: &[&[&str]] = &[&["Buffer Cache:", "1,000M", "1,000M", "Std Block Size:", "8K"]];
        let cache = ("Cache Sizes", &["", "Begin", "End", "", ""] as &[&str], cache);
        found(&CHECK, &[cache, ("Global Cache Load Profile", &["", "Per Second"], rows)])
    }

    #[test]
    fn blocks_and_messages_are_the_traffic() {
        assert_eq!(said("1,400.00"), [""; 0]);
        assert!(said("1,410.00")[0].contains("which is 1400.00"));
    }
}
