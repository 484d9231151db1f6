/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * Takes commits apart in the kernel: how long each waited for others, for its write, for its flush, for a processor, and how
 * long it was on one.
 *
 * A commit of any process is what one thread does from its first write to a file until the file's fsync or fdatasync is over,
 * or until a write is over that is synchronous by itself; of several files a thread may have some under way at once. A commit of
 * PostgreSQL is one call of XLogFlush, also where another backend did the writing; its wait for a synchronous standby is one of
 * SyncRepWaitForLSN. At each moment of a commit its thread is in one state, and all time until the next change of state is booked
 * on it, so that the parts are the whole.
 *
 * What is seen of a thread is kept while the thread lives; what commits amount to is kept in rows, one for each process and
 * kind, in one of two tables (tables.h). crates/observe/src/commit.rs reads what is laid out here.
 */

#include "ground.h"

#define TIMED_OUT (-110)       /* -ETIMEDOUT */
#define LOG_NAMED_NS_MAX 2000000000ull /* longer than XLogFlush is watched at a time, shorter than the pause behind it */
#define FUTEX_FLAGS 0600       /* 128, FUTEX_PRIVATE_FLAG, and 256, FUTEX_CLOCK_REALTIME */

/* The kernel's structures, as far as they are read. */

struct mm_struct {
    unsigned long arg_start;
    struct file *exe_file;
} RELOCATED;

struct task_struct {
    int pid;
    int tgid;
    u32 __state;
    struct task_struct *real_parent;
    struct task_struct *group_leader;
    struct files_struct *files;
    struct mm_struct *mm;
    u64 start_boottime;
    char comm[16];
} RELOCATED;

#include "calls.h"

/* Until 5.13. */
struct task_struct___until_5_13 {
    long state;
} RELOCATED;

/* What a system call is to a commit; commit.rs says which is what. */
enum call {
    CALL_OTHER,
    CALL_WRITE,    /* to a file, which its first argument names */
    CALL_TRANSFER, /* waits for writes that were handed over before */
    CALL_FLUSH,    /* of a file, which its first argument names */
    CALL_LOCK,     /* waits until another thread lets it go on */
    CALL_SLEEP,    /* waits for a time */
    CALL_WORK,     /* waits for something to do: no commit is under way */
    CALL_READ,     /* of a file, or of what is no file, which is to wait for something to do */
    CALL_FUTEX,    /* CALL_LOCK, where it waits */
};

enum { FUTEX_WAIT = 0, FUTEX_LOCK_PI = 6, FUTEX_WAIT_BITSET = 9, FUTEX_WAIT_REQUEUE_PI = 11, FUTEX_LOCK_PI2 = 13 };

/* What a thread is within, as long as it is watched. */
enum function { IN_NONE, IN_LOG_FLUSH, IN_STANDBY_WAIT };

enum place { ON_PROCESSOR, READY, BLOCKED };

/* What user space reads. */

enum part { PART_QUEUE, PART_WRITE, PART_FLUSH, PART_RUN_QUEUE, PART_PROCESSOR, PART_OTHER, PARTS };

enum kind {
    KIND_SYNC,     /* of any process */
    KIND_LEADER,   /* of PostgreSQL: flushed the log itself */
    KIND_FOLLOWER, /* waited while another did */
    KIND_NOTHING,  /* found it done */
    KIND_STANDBY,  /* of PostgreSQL: what a commit waited for a synchronous standby, when its log was flushed */
};

struct key {
    u64 started_ns;
    u32 pid;
    u32 kind;
};

struct row {
    u64 commits;
    u64 errors;
    u64 total_ns;
    u64 parts_ns[PARTS];
    u64 dispatches;
    u64 flushes;
    u64 behind_ns; /* of the queue: while others flushed */
    u64 slept_ns;  /* of that: asleep, so that others can join */
    char command[16];
    char title[128]; /* as the process shows itself, at its first commit with this command */
    u32 latency[LATENCY_BUCKETS];
};

#include "tables.h"

/* A file, also where its number was another's before. */
struct file_id {
    u64 inode;
    u32 device;
    u32 generation;
};

