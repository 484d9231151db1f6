/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * Counts system calls that read, write or flush a file: whose, of which file, how many bytes, and how long they took, wherever the
 * data came from. What the page cache answers is among them, and what of it came from a disk the block layer tells (block.bpf.c).
 *
 * What a thread has called is kept from begin to end by its number; what calls amount to is added to a row in one of two tables
 * (tables.h). crates/observe/src/call.rs reads what is laid out here.
 */

#include "ground.h"

/* The kernel's structures, as far as they are read. */

struct task_struct {
    int pid;
    struct task_struct *group_leader;
    struct files_struct *files;
    u64 start_boottime;
    char comm[16];
} RELOCATED;

#include "calls.h"

/* What user space reads. */

/* What a call does with its file; call.rs says which call is what. */
enum operation { OPERATION_OTHER, OPERATION_READ, OPERATION_WRITE, OPERATION_FLUSH };
/* How the file was opened. */
enum { IS_DIRECT = 1, IS_SYNCHRONOUS = 2 };

struct key {
    u64 owner_started_ns;
    u64 inode;
    u32 owner_pid;
    u32 file_device;
    u8 operation;
    u8 how;
    u8 unused[6];
};

struct row {
    u64 calls;
    u64 bytes;
    u64 errors;
    u64 total_ns;
    char command[16];
    u32 latency[LATENCY_BUCKETS];
};

#include "tables.h"

/* What a thread has called. */
struct call {
    struct key key;
    u64 begin_ns; /* 0: nothing that is counted */
};

/* What became of calls that are in no row. */
enum count { LOST_THREADS, LOST_ROWS, COUNTS };

struct {
    int (*type)[HASH];
    int (*max_entries)[16384];
    u32 *key;
    struct call *value;
} threads SECTION(".maps");

struct {
    int (*type)[PERCPU_ARRAY];
    int (*max_entries)[COUNTS];
    u32 *key;
    u64 *value;
} counts SECTION(".maps");

/* What each system call does, by its number, and flags of a file that is open; set by the loader. */
const volatile u8 operations[CALLS] SECTION(".rodata") = {};
const volatile u32 direct_flag SECTION(".rodata") = 0;
const volatile u32 synchronous_flag SECTION(".rodata") = 0;

INLINE void count(u32 which)
{
    u64 *counter = lookup(&counts, &which);

    if (counter)
        *counter += 1; /* each processor has its own */
}

INLINE u8 operation_of(u64 number)
{
    return number < CALLS ? operations[number] : OPERATION_OTHER;
}

INLINE void name_file(struct key *key, struct file *file)
{
    struct inode *inode = READ(file, f_inode);
    u32 flags = READ(file, f_flags);

    key->inode = READ(inode, i_ino);
    key->file_device = READ(READ(inode, i_sb), s_dev);
    key->how = (flags & direct_flag ? IS_DIRECT : 0) | (flags & synchronous_flag ? IS_SYNCHRONOUS : 0);
}

INLINE void name_owner(struct key *key)
{
    struct task_struct *leader = READ((struct task_struct *)current_task(), group_leader);

    key->owner_pid = pid_and_thread() >> 32;
    key->owner_started_ns = READ(leader, start_boottime);
}

INLINE void begin(u8 operation, u32 descriptor)
{
    struct file *file = file_of(descriptor);
    struct call call = { .key = { .operation = operation } };
    u32 thread = pid_and_thread();

    if (!file)
        return;
    name_file(&call.key, file);
    name_owner(&call.key);
    call.begin_ns = now_ns();
    if (update(&threads, &thread, &call, ANY))
        count(LOST_THREADS);
}

SECTION("tp_btf/sys_enter")
int sys_enter(u64 *arguments)
{
    u8 operation = operation_of(arguments[1]);

    if (operation != OPERATION_OTHER)
        begin(operation, first_argument((struct pt_regs *)arguments[0]));
    return 0;
}

INLINE void name_row(struct row *row)
{
    struct task_struct *leader = READ((struct task_struct *)current_task(), group_leader);

    read_kernel(row->command, sizeof(row->command), &leader->comm);
}

INLINE void book(struct call *call, long result)
{
    u64 total_ns = now_ns() - call->begin_ns;
    u64 bucket = latency_bucket(total_ns);
    struct row *row = row_at(&call->key);

    if (!row) {
        count(LOST_ROWS);
        return;
    }
    if (!row->command[0])
        name_row(row);
    ADD(row->calls, 1);
    ADD(row->total_ns, total_ns);
    if (result < 0)
        ADD(row->errors, 1);
    else if (call->key.operation != OPERATION_FLUSH)
        ADD(row->bytes, result);
    FOR_VERIFIER(bucket);
    if (bucket < LATENCY_BUCKETS)
        ADD(row->latency[bucket], 1);
}

SECTION("tp_btf/sys_exit")
int sys_exit(u64 *arguments)
{
    u64 number = number_of((struct pt_regs *)arguments[0]);
    u32 thread = pid_and_thread();
    long result = (long)arguments[1];
    struct call *call;

    if (operation_of(number) == OPERATION_OTHER)
        return 0;
    call = lookup(&threads, &thread);
    if (!call || !call->begin_ns)
        return 0;
    if (!is_broken_off(result))
        book(call, result);
    call->begin_ns = 0;
    return 0;
}

/* Its number may be another's soon. */
SECTION("tp_btf/sched_process_exit")
int sched_process_exit(u64 *arguments)
{
    u32 thread = READ((struct task_struct *)arguments[0], pid);

    forget(&threads, &thread);
    return 0;
}

char licence[] SECTION("license") = "GPL";
