//! Places: within the span, on whole blocks, and as spread as the pattern says.

use std::collections::HashSet;

use plimsoll_engine::patterns::{self, Extent, Place, Space, Volume};
use plimsoll_engine::spec::ClassSpec;
use proptest::prelude::*;
use serde_json::{Value, json};

fn places(name: &str, space: &Space, count: usize) -> Vec<Place> {
    let kind = patterns::find(name).expect("the pattern is registered");
    let skew = space.skew.or(kind.usual_skew());
    let mut pattern = kind.build(&Space { skew, ..space.clone() });
    (0..count).map(|_| pattern.next(8192)).collect()
}

fn space(extents: Vec<Extent>, (job, jobs): (u32, u32), seed: u64) -> Space {
    Space { volume: Volume::new(extents, 8192, None), job, jobs, seed, skew: None }
}

fn extents() -> impl Strategy<Value = Vec<Extent>> {
    let extent = (0u64..1 << 40, 1u64..1 << 20).prop_map(|(block, blocks)| Extent {
        target: 0,
        offset_bytes: block * 512,
        blocks,
    });
    prop::collection::vec(extent, 1..5).prop_map(|mut extents| {
        for (target, extent) in extents.iter_mut().enumerate() {
            extent.target = target as u32;
        }
        extents
    })
}

proptest! {
    #[test]
    fn every_place_is_a_whole_block_of_its_span(extents in extents(), jobs in 1u32..9, seed: u64) {
        for kind in patterns::ALL {
            for job in 0..jobs {
                for place in places(kind.name(), &space(extents.clone(), (job, jobs), seed), 50) {
                    let extent = extents[place.target as usize];
                    let within = place.offset_bytes.checked_sub(extent.offset_bytes);
                    let within = within.expect("not before the span");
                    prop_assert_eq!(within % 8192, 0, "{} is on a block's border", kind.name());
                    prop_assert!(within / 8192 < extent.blocks, "{} is not behind the span", kind.name());
                }
            }
        }
    }

    #[test]
    fn sequential_jobs_cover_the_span_once_and_start_again(blocks in 1u64..200, jobs in 1u32..9) {
        prop_assume!(blocks >= u64::from(jobs));
        let whole = vec![Extent { target: 0, offset_bytes: 4096, blocks }];
        let mut seen = HashSet::new();
        for job in 0..jobs {
            let own = (blocks * u64::from(job + 1) / u64::from(jobs) - blocks * u64::from(job) / u64::from(jobs)) as usize;
            let places = places("sequential", &space(whole.clone(), (job, jobs), 1), 2 * own);
            prop_assert!(places[..own].iter().all(|place| seen.insert(place.offset_bytes)), "jobs do not overlap");
            prop_assert!(places[..own].windows(2).all(|pair| pair[1].offset_bytes == pair[0].offset_bytes + 8192));
            prop_assert_eq!(&places[..own], &places[own..]);
        }
        prop_assert_eq!(seen.len() as u64, blocks);
    }
}

fn one_target(blocks: u64) -> Vec<Extent> {
    vec![Extent { target: 0, offset_bytes: 0, blocks }]
}

/// A class for [`Kind::check`], as the specification gives it.
fn class(pattern: &str, change: Value) -> ClassSpec {
    let mut class =
        json!({"name": "c", "op": "write", "pattern": pattern, "block_bytes": 8192, "sync": true});
    class.as_object_mut().expect("it is an object").extend(change.as_object().expect("so is this").clone());
    serde_json::from_value(class).expect("the class parses")
}

fn refusal(pattern: &str, change: Value) -> Option<String> {
    let kind = patterns::find(pattern).expect("the pattern is registered");
    kind.check(&class(pattern, change)).err().map(|error| {
        assert_eq!(error.id, "spec-invalid");
        error.message
    })
}

