//! Level parts of a series: where one ends and the next begins.

/// Where new parts begin in values that are to be cut into level parts of at least `shortest` values, so that the squares they leave
/// and the price of each cut are together the least (optimal partitioning, Jackson et al. 2005). Takes quadratic time.
#[must_use]
pub fn cheapest_cuts(values: &[f64], price: f64, shortest: usize) -> Vec<usize> {
    let count = values.len();
    let shortest = shortest.max(1);
    let sums = sums_of(values);
    // What all before a value costs, less the squares of all before it, which lie in some part in any case.
    let mut begun = vec![f64::INFINITY; count + 1];
    let mut before = vec![0; count + 1];
    begun[0] = 0.0;
    for end in shortest..=count {
        let (mut best, mut at) = (f64::INFINITY, 0);
        for begin in 0..=end - shortest {
            let sum = sums[end] - sums[begin];
            let cost = begun[begin] - sum * sum / (end - begin) as f64;
            if cost < best {
                (best, at) = (cost, begin);
            }
        }
        begun[end] = best + price;
        before[end] = at;
    }
    begins(&before, count)
}

/// Of what comes before each value, around the mean, so that little is lost of large values.
fn sums_of(values: &[f64]) -> Vec<f64> {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    let mut sum = 0.0;
    std::iter::once(0.0)
        .chain(values.iter().map(|value| {
            sum += value - mean;
            sum
        }))
        .collect()
}

fn begins(before: &[usize], count: usize) -> Vec<usize> {
    let mut found: Vec<usize> =
        std::iter::successors(before.get(count).copied(), |&at| (at > 0).then(|| before[at])).collect();
    found.retain(|&at| at > 0);
    found.reverse();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_step_is_where_it_is() {
        let values: Vec<f64> = (0..20).map(|day| if day < 8 { 3.0 } else { 9.0 }).collect();
        assert_eq!(cheapest_cuts(&values, 1.0, 7), [8]);
        assert_eq!(cheapest_cuts(&values, 1_000.0, 7), [0_usize; 0]);
    }

    #[test]
    fn what_is_too_short_for_a_part_has_no_cut() {
        assert_eq!(cheapest_cuts(&[], 1.0, 7), [0_usize; 0]);
        assert_eq!(cheapest_cuts(&[1.0, 9.0], 1.0, 2), [0_usize; 0]);
    }

    /// Squares around the mean of each part, and the price of each cut.
    fn cost(values: &[f64], cuts: &[usize], price: f64) -> f64 {
        let edges: Vec<usize> =
            std::iter::once(0).chain(cuts.iter().copied()).chain([values.len()]).collect();
        let parts = edges.windows(2).map(|edge| &values[edge[0]..edge[1]]);
        let squares = parts.map(|part| {
            let mean = part.iter().sum::<f64>() / part.len() as f64;
            part.iter().map(|value| (value - mean).powi(2)).sum::<f64>()
        });
        squares.sum::<f64>() + price * cuts.len() as f64
    }

    /// All ways to cut, each with its parts long enough.
    fn all_cuts(count: usize, shortest: usize) -> Vec<Vec<usize>> {
        let ways = 1_usize << (count - 1);
        let cuts = (0..ways).map(|way| (1..count).filter(|at| way >> (at - 1) & 1 == 1).collect::<Vec<_>>());
        cuts.filter(|cuts| {
            let edges: Vec<usize> = std::iter::once(0).chain(cuts.iter().copied()).chain([count]).collect();
            edges.windows(2).all(|edge| edge[1] - edge[0] >= shortest)
        })
        .collect()
    }

    proptest! {
        #[test]
        fn no_other_cuts_are_cheaper(
            values in prop::collection::vec(-50.0..50.0_f64, 4..11), price in 0.0..500.0_f64, shortest in 1..4_usize
        ) {
            let found = cost(&values, &cheapest_cuts(&values, price, shortest), price);
            let least = all_cuts(values.len(), shortest)
                .iter()
                .map(|cuts| cost(&values, cuts, price))
                .fold(f64::INFINITY, f64::min);
            prop_assert!(found <= least + 1e-6, "{found} for {least}");
        }
    }
}
