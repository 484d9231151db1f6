//! A scratch file is taken away and no other one is, whoever gets its name meanwhile; what is left is told of.

use plimsoll_nfs::file;
use plimsoll_nfs::listing::names;
use plimsoll_nfs::open::{failed, find_within};
use plimsoll_nfs::proc::{GETATTR, LOOKUP, READDIR, REMOVE, RENAME};
use plimsoll_nfs::removal::{remove, remove_within};
use plimsoll_nfs::server::{Faults, Server};
use plimsoll_nfs::status;
use plimsoll_nfs::url::Url;

/// A server with the file `data`, and the file `scratch` removed while it does that wrong; what is said, and all names afterwards.
fn removed(faults: Faults, more_names: u32) -> (Result<Option<String>, String>, Vec<String>) {
    let server = Server::start().expect("a port is free");
    server.add("data", 0, 0, vec![1; 100]);
    let url = Url::parse(&server.url("/export/scratch")).expect("the server's own url");
    let made = file::create(&url).expect("it can be made");
    server.link("scratch", more_names);
    server.set(faults);
    let said = remove(&url, made.fsid, made.fileid).map_err(|error| error.message);
    (said, server.names())
}

#[test]
fn nothing_is_said_of_what_is_removed() {
    assert_eq!(removed(Faults::default(), 0), (Ok(None), vec!["data".to_owned()]));
}

#[test]
fn another_file_that_gets_the_name_at_the_last_moment_keeps_it() {
    for procedure in [LOOKUP, RENAME] {
        let faults = Faults { swap_before: Some(procedure.number), ..Faults::default() };
        let (said, names) = removed(faults, 0);
        let said = said.expect("it answers").expect("it is told");
        assert!(said.contains("another file") && said.contains("may be left under another name"), "{said}");
        assert_eq!(names, ["aside", "scratch"], "data has that name, and nothing is gone");
    }
}

#[test]
fn a_file_that_a_server_took_for_ours_is_not_removed_without_a_word() {
    let swapped = Faults { swap_before: Some(RENAME.number), remembers_names: true, ..Faults::default() };
    let (said, names) = removed(swapped, 0);
    assert_eq!(names, ["aside"], "the server shows the wrong file");
    let said = said.expect("it answers").expect("it is told");
    assert!(said.contains("may be left") && said.contains("been removed instead"), "{said}");
}

#[test]
fn a_file_whose_handle_changes_with_its_name_is_removed() {
    let faults = Faults { handles_hold_names: true, ..Faults::default() };
    assert_eq!(removed(faults.clone(), 0), (Ok(None), vec!["data".to_owned()]));
    let (said, names) = removed(Faults { swap_before: Some(RENAME.number), ..faults }, 0);
    assert!(said.expect("it answers").is_some_and(|words| words.contains("another file got its name")));
    assert_eq!(names, ["aside", "scratch"], "data has that name, and nothing is gone");
}

#[test]
fn what_was_removed_is_called_so_where_the_server_fails_afterwards() {
    let faults = Faults { refuse_afterwards: Some((GETATTR.number, status::IO)), ..Faults::default() };
    let (said, names) = removed(faults, 0);
    assert_eq!(names, ["data"]);
    let said = said.expect("it was removed").expect("it is told");
    assert!(said.starts_with("was removed; whether its bytes are gone is not known: "), "{said}");
    assert!(said.ends_with(&status::name(status::IO)), "{said}");
}

#[test]
fn a_server_that_keeps_what_is_removed_is_named_as_a_cause() {
    let (said, names) = removed(Faults { keeps_removed: true, ..Faults::default() }, 0);
    assert_eq!(names, [".nfs0001", "data"]);
    let said = said.expect("it answers").expect("it is told");
    assert!(
        said.contains("may be left") && said.contains("re-exports NFS") && said.contains(".nfs"),
        "{said}"
    );
}

