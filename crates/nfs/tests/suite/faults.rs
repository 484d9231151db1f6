//! Each fault is survived with right bytes and right counts, or ends with an error; never a hang.

use std::time::Duration;

use plimsoll_nfs::pipe::{Patience, Wish};
use plimsoll_nfs::proc::Stable;
use plimsoll_nfs::rpc::Refusal;
use plimsoll_nfs::server::{Faults, Seen};
use plimsoll_nfs::socket::now_ns;
use plimsoll_nfs::table::{Ask, Counts, Work};

use crate::load::*;

const DEPTH: u32 = 8;

#[test]
fn reads_bring_their_bytes_and_writes_are_as_durable_as_asked() {
    for (stable, place) in [(Stable::File, 2), (Stable::Data, 1), (Stable::Unstable, 0)] {
        let server = served();
        let mut pipe = opened(&server, &Wish { stable, ..wish() });
        read_all(&mut pipe, DEPTH);
        write_all(&server, &mut pipe, DEPTH);
        let Seen { writes, commits, connections, .. } = server.seen();
        assert_eq!(writes[place], BLOCKS, "{stable:?}");
        assert_eq!(writes.iter().sum::<u64>(), BLOCKS, "none is of another kind");
        assert_eq!(commits > 0, stable == Stable::Unstable);
        assert_eq!(connections, 2, "one for MOUNT, and one to find the file and for the load");
        let counts = pipe.counts();
        assert_eq!(counts, Counts { commits, ..Counts::default() });
    }
}

#[test]
fn one_commit_stands_for_all_writes_that_were_answered_before_it() {
    let server = served();
    let mut pipe = opened(&server, &Wish { stable: Stable::Unstable, ..wish() });
    write_all(&server, &mut pipe, DEPTH);
    let commits = server.seen().commits;
    assert!((BLOCKS / u64::from(DEPTH)..=BLOCKS).contains(&commits), "{commits} COMMITs for {BLOCKS} writes");
}

#[test]
fn a_flush_is_a_commit() {
    let server = served();
    let mut pipe = opened(&server, &wish());
    let done = perform(&mut pipe, 1, Work::Commit, &[0], 1);
    assert_eq!((done[0].0, server.seen().commits), (0, 1));
}

#[test]
fn no_request_is_larger_than_the_server_takes() {
    let server = served();
    server.set(Faults { read_bytes_max: 5000, write_bytes_max: 4096, ..Faults::default() });
    for stable in [Stable::File, Stable::Unstable] {
        let mut pipe = opened(&server, &Wish { stable, ..wish() });
        let firsts: Vec<u64> = (0..BLOCKS / 4).map(|turn| turn * 4).collect();
        for (result, _) in perform(&mut pipe, DEPTH, Work::Write, &firsts, 4) {
            assert_eq!(result, 4 * BLOCK_BYTES as i32);
        }
        check_written(&server);
        for (first, (result, data)) in firsts.iter().zip(perform(&mut pipe, DEPTH, Work::Read, &firsts, 4)) {
            assert_eq!(result, 4 * BLOCK_BYTES as i32);
            assert!(data == (*first..first + 4).flat_map(written).collect::<Vec<_>>());
        }
        assert_eq!(pipe.counts().short_reads, 0, "nothing larger was asked for");
    }
}

#[test]
fn long_reads_are_received_where_they_belong() {
    for fault in [Faults::default(), Faults { fragment_bytes: Some(1000), ..Faults::default() }] {
        let server = served();
        server.set(fault);
        let mut pipe = opened(&server, &Wish { block_bytes_max: 32 * BLOCK_BYTES, ..wish() });
        let firsts: Vec<u64> = (0..40).map(|turn| turn * 7 % (BLOCKS - 32)).collect();
        for (first, (result, data)) in firsts.iter().zip(perform(&mut pipe, 3, Work::Read, &firsts, 32)) {
            assert_eq!(result, 32 * BLOCK_BYTES as i32);
            assert!(data == (*first..first + 32).flat_map(block).collect::<Vec<_>>(), "from block {first}");
        }
    }
}

