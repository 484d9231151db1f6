//! Several addresses of one server: shared out, lost and found again without an I/O lost or done twice.

use std::time::Duration;

use plimsoll_nfs::open::find;
use plimsoll_nfs::pipe::{PathTold, Patience, Pipe, Wish};
use plimsoll_nfs::server::{Faults, Server, Silence};
use plimsoll_nfs::socket::now_ns;
use plimsoll_nfs::table::{Ask, Work};
use plimsoll_nfs::url::Url;

use crate::load::*;

const DEPTH: u32 = 8;

fn answers(told: &[PathTold]) -> Vec<u64> {
    told.iter().map(|path| path.tally.answers).collect()
}

#[test]
fn each_path_gets_its_share() {
    for paths in [2, 3, 4] {
        let server = served_on(paths);
        let mut pipe = opened(&server, &wish());
        read_all(&mut pipe, DEPTH);
        write_all(&server, &mut pipe, DEPTH);
        let told = pipe.paths();
        let shares = answers(&told);
        assert_eq!(shares.iter().sum::<u64>(), 2 * BLOCKS, "each request is answered once");
        assert!(shares.iter().all(|&share| share > 0), "{shares:?}");
        assert_eq!(
            told.iter().map(|path| path.tally.bytes).sum::<u64>(),
            2 * BLOCKS * u64::from(BLOCK_BYTES)
        );
        assert!(told.iter().all(|path| path.losses == 0 && path.tally.latency_ns.max() > 0));
        assert!(pipe.outages().is_empty());
    }
}

#[test]
fn a_slow_path_is_asked_for_less_where_the_fewest_outstanding_decide() {
    let slow = Faults { slow: Some((1, Duration::from_millis(20))), ..Faults::default() };
    let shares = |balance: &str| {
        let server = served_on(2);
        let url = format!("{}&balance={balance}", server.url("/export/data"));
        let found = find(&Url::parse(&url).expect("it is one")).expect("the file is there");
        let mut pipe = Pipe::open(found, &wish()).expect("it opens");
        server.set(slow.clone());
        read_all(&mut pipe, DEPTH);
        answers(&pipe.paths())
    };
    assert_eq!(shares("round-robin"), [BLOCKS / 2; 2]);
    let least = shares("least");
    assert!(least[1] < BLOCKS / 4, "{least:?}");
}

#[test]
fn with_one_request_at_once_a_slow_path_is_asked_for_little_until_it_is_fast_again() {
    const ROUND: u64 = 100;
    let server = served_on(2);
    let mut pipe = opened(&server, &wish());
    let one_by_one = |pipe: &mut Pipe<Vec<u8>>| {
        let before = answers(&pipe.paths());
        perform(pipe, 1, Work::Read, &(0..ROUND).collect::<Vec<u64>>(), 1);
        answers(&pipe.paths())[1] - before[1]
    };
    let slow = Some((1, Duration::from_millis(50)));
    server.set(Faults { delay: Some(Duration::from_millis(2)), slow, ..Faults::default() });
    let asked: u64 = (0..4).map(|_| one_by_one(&mut pipe)).sum();
    assert!((1..=4 * ROUND / 20).contains(&asked), "{asked} of {} over the slow path", 4 * ROUND);
    server.set(Faults { delay: Some(Duration::from_millis(2)), ..Faults::default() });
    let deadline_ns = now_ns() + 60_000_000_000;
    while one_by_one(&mut pipe) < ROUND / 4 {
        assert!(now_ns() < deadline_ns, "it is fast again: {:?}", pipe.paths());
    }
}