/* What a thread spent, ever since it was first seen; only while it has a commit under way. */
struct account {
    u64 parts_ns[PARTS];
    u64 behind_ns; /* as in a row */
    u64 slept_ns;
    u32 dispatches;
    u32 waits; /* how often it waited for others to let it go on */
};

#define COMMITS 3 /* that a thread may have under way at once, each of another file */

/* What a commit took is what its thread spent since it began. */
struct commit {
    u64 begin_ns;
    struct file_id file; /* that it is about; within a function what was last written or flushed */
    u32 flushes;
    u32 unused;
    struct account before; /* what the thread had spent when it began */
};

/* What is seen of a thread. Where no commit has begun, the rest means nothing, but for the account. */
struct thread {
    u64 booked_ns;        /* until when its time is booked */
    u64 owner_started_ns; /* known from when on it is certain to be a commit */
    u32 owner_pid;
    u8 function;
    u8 call;
    u8 place;
    u8 ends_with_call;
    u8 begun;            /* which of its commits are under way, one bit each */
    u8 current;          /* the one that its last write or flush belongs to; within a function the only one */
    u8 has_transferred;  /* written or flushed anything within the function */
    u8 unused[5];
    u64 at_work_since_ns; /* when it was let go on, or began to write or flush: others that wait are behind it since */
    u64 busy_before_ns;  /* how long others had been at work when its last wait for them began */
    u64 queue_before_ns; /* and how much queue there was then */
    struct account spent;
    struct commit commits[COMMITS];
};

/* When those of a family were at work whose flush is over: one at least, so that time counts once. */
struct work {
    u64 since_ns; /* the last time without a pause */
    u64 until_ns;
    u64 busy_ns;  /* all of them together */
    u64 going_on_since_ns; /* of a flush that has begun and after which none has ended; else 0 */
};

/* How a family of processes flushed. The processes of a program that one of the same program started are a family, as those of a
 * PostgreSQL are; the threads of any other process. */
struct flushed {
    struct work any;
    struct work log;         /* of PostgreSQL; of any file, while it is not known which that is */
    struct file_id log_file; /* what the last call of XLogFlush wrote or flushed */
    u64 log_named_ns;        /* when that was */
};

/* What became of commits that are in no row. */
enum count { LOST_THREADS, LOST_ROWS, LOG_FLUSHES_BEGUN, LOG_FLUSHES_ENDED, COUNTS };

struct {
    int (*type)[HASH];
    int (*max_entries)[16384];
    u32 *key;
    struct thread *value;
} threads SECTION(".maps");

/* One thread of which nothing was seen: it is too large for the stack. */
struct {
    int (*type)[ARRAY];
    int (*max_entries)[1];
    u32 *key;
    struct thread *value;
} unseen SECTION(".maps");

struct {
    int (*type)[PERCPU_ARRAY];
    int (*max_entries)[COUNTS];
    u32 *key;
    u64 *value;
} counts SECTION(".maps");

struct {
    int (*type)[LRU_HASH];
    int (*max_entries)[4096];
    u64 *key;
    struct flushed *value;
} flushes SECTION(".maps");

/* What each system call is, by its number, and the flag of a file whose writes are synchronous; set by the loader. */
const volatile u8 calls[CALLS] SECTION(".rodata") = {};
const volatile u32 synchronous_flag SECTION(".rodata") = 0;

INLINE void count(u32 which)
{
    u64 *counter = lookup(&counts, &which);

    if (counter)
        *counter += 1; /* each processor has its own */
}

INLINE struct thread *thread_at_work(void)
{
    u32 number = pid_and_thread();

    return lookup(&threads, &number);
}

/* The part that time belongs to which the thread spends as it is now. */
INLINE u32 part_of(struct thread *thread)
{
    if (thread->place == ON_PROCESSOR)
        return PART_PROCESSOR;
    if (thread->place == READY)
        return PART_RUN_QUEUE;
    switch (thread->call) {
    case CALL_WRITE:
    case CALL_TRANSFER:
        return PART_WRITE;
    case CALL_FLUSH:
        return PART_FLUSH;
    case CALL_LOCK:
    case CALL_SLEEP:
        return PART_QUEUE;
    }
    return PART_OTHER;
}