#[test]
fn what_does_not_change_the_answer_does_not_change_the_result() {
    for (name, faults) in [
        ("late", Faults { delay: Some(Duration::from_millis(1)), ..Faults::default() }),
        ("in another order", Faults { reorder: true, ..Faults::default() }),
        ("in fragments", Faults { fragment_bytes: Some(100), ..Faults::default() }),
        ("in fragments of one byte", Faults { fragment_bytes: Some(1), ..Faults::default() }),
        ("in fragments as long as the answer", Faults { fragment_bytes: Some(1 << 20), ..Faults::default() }),
        ("among others", Faults { strays: true, ..Faults::default() }),
    ] {
        let server = served();
        server.set(faults.clone());
        for stable in [Stable::File, Stable::Unstable] {
            let mut pipe = opened(&server, &Wish { stable, ..wish() });
            if stable == Stable::File {
                read_all(&mut pipe, DEPTH);
            }
            write_all(&server, &mut pipe, DEPTH);
            let counts = pipe.counts();
            assert_eq!((counts.resent, counts.short_reads, pipe.reconnects()), (0, 0, 0), "{name}");
            assert_eq!(counts.strays > 0, faults.strays, "{name}");
        }
    }
}

#[test]
fn short_reads_and_writes_are_continued() {
    for stable in [Stable::File, Stable::Unstable] {
        let server = served();
        let mut pipe = opened(&server, &Wish { stable, ..wish() });
        server.set(Faults { short_bytes: Some(3000), ..Faults::default() });
        read_all(&mut pipe, DEPTH);
        assert_eq!(pipe.counts().short_reads, 2 * BLOCKS, "8192 bytes come in three parts");
        write_all(&server, &mut pipe, DEPTH);
        assert_eq!(server.seen().writes.iter().sum::<u64>(), 3 * BLOCKS);
        assert_eq!(pipe.counts().short_writes, 2 * BLOCKS);
    }
}

#[test]
fn a_read_beyond_the_end_says_how_much_there_was() {
    let server = served();
    let mut pipe = opened(&server, &wish());
    let done = perform(&mut pipe, 2, Work::Read, &[BLOCKS - 1, BLOCKS], 2);
    assert_eq!(done[0].0, BLOCK_BYTES as i32);
    assert!(done[0].1[..BLOCK_BYTES as usize] == block(BLOCKS - 1));
    assert_eq!(done[1].0, 0);
    server.set(Faults { read_bytes_max: 3000, ..Faults::default() });
    let mut pipe = opened(&server, &wish());
    let done = perform(&mut pipe, 2, Work::Read, &[BLOCKS - 1], 2);
    assert_eq!(done[0].0, BLOCK_BYTES as i32, "of several requests the lowest end counts");
}

#[test]
fn who_is_put_off_asks_again() {
    let server = served();
    let mut pipe = opened(&server, &Wish { stable: Stable::Unstable, ..wish() });
    server.set(Faults { put_off_every: Some(60), ..Faults::default() });
    read_all(&mut pipe, DEPTH);
    write_all(&server, &mut pipe, DEPTH);
    let counts = pipe.counts();
    assert!(counts.put_off >= 4, "{counts:?}");
    assert_eq!((counts.resent, pipe.reconnects()), (0, 0));
}

