//! Connections to a server, as an engine tells of them after a run: times without any, and what went over each path.

use serde::Serialize;

use hdrhistogram::Histogram;

use crate::clock::s_from_ns;

/// What one lane's engine tells.
#[derive(Debug, Clone, Default)]
pub struct Connections {
    /// From when until when there was none, by the run's clock.
    pub outages: Vec<(u64, u64)>,
    /// Each path of its own.
    pub paths: Vec<PathCounts>,
}

/// What went over one path in the measured time.
#[derive(Debug, Clone)]
pub struct PathCounts {
    /// Its address.
    pub address: String,
    /// Requests that were answered.
    pub requests: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// From when a request was sent to its answer.
    pub latency_ns: Histogram<u32>,
    /// How often it was lost, warm-up and ending too.
    pub losses: u64,
    /// For how long it was away, summed up over the lanes.
    pub away_ns: u64,
}

impl PathCounts {
    fn add(&mut self, other: &Self) {
        self.requests += other.requests;
        self.bytes += other.bytes;
        self.latency_ns.add(&other.latency_ns).expect("engines use the same bounds");
        self.losses += other.losses;
        self.away_ns += other.away_ns;
    }
}

/// A time in the measured window in which a job had no connection to its server.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Outage {
    /// When it began, after the beginning of the measured window.
    pub start_s: f64,
    /// How long it lasted.
    pub duration_s: f64,
    /// Share of the connected threads that had none, on average over its time.
    pub share: f64,
}

/// What went over one path, over all jobs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PathResult {
    /// Its address.
    pub address: String,
    /// Requests that were answered; an I/O may be several.
    pub requests: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// Median from sending a request to its answer; none without any.
    pub latency_us_p50: Option<f64>,
    /// 99th percentile.
    pub latency_us_p99: Option<f64>,
    /// The longest one.
    pub latency_us_max: Option<f64>,
    /// How often it was lost.
    pub losses: u64,
    /// For how long it was away, on average over the jobs.
    pub away_s: f64,
}

/// Outages of all lanes, joined where they overlap, as far as they lie in the measured window.
pub fn outages<'a>(
    lanes: impl Iterator<Item = &'a Connections>,
    measure_ns: u64,
    runtime_ns: u64,
) -> Vec<Outage> {
    let end_ns = measure_ns.saturating_add(runtime_ns);
    let mut connected = 0_u32;
    let mut all: Vec<(u64, u64)> = Vec::new();
    for lane in lanes.filter(|lane| !lane.paths.is_empty()) {
        connected += 1;
        let within = |&(from_ns, until_ns): &(u64, u64)| (from_ns.max(measure_ns), until_ns.min(end_ns));
        all.extend(lane.outages.iter().map(within).filter(|(from_ns, until_ns)| from_ns < until_ns));
    }
    all.sort_unstable();
    let mut joined: Vec<(u64, u64, u64)> = Vec::new();
    for (from_ns, until_ns) in all {
        match joined.last_mut().filter(|last| last.1 >= from_ns) {
            Some(last) => (last.1, last.2) = (last.1.max(until_ns), last.2 + until_ns - from_ns),
            None => joined.push((from_ns, until_ns, until_ns - from_ns)),
        }
    }
    let outage = |(from_ns, until_ns, sum_ns): (u64, u64, u64)| Outage {
        start_s: s_from_ns(from_ns - measure_ns),
        duration_s: s_from_ns(until_ns - from_ns),
        share: sum_ns as f64 / (f64::from(connected) * (until_ns - from_ns) as f64),
    };
    joined.into_iter().map(outage).collect()
}

/// Paths of all lanes, those to one address together.
pub fn paths<'a>(lanes: impl Iterator<Item = &'a Connections>) -> Vec<PathResult> {
    let mut sums: Vec<(PathCounts, u32)> = Vec::new();
    for path in lanes.flat_map(|lane| &lane.paths) {
        match sums.iter_mut().find(|(sum, _)| sum.address == path.address) {
            Some((sum, lanes)) => {
                sum.add(path);
                *lanes += 1;
            }
            None => sums.push((path.clone(), 1)),
        }
    }
    sums.into_iter().map(|(sum, lanes)| told(sum, lanes)).collect()
}

fn told(sum: PathCounts, lanes: u32) -> PathResult {
    let known = sum.requests > 0;
    let quantile = |share| known.then(|| sum.latency_ns.value_at_quantile(share) as f64 / 1e3);
    PathResult {
        latency_us_p50: quantile(0.5),
        latency_us_p99: quantile(0.99),
        latency_us_max: known.then(|| sum.latency_ns.max() as f64 / 1e3),
        address: sum.address,
        requests: sum.requests,
        bytes: sum.bytes,
        losses: sum.losses,
        away_s: s_from_ns(sum.away_ns) / f64::from(lanes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane(outages: &[(u64, u64)], latencies_us: &[u64]) -> Connections {
        let mut latency_ns = Histogram::new_with_bounds(1, 3_600_000_000_000, 2).expect("fair bounds");
        latencies_us.iter().for_each(|us| latency_ns.record(us * 1000).expect("within bounds"));
        let requests = latencies_us.len() as u64;
        let path = PathCounts {
            address: "a".to_owned(),
            requests,
            bytes: 8 * requests,
            latency_ns,
            losses: 1,
            away_ns: 2_000_000_000,
        };
        Connections { outages: outages.to_vec(), paths: vec![path] }
    }

    const S: u64 = 1_000_000_000;

    #[test]
    fn outages_are_joined_and_end_with_the_window() {
        let lanes =
            [lane(&[(0, 2 * S), (5 * S, 7 * S)], &[]), lane(&[(6 * S, 30 * S)], &[]), Connections::default()];
        let told = outages(lanes.iter(), S, 9 * S);
        let plain: Vec<_> = told.iter().map(|one| (one.start_s, one.duration_s, one.share)).collect();
        assert_eq!(plain, [(0.0, 1.0, 0.5), (4.0, 5.0, 0.6)]);
        assert!(outages(lanes.iter(), 40 * S, S).is_empty());
    }

    #[test]
    fn paths_to_one_address_are_one() {
        let lanes = [lane(&[], &[10, 20]), lane(&[], &[1000])];
        let told = paths(lanes.iter());
        assert_eq!(told.len(), 1);
        assert_eq!((told[0].requests, told[0].bytes, told[0].losses, told[0].away_s), (3, 24, 2, 2.0));
        assert!((told[0].latency_us_p99.expect("it is known") - 1000.0).abs() < 10.0);
        assert_eq!(paths([lane(&[], &[])].iter())[0].latency_us_p50, None);
        let mut other = lane(&[], &[10]);
        other.paths[0].address = "b".to_owned();
        let told = paths([lanes[0].clone(), other].iter());
        let away: Vec<_> = told.iter().map(|path| (path.address.as_str(), path.away_s)).collect();
        assert_eq!(away, [("a", 2.0), ("b", 2.0)], "each was away from the lane that has it");
    }
}