#[test]
fn what_a_silent_path_was_asked_goes_over_the_others_and_a_path_that_answers_again_is_used_again() {
    for path in [0, 1] {
        let server = served_on(3);
        let mut pipe = opened(&server, &impatient());
        // Silent in the second round, and back before the last one.
        let silent = Some(Silence { path, from: 1, until: 2 * BLOCKS });
        server.set(Faults { silent, ..Faults::default() });
        write_all(&server, &mut pipe, DEPTH);
        let told = pipe.paths();
        assert_eq!((told[path].losses, answers(&told)[path]), (1, 0), "{told:?}");
        assert!(pipe.counts().resent > 0 && pipe.outages().is_empty());
        assert!(told.iter().enumerate().all(|(other, told)| other == path || told.losses == 0));
        let deadline_ns = now_ns() + 60_000_000_000;
        while now_ns() < deadline_ns {
            perform(&mut pipe, DEPTH, Work::Read, &[1; 40], 1);
            if answers(&pipe.paths())[path] > 0 {
                break;
            }
        }
        let told = pipe.paths();
        assert!(answers(&told)[path] > 0 && told[path].away_ns > 0, "{told:?}");
        assert_eq!(told[path].losses, 1);
    }
}

/// Writes a few blocks again and again, each time with other bytes, as many writes at once as the pipe can; the server has the last
/// ones at the end.
fn write_over_and_over(server: &Server, pipe: &mut Pipe<Vec<u8>>, depth: u32) {
    const FEW: u64 = 4;
    const WRITES: u64 = 50 * FEW;
    let version = |turn: u64| block(turn + 5_000_000);
    let mut free: Vec<u32> = (0..depth).collect();
    let (mut begun, mut ended) = (0, 0);
    let deadline_ns = now_ns() + 60_000_000_000;
    while ended < WRITES {
        assert!(now_ns() < deadline_ns, "{ended} of {WRITES} writes have ended");
        while begun < WRITES
            && let Some(slot) = free.pop()
        {
            let offset_bytes = begun % FEW * u64::from(BLOCK_BYTES);
            let ask = Ask { work: Work::Write, slot, offset_bytes, skip: 0, len: BLOCK_BYTES };
            pipe.submit(&ask, Some(version(begun)));
            begun += 1;
        }
        pipe.reap(u64::MAX, |done| {
            assert_eq!(done.result, BLOCK_BYTES as i32);
            free.push(done.slot);
            ended += 1;
        });
    }
    let durable = server.durable("data").expect("the file is there");
    for number in 0..FEW {
        let begin = (number * u64::from(BLOCK_BYTES)) as usize;
        let newest = version(WRITES - FEW + number);
        assert!(durable[begin..begin + BLOCK_BYTES as usize] == newest, "block {number} has older bytes");
    }
}

#[test]
fn no_write_that_is_sent_again_comes_over_a_newer_one() {
    // What is asked is done, and its answers are lost.
    let silent = Some(Silence { path: 0, from: 20, until: u64::MAX });
    for (paths, faults) in
        [(1, Faults { cut: Some(20), ..Faults::default() }), (3, Faults { silent, ..Faults::default() })]
    {
        let server = served_on(paths);
        let mut pipe = opened(&server, &impatient());
        server.set(faults);
        write_over_and_over(&server, &mut pipe, DEPTH);
        let counts = pipe.counts();
        assert!(counts.resent > 0 && counts.held > 0, "{counts:?}");
    }
}

#[test]
fn a_path_that_is_cut_is_no_outage_while_others_stand() {
    let server = served_on(2);
    let mut pipe = opened(&server, &wish());
    server.set(Faults { cut: Some(20), ..Faults::default() });
    read_all(&mut pipe, DEPTH);
    write_all(&server, &mut pipe, DEPTH);
    let losses: u64 = pipe.paths().iter().map(|path| path.losses).sum();
    assert_eq!((losses, pipe.outages().len()), (1, 0));
}