#[test]
fn another_name_of_the_scratch_file_is_told_of() {
    let (said, names) = removed(Faults::default(), 1);
    assert!(said.expect("it answers").is_some_and(|words| words.contains("another name")));
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn what_was_removed_is_not_called_left_where_the_answer_did_not_come() {
    let (said, names) = removed(Faults { cut_after: Some(REMOVE.number), ..Faults::default() }, 0);
    assert_eq!((said, names), (Ok(None), vec!["data".to_owned()]));
}

#[test]
fn what_is_left_is_named_by_both_names_that_it_may_have() {
    let cut = Faults { cut_after: Some(RENAME.number), ..Faults::default() };
    let refused = Faults { refuse: Some((REMOVE.number, status::ACCES)), ..Faults::default() };
    for faults in [cut, refused] {
        let (said, names) = removed(faults, 0);
        let said = said.expect_err("it is left");
        let aside = names.iter().find(|name| name.starts_with("scratch-")).expect("it was renamed");
        assert!(said.contains(&format!("it may be left as scratch or as {aside}")), "{said}");
    }
}

#[test]
fn what_is_left_in_a_folder_is_found_whatever_number_of_answers_it_takes() {
    let server = Server::start().expect("a port is free");
    let url = Url::parse(&server.url("/export")).expect("the server's own url");
    assert_eq!(names(&url, "plimsoll-scratch-"), Ok(Vec::new()));
    for name in
        ["a", "b", "plimsoll-scratch-1.dat", "plimsoll-scratch-2.dat", "zzz", "plimsoll-scratch-3.dat"]
    {
        server.add(name, 0, 0, Vec::new());
    }
    let found = names(&url, "plimsoll-scratch-").expect("it is read");
    assert_eq!(found, ["plimsoll-scratch-1.dat", "plimsoll-scratch-2.dat", "plimsoll-scratch-3.dat"]);
    server.set(Faults { refuse: Some((READDIR.number, status::ACCES)), ..Faults::default() });
    assert_eq!(names(&url, "plimsoll").expect_err("it may not be read").id, "nfs-forbidden");
}

#[test]
fn a_server_that_wants_patience_for_long_is_told_from_one_that_failed() {
    let server = Server::start().expect("a port is free");
    let url = Url::parse(&server.url("/export")).expect("the server's own url");
    let identity = plimsoll_nfs::rpc::Identity { uid: 0, gid: 0 };
    let error = failed(&url, identity, "make a file", status::JUKEBOX, None);
    assert!(error.hint.contains("asked again later for a minute"), "{error}");
}

/// Each call is put off twice, for 0.1 s: one of its own would be within any of these limits, all together never are.
fn put_off_twice() -> Faults {
    Faults { put_off_each: 2, ..Faults::default() }
}

#[test]
fn a_server_that_wants_patience_gets_it_once_for_all_that_finds_a_file() {
    let server = Server::start().expect("a port is free");
    server.set(put_off_twice());
    let url = Url::parse(&server.url("/export")).expect("the server's own url");
    let error = find_within(&url, 300_000_000).map(|_| ()).expect_err("GETATTR and FSINFO take 0.4 s");
    assert!(error.message.contains("JUKEBOX"), "{error}");
}

#[test]
fn a_server_that_wants_patience_gets_it_once_for_a_whole_removal() {
    let server = Server::start().expect("a port is free");
    let url = Url::parse(&server.url("/export/scratch")).expect("the server's own url");
    let made = file::create(&url).expect("it can be made");
    server.set(put_off_twice());
    let error = remove_within(&url, made.fsid, made.fileid, 900_000_000)
        .expect_err("to find the folder takes 0.4 s, and each question after that 0.2 s");
    assert!(error.message.contains("JUKEBOX"), "{error}");
    assert_eq!(server.names(), ["scratch"]);
    server.set(Faults { put_off_each: 1, ..Faults::default() });
    assert_eq!(remove(&url, made.fsid, made.fileid), Ok(None), "a minute is enough");
}

#[test]
fn what_is_asked_after_a_file_was_found_has_patience_of_its_own() {
    let server = Server::start().expect("a port is free");
    let url = Url::parse(&server.url("/export")).expect("the server's own url");
    let mut folder = find_within(&url, 0).expect("nothing is put off");
    server.set(put_off_twice());
    assert!(folder.free_bytes().is_ok_and(|bytes| bytes.is_some()));
}
