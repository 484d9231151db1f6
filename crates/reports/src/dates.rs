//! Dates as sessions of many languages print them: `31-Jan-16 00:00:03`, `28-8月 -17 00:00:04`, `15-OKT-18 19:30`.

/// No language takes more for a moment.
const BYTES_MAX: usize = 100;

/// A moment on the report's own clock, which has no zone: `2016-01-31T00:00:03`. None where the words are no date.
pub fn read(words: &str) -> Option<String> {
    let words = words.trim();
    if words.len() > BYTES_MAX {
        return None;
    }
    // Months that are digits stand between points in some languages, and then they are no part of the day.
    let separator = if words.split_ascii_whitespace().next()?.matches('.').count() == 2 { '.' } else { '-' };
    let (day, rest) = words.split_once(separator)?;
    let day: u32 = day.trim().parse().ok().filter(|day| (1..=31).contains(day))?;
    let (month, rest) = rest.split_once(separator)?;
    let month = month_number(month.trim())?;
    let mut parts = rest.split_ascii_whitespace();
    let year = year(parts.next()?)?;
    let (hour, minute, second) = match parts.next() {
        Some(clock) => time(clock)?,
        None => (0, 0, 0),
    };
    let hour = match parts.next() {
        Some("PM" | "pm") if hour < 12 => hour + 12,
        Some("AM" | "am") if hour == 12 => 0,
        _ => hour,
    };
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"))
}

/// The seconds of a moment since the year 0, as [`read`] writes it; only differences say something.
pub fn seconds(moment: &str) -> Option<f64> {
    let number = |from: usize, to: usize| moment.get(from..to)?.parse::<i64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    // Years that begin in March end in their leap day, and 153 days are in each five months from there on.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day;
    Some((((days * 24 + hour) * 60 + minute) * 60 + second) as f64)
}

/// The moment so many seconds before another.
pub fn before(moment: &str, earlier_s: f64) -> Option<String> {
    let all = (seconds(moment)? - earlier_s) as i64;
    let (days, clock) = (all.div_euclid(86_400), all.rem_euclid(86_400));
    // The same count of days backwards: 146,097 of them are 400 years, which begin on the first of March.
    let days = days - 1;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, next_year) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = era * 400 + year_of_era + next_year;
    let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60);
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"))
}

/// Two digits are of this century from 00 to 79: there was no Oracle report before 1980.
fn year(words: &str) -> Option<u32> {
    let year: u32 = words.parse().ok()?;
    match words.len() {
        4 => Some(year),
        2 if year < 80 => Some(2000 + year),
        2 => Some(1900 + year),
        _ => None,
    }
}

fn time(words: &str) -> Option<(u32, u32, u32)> {
    let mut parts = words.split([':', '.']).map(|part| part.parse::<u32>().ok());
    let (hour, minute) = (parts.next()??, parts.next()??);
    let second = parts.next().unwrap_or(Some(0))?;
    (hour < 24 && minute < 60 && second < 60).then_some((hour, minute, second))
}

/// Months as Oracle abbreviates them in the languages whose names differ.
const MONTHS: [&[&str]; 12] = [
    &["jan", "ene", "gen", "januar", "jän", "янв", "oca", "sty"],
    &["feb", "fév", "fev", "févr", "фев", "şub", "lut"],
    &["mar", "mrz", "mär", "mars", "mrt", "мар", "marca"],
    &["apr", "avr", "abr", "апр", "nis", "kwi"],
    &["may", "mai", "mag", "mei", "maj", "май", "мая"],
    &["jun", "juin", "giu", "июн", "haz", "cze"],
    &["jul", "juil", "lug", "июл", "tem", "lip"],
    &["aug", "aoû", "août", "ago", "авг", "ağu", "sie"],
    &["sep", "sept", "set", "сен", "eyl", "wrz"],
    &["oct", "okt", "ott", "out", "окт", "eki", "paź"],
    &["nov", "ноя", "kas", "lis"],
    &["dec", "dez", "dic", "déc", "des", "дек", "ara", "gru"],
];

fn month_number(words: &str) -> Option<u32> {
    let lower = words.to_lowercase();
    let name = lower.trim_end_matches('.');
    let digits = name.trim_end_matches(['月', '월', ' ']);
    if let Ok(number) = digits.parse::<u32>() {
        return (1..=12).contains(&number).then_some(number);
    }
    MONTHS.iter().position(|names| names.contains(&name)).map(|at| at as u32 + 1)
}

#[cfg(test)]
mod tests {
    use super::{before, read, seconds};

    #[test]
    fn moments_differ_by_seconds_over_leap_days() {
        let between = |one: &str, other: &str| Some(seconds(other)? - seconds(one)?);
        assert_eq!(between("2024-02-28T23:59:59", "2024-03-01T00:00:00"), Some(86_401.0));
        assert_eq!(between("2023-02-28T23:59:59", "2023-03-01T00:00:00"), Some(1.0));
        assert_eq!(between("2023-12-31T00:00:00", "2024-01-01T12:30:00"), Some(86_400.0 + 45_000.0));
        assert_eq!(seconds("2023-12-31"), None);
        for moment in
            ["2024-02-29T12:00:00", "2024-03-01T00:00:00", "2000-01-01T00:00:01", "1999-12-31T23:59:59"]
        {
            assert_eq!(before(moment, 0.0).as_deref(), Some(moment));
        }
        assert_eq!(before("2024-03-01T00:10:00", 1200.0).as_deref(), Some("2024-02-29T23:50:00"));
    }

    #[test]
    fn dates_of_many_languages_are_read() {
        for (words, moment) in [
            ("31-Jan-16 00:00:03", "2016-01-31T00:00:03"),
            ("28-8月 -17 00:00:04", "2017-08-28T00:00:04"),
            ("10-Jul-14 03:10", "2014-07-10T03:10:00"),
            ("15-OKT-2018 19:30:32", "2018-10-15T19:30:32"),
            ("01-févr.-99", "1999-02-01T00:00:00"),
            ("04-APR-15 06.22.17 AM", "2015-04-04T06:22:17"),
            ("04-APR-15 12.05.17 AM", "2015-04-04T00:05:17"),
            ("04-APR-15 06.22.17 PM", "2015-04-04T18:22:17"),
            ("08-Dec-23 00:29:40 (Fri)", "2023-12-08T00:29:40"),
            ("21.04.16 13:29:35", "2016-04-21T13:29:35"),
            ("21.04.2016 13:29", "2016-04-21T13:29:00"),
        ] {
            assert_eq!(read(words).as_deref(), Some(moment), "{words}");
        }
        for words in
            ["", "60.22 (mins)", "12.1.0.2.0", "19.3.0", "32-Jan-16", "10-Foo-14 03:10", "10-Jul-14 25:10"]
        {
            assert_eq!(read(words), None, "{words}");
        }
    }
}
