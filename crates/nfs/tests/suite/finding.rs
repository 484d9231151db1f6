//! Files are found, made and removed; and whatever is wrong has a message and a way on of its own.

use plimsoll_nfs::NfsError;
use plimsoll_nfs::file;
use plimsoll_nfs::open::find;
use plimsoll_nfs::pipe::Pipe;
use plimsoll_nfs::proc::Stable;
use plimsoll_nfs::removal::remove;
use plimsoll_nfs::rpc::Refusal;
use plimsoll_nfs::server::{Faults, Server};
use plimsoll_nfs::status;
use plimsoll_nfs::url::Url;

use crate::load::*;

fn url(server: &Server, path: &str) -> Url {
    Url::parse(&server.url(path)).expect("the server's own url")
}

fn refused(server: &Server, path: &str) -> NfsError {
    find(&url(server, path)).map(|_| ()).expect_err("it is refused")
}

#[test]
fn a_file_and_a_folder_are_found() {
    let server = served();
    let found = found(&server);
    assert_eq!(found.attributes.size_bytes, BLOCKS * u64::from(BLOCK_BYTES));
    assert_eq!(Some(found.numbers()), server.numbers("data"));
    let folder = find(&url(&server, "/export")).expect("the folder is there");
    let error = Pipe::<Vec<u8>>::open(folder, &wish()).err().expect("a folder has no bytes");
    assert_eq!(error.id, "target-open");
}

#[test]
fn what_is_missing_is_named() {
    let server = served();
    let error = refused(&server, "/export/other");
    assert_eq!((error.id, error.message.contains("other")), ("nfs-no-file", true));
    let error = refused(&server, "/elsewhere/data");
    assert_eq!((error.id, error.hint.contains("/export")), ("nfs-no-export", true));
    let error = refused(&server, "/export2/data");
    assert_eq!(error.id, "nfs-no-export", "a name that only begins like an export's is none");
}

#[test]
fn rights_that_are_missing_are_named_with_the_files_owner() {
    let server = served();
    server.add("theirs", 54_321, 54_322, vec![1; 4096]);
    server.set(Faults { squash: true, ..Faults::default() });
    let asked = |uid: u32| {
        let url = Url { uid: Some(uid), ..url(&server, "/export/theirs") };
        Pipe::<Vec<u8>>::open(find(&url).expect("it can be seen"), &wish()).map(|_| ())
    };
    let error = asked(0).expect_err("root is nobody");
    assert_eq!(error.id, "nfs-forbidden");
    for word in ["root_squash", "uid 54321", "gid 54322", "uid="] {
        assert!(error.hint.contains(word), "{word}: {}", error.hint);
    }
    let error = asked(7).expect_err("it is another one's");
    assert!(error.id == "nfs-forbidden" && !error.hint.contains("root_squash"), "{error}");
    asked(54_321).expect("its owner may");
}

#[test]
fn a_server_that_wants_a_port_below_1024_is_told_from_one_that_refuses() {
    let server = served();
    server.set(Faults { wants_privileged: true, ..Faults::default() });
    let error = refused(&server, "/export/data");
    assert_eq!(error.id, "nfs-privileged-port");
    assert!(error.hint.contains("root") && error.hint.contains("insecure") && error.hint.contains("clients"));
    server.set(Faults { deny: Some(Refusal::TOO_WEAK), ..Faults::default() });
    let error = refused(&server, "/export/data");
    assert_eq!((error.id, error.hint.contains("krb5")), ("nfs-privileged-port", true));
    if own_uid() == 0 {
        let privileged = Url { privileged: Some(true), ..url(&server, "/export/data") };
        let error = find(&privileged).map(|_| ()).expect_err("it denies all");
        assert_eq!((error.id, error.hint.contains("krb5")), ("nfs-forbidden", true));
        server.set(Faults { wants_privileged: true, ..Faults::default() });
        find(&privileged).expect("root has such a port");
    }
}

#[test]
fn a_server_without_version_3_is_named() {
    let server = served();
    server.set(Faults { only_version_4: true, ..Faults::default() });
    let error = refused(&server, "/export/data");
    assert_eq!((error.id, error.hint.contains("nfs4")), ("nfs-version", true));
}

#[test]
fn who_does_not_answer_or_speaks_another_protocol_is_named() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it has one").port();
    let text = format!("nfs://127.0.0.1/export/data?port={port}&mount_port={port}&privileged=no");
    let url = Url::parse(&text).expect("it is one");
    let peer = std::thread::spawn(move || {
        use std::io::Write;
        let (mut stream, _) = listener.accept().expect("somebody asks");
        stream.write_all(b"SSH-2.0-OpenSSH_9.2p1\r\n").expect("it listens");
        stream
    });
    let error = find(&url).map(|_| ()).expect_err("this is no NFS");
    assert_eq!(error.id, "nfs-protocol");
    drop(peer.join());
    let error = find(&url).map(|_| ()).expect_err("nobody listens any more");
    assert_eq!((error.id, error.errno), ("nfs-unreachable", Some(libc::ECONNREFUSED)));
    let nowhere = Url::parse("nfs://no-such-host.invalid/export/data").expect("it is one");
    assert_eq!(find(&nowhere).map(|_| ()).expect_err("there is none").id, "nfs-unreachable");
}