#[test]
fn a_server_that_starts_anew_is_waited_for_and_the_outage_is_told() {
    for paths in [1, 2] {
        let server = served_on(paths);
        let mut pipe = opened(&server, &wish());
        let lasts = Duration::from_millis(700);
        server.set(Faults { gone: Some((20, lasts)), ..Faults::default() });
        write_all(&server, &mut pipe, DEPTH);
        let outages = pipe.outages();
        assert_eq!(outages.len(), 1, "{outages:?}");
        assert!(outages[0].end_ns - outages[0].begin_ns >= 600_000_000, "{outages:?}");
        assert!(!pipe.is_gone() && pipe.counts().resent > 0);
    }
}

#[test]
fn a_time_in_which_nothing_was_asked_is_no_outage() {
    let server = served_on(1);
    let mut pipe = opened(&server, &impatient());
    perform(&mut pipe, 1, Work::Read, &[0], 1);
    server.set(Faults { deaf: Some(1), ..Faults::default() });
    perform(&mut pipe, 1, Work::Read, &[0], 1);
    // The server reads nothing more on this connection, and for a while nothing is asked either.
    let idle_until_ns = now_ns() + 700_000_000;
    while now_ns() < idle_until_ns {
        pipe.reap(idle_until_ns, |_| ());
    }
    let asked_ns = now_ns();
    perform(&mut pipe, 1, Work::Read, &[0], 1);
    let outages = pipe.outages();
    assert!(outages.len() == 1 && outages[0].begin_ns >= asked_ns, "{outages:?} asked at {asked_ns}");
}

/// Goes on until the pipe is as wanted; no I/O may end meanwhile.
fn reap_until(pipe: &mut Pipe<Vec<u8>>, there: impl Fn(&Pipe<Vec<u8>>) -> bool) {
    let deadline_ns = now_ns() + 60_000_000_000;
    while !there(pipe) {
        assert!(now_ns() < deadline_ns, "{:?}", pipe.paths());
        pipe.reap(u64::MAX, |done| panic!("{done:?} has ended"));
    }
}

/// Begins a read, and says when it was on its way at the latest.
fn begin_to_read(pipe: &mut Pipe<Vec<u8>>, slot: u32) -> u64 {
    let ask = Ask { work: Work::Read, slot, offset_bytes: 0, skip: 0, len: BLOCK_BYTES };
    pipe.submit(&ask, Some(vec![0; BLOCK_BYTES as usize]));
    pipe.reap(0, |done| panic!("{done:?} has ended"));
    now_ns()
}

/// Lets the server answer again, and sees that what was begun is done; the only outage's begin.
fn thaw(server: &Server, pipe: &mut Pipe<Vec<u8>>, mut left: usize) -> u64 {
    server.set(Faults::default());
    let deadline_ns = now_ns() + 60_000_000_000;
    while left > 0 {
        assert!(now_ns() < deadline_ns, "{left} i/os hang");
        pipe.reap(u64::MAX, |done| {
            assert_eq!(done.result, BLOCK_BYTES as i32);
            left -= 1;
        });
    }
    let outages = pipe.outages();
    assert_eq!(outages.len(), 1, "{outages:?}");
    outages[0].begin_ns
}

fn are_all_lost(pipe: &Pipe<Vec<u8>>) -> bool {
    pipe.paths().iter().all(|path| path.losses > 0)
}

#[test]
fn a_server_that_freezes_with_fewer_ios_under_way_than_paths_is_an_outage_from_when_the_first_was_asked() {
    let patience = Patience::of(2_000_000_000);
    let server = served_on(2);
    let mut pipe = opened(&server, &Wish { depth: 1, patience, ..wish() });
    server.set(Faults { frozen: Some(1), ..Faults::default() });
    let begin_ns = now_ns();
    let sent_ns = begin_to_read(&mut pipe, 0);
    reap_until(&mut pipe, are_all_lost);
    let away_ns: Vec<u64> = pipe.paths().iter().map(|path| path.away_ns).collect();
    let later_ns = away_ns[0].abs_diff(away_ns[1]);
    assert!(
        later_ns < patience.answer_ns,
        "the idle path was asked before the other one was given up: {away_ns:?}"
    );
    let since_ns = thaw(&server, &mut pipe, 1);
    assert!((begin_ns..=sent_ns).contains(&since_ns), "{since_ns} is not within {begin_ns} and {sent_ns}");
}