#[test]
fn a_connection_that_is_cut_is_made_anew_and_nothing_is_lost_or_doubled() {
    for (faults, wish) in [
        (Faults { cut: Some(21), ..Faults::default() }, wish()),
        (Faults { huge: Some(21), ..Faults::default() }, wish()),
        (Faults { nonsense: Some(21), ..Faults::default() }, wish()),
        (Faults { drop: Some(21), ..Faults::default() }, impatient()),
    ] {
        for stable in [Stable::File, Stable::Unstable] {
            let server = served();
            let mut pipe = opened(&server, &Wish { stable, ..wish });
            server.set(faults.clone());
            read_all(&mut pipe, DEPTH);
            server.set(faults.clone());
            write_all(&server, &mut pipe, DEPTH);
            let (reconnects, resent) = (pipe.reconnects(), pipe.counts().resent);
            if faults.drop.is_some() {
                assert!(reconnects >= 2 && resent >= 2, "{reconnects} {resent}");
            } else {
                assert_eq!(reconnects, 2, "{faults:?}");
                assert!(resent <= 2 * u64::from(DEPTH) + 1, "{resent}");
                assert!(resent >= 1 || faults.nonsense.is_some(), "{resent}");
            }
        }
    }
}

#[test]
fn a_server_that_stops_to_read_in_the_middle_of_a_request_is_silent() {
    const BYTES: u32 = 32 << 20;
    let server = served();
    server.set(Faults { write_bytes_max: BYTES, deaf: Some(2), ..Faults::default() });
    // The first answer says that the file may be read; the second is the last one on this connection.
    let mut pipe = opened(&server, &Wish { depth: 1, block_bytes_max: BYTES, ..impatient() });
    perform(&mut pipe, 1, Work::Read, &[0], 1);
    let done = perform(&mut pipe, 1, Work::Write, &[0], BYTES / BLOCK_BYTES);
    assert_eq!(done[0].0, BYTES as i32);
    assert!(pipe.reconnects() >= 1);
    check_written(&server);
}

#[test]
fn a_server_that_is_silent_is_found_out_while_more_is_asked() {
    const SLOTS: u32 = 100;
    let server = served();
    server.set(Faults { deaf: Some(1), ..Faults::default() });
    let mut pipe = opened(&server, &Wish { depth: SLOTS, ..impatient() });
    for slot in 0..SLOTS {
        let ask = Ask { work: Work::Read, slot, offset_bytes: 0, skip: 0, len: BLOCK_BYTES };
        pipe.submit(&ask, Some(vec![0; BLOCK_BYTES as usize]));
        let deadline_ns = now_ns() + 20_000_000;
        while now_ns() < deadline_ns {
            pipe.reap(deadline_ns, |_| ());
        }
        if pipe.reconnects() > 0 {
            return;
        }
    }
    panic!("what was sent was taken for a sign of life");
}

#[test]
fn a_way_that_is_slow_and_works_is_kept() {
    let server = served();
    // The last of eight answers comes after 4.8 s, and none more than 0.6 s after the one before it.
    let patience = Patience { answer_ns: 4_000_000_000, ..Patience::default() };
    let mut pipe = opened(&server, &Wish { patience, ..wish() });
    server.set(Faults { delay: Some(Duration::from_millis(600)), ..Faults::default() });
    perform(&mut pipe, DEPTH, Work::Read, &[0, 1, 2, 3, 4, 5, 6, 7], 1);
    assert_eq!((pipe.reconnects(), pipe.counts().resent), (0, 0));
}

#[test]
fn writes_whose_connection_was_lost_before_their_commit_was_sent_are_committed() {
    let server = served();
    let mut pipe = opened(&server, &Wish { depth: 1, stable: Stable::Unstable, ..wish() });
    server.set(Faults { nonsense: Some(1), ..Faults::default() });
    let done = perform(&mut pipe, 1, Work::Write, &[3], 1);
    assert_eq!((done[0].0, pipe.reconnects(), server.seen().commits), (BLOCK_BYTES as i32, 1, 1));
}

#[test]
fn blocks_that_a_restart_lost_are_written_again_and_counted() {
    let server = served();
    let mut pipe = opened(&server, &Wish { stable: Stable::Unstable, ..wish() });
    server.set(Faults { restarts_before_commit: 2, ..Faults::default() });
    write_all(&server, &mut pipe, DEPTH);
    let counts = pipe.counts();
    assert!((2..=2 * u64::from(DEPTH)).contains(&counts.rewritten), "{counts:?}");
    assert_eq!(server.seen().writes[0], BLOCKS + counts.rewritten);
}