proptest! {
    #[test]
    fn a_shuffled_pass_goes_to_each_block_of_the_job_once_and_the_next_one_in_another_order(
        extents in prop::collection::vec(1u64..300, 1..4), jobs in 1u32..5, seed: u64,
    ) {
        let extents: Vec<_> = extents
            .iter()
            .enumerate()
            .map(|(target, &blocks)| Extent { target: target as u32, offset_bytes: 512, blocks })
            .collect();
        let blocks: u64 = extents.iter().map(|extent| extent.blocks).sum();
        prop_assume!(blocks >= u64::from(jobs));
        let mut seen = HashSet::new();
        for job in 0..jobs {
            let space = space(extents.clone(), (job, jobs), seed);
            let own = space.region().1 as usize;
            let places = places("shuffled", &space, 2 * own);
            let keys = |part: &[Place]| part.iter().map(|place| (place.target, place.offset_bytes)).collect::<Vec<_>>();
            let (first, second) = (keys(&places[..own]), keys(&places[own..]));
            prop_assert!(first.iter().all(|place| seen.insert(*place)), "no block twice, by no job");
            let set = |keys: &[(u32, u64)]| keys.iter().copied().collect::<HashSet<_>>();
            prop_assert_eq!(set(&first), set(&second));
            prop_assert!(own < 20 || first != second, "each pass has its own order");
        }
        prop_assert_eq!(seen.len() as u64, blocks, "all blocks were visited");
    }

    #[test]
    fn a_log_has_no_gaps_but_at_borders_and_stays_in_its_region(
        extents in prop::collection::vec(1u64..40, 1..4),
        stripe in prop::option::of(1u64..4),
        sizes in prop::collection::vec(1u32..=16, 1..200),
        jobs in 1u32..4,
    ) {
        let extents: Vec<_> = extents
            .iter()
            .enumerate()
            .map(|(target, &blocks)| Extent { target: target as u32, offset_bytes: 4096, blocks: blocks.max(4) })
            .collect();
        let volume = Volume::new(extents, 8192, stripe);
        for job in 0..jobs {
            let space = Space { volume: volume.clone(), job, jobs, seed: 1, skew: None };
            let (first, blocks) = space.region();
            let own: HashSet<_> = (first..first + blocks).map(|block| key(volume.place(block))).collect();
            let mut log = patterns::find("log_write").expect("it is registered").build(&space);
            let mut last: Option<(Place, u32)> = None;
            for len_bytes in sizes.iter().map(|sectors| sectors * 512) {
                let place = log.next(len_bytes);
                let end_bytes = place.offset_bytes - 4096 + u64::from(len_bytes);
                for block in (place.offset_bytes - 4096) / 8192..end_bytes.div_ceil(8192) {
                    prop_assert!(own.contains(&(place.target, 4096 + block * 8192)), "it stays in its region");
                }
                if let Some((before, bytes)) = last {
                    let follows = before.target == place.target
                        && before.offset_bytes + u64::from(bytes) == place.offset_bytes;
                    prop_assert!(follows || (place.offset_bytes - 4096) % 8192 == 0, "gaps end at a block's border");
                    let behind = before.offset_bytes + u64::from(bytes) - 4096;
                    let next = (before.target, 4096 + behind / 8192 * 8192);
                    let inside = behind % 8192 + u64::from(len_bytes) <= 8192 && behind % 8192 > 0;
                    prop_assert!(follows || !inside || !own.contains(&next), "what fits in the block is no gap");
                }
                last = Some((place, len_bytes));
            }
        }
    }

    #[test]
    fn a_volume_gives_every_block_a_place_of_its_own(
        blocks in prop::collection::vec(1u64..200, 1..6), stripe in prop::option::of(1u64..9),
    ) {
        let extents: Vec<_> = blocks
            .iter()
            .enumerate()
            .map(|(target, &blocks)| Extent { target: target as u32, offset_bytes: 1024, blocks })
            .collect();
        let volume = Volume::new(extents.clone(), 8192, stripe);
        let places: HashSet<_> = (0..volume.blocks()).map(|block| key(volume.place(block))).collect();
        prop_assert_eq!(places.len() as u64, volume.blocks(), "no two blocks share a place");
        for &(target, offset_bytes) in &places {
            prop_assert_eq!((offset_bytes - 1024) % 8192, 0);
            prop_assert!((offset_bytes - 1024) / 8192 < extents[target as usize].blocks);
        }
        let shortest = blocks.iter().copied().min().expect("there is one");
        let expected = match stripe.filter(|_| blocks.len() > 1) {
            None => blocks.iter().sum(),
            Some(stripe) => shortest / stripe * stripe * blocks.len() as u64,
        };
        prop_assert_eq!(volume.blocks(), expected, "one behind the other all count, striped all as long as the shortest");
        for block in 0..volume.blocks() {
            let pieces = volume.contiguous_blocks(block);
            let (here, last) = (volume.place(block), volume.place(block + pieces - 1));
            prop_assert_eq!(here.target, last.target);
            prop_assert_eq!(here.offset_bytes + (pieces - 1) * 8192, last.offset_bytes);
        }
    }
}