#[test]
fn a_freeze_that_ends_before_the_last_path_is_given_up_is_an_outage_too() {
    let patience = Patience::of(2_000_000_000);
    let server = served_on(2);
    let mut pipe = opened(&server, &Wish { depth: 1, patience, ..wish() });
    server.set(Faults { frozen: Some(1), ..Faults::default() });
    let begin_ns = now_ns();
    let sent_ns = begin_to_read(&mut pipe, 0);
    reap_until(&mut pipe, |pipe| pipe.paths().iter().any(|path| path.losses > 0));
    let seen_ns = now_ns();
    let since_ns = thaw(&server, &mut pipe, 1);
    assert!((begin_ns..=sent_ns).contains(&since_ns), "{since_ns} is not within {begin_ns} and {sent_ns}");
    assert!(pipe.outages()[0].end_ns >= seen_ns);
}

#[test]
fn a_path_that_is_silent_is_no_outage_while_another_one_answers_that_was_asked_nothing_else() {
    let silent = Some(Silence { path: 0, from: 1, until: u64::MAX });
    let server = served_on(2);
    let mut pipe = opened(&server, &Wish { depth: 1, patience: Patience::of(2_000_000_000), ..wish() });
    server.set(Faults { silent, ..Faults::default() });
    perform(&mut pipe, 1, Work::Read, &[0], 1);
    let losses: Vec<u64> = pipe.paths().iter().map(|path| path.losses).collect();
    assert_eq!((losses[0], pipe.outages()), (1, vec![]), "{:?}", pipe.paths());
}

#[test]
fn an_outage_begins_no_earlier_than_the_last_sign_of_life_over_any_path() {
    let server = served_on(2);
    let mut pipe = opened(&server, &Wish { patience: Patience::of(3_000_000_000), ..wish() });
    // The second path is silent from its first request on; the first one answers, is cut in the third answer, and is silent then.
    let silent = Some(Silence { path: 1, from: 1, until: u64::MAX });
    server.set(Faults { silent, cut: Some(3), frozen: Some(3), ..Faults::default() });
    perform(&mut pipe, 1, Work::Read, &[0], 1);
    let reads = server.seen().reads;
    begin_to_read(&mut pipe, 1);
    // The third answer is that to the third request only where the second one has come.
    reap_until(&mut pipe, |_| server.seen().reads > reads);
    let begin_ns = now_ns();
    begin_to_read(&mut pipe, 2);
    reap_until(&mut pipe, are_all_lost);
    let since_ns = thaw(&server, &mut pipe, 2);
    assert!(since_ns >= begin_ns, "{since_ns} is before {begin_ns}");
}

#[test]
fn silence_that_ends_with_the_connection_belongs_to_the_outage() {
    let mut server = served_on(1);
    let mut pipe = opened(&server, &wish());
    server.set(Faults { frozen: Some(1), ..Faults::default() });
    let begin_ns = now_ns();
    let sent_ns = begin_to_read(&mut pipe, 0);
    server.stop();
    reap_until(&mut pipe, |pipe| !pipe.outages().is_empty());
    let seen_ns = now_ns();
    assert!(pipe.paths()[0].away_ns >= seen_ns - sent_ns, "the path was away for as long");
    let since_ns = pipe.outages()[0].begin_ns;
    assert!((begin_ns..=sent_ns).contains(&since_ns), "{since_ns} is not within {begin_ns} and {sent_ns}");
}

