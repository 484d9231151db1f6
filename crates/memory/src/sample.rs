//! Times of passes, of which a bounded number is kept, however many there are: every one, then every second, every fourth.

/// The least of all times, and a sample at even distances for their median.
#[derive(Debug)]
pub struct Sample {
    kept: Vec<f64>,
    each: u64,
    seen: u64,
    least: f64,
}

/// An even number: the next one after so many is then kept at the wider distance too.
const KEPT_MAX: usize = 4096;

impl Default for Sample {
    fn default() -> Self {
        Self { kept: Vec::new(), each: 1, seen: 0, least: f64::INFINITY }
    }
}

impl Sample {
    /// The next one.
    pub fn add(&mut self, time_s: f64) {
        self.least = self.least.min(time_s);
        if self.seen.is_multiple_of(self.each) {
            if self.kept.len() == KEPT_MAX {
                self.each *= 2;
                self.kept = self.kept.iter().copied().step_by(2).collect();
            }
            self.kept.push(time_s);
        }
        self.seen += 1;
    }

    /// How many there were.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// The shortest of all.
    pub fn least(&self) -> f64 {
        self.least
    }

    /// The median of those that were kept, of which there is at least one.
    pub fn median(&mut self) -> f64 {
        self.kept.sort_unstable_by(f64::total_cmp);
        let middle = self.kept.len() / 2;
        if self.kept.len().is_multiple_of(2) {
            f64::midpoint(self.kept[middle - 1], self.kept[middle])
        } else {
            self.kept[middle]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_times_are_all_kept() {
        for (times, median) in [(vec![3.0], 3.0), (vec![3.0, 1.0], 2.0), (vec![9.0, 1.0, 2.0], 2.0)] {
            let mut sample = Sample::default();
            times.iter().for_each(|&time| sample.add(time));
            assert_eq!((sample.median(), sample.seen()), (median, times.len() as u64));
        }
    }

    #[test]
    fn of_many_times_a_bounded_number_is_kept_at_even_distances() {
        let mut sample = Sample::default();
        (0..1_000_000).for_each(|number| sample.add(f64::from(if number == 777_777 { -1 } else { number })));
        assert!(sample.kept.len() <= KEPT_MAX && sample.kept.len() >= KEPT_MAX / 2);
        assert!(sample.kept.windows(2).all(|two| two[1] - two[0] == 256.0));
        assert_eq!((sample.least(), sample.seen()), (-1.0, 1_000_000));
        assert!((sample.median() - 500_000.0).abs() <= 256.0);
    }
}
