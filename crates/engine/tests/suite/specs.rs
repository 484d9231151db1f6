//! Specifications that cannot be run are refused with the reason and the value.

use crate::common::*;
use plimsoll_engine::CoreError;
use plimsoll_engine::spec::RunSpec;
use proptest::prelude::*;
use serde_json::{Value, json};

fn refusal(spec: &Value) -> CoreError {
    match RunSpec::parse(&spec.to_string()).and_then(|spec| spec.check()) {
        Err(error) => error,
        Ok(()) => panic!("this is no specification: {spec}"),
    }
}

fn class(change: Value) -> Value {
    let class = json!({"name": "read", "op": "read", "pattern": "random", "block_bytes": 4096});
    json!({"classes": [with(class, change)]})
}

#[test]
fn a_whole_specification_is_accepted() {
    let spec = json!({
        "targets": [{"path": "sim:", "offset_bytes": 4096, "span_bytes": 1 << 30}], "direct": true,
        "stripe_bytes": 1 << 20,
        "groups": [
            {
                "name": "small", "engine": "sim", "jobs": 2, "depth": 32,
                "classes": [
                    {"name": "read", "op": "read", "pattern": "random", "block_bytes": 8192, "weight": 0.8, "sync": false,
                     "sizes": [{"bytes": 4096, "weight": 1.0}, {"bytes": 8192, "weight": 2.0}]},
                    {"name": "log", "op": "write", "pattern": "sequential", "block_bytes": 16384, "sync": true},
                ],
                "arrivals": {"kind": "poisson", "rate_per_s": 1000.0}, "pin": true,
            },
            {
                "name": "log", "engine": "sim", "think_us": 100.0, "targets": [0],
                "classes": [
                    {"name": "write", "op": "write", "pattern": "random", "block_bytes": 8192,
                     "flush": {"every": 8, "call": "fdatasync"}},
                ],
            },
        ],
        "runtime_s": 5.0, "ios_max": null, "warm_up_s": 0.5, "window_s": 1.0, "give_up_latency_us": 1e6, "seed": 1,
        "simulation": {
            "law": "lognormal", "mean_us": 100.0, "sigma": 0.5, "servers": 2, "burst_ios": 10, "burst_mean_us": 10.0,
            "faults": {"error": 0.0, "short": 0.0, "delay": 0.0, "delay_us": 0.0},
        },
    });
    assert!(parsed(&spec).check().is_ok());
}

