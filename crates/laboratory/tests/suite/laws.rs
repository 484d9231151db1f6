//! The laws in virtual time, held against queueing theory and against arithmetic: nothing here knows how fast the machine is.

use plimsoll_engine::rng::{self, Purpose};
use plimsoll_laboratory::disk::{Action, Disk, Request};
use plimsoll_laboratory::spec::DiskSpec;
use plimsoll_laboratory::volume::VolumeSpec;
use proptest::prelude::*;
use serde_json::json;

const MS: u64 = 1_000_000;
const S: u64 = 1_000 * MS;
const MIB: u64 = 1 << 20;

fn spec(words: serde_json::Value) -> DiskSpec {
    let mut all = json!({"size_bytes": 64 * MIB, "law": "constant", "mean_us": 1000.0, "seed": 7});
    all.as_object_mut().unwrap().extend(words.as_object().unwrap().clone());
    VolumeSpec::parse(&json!({"first": all}).to_string()).unwrap().first
}

fn disk(words: serde_json::Value) -> Disk {
    Disk::new(spec(words))
}

fn request(action: Action, offset_bytes: u64, len_bytes: u32) -> Request {
    Request { action, offset_bytes, len_bytes }
}

fn read(offset_bytes: u64) -> Request {
    request(Action::Read, offset_bytes, 4096)
}

fn write(len_bytes: u32) -> Request {
    request(Action::Write, 0, len_bytes)
}

/// Mean time from arrival to end of so many Poisson arrivals, in nanoseconds.
fn mean_latency_ns(disk: &mut Disk, rate_per_s: f64, arrivals: u32) -> f64 {
    let mut gaps = rng::generator(11, 0, Purpose::Arrivals);
    let (mut now_ns, mut sum_ns) = (0.0, 0.0);
    for _ in 0..arrivals {
        now_ns += -(1.0 - rng::unit(&mut gaps)).ln() / rate_per_s * S as f64;
        sum_ns += disk.take(now_ns as u64, &read(0)).end_ns as f64 - now_ns;
    }
    sum_ns / f64::from(arrivals)
}

/// One after the other, each when the one before has ended; the ends.
fn in_turn(disk: &mut Disk, count: u64, each: &Request) -> Vec<u64> {
    let mut now_ns = 0;
    let mut next = || {
        now_ns = disk.take(now_ns, each).end_ns;
        now_ns
    };
    (0..count).map(|_| next()).collect()
}

/// All at one moment; the ends.
fn at_once(disk: &mut Disk, now_ns: u64, count: u64, each: &Request) -> Vec<u64> {
    (0..count).map(|_| disk.take(now_ns, each).end_ns).collect()
}

#[test]
fn one_exponential_server_waits_as_m_m_1_does() {
    // Mean time in the system is 1 / (mu - lambda): 1 / (1000 - 700) s (Kleinrock, Queueing Systems, 1975, 3.29).
    let mut disk = disk(json!({"law": "exponential"}));
    let mean_ns = mean_latency_ns(&mut disk, 700.0, 1_000_000);
    let theory_ns = S as f64 / 300.0;
    assert!((mean_ns / theory_ns - 1.0).abs() < 0.03, "{mean_ns} {theory_ns}");
}

#[test]
fn one_constant_server_waits_as_m_d_1_does() {
    // 1 / mu + rho / (2 mu (1 - rho)) by Pollaczek and Khinchine.
    let mean_ns = mean_latency_ns(&mut disk(json!({})), 700.0, 1_000_000);
    let theory_ns = 1e6 + 0.7 / (2.0 * 0.3) * 1e6;
    assert!((mean_ns / theory_ns - 1.0).abs() < 0.02, "{mean_ns} {theory_ns}");
}

#[test]
fn eight_servers_work_side_by_side_and_the_ninth_request_waits() {
    let ends = at_once(&mut disk(json!({"servers": 8})), 0, 9, &read(0));
    assert_eq!(ends[..8], [MS; 8]);
    assert_eq!(ends[8], 2 * MS);
}