#[test]
fn a_server_that_is_silent_for_longer_than_an_outage_may_last_is_tried_again() {
    // As where a COMMIT takes long, and patience has grown.
    let patience = Patience { answer_ns: 2_000_000_000, lost_ns: 1_500_000_000 };
    let server = served_on(1);
    let mut pipe = opened(&server, &Wish { patience, ..wish() });
    perform(&mut pipe, 1, Work::Read, &[0], 1);
    server.set(Faults { deaf: Some(1), ..Faults::default() });
    perform(&mut pipe, 1, Work::Read, &[0], 1);
    let done = perform(&mut pipe, 1, Work::Read, &[0], 1);
    assert_eq!((done[0].0, pipe.is_gone()), (BLOCK_BYTES as i32, false));
    assert!(pipe.reconnects() > 0);
}

#[test]
fn all_paths_silent_for_too_long_is_the_end() {
    let server = served_on(2);
    let patience = Patience { answer_ns: 200_000_000, lost_ns: 600_000_000 };
    let mut pipe = opened(&server, &Wish { patience, ..wish() });
    let deaf = |path| Some(Silence { path, from: 1, until: u64::MAX });
    server.set(Faults { silent: deaf(0), slow: Some((1, Duration::from_secs(3))), ..Faults::default() });
    let done = perform(&mut pipe, DEPTH, Work::Read, &[1; 20], 1);
    assert!(done.iter().all(|(result, _)| *result == -libc::ETIMEDOUT), "{:?}", done[0].0);
    assert!(pipe.is_gone());
}

#[test]
fn a_server_that_answers_and_is_slow_is_waited_for_beyond_the_timeout() {
    let server = served_on(1);
    let patience = Patience { answer_ns: 300_000_000, lost_ns: 60_000_000_000 };
    let mut pipe = opened(&server, &Wish { patience, ..wish() });
    server.set(Faults { delay: Some(Duration::from_millis(700)), ..Faults::default() });
    // It answers nothing else meanwhile, so that only patience that grows brings the answer.
    let done = perform(&mut pipe, 1, Work::Commit, &[0], 1);
    assert_eq!(done[0].0, 0);
    assert!(pipe.reconnects() >= 1);
}

#[test]
fn an_address_twice_and_another_server_are_refused() {
    let server = served_on(2);
    let port = Url::parse(&server.url("/export/data")).expect("it is one").port;
    let asked = |paths: &str| {
        let url =
            format!("nfs://filer/export/data?port={port}&mount_port={port}&privileged=no&paths={paths}");
        find(&Url::parse(&url).expect("it is one")).and_then(|found| Pipe::<Vec<u8>>::open(found, &wish()))
    };
    asked("127.0.0.2,127.0.0.1").expect("the name alone needs no address");
    let error = asked("127.0.0.1,127.0.0.2,127.0.0.1").err().expect("it is refused");
    assert!(error.id == "nfs-path-twice" && error.message.contains("127.0.0.1"), "{error}");
    let error = asked("127.0.0.1,127.0.0.3").err().expect("nobody is there");
    assert!(error.id == "nfs-unreachable" && error.message.contains("127.0.0.3"), "{error}");
}

#[test]
fn a_path_to_another_server_is_refused() {
    let server = served_on(1);
    let port = Url::parse(&server.url("/export/data")).expect("it is one").port;
    let other = Server::start_at(2, port).expect("that address is free");
    other.add("other", own_uid(), 0, vec![1; 4096]);
    let url = format!("{}&paths=127.0.0.1,127.0.0.2", server.url("/export/data"));
    let opened = || {
        find(&Url::parse(&url).expect("it is one")).and_then(|found| Pipe::<Vec<u8>>::open(found, &wish()))
    };
    other.set(Faults { no_attributes: Some(plimsoll_nfs::status::STALE), ..Faults::default() });
    let error = opened().err().expect("the handle means nothing there");
    assert!(error.id == "nfs-paths-differ" && error.message.contains("127.0.0.2"), "{error}");
    other.set(Faults { fsid: 7, ..Faults::default() });
    let error = opened().err().expect("it is another file system");
    assert!(error.id == "nfs-paths-differ" && error.message.contains("file system 7"), "{error}");
}
