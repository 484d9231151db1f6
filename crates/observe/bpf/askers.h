/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * Processes that do I/O for others of their database, as AIO workers of PostgreSQL 18 do, and for whom they do it.
 *
 * Such a worker notes in its own memory which I/O it is at, from before it asks the kernel until after, and I/Os lie in shared
 * memory in order of the processes that they belong to. So at the moment of a request two words of the worker's memory tell who
 * asked for it. Where they lie user space finds out for each worker (crates/observe/src/askers.rs). For a probe that has defined
 * `struct pending`, and counts what could not be told.
 */

static long (*const read_process)(void *to, u32 size, u64 from) = (void *)112;

struct worker {
    u64 at;              /* its own word: the address of the I/O that it is at, 0 for none */
    u64 ios;             /* of the server, of one process after the other */
    u64 processes;       /* of the server, in the same order */
    u32 io_bytes;
    u32 ios_of_each;     /* process */
    u32 process_bytes;
    u32 pid_at;          /* of the number of a process in what is known of it */
    u32 process_count;
    u32 server;
};

struct {
    int (*type)[HASH];
    int (*max_entries)[1024];
    u32 *key;
    struct worker *value;
} workers SECTION(".maps");

/* How many workers there are: nobody else pays for them. */
struct one_number worker_count SECTION(".maps");

/* The number of the process that the worker at work does this I/O for; 0 where that cannot be told. */
INLINE u32 asker_of(struct worker *worker, u64 io)
{
    u64 process = (io - worker->ios) / worker->io_bytes / worker->ios_of_each;
    u32 pid = 0;

    if (io < worker->ios || process >= worker->process_count)
        return 0;
    read_process(&pid, sizeof(pid), worker->processes + process * worker->process_bytes + worker->pid_at);
    return pid;
}

/* Books the request on who asked the worker for it; what it reads for itself, and what cannot be told, is its own. */
INLINE void name_asker(struct pending *seen)
{
    u32 zero = 0, pid;
    u32 *some = lookup(&worker_count, &zero);
    struct worker *worker = some && *some ? lookup(&workers, &seen->key.owner_pid) : 0;
    u64 io = 0;

    if (!worker)
        return;
    if (!read_process(&io, sizeof(io), worker->at) && !io)
        return;
    pid = asker_of(worker, io);
    if (!pid) {
        count(UNASKED, 1);
        return;
    }
    seen->key.owner_pid = pid;
    seen->key.owner_started_ns = 0;
    seen->key.server = worker->server;
}