#[test]
fn a_file_is_made_once_and_only_the_very_one_is_removed() {
    let server = served();
    let scratch = url(&server, "/export/scratch");
    let made = file::create(&scratch).expect("it can be made");
    assert_eq!(file::create(&scratch).expect_err("it is there").id, "nfs-exists");
    assert_eq!(file::create(&url(&server, "/export/data")).expect_err("it is there").id, "nfs-exists");
    let instead = |fileid| remove(&scratch, made.fsid, fileid).expect("it is asked");
    assert!(instead(made.fileid + 1).is_some_and(|words| words.contains("another file has its name")));
    assert_eq!(server.names(), ["data", "scratch"]);
    assert_eq!(instead(made.fileid), None);
    assert!(instead(made.fileid).is_some_and(|words| words.contains("was not there any more")));
    assert_eq!(server.names(), ["data"]);
}

#[test]
fn what_was_made_and_cannot_be_told_from_others_is_not_left_without_a_word() {
    let server = served();
    server.set(Faults { no_attributes: Some(status::STALE), ..Faults::default() });
    let scratch = url(&server, "/export/scratch");
    let error = file::create(&scratch).expect_err("nobody knows what it is");
    assert!(error.id == "nfs-failed" && !error.message.contains("left"), "{error}");
    assert_eq!(server.names(), ["data"]);
    server.set(Faults { no_attributes: Some(status::STALE), no_remove: true, ..Faults::default() });
    let error = file::create(&scratch).expect_err("nobody knows what it is");
    assert!(error.message.contains("scratch, which was just made, is left in /export"), "{error}");
    assert_eq!(server.names(), ["data", "scratch"]);
}

#[test]
fn who_may_not_ask_is_told_as_whom_it_was_asked() {
    let server = served();
    server.set(Faults { no_attributes: Some(status::ACCES), ..Faults::default() });
    let asked = Url { uid: Some(7), gid: Some(8), ..url(&server, "/export/data") };
    let error = find(&asked).map(|_| ()).expect_err("it is refused");
    assert!(error.hint.contains("uid 7 and gid 8") && !error.hint.contains("root_squash"), "{error}");
}

#[test]
fn the_room_that_is_left_is_known_and_no_mount_is_left_behind() {
    let server = served();
    server.set(Faults { free_bytes: 123_456_789, ..Faults::default() });
    let mut folder = find(&url(&server, "/export")).expect("it is there");
    assert_eq!(folder.free_bytes(), Ok(Some(123_456_789)));
    assert_eq!(server.seen().mounts, 0);
}

#[test]
fn bytes_are_read_and_written_one_call_after_the_other() {
    let server = served();
    server.set(Faults { short_bytes: Some(3000), ..Faults::default() });
    let mut found = found(&server);
    let mut data = vec![0; 2 * BLOCK_BYTES as usize];
    found.read_exactly(u64::from(BLOCK_BYTES), &mut data).expect("it is there");
    assert!(data == [block(1), block(2)].concat());
    let end = BLOCKS * u64::from(BLOCK_BYTES);
    assert_eq!(found.read_exactly(end - 1, &mut data).expect_err("it ends").id, "nfs-failed");
    found.write_durably(u64::from(BLOCK_BYTES), &written(1)).expect("it is ours");
    let durable = server.durable("data").expect("it is there");
    assert!(durable[BLOCK_BYTES as usize..2 * BLOCK_BYTES as usize] == written(1));
}

#[test]
fn what_a_server_takes_less_durably_is_committed_and_written_again_where_it_was_lost() {
    for most in [Stable::Unstable, Stable::Data] {
        let server = served();
        server.set(Faults { less_durable: Some(most), restarts_before_commit: 2, ..Faults::default() });
        found(&server).write_durably(0, &written(0)).expect("it is ours");
        assert_eq!(server.seen().commits, 3, "{most:?}");
        assert!(server.durable("data").expect("it is there").starts_with(&written(0)));
        server.set(Faults { less_durable: Some(most), restarts_before_commit: 99, ..Faults::default() });
        let error = found(&server).write_durably(0, &written(0)).expect_err("it is lost each time");
        assert_eq!((error.id, error.errno), ("nfs-failed", Some(libc::EIO)));
    }
}