/* Books all time until now on the state that the thread was in. */
INLINE void settle(struct thread *thread)
{
    u64 now = now_ns();
    u32 part = part_of(thread);

    /* Another event of the same thread may have come between the two lines above. */
    if (now <= thread->booked_ns || part >= PARTS)
        return;
    thread->spent.parts_ns[part] += now - thread->booked_ns;
    thread->booked_ns = now;
}

/* The process at work is whose commit it is. */
INLINE void name_owner(struct thread *thread)
{
    struct task_struct *leader = READ((struct task_struct *)current_task(), group_leader);

    thread->owner_pid = pid_and_thread() >> 32;
    thread->owner_started_ns = READ(leader, start_boottime);
}

/* The thread at work, from now on seen; none where there is no room to remember it. */
INLINE struct thread *seen_thread(void)
{
    u32 number = pid_and_thread();
    struct thread *thread = lookup(&threads, &number);
    u32 zero = 0;
    void *fresh;

    if (thread)
        return thread;
    fresh = lookup(&unseen, &zero);
    if (fresh)
        update(&threads, &number, fresh, ANY);
    return lookup(&threads, &number);
}

/* The thread at work has nothing under way, and is about to. */
INLINE void start(struct thread *thread, u8 function)
{
    thread->begun = 0;
    thread->function = function;
    thread->call = CALL_OTHER;
    thread->place = ON_PROCESSOR;
    thread->ends_with_call = 0;
    thread->has_transferred = 0;
    thread->at_work_since_ns = 0;
    thread->booked_ns = now_ns();
}

/* One of its commits, by a number below COMMITS. */
INLINE struct commit *commit_at(struct thread *thread, u64 number)
{
    u64 offset = number * sizeof(struct commit);
    void *commit = thread->commits;

    FOR_VERIFIER(offset);
    if (offset > sizeof(thread->commits) - sizeof(struct commit))
        offset = 0;
    commit += offset;
    FOR_VERIFIER(commit);
    return commit;
}

/* A commit of a thread begins, whose time is booked until now. */
INLINE void begin(struct thread *thread, u32 number, struct file_id *file)
{
    struct commit *commit = commit_at(thread, number);

    commit->begin_ns = thread->booked_ns;
    commit->file = *file;
    commit->flushes = 0;
    commit->before = thread->spent;
    thread->current = number;
    thread->begun |= 1 << number;
}

/*
 * The names of the process at work, which may have ended when somebody asks for them. One that runs another program from some
 * moment on, as a command that a shell starts, is that one: the last is the row's.
 */
INLINE void name_row(struct row *row)
{
    struct task_struct *leader = READ((struct task_struct *)current_task(), group_leader);
    u64 *known = (u64 *)row->command;
    u64 command[sizeof(row->command) / sizeof(u64)];
    struct mm_struct *memory;

    read_kernel(command, sizeof(command), &leader->comm);
    if (known[0] && known[0] == command[0] && known[1] == command[1])
        return;
    memory = READ(leader, mm);
    __builtin_memcpy(row->command, command, sizeof(row->command));
    read_text_of_process(row->title, sizeof(row->title), (void *)READ(memory, arg_start));
}

INLINE void add(struct row *row, struct thread *thread, struct commit *commit)
{
    struct account *spent = &thread->spent, *before = &commit->before;
    u64 total_ns = thread->booked_ns - commit->begin_ns;
    u64 bucket = latency_bucket(total_ns);

    ADD(row->commits, 1);
    ADD(row->total_ns, total_ns);
    for (u32 part = 0; part < PARTS; part++)
        ADD(row->parts_ns[part], spent->parts_ns[part] - before->parts_ns[part]);
    ADD(row->dispatches, spent->dispatches - before->dispatches);
    ADD(row->flushes, commit->flushes);
    ADD(row->behind_ns, spent->behind_ns - before->behind_ns);
    ADD(row->slept_ns, spent->slept_ns - before->slept_ns);
    FOR_VERIFIER(bucket);
    if (bucket < LATENCY_BUCKETS)
        ADD(row->latency[bucket], 1);
}