fn key(place: Place) -> (u32, u64) {
    (place.target, place.offset_bytes)
}

#[test]
fn stripes_go_round_the_targets() {
    let extents = (0..3).map(|target| Extent { target, offset_bytes: 0, blocks: 4 }).collect();
    let volume = Volume::new(extents, 8192, Some(2));
    let places: Vec<_> = (0..12)
        .map(|block| volume.place(block))
        .map(|place| (place.target, place.offset_bytes / 8192))
        .collect();
    let (first, second) = ([(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)], [2, 3]);
    assert_eq!(places[..6], first);
    assert!((0..6).all(|at| places[6 + at] == (first[at].0, second[at % 2])));
}

#[test]
fn a_log_of_one_size_is_one_row_of_blocks_that_starts_again() {
    let places = places("log_write", &space(one_target(5), (0, 1), 1), 7);
    let blocks: Vec<_> = places.iter().map(|place| place.offset_bytes / 8192).collect();
    assert_eq!(blocks, [0, 1, 2, 3, 4, 0, 1]);
}

#[test]
fn a_log_of_several_sizes_crosses_blocks_without_a_gap() {
    let mut log =
        patterns::find("log_write").expect("it is registered").build(&space(one_target(2), (0, 1), 1));
    let offsets: Vec<_> = [6144, 6144, 4096, 512].map(|bytes| log.next(bytes).offset_bytes).to_vec();
    assert_eq!(offsets, [0, 6144, 12_288, 0], "16384 bytes are full after three writes");
}

/// How often each block of a space of `blocks` is visited, most often first.
fn visits(name: &str, skew: f64, blocks: u64, ios: usize) -> Vec<u64> {
    let mut counts = vec![0; blocks as usize];
    for place in places(name, &Space { skew: Some(skew), ..space(one_target(blocks), (0, 1), 5) }, ios) {
        counts[(place.offset_bytes / 8192) as usize] += 1;
    }
    counts.sort_unstable_by(|one, other| other.cmp(one));
    counts
}

/// Pearson's chi-squared of the 30 most popular blocks and all the others together: 30 degrees of freedom, 59.7 is
/// exceeded once in a thousand samples.
#[test]
fn zipf_gives_the_kth_block_its_share() {
    for theta in [0.6f64, 1.0, 1.3] {
        let (blocks, ios) = (1000u64, 400_000);
        let counts = visits("zipf", theta, blocks, ios);
        let share = |k: u64| (k as f64).powf(-theta);
        let total: f64 = (1..=blocks).map(share).sum();
        let expected = |k: u64| share(k) / total * ios as f64;
        let term = |found: f64, wanted: f64| (found - wanted).powi(2) / wanted;
        let hot: f64 = (1..=30).map(|k| term(counts[k as usize - 1] as f64, expected(k))).sum();
        let rest = term(counts[30..].iter().sum::<u64>() as f64, (31..=blocks).map(expected).sum());
        assert!(hot + rest < 59.7, "theta {theta}: chi-squared {}", hot + rest);
    }
}

#[test]
fn pareto_gives_a_share_of_the_blocks_the_other_share_of_the_ios() {
    for h in [0.1, 0.2, 0.4] {
        let (blocks, ios) = (1000, 400_000);
        let counts = visits("pareto", h, blocks, ios);
        let hot: u64 = counts[..(blocks as f64 * h) as usize].iter().sum();
        let share = hot as f64 / ios as f64;
        assert!((share - (1.0 - h)).abs() < 0.01, "{h} of the blocks got {share}");
        // The law holds again within the hot part.
        let hotter: u64 = counts[..(blocks as f64 * h * h) as usize].iter().sum();
        let share = hotter as f64 / ios as f64;
        assert!((share - (1.0f64 - h).powi(2)).abs() < 0.01, "{h}² of the blocks got {share}");
    }
}

