/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * Counts system calls that read, write or flush a file: whose, of which file, how many bytes, and how long they took, wherever the
 * data came from. What the page cache answers is among them, and what of it came from a disk the block layer tells (block.bpf.c).
 *
 * What a thread has called is kept from begin to end by its number; what calls amount to is added to a row in one of two tables
 * (tables.h). crates/observe/src/call.rs reads what is laid out here.
 */

#include "ground.h"

#define FORMAT_MASK 0170000    /* S_IFMT */
#define FORMAT_BLOCK 0060000   /* S_IFBLK */
#define FORMAT_REGULAR 0100000 /* S_IFREG */
#define CALLS 512              /* numbers of system calls, with room */
#define INTERRUPTED (-4)       /* -EINTR */
#define RESTARTED_MAX (-512)   /* -ERESTARTSYS */
#define RESTARTED_MIN (-516)   /* -ERESTART_RESTARTBLOCK */

/* The kernel's structures, as far as they are read. */

struct pt_regs {
    unsigned long di;
    unsigned long orig_ax;
} RELOCATED;

/* On 64-bit ARM. */
struct pt_regs___arm64 {
    u64 regs[31];
    int syscallno;
} RELOCATED;

struct super_block {
    u32 s_dev;
} RELOCATED;

struct inode {
    u16 i_mode;
    struct super_block *i_sb;
    unsigned long i_ino;
} RELOCATED;

struct file {
    u32 f_flags;
    struct inode *f_inode;
} RELOCATED;

struct fdtable {
    u32 max_fds;
    struct file **fd;
} RELOCATED;

struct files_struct {
    struct fdtable *fdt;
} RELOCATED;

struct task_struct {
    int pid;
    struct task_struct *group_leader;
    struct files_struct *files;
    u64 start_boottime;
    char comm[16];
} RELOCATED;

/* What user space reads. */

/* What a call does with its file; call.rs says which call is what. */
enum operation { OPERATION_OTHER, OPERATION_READ, OPERATION_WRITE, OPERATION_FLUSH };
/* How the file was opened. */
enum { IS_DIRECT = 1, IS_SYNCHRONOUS = 2, IS_DISK = 4 };

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

INLINE struct file *file_of(u32 descriptor)
{
    struct fdtable *table = READ(READ((struct task_struct *)current_task(), files), fdt);
    struct file **entries = READ(table, fd);
    struct file *file = 0;

    if (descriptor < READ(table, max_fds))
        read_kernel(&file, sizeof(file), entries + descriptor);
    return file;
}

/* Names file and owner; 0 where it is no file that has its data on a disk or a server, but a pipe, a socket or the like. */
INLINE int name_file(struct key *key, struct file *file)
{
    struct inode *inode = READ(file, f_inode);
    u32 format = READ(inode, i_mode) & FORMAT_MASK;
    u32 flags;

    if (format != FORMAT_REGULAR && format != FORMAT_BLOCK)
        return 0;
    flags = READ(file, f_flags);
    key->inode = READ(inode, i_ino);
    key->file_device = READ(READ(inode, i_sb), s_dev);
    key->how = (flags & direct_flag ? IS_DIRECT : 0) | (flags & synchronous_flag ? IS_SYNCHRONOUS : 0) |
               (format == FORMAT_BLOCK ? IS_DISK : 0);
    return 1;
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

    if (!file || !name_file(&call.key, file))
        return;
    name_owner(&call.key);
    call.begin_ns = now_ns();
    if (update(&threads, &thread, &call, ANY))
        count(LOST_THREADS);
}

SECTION("tp_btf/sys_enter")
int sys_enter(u64 *arguments)
{
    struct pt_regs *registers = (struct pt_regs *)arguments[0];
    struct pt_regs___arm64 *arm = (void *)registers;
    u8 operation = operation_of(arguments[1]);

    if (operation != OPERATION_OTHER)
        begin(operation, EXISTS(arm->syscallno) ? READ(arm, regs[0]) : READ(registers, di));
    return 0;
}

/* Whether a signal came before the call had done anything: it is called again, by the kernel or by the program. */
INLINE int is_broken_off(long result)
{
    return result == INTERRUPTED || (result <= RESTARTED_MAX && result >= RESTARTED_MIN);
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
    struct pt_regs *registers = (struct pt_regs *)arguments[0];
    struct pt_regs___arm64 *arm = (void *)registers;
    u64 number = EXISTS(arm->syscallno) ? (u64)READ(arm, syscallno) : READ(registers, orig_ax);
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