/* The current commit of the thread at work is over; others that it has under way are not. */
INLINE void end(struct thread *thread, u32 kind, int failed)
{
    struct key key = { .started_ns = thread->owner_started_ns, .pid = thread->owner_pid, .kind = kind };
    struct commit *commit = commit_at(thread, thread->current);
    struct row *row;

    settle(thread);
    row = row_at(&key);
    if (!row)
        count(LOST_ROWS);
    else if (failed)
        ADD(row->errors, 1);
    else
        add(row, thread, commit);
    if (row)
        name_row(row);
    thread->begun &= ~(1 << (thread->current & 7));
    thread->ends_with_call = 0;
    thread->at_work_since_ns = 0;
}

INLINE int is_under_way(struct thread *thread)
{
    return thread && thread->begun;
}

INLINE void name_file(struct file_id *id, struct file *file)
{
    struct inode *inode = READ(file, f_inode);

    id->inode = READ(inode, i_ino);
    id->generation = READ(inode, i_generation);
    id->device = READ(READ(inode, i_sb), s_dev);
}

INLINE int is_file(struct file_id *file, struct file_id *other)
{
    return file->inode == other->inode && file->device == other->device && file->generation == other->generation;
}

INLINE u64 program_of(struct task_struct *process)
{
    struct inode *inode = READ(READ(READ(process, mm), exe_file), f_inode);

    return READ(inode, i_ino);
}

/* The family of the process at work. */
INLINE u64 family(void)
{
    struct task_struct *process = READ((struct task_struct *)current_task(), group_leader);
    struct task_struct *parent = READ(READ(process, real_parent), group_leader);

    return program_of(process) == program_of(parent) ? READ(parent, tgid) : READ(process, tgid);
}

/* Whether a flush of that file is one of the log, as far as that is known: its file may be another since it was named. */
INLINE int is_of_log(struct flushed *flushed, struct file_id *file)
{
    return now_ns() - flushed->log_named_ns > LOG_NAMED_NS_MAX || is_file(&flushed->log_file, file);
}

/* Those who wait are behind this thread from now on, where they are not yet. */
INLINE void be_at_work(struct thread *thread, u64 begin_ns)
{
    if (thread->at_work_since_ns < begin_ns)
        thread->at_work_since_ns = thread->booked_ns;
}

INLINE void note_going_on(struct work *work, u64 since_ns)
{
    if (!work->going_on_since_ns)
        work->going_on_since_ns = since_ns;
}

/* The thread at work begins to flush, or to write within XLogFlush. */
INLINE void note_flush_begins(struct thread *thread, struct file_id *file)
{
    u64 key = family();
    struct flushed *flushed = lookup(&flushes, &key);

    if (!flushed)
        return;
    note_going_on(&flushed->any, thread->at_work_since_ns);
    if (thread->function || is_of_log(flushed, file))
        note_going_on(&flushed->log, thread->at_work_since_ns);
}

INLINE void note_work(struct work *work, u64 since_ns, u64 now)
{
    if (since_ns > work->until_ns) {
        work->busy_ns += now - since_ns;
        work->since_ns = since_ns;
    } else if (now > work->until_ns) {
        work->busy_ns += now - work->until_ns;
        if (since_ns < work->since_ns) {
            work->busy_ns += work->since_ns - since_ns;
            work->since_ns = since_ns;
        }
    }
    work->until_ns = now;
    work->going_on_since_ns = 0;
}

/* The thread at work has flushed, or written within XLogFlush. */
INLINE void note_flush(struct thread *thread)
{
    u64 key = family();
    struct commit *commit = commit_at(thread, thread->current);
    struct flushed *flushed = lookup(&flushes, &key);
    struct flushed fresh = {};

    if (!flushed)
        update(&flushes, &key, &fresh, ONLY_NEW);
    flushed = lookup(&flushes, &key);
    if (!flushed)
        return;
    if (thread->function) {
        flushed->log_file = commit->file;
        flushed->log_named_ns = now_ns();
    }
    if (is_of_log(flushed, &commit->file))
        note_work(&flushed->log, thread->at_work_since_ns, thread->booked_ns);
    note_work(&flushed->any, thread->at_work_since_ns, thread->booked_ns);
}