#[test]
fn each_wrong_member_is_named_with_its_value() {
    let cases = [
        (json!({"depth": 0}), "depth on engine sim is 0, outside 1 to 65536"),
        (json!({"jobs": 1000}), "jobs is 1000, outside 1 to 256"),
        (
            json!({"engine": "io_uring", "simulation": null, "depth": 40_000}),
            "depth on engine io_uring is 40000",
        ),
        (json!({"engine": "psync", "simulation": null, "depth": 4096}), "threads on engine psync is 4096"),
        (json!({"targets": []}), "targets is 0, outside 1 to 256"),
        (json!({"classes": []}), "classes is 0, outside 1 to 64"),
        (json!({"ios_max": null}), "neither runtime_s nor ios_max"),
        (json!({"ios_max": 0}), "ios_max is 0"),
        (json!({"runtime_s": -1.0}), "runtime_s is -1"),
        (json!({"runtime_s": 1e9}), "runtime_s is 1000000000"),
        (json!({"warm_up_s": -0.1}), "warm_up_s is -0.1"),
        (json!({"window_s": 0.0}), "window_s is 0"),
        (json!({"runtime_s": 1e5, "window_s": 0.1}), "runtime_s ÷ window_s is 1000000"),
        (json!({"arrivals": {"kind": "poisson", "rate_per_s": 0.0}}), "rate_per_s is 0"),
        (json!({"arrivals": {"kind": "poisson", "rate_per_s": 1e12}}), "rate_per_s is 1000000000000"),
        (
            json!({"arrivals": {"kind": "poisson"}}),
            "arrivals at a rate have the field `rate_per_s` and no other",
        ),
        (json!({"arrivals": {"kind": "closed", "rate_per_s": 1.0}}), "closed arrivals have no other field"),
        (
            json!({"arrivals": {"kind": "series", "rate_per_s": 1.0}}),
            "a series of arrivals has the fields `steps`",
        ),
        (json!({"arrivals": {"kind": "bursts"}}), "unknown variant `bursts`"),
        (series(json!([]), 1), "steps of a series is 0"),
        (series(json!([{"duration_s": 1.0, "rates_per_s": []}]), 1), "rates of a step is 0"),
        (series(json!([{"duration_s": 1.0, "rates_per_s": [-1.0]}]), 1), "rate of a step is -1"),
        (series(json!([{"duration_s": 1.0, "rates_per_s": [0.0]}]), 1), "rate_per_s is 0"),
        (series(json!([{"duration_s": 0.0, "rates_per_s": [1.0]}]), 1), "duration_s of a step is 0"),
        (series(json!([{"duration_s": 1.0, "rates_per_s": [1.0]}]), 0), "burst is 0"),
        (json!({"give_up_latency_us": 1000.0}), "give_up_latency_us needs arrivals at a rate"),
        (json!({"simulation": null}), "engine sim needs the member simulation"),
        (json!({"engine": "psync"}), "member simulation is for engines that do no i/o, not psync"),
        (json!({"simulation": {"law": "exponential", "mean_us": 0.0}}), "mean_us is 0"),
        (json!({"simulation": {"law": "exponential", "mean_us": 1.0, "burst_ios": 5}}), "only one is given"),
        (
            json!({"simulation": {"law": "exponential", "mean_us": 1.0, "faults": {"error": 1.5}}}),
            "faults.error is 1.5",
        ),
        (json!({"simulation": {"law": "exponential", "mean_us": 1.0, "servers": 0}}), "servers is 0"),
        (json!({"speed": 9}), "unknown field `speed`"),
        (json!({"depth": "many"}), "invalid type: string \"many\""),
        (class(json!({"block_bytes": 100})), "block_bytes of class read is 100"),
        (class(json!({"weight": 0.0})), "weight of class read is 0"),
        (class(json!({"name": ""})), "a class has an empty name"),
        (class(json!({"sync": true})), "class read reads, so sync and flush do not apply"),
        (
            class(json!({"flush": {"every": 1, "call": "fsync"}})),
            "class read reads, so sync and flush do not apply",
        ),
        (class(json!({"skew": 0.5})), "pattern random takes no skew"),
        (class(json!({"sizes": [{"bytes": 1024, "weight": 1.0}]})), "its largest size is 1024"),
        (class(json!({"sizes": [{"bytes": 4096, "weight": -1.0}]})), "is -1, outside"),
        (json!({"groups": []}), "groups is 0, outside 1 to 64"),
        (json!({"think_us": -1.0}), "think_us is -1"),
        (
            json!({"think_us": 1.0, "arrivals": {"kind": "uniform", "rate_per_s": 1.0}}),
            "think_us needs a closed loop",
        ),
        (json!({"stripe_bytes": 5000}), "a stripe of 5000 bytes is no multiple"),
        (class(json!({"op": "append"})), "unknown variant `append`"),
        (class(json!({"name": "x".repeat(257)})), "name of a class is 257 bytes long, more than 256"),
        (class(json!({"pattern": "x".repeat(257)})), "pattern of class read is 257 bytes long"),
        (json!({"engine": "x".repeat(257)}), "engine is 257 bytes long, more than 256"),
        (
            json!({"targets": [{"path": "x".repeat(4097), "span_bytes": 4096}]}),
            "path of target 0 is 4097 bytes long, more than 4096",
        ),
        (json!({"jobs": 32, "depth": 65_536}), "jobs × depth of the run is 2097152, outside 1 to 1048576"),
        (
            json!({"targets": vec![json!({"path": "sim:", "span_bytes": 1u64 << 62}); 3]}),
            "span_bytes of all targets is 13835058055282163712, outside",
        ),
        (json!({"speed".repeat(1000): 9}), "unknown field `speedspeed"),
        (json!({"x": "x".repeat(5 << 20)}), "the request is 5243"),
    ];
    for (change, reason) in cases {
        let error = refusal(&with(sim(), change.clone()));
        assert_eq!(error.id, "spec-invalid", "{change}: {error}");
        assert!(error.message.contains(reason), "{change}: {error}");
        assert!(error.message.starts_with("run specification is invalid: ") && !error.message.contains('\n'));
        assert!(error.message.len() < 600, "{} bytes", error.message.len());
    }
}