#[test]
fn an_arm_takes_seek_and_half_a_turn_on_average() {
    // From one end to the other at 6000 turns a minute: 8 ms and, on average, half of 10 ms.
    let words = json!({"law": "seek", "seek_us": 500.0, "full_seek_us": 8000.0, "rpm": 6000.0});
    let mut disk = disk(words);
    let (far, near) = (64 * MIB - 4096, 0);
    let mut now_ns = 0;
    let mut each_ms = Vec::new();
    for index in 0..20_000u64 {
        let end_ns = disk.take(now_ns, &read(if index % 2 == 0 { far } else { near })).end_ns;
        each_ms.push((end_ns - now_ns) as f64 / MS as f64);
        now_ns = end_ns;
    }
    let mean_ms = each_ms.iter().sum::<f64>() / each_ms.len() as f64;
    assert!((mean_ms - 13.0).abs() < 0.1, "{mean_ms}");
    assert!(each_ms.iter().all(|ms| (7.99..18.001).contains(ms)));
}

#[test]
fn a_quarter_of_the_way_costs_half_of_the_seek() {
    let mut disk = disk(json!({"law": "seek", "seek_us": 0.0, "full_seek_us": 8000.0}));
    assert_eq!(disk.take(0, &read(16 * MIB)).end_ns, 4 * MS);
}

#[test]
fn one_block_behind_the_other_needs_no_seek() {
    let mut disk =
        disk(json!({"law": "seek", "seek_us": 500.0, "full_seek_us": 8000.0, "us_per_mib": 1024.0}));
    let ends: Vec<u64> = (0..4).map(|index| disk.take(0, &read(index * 4096)).end_ns).collect();
    assert_eq!(ends, [4_000, 8_000, 12_000, 16_000], "4 KiB at 1024 us a MiB are 4 us");
}

#[test]
fn the_cap_of_requests_holds_however_many_servers_there_are() {
    let ends = at_once(&mut disk(json!({"servers": 1000, "iops": 5000.0})), 0, 5001, &read(0));
    assert_eq!(ends[0], MS);
    assert_eq!(ends[5000], S + MS);
}

#[test]
fn the_cap_of_bytes_holds_however_many_servers_there_are() {
    let each = request(Action::Read, 0, 1_000_000);
    let ends = at_once(&mut disk(json!({"servers": 1000, "mb_per_s": 200.0})), 0, 400, &each);
    assert_eq!(ends[0], 5 * MS + MS, "5 ms on the way and 1 ms of service");
    assert_eq!(ends[399], 2 * S + MS);
}

#[test]
fn bandwidth_of_one_server_is_told_by_the_time_of_a_mib() {
    let ends = in_turn(
        &mut disk(json!({"mean_us": 0.0, "us_per_mib": 5000.0})),
        200,
        &request(Action::Read, 0, 1 << 20),
    );
    assert_eq!(*ends.last().unwrap(), S);
}

#[test]
fn reads_within_the_cache_wait_for_no_server() {
    let mut disk = disk(json!({"cache_bytes": MIB, "cache_us": 20.0}));
    assert_eq!(at_once(&mut disk, 0, 3, &read(0)), [20_000; 3]);
    assert_eq!(at_once(&mut disk, 0, 2, &read(MIB)), [MS, 2 * MS]);
    assert_eq!(disk.take(0, &request(Action::Write, 0, 4096)).end_ns, 3 * MS);
}

#[test]
fn a_full_write_cache_lets_through_what_the_servers_take() {
    let words = json!({"write_cache_bytes": 16 * 4096, "write_cache_us": 10.0});
    let ends = at_once(&mut disk(words), 0, 20, &write(4096));
    assert_eq!(ends[..16], [10_000; 16]);
    assert_eq!(ends[16..], [MS + 10_000, 2 * MS + 10_000, 3 * MS + 10_000, 4 * MS + 10_000]);
}

#[test]
fn a_write_cache_that_has_emptied_answers_at_once_again() {
    let mut disk = disk(json!({"write_cache_bytes": 4 * 4096, "write_cache_us": 10.0}));
    at_once(&mut disk, 0, 8, &write(4096));
    assert_eq!(disk.take(S, &write(4096)).end_ns, S + 10_000);
}

#[test]
fn a_flush_waits_for_what_the_write_cache_holds() {
    let mut disk = disk(json!({"write_cache_bytes": MIB, "flush_us": 5000.0}));
    at_once(&mut disk, 0, 10, &write(4096));
    assert_eq!(disk.take(0, &request(Action::Flush, 0, 0)).end_ns, 15 * MS);
    assert_eq!(disk.take(S, &request(Action::Flush, 0, 0)).end_ns, S + 5 * MS);
}