/* How long others that the thread at work waits for have been at work until now, as far as their flushes are over. */
INLINE struct work *work_of_others(struct thread *thread)
{
    u64 key = family();
    struct flushed *flushed = lookup(&flushes, &key);

    if (!flushed)
        return 0;
    return thread->function ? &flushed->log : &flushed->any;
}

/* The thread at work begins to wait for others. One of them may be at its flush already: that time is before the wait. */
INLINE void enter_queue(struct thread *thread)
{
    struct work *work = work_of_others(thread);
    u64 since_ns;

    thread->queue_before_ns = thread->spent.parts_ns[PART_QUEUE];
    thread->busy_before_ns = 0;
    if (!work)
        return;
    thread->busy_before_ns = work->busy_ns;
    since_ns = work->going_on_since_ns;
    if (!since_ns)
        return;
    if (since_ns < work->until_ns)
        since_ns = work->until_ns;
    if (thread->booked_ns > since_ns)
        thread->busy_before_ns += thread->booked_ns - since_ns;
}

/* The thread at work waits for others no more: it was behind them while they flushed; the rest is a lock. A sleep is the time that
 * it gives others to join. */
INLINE void leave_queue(struct thread *thread, u8 call)
{
    u64 waited_ns = thread->spent.parts_ns[PART_QUEUE] - thread->queue_before_ns;
    u64 behind_ns = waited_ns;
    struct work *work;

    if (call == CALL_SLEEP) {
        thread->spent.slept_ns += waited_ns;
    } else {
        work = work_of_others(thread);
        behind_ns = work && work->busy_ns > thread->busy_before_ns ? work->busy_ns - thread->busy_before_ns : 0;
    }
    thread->spent.behind_ns += behind_ns < waited_ns ? behind_ns : waited_ns;
}

/* The commit under way that is about a file; COMMITS: there is none. */
INLINE u32 commit_about(struct thread *thread, struct file_id *file)
{
#pragma unroll
    for (u32 number = 0; number < COMMITS; number++)
        if (thread->begun & 1 << number && is_file(&thread->commits[number].file, file))
            return number;
    return COMMITS;
}

/* Where another commit has room: where none is under way, else where the one is that began first, which is forgotten. */
INLINE u32 room_for_commit(struct thread *thread)
{
    u64 first_ns = ~0ull;
    u32 room = 0;

#pragma unroll
    for (u32 number = 0; number < COMMITS; number++) {
        u64 begin_ns = thread->begun & 1 << number ? thread->commits[number].begin_ns : 0;

        if (begin_ns < first_ns) {
            first_ns = begin_ns;
            room = number;
        }
    }
    return room;
}

/* A thread that waited for others since it wrote waited for its turn to flush; where it writes again, that is another piece of
 * work. */
INLINE int begins_anew(struct thread *thread, u32 number, u8 call)
{
    return call == CALL_WRITE && commit_at(thread, number)->before.waits != thread->spent.waits;
}

/* The thread at work, whose current commit is now the one that a write or flush of a file belongs to: one under way, else a new
 * one. */
INLINE struct thread *come_to_commit(struct file_id *file, u8 call)
{
    struct thread *thread = seen_thread();
    u32 number;

    if (!thread)
        return 0;
    if (thread->begun)
        settle(thread);
    else
        start(thread, IN_NONE);
    if (thread->function)
        return thread;
    number = commit_about(thread, file);
    if (number == COMMITS)
        begin(thread, room_for_commit(thread), file);
    else if (begins_anew(thread, number, call))
        begin(thread, number, file);
    else
        thread->current = number;
    return thread;
}

INLINE void enter_transfer(u64 descriptor, u8 call)
{
    struct file *file = file_of(descriptor);
    int is_durable = call == CALL_FLUSH || (file && READ(file, f_flags) & synchronous_flag);
    struct file_id id = {};
    struct thread *thread;
    struct commit *commit;

    if (!file)
        return;
    name_file(&id, file);
    thread = come_to_commit(&id, call);
    if (!thread) {
        if (is_durable)
            count(LOST_THREADS);
        return;
    }
    commit = commit_at(thread, thread->current);
    commit->file = id;
    commit->flushes += is_durable;
    thread->call = call;
    thread->ends_with_call = is_durable;
    thread->has_transferred = 1;
    if (is_durable || thread->function) {
        be_at_work(thread, commit->begin_ns);
        note_flush_begins(thread, &id);
    }
    if (is_durable)
        name_owner(thread);
}