#[test]
fn what_a_target_simulates_is_no_matter_to_an_engine_that_does_nothing() {
    assert!(parsed(&with(sim(), json!({"engine": "null"}))).check().is_ok());
    let mut mixed = sim();
    let mut second = mixed["groups"][0].clone();
    second["engine"] = json!("null");
    second["classes"][0]["name"] = json!("other");
    mixed["groups"] = json!([mixed["groups"][0], second]);
    assert!(refusal(&mixed).message.ends_with("some simulate and some do not"));
}

#[test]
fn unknown_names_list_the_known_ones() {
    let engine = refusal(&with(sim(), json!({"engine": "warp"})));
    assert_eq!((engine.id, engine.message.as_str()), ("engine-unknown", "there is no engine warp"));
    assert!(engine.hint.expect("there is a way on").contains("io_uring"));
    let pattern = refusal(&with(sim(), class(json!({"pattern": "zigzag"}))));
    assert_eq!(pattern.id, "pattern-unknown");
}

#[test]
fn a_span_shorter_than_a_block_is_too_small() {
    let targets = json!([{"path": "sim:", "span_bytes": 4095}]);
    let error = refusal(&with(sim(), json!({"targets": targets})));
    assert_eq!(error.id, "target-too-small");
    let targets = json!([{"path": "sim:", "offset_bytes": u64::MAX - 1, "span_bytes": 4096}]);
    assert_eq!(refusal(&with(sim(), json!({"targets": targets}))).id, "spec-invalid");
}

#[test]
fn two_classes_of_one_name_are_refused() {
    let twin = sim()["groups"][0]["classes"][0].clone();
    let error = refusal(&with(sim(), json!({"classes": [twin.clone(), twin]})));
    assert!(error.message.ends_with("class name read is used twice"), "{error}");
}

proptest! {
    #[test]
    fn arbitrary_text_is_refused_in_one_line(text in "\\PC{0,200}") {
        let error = RunSpec::parse(&text).expect_err("random text is no specification");
        prop_assert_eq!(error.id, "spec-invalid");
        prop_assert!(!error.message.contains('\n'));
    }

    #[test]
    fn numbers_of_any_size_are_accepted_or_refused_but_never_panic(
        depth: u32, jobs: u32, ios_max: u64, span_bytes: u64, offset_bytes: u64, block_bytes: u32,
        runtime_s: f64, window_s: f64, rate_per_s: f64,
    ) {
        let spec = with(sim(), json!({
            "depth": depth, "jobs": jobs, "ios_max": ios_max, "runtime_s": runtime_s, "window_s": window_s,
            "targets": [{"path": "sim:", "offset_bytes": offset_bytes, "span_bytes": span_bytes}],
            "arrivals": {"kind": "uniform", "rate_per_s": rate_per_s},
        }));
        let spec = with(spec, class(json!({"block_bytes": block_bytes})));
        if let Ok(spec) = RunSpec::parse(&spec.to_string()) {
            let _ = spec.check();
        }
    }
}

fn series(steps: Value, burst: u32) -> Value {
    json!({"arrivals": {"kind": "series", "steps": steps, "burst": burst}})
}
