//! Calls of XLogFlush that are watched in turns: what was the log in one turn may be another file in the next. Where no probe or no
//! C compiler is to be had, the test says so and ends.

// The kernel's clock is what is tested here, and nothing simulates that.
#![allow(clippy::disallowed_methods)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::Duration;

use plimsoll_observe::commit::{CommitProbe, Kind, Room, Row};
use plimsoll_observe::obstacles::Surroundings;

/// Longer than a file is taken for the log without another word (LOG_NAMED_NS_MAX in bpf/commit.bpf.c).
const PAUSE: Duration = Duration::from_millis(2_200);
/// At each line that it is told: first a call that flushes one file; then one that waits while another file is flushed by who is
/// within no call that was seen.
const PROGRAM: &str = r#"
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static volatile long waiter;

static void flush(const char *path)
{
    int file = open(path, O_CREAT | O_WRONLY, 0600);

    if (pwrite(file, "x", 1, 0) != 1 || fdatasync(file))
        _exit(1);
}

__attribute__((noinline)) void XLogFlush(const char *path)
{
    if (path) {
        flush(path);
    } else {
        pthread_mutex_lock(&turn);
        pthread_mutex_unlock(&turn);
    }
}

static void *follow(void *nothing)
{
    waiter = syscall(SYS_gettid);
    XLogFlush(0);
    return nothing;
}

static int is_asleep(long thread)
{
    char path[64], line[512] = "";
    FILE *file;
    char *state;

    snprintf(path, sizeof(path), "/proc/self/task/%ld/stat", thread);
    file = fopen(path, "r");
    if (!file || !fgets(line, sizeof(line), file))
        return 0;
    fclose(file);
    state = strrchr(line, ')');
    return state && state[2] == 'S';
}

static void step(const char *done)
{
    char line[16];

    puts(done);
    fflush(stdout);
    if (!fgets(line, sizeof(line), stdin))
        _exit(1);
}

int main(int words, char **word)
{
    pthread_t follower;

    if (words != 3)
        return 1;
    step("there");
    XLogFlush(word[1]);
    step("named");
    pthread_mutex_lock(&turn);
    pthread_create(&follower, 0, follow, 0);
    while (!waiter || !is_asleep(waiter))
        usleep(1000);
    flush(word[2]);
    pthread_mutex_unlock(&turn);
    pthread_join(follower, 0);
    step("followed");
    return 0;
}
"#;

/// The program at work in a folder of its own; both are gone at the end.
struct Server {
    folder: PathBuf,
    process: Child,
    tell: ChildStdin,
    told: BufReader<ChildStdout>,
}

impl Server {
    /// None where there is nothing that compiles it.
    fn started() -> Option<Self> {
        let folder =
            PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("server-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let (source, program) = (folder.join("server.c"), folder.join("server"));
        fs::write(&source, PROGRAM).expect("written");
        let words = [Path::new("-O1"), Path::new("-pthread"), Path::new("-o"), &program, &source];
        let compiled = Command::new("cc").args(words).status();
        if !compiled.is_ok_and(|status| status.success()) {
            eprintln!("skipped: no C compiler (cc)");
            fs::remove_dir_all(folder).expect("removed");
            return None;
        }
        let files = ["first", "second"].map(|name| folder.join(name));
        let started = Command::new(program).args(files).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut process = started.expect("a process");
        let tell = process.stdin.take().expect("a pipe");
        let told = BufReader::new(process.stdout.take().expect("a pipe"));
        Some(Self { folder, process, tell, told })
    }

    fn await_word(&mut self, wanted: &str) {
        let mut line = String::new();
        self.told.read_line(&mut line).expect("a line");
        assert_eq!(line.trim(), wanted);
    }

    fn go_on(&mut self) {
        self.tell.write_all(b"on\n").expect("told");
    }

    fn program(&self) -> PathBuf {
        self.folder.join("server")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn row(probe: &mut CommitProbe, pid: u32, kind: Kind) -> Row {
    let reading = probe.read().expect("a reading");
    let found = reading.rows.iter().find(|(key, _)| key.owner.pid == pid && key.kind == kind);
    found.map(|(_, row)| row.clone()).unwrap_or_else(|| panic!("no such row: {reading:#?}"))
}

#[test]
fn a_log_that_went_on_to_another_file_between_turns_is_still_the_log() {
    let obstacles = Surroundings::default().obstacles();
    obstacles.iter().for_each(|obstacle| eprintln!("skipped: {obstacle}"));
    if !obstacles.is_empty() {
        return;
    }
    let Some(mut server) = Server::started() else { return };
    let mut probe = CommitProbe::start(Room::default()).expect("a probe");
    let pid = server.process.id();
    server.await_word("there");
    probe.see_log_flushes(&server.program()).expect("seen");
    server.go_on();
    server.await_word("named");
    assert_eq!(row(&mut probe, pid, Kind::Leader).commits, 1);
    probe.leave_log_flushes().expect("left");
    probe.let_log_flushes_go().expect("let go");
    thread::sleep(PAUSE);
    probe.see_log_flushes(&server.program()).expect("seen again");
    server.go_on();
    server.await_word("followed");
    let follower = row(&mut probe, pid, Kind::Follower);
    assert_eq!(follower.commits, 1);
    assert!(follower.behind_ns > 0 && follower.behind_ns <= follower.parts.queue_ns, "{follower:?}");
}