INLINE int is_futex_wait(u32 operation)
{
    switch (operation & ~FUTEX_FLAGS) {
    case FUTEX_WAIT:
    case FUTEX_LOCK_PI:
    case FUTEX_WAIT_BITSET:
    case FUTEX_WAIT_REQUEUE_PI:
    case FUTEX_LOCK_PI2:
        return 1;
    }
    return 0;
}

/* What a call of a thread is to the commit that it has under way. */
INLINE u8 wait_of(struct thread *thread, u8 call, u64 first, u64 second)
{
    if (call == CALL_FUTEX)
        return is_futex_wait(second) ? CALL_LOCK : CALL_OTHER;
    if (call == CALL_READ)
        return thread->function || file_of((u32)first) ? CALL_OTHER : CALL_WORK;
    if (call == CALL_WORK && thread->function == IN_STANDBY_WAIT)
        return CALL_LOCK; /* the word of the standby is what it waits for */
    return call;
}

/* Waits for anything but a transfer of its own. */
INLINE void enter_wait(u8 call, u64 first, u64 second)
{
    struct thread *thread = thread_at_work();

    if (!is_under_way(thread))
        return;
    call = wait_of(thread, call, first, second);
    if (call == CALL_WORK || (call == CALL_SLEEP && !thread->function)) {
        thread->begun = 0; /* it was none, or its end was not seen */
        return;
    }
    settle(thread);
    thread->call = call;
    if (call == CALL_LOCK || call == CALL_SLEEP)
        enter_queue(thread);
    if (call == CALL_SLEEP)
        be_at_work(thread, thread->commits[0].begin_ns); /* within a function, which has one */
}

INLINE u8 call_of(u64 number)
{
    return number < CALLS ? calls[number] : CALL_OTHER;
}

SECTION("tp_btf/sys_enter")
int sys_enter(u64 *arguments)
{
    struct pt_regs *registers = (struct pt_regs *)arguments[0];
    u8 call = call_of(arguments[1]);
    u64 first, second;

    if (call == CALL_OTHER)
        return 0;
    first = first_argument(registers);
    second = second_argument(registers);
    if (call == CALL_WRITE || call == CALL_FLUSH)
        enter_transfer((u32)first, call);
    else
        enter_wait(call, first, second);
    return 0;
}

/* Whether others that waited for their turn meanwhile waited for this call. */
INLINE int has_flushed(struct thread *thread, u8 call)
{
    return (call == CALL_WRITE || call == CALL_FLUSH) && (thread->ends_with_call || thread->function == IN_LOG_FLUSH);
}

/* A call of PostgreSQL's functions goes on behind a system call, but for one whose write or flush failed: it does not return. */
INLINE void leave_within_function(struct thread *thread, u8 call, long result)
{
    int is_transfer = call == CALL_WRITE || call == CALL_FLUSH;

    if (thread->function == IN_LOG_FLUSH && is_transfer && result < 0 && !is_broken_off(result))
        end(thread, KIND_LEADER, 1);
}

INLINE void leave_durable(struct thread *thread, long result)
{
    if (!is_broken_off(result)) {
        end(thread, KIND_SYNC, result < 0);
        return;
    }
    thread->ends_with_call = 0;
    commit_at(thread, thread->current)->flushes -= 1;
}

SECTION("tp_btf/sys_exit")
int sys_exit(u64 *arguments)
{
    u64 number = number_of((struct pt_regs *)arguments[0]);
    struct thread *thread = call_of(number) == CALL_OTHER ? 0 : thread_at_work();
    long result = (long)arguments[1];
    u8 call;

    if (!is_under_way(thread))
        return 0;
    settle(thread);
    call = thread->call;
    thread->call = CALL_OTHER;
    if (call == CALL_LOCK || call == CALL_SLEEP)
        leave_queue(thread, call);
    else if (result >= 0 && has_flushed(thread, call))
        note_flush(thread);
    if (thread->function)
        leave_within_function(thread, call, result);
    else if (call == CALL_LOCK && result == TIMED_OUT)
        thread->begun = 0; /* it waited for a time, not for others */
    else if (thread->ends_with_call)
        leave_durable(thread, result);
    return 0;
}

