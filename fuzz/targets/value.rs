//! Any words as a number: it is finite, the sign only turns it, and what is written back is the same number.
#![no_main]

use libfuzzer_sys::fuzz_target;
use plimsoll_reports::value::{Decimal, Suffix, find_decimal, is_overflow, parse};

fuzz_target!(|bytes: &[u8]| {
    let words = bytes.trim_ascii();
    for decimal in [Decimal::Point, Decimal::Comma] {
        let Some((number, suffix)) = parse(words, decimal) else { continue };
        assert!(number.is_finite());
        assert!(suffix.factor(1024.0).is_finite());
        assert!(!is_overflow(words));
        turned(words, decimal, number, suffix);
        written_back(number, suffix);
    }
    find_decimal(&String::from_utf8_lossy(bytes));
});

fn turned(words: &[u8], decimal: Decimal, number: f64, suffix: Suffix) {
    let turned = match words.strip_prefix(b"-") {
        Some(rest) => rest.to_vec(),
        None => [b"-", words.strip_prefix(b"+").unwrap_or(words)].concat(),
    };
    assert_eq!(parse(&turned, decimal), Some((-number, suffix)));
}

fn written_back(number: f64, suffix: Suffix) {
    let words = format!("{number}{}", suffix.name().unwrap_or_default());
    assert_eq!(parse(words.as_bytes(), Decimal::Point), Some((number, suffix)), "{words}");
}