#[test]
fn a_durable_write_goes_past_the_write_cache_and_pays_for_the_flush() {
    let mut disk = disk(json!({"write_cache_bytes": MIB, "flush_us": 5000.0}));
    assert_eq!(disk.take(0, &request(Action::WriteDurably, 0, 4096)).end_ns, 6 * MS);
}

#[test]
fn beyond_the_cliff_everything_takes_so_many_times_as_long() {
    let mut disk = disk(json!({"cliff_bytes": 10 * 4096, "cliff_factor": 8.0}));
    let ends = in_turn(&mut disk, 12, &write(4096));
    assert_eq!(ends[9], 10 * MS);
    assert_eq!(ends[10] - ends[9], 8 * MS);
    assert_eq!(disk.take(S, &read(0)).end_ns, S + 8 * MS);
}

#[test]
fn in_a_pause_nothing_ends_and_nothing_begins() {
    let mut disk = disk(json!({"pause_every_s": 1.0, "pause_s": 0.2}));
    assert_eq!(disk.take(S - MS / 2, &read(0)).end_ns, S + 200 * MS + MS / 2, "under way when it began");
    assert_eq!(disk.take(S + 100 * MS, &read(0)).end_ns, S + 201 * MS + MS / 2, "behind it");
    assert_eq!(disk.take(S + 900 * MS, &read(0)).end_ns, S + 901 * MS);
    assert_eq!(disk.take(2 * S + MS, &read(0)).end_ns, 2 * S + 201 * MS);
}

#[test]
fn writes_may_have_a_mean_of_their_own() {
    let mut disk = disk(json!({"write_mean_us": 3000.0}));
    assert_eq!(disk.take(0, &write(4096)).end_ns, 3 * MS);
    assert_eq!(disk.take(S, &read(0)).end_ns, S + MS);
}

#[test]
fn equal_seeds_draw_equal_times() {
    let run = |seed: u64| in_turn(&mut disk(json!({"law": "lognormal", "seed": seed})), 100, &read(0));
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn what_cannot_be_served_is_refused_by_name_and_value() {
    let refused = |words: serde_json::Value, said: &str| {
        let mut all = json!({"size_bytes": 64 * MIB, "law": "constant"});
        all.as_object_mut().unwrap().extend(words.as_object().unwrap().clone());
        let error = VolumeSpec::parse(&json!({"first": all}).to_string()).unwrap_err();
        assert_eq!(error.id, "spec-invalid");
        assert!(error.message.contains(said), "{}", error.message);
    };
    refused(json!({"size_bytes": 4096}), "size_bytes is 4096");
    refused(json!({"servers": 0}), "servers is 0");
    refused(json!({"mean_us": -1.0}), "mean_us is -1");
    refused(json!({"mb_per_s": 0.0}), "mb_per_s is 0");
    refused(json!({"sigma": -0.5}), "sigma is -0.5");
    refused(json!({"law": "seek", "servers": 2}), "servers is 2");
    refused(json!({"law": "seek", "seek_us": 5.0, "full_seek_us": 1.0}), "full_seek_us is 1");
    refused(json!({"pause_every_s": 1.0, "pause_s": 1.0}), "pause_s is 1");
    refused(json!({"colour": "blue"}), "unknown field `colour`");
}

proptest! {
    /// Whatever is dialled: no request ends before it came, and none sooner than its own service.
    #[test]
    fn nothing_ends_before_its_service(
        seed in 0u64..1000,
        servers in 1u32..4,
        iops in prop::option::of(10.0f64..10_000.0),
        mb_per_s in prop::option::of(1.0f64..1_000.0),
        pause_s in 0.0f64..0.09,
        gaps in prop::collection::vec((0u64..5 * MS, 0u8..3, 1u32..256), 1..60),
    ) {
        let words = json!({
            "law": "exponential", "seed": seed, "servers": servers, "iops": iops, "mb_per_s": mb_per_s,
            "pause_every_s": 0.1, "pause_s": pause_s, "flush_us": 100.0,
        });
        let mut disk = disk(words);
        let mut now_ns = 0;
        for (gap_ns, kind, pages) in gaps {
            now_ns += gap_ns;
            let action = [Action::Read, Action::Write, Action::Flush][kind as usize];
            let promise = disk.take(now_ns, &request(action, 0, pages * 4096));
            prop_assert!(promise.end_ns >= now_ns + promise.service_ns);
        }
    }
}