#[test]
fn popular_blocks_are_scattered_and_the_same_for_every_job_and_seed() {
    for name in ["zipf", "pareto"] {
        let hottest = |job, seed| {
            let mut counts = std::collections::HashMap::new();
            for place in places(name, &space(one_target(100_000), (job, 2), seed), 50_000) {
                *counts.entry(place.offset_bytes / 8192).or_insert(0) += 1;
            }
            let mut blocks: Vec<_> = counts.into_iter().map(|(block, count)| (count, block)).collect();
            blocks.sort_unstable_by(|one, other| other.cmp(one));
            blocks.iter().take(3).map(|&(_, block)| block).collect::<Vec<_>>()
        };
        let (one, other) = (hottest(0, 1), hottest(1, 2));
        assert_eq!(one[0], other[0], "{name}");
        assert!(one[0].abs_diff(one[1]) > 1 && one[1].abs_diff(one[2]) > 1, "{name}: {one:?}");
    }
}

#[test]
fn a_skew_that_makes_no_sense_is_refused_with_the_reason() {
    for (name, skews) in [("zipf", [0.0, -1.0, 11.0]), ("pareto", [0.0, 1.0, -0.2])] {
        assert_eq!(refusal(name, json!({"skew": patterns::find(name).expect("it is").usual_skew()})), None);
        let missing = refusal(name, json!({})).expect("it needs one");
        assert!(missing.contains("class c has no skew"), "{missing}");
        for skew in skews {
            let refused = refusal(name, json!({"skew": skew})).expect("no such law");
            assert!(
                refused.contains(&format!("skew of class c is {skew}")) && refused.contains("must"),
                "{refused}"
            );
        }
    }
    for name in ["random", "sequential", "shuffled", "log_write"] {
        assert_eq!(refusal(name, json!({})), None);
        assert!(refusal(name, json!({"skew": 0.5})).expect("it has no parameter").contains("takes no skew"));
    }
}

#[test]
fn a_log_must_write_and_must_be_durable() {
    let flush = json!({"sync": false, "flush": {"every": 4, "call": "fdatasync"}});
    assert_eq!(refusal("log_write", flush), None);
    let idle = refusal("log_write", json!({"sync": false})).expect("nothing makes it durable");
    assert!(idle.contains("sync or flush"), "{idle}");
    let reads = refusal("log_write", json!({"op": "read", "sync": false})).expect("a log is written");
    assert!(reads.contains("reads"), "{reads}");
}

/// Pearson's chi-squared over 64 blocks in two targets of unequal size: 63 degrees of freedom, 103.4 is exceeded once in
/// a thousand samples; the seeds are fixed.
#[test]
fn random_places_are_uniform_over_all_blocks_of_all_targets() {
    let extents = vec![
        Extent { target: 0, offset_bytes: 0, blocks: 16 },
        Extent { target: 1, offset_bytes: 0, blocks: 48 },
    ];
    for seed in [1, 2, 3] {
        let mut counts = [0f64; 64];
        for place in places("random", &space(extents.clone(), (0, 1), seed), 64_000) {
            counts[place.target as usize * 16 + (place.offset_bytes / 8192) as usize] += 1.0;
        }
        let chi_squared: f64 = counts.iter().map(|count| (count - 1000.0f64).powi(2) / 1000.0).sum();
        assert!(chi_squared < 103.4, "seed {seed}: {chi_squared}");
    }
}

#[test]
fn random_jobs_and_seeds_go_different_ways() {
    let whole = vec![Extent { target: 0, offset_bytes: 0, blocks: 1 << 30 }];
    let of = |job, seed| places("random", &space(whole.clone(), (job, 2), seed), 100);
    assert_eq!(of(0, 1), of(0, 1));
    assert_ne!(of(0, 1), of(1, 1));
    assert_ne!(of(0, 1), of(0, 2));
}

#[test]
fn an_unknown_pattern_is_named_with_those_that_there_are() {
    let error = patterns::find("zigzag").err().expect("there is no such pattern");
    assert_eq!(error.id, "pattern-unknown");
    assert!(error.hint.expect("there is a way on").contains("sequential"));
}