INLINE int is_runnable(struct task_struct *task)
{
    struct task_struct___until_5_13 *older = (void *)task;

    return EXISTS(older->state) ? !READ(older, state) : !READ(task, __state);
}

INLINE struct thread *commit_of_task(struct task_struct *task)
{
    u32 number = READ(task, pid);
    struct thread *thread = lookup(&threads, &number);

    return is_under_way(thread) ? thread : 0;
}

SECTION("tp_btf/sched_switch")
int sched_switch(u64 *arguments)
{
    struct task_struct *before = (struct task_struct *)arguments[1];
    struct thread *left = commit_of_task(before);
    struct thread *come = commit_of_task((struct task_struct *)arguments[2]);

    if (left) {
        settle(left);
        left->place = (u8)arguments[0] || is_runnable(before) ? READY : BLOCKED;
        left->spent.waits += left->place == BLOCKED && left->call == CALL_LOCK;
    }
    if (come) {
        settle(come);
        come->place = ON_PROCESSOR;
        come->spent.dispatches += 1;
    }
    return 0;
}

SECTION("tp_btf/sched_wakeup")
int sched_wakeup(u64 *arguments)
{
    struct thread *thread = commit_of_task((struct task_struct *)arguments[0]);

    if (thread && thread->place == BLOCKED) {
        settle(thread);
        thread->place = READY;
        if (thread->call == CALL_LOCK)
            thread->at_work_since_ns = thread->booked_ns;
    }
    return 0;
}

/* Its number may be another's soon. */
SECTION("tp_btf/sched_process_exit")
int sched_process_exit(u64 *arguments)
{
    u32 number = READ((struct task_struct *)arguments[0], pid);

    forget(&threads, &number);
    return 0;
}

INLINE void enter_function(u8 function)
{
    struct file_id none = {};
    struct thread *thread = seen_thread();

    if (!thread) {
        count(LOST_THREADS);
        return;
    }
    start(thread, function);
    begin(thread, 0, &none);
    name_owner(thread);
}

/* What the thread at work has under way, where it is a call of that function. */
INLINE struct thread *call_of_function(u8 function)
{
    struct thread *thread = thread_at_work();

    return is_under_way(thread) && thread->function == function ? thread : 0;
}

/* Whether the thread waited for others within the function. */
INLINE int has_queued(struct thread *thread)
{
    return thread->spent.parts_ns[PART_QUEUE] != thread->commits[0].before.parts_ns[PART_QUEUE];
}

SECTION("uprobe")
int log_flush_begins(void *registers)
{
    (void)registers;
    count(LOG_FLUSHES_BEGUN);
    enter_function(IN_LOG_FLUSH);
    return 0;
}

SECTION("uretprobe")
int log_flush_ends(void *registers)
{
    struct thread *thread = call_of_function(IN_LOG_FLUSH);

    (void)registers;
    count(LOG_FLUSHES_ENDED);
    if (thread) {
        u32 waited = has_queued(thread) ? KIND_FOLLOWER : KIND_NOTHING;

        end(thread, thread->has_transferred ? KIND_LEADER : waited, 0);
    }
    return 0;
}

SECTION("uprobe")
int standby_wait_begins(void *registers)
{
    (void)registers;
    enter_function(IN_STANDBY_WAIT);
    return 0;
}

/* A call without a wait is no commit that waited for one. */
SECTION("uretprobe")
int standby_wait_ends(void *registers)
{
    struct thread *thread = call_of_function(IN_STANDBY_WAIT);

    (void)registers;
    if (thread && has_queued(thread))
        end(thread, KIND_STANDBY, 0);
    else if (thread)
        thread->begun = 0;
    return 0;
}

char licence[] SECTION("license") = "GPL";