#[test]
fn a_server_that_loses_every_block_fails_the_writes() {
    let server = served();
    let mut pipe = opened(&server, &Wish { stable: Stable::Unstable, ..wish() });
    server.set(Faults { restarts_before_commit: u32::MAX, ..Faults::default() });
    let done = perform(&mut pipe, 2, Work::Write, &[1, 2], 1);
    assert_eq!(done.iter().map(|(result, _)| *result).collect::<Vec<_>>(), [-libc::EIO; 2]);
}

#[test]
fn a_server_that_keeps_writes_in_memory_is_found_out_and_made_to_commit() {
    for most in [Stable::Unstable, Stable::Data] {
        let server = served();
        let mut pipe = opened(&server, &wish());
        server.set(Faults { less_durable: Some(most), ..Faults::default() });
        write_all(&server, &mut pipe, DEPTH);
        assert_eq!(pipe.counts().less_durable, BLOCKS);
        assert!(server.seen().commits > 0, "{most:?}");
    }
}

#[test]
fn refused_calls_are_failed_ios() {
    for (refusal, errno) in [
        (Refusal::TOO_WEAK, libc::EACCES),
        (Refusal::RpcMismatch, libc::EPROTONOSUPPORT),
        (Refusal::NoProgram, libc::EPROTONOSUPPORT),
        (Refusal::NoVersion { low: 4, high: 4 }, libc::EPROTONOSUPPORT),
        (Refusal::NoProcedure, libc::EPROTONOSUPPORT),
        (Refusal::GarbageArguments, libc::EPROTO),
        (Refusal::SystemError, libc::EREMOTEIO),
    ] {
        let server = served();
        let mut pipe = opened(&server, &Wish { stable: Stable::Unstable, ..wish() });
        server.set(Faults { deny: Some(refusal), ..Faults::default() });
        for work in [Work::Read, Work::Write, Work::Commit] {
            let done = perform(&mut pipe, 2, work, &[3, 4], 1);
            assert_eq!(
                done.iter().map(|(result, _)| *result).collect::<Vec<_>>(),
                [-errno; 2],
                "{refusal:?}"
            );
        }
    }
}

#[test]
fn a_server_that_is_gone_fails_what_is_under_way_and_all_that_follows() {
    let mut server = served();
    let patience = Patience { lost_ns: 1_000_000_000, ..Patience::default() };
    let mut pipe = opened(&server, &Wish { patience, ..wish() });
    read_all(&mut pipe, DEPTH);
    server.stop();
    for _ in 0..2 {
        let done = perform(&mut pipe, DEPTH, Work::Read, &[1; 20], 1);
        assert!(done.iter().all(|(result, _)| *result < 0), "{:?}", done[0].0);
        assert!(pipe.is_gone());
    }
    let (told, outages) = (pipe.counts(), pipe.outages());
    assert_eq!(
        (told.resent, pipe.reconnects()),
        (0, 0),
        "nothing was sent again where there is no connection"
    );
    assert!(outages.len() == 1 && outages[0].end_ns - outages[0].begin_ns > 1_000_000_000, "{outages:?}");
}

#[test]
fn nothing_is_written_through_a_pipe_that_was_opened_to_read() {
    let server = served();
    let mut pipe = opened(&server, &Wish { writable: false, ..wish() });
    let done = perform(&mut pipe, 2, Work::Write, &[1, 2], 1);
    assert_eq!(done.iter().map(|(result, _)| *result).collect::<Vec<_>>(), [-libc::EBADF; 2]);
    read_all(&mut pipe, DEPTH);
    assert_eq!(server.seen().writes, [0; 3]);
}
