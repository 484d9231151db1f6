/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * Counts every request of the block layer in the kernel: by who asked, what for, on which disk and of which file.
 *
 * A request is known by its address from the moment it is made until it ends, because flushes have no sector. What it adds
 * to is a row of counters and histograms in one of two tables (tables.h); nothing is sent to user space. What could not be
 * counted is counted as lost.
 *
 * The structures here name only what is read, and the loader moves each field to where the running kernel has it; none of
 * them needs a header of a kernel. crates/observe/src/layout.rs reads what is laid out here.
 */

#include "ground.h"

#define KERNEL_THREAD 0x00200000     /* PF_KTHREAD */
#define OPERATION_MASK 0xff          /* REQ_OP_MASK */
#define OPERATION_WRITE 1            /* REQ_OP_WRITE */
#define OPERATION_FLUSH 2            /* REQ_OP_FLUSH: the kernel's own */
#define FORMAT_MASK 0170000          /* S_IFMT */
#define FORMAT_BLOCK 0060000         /* S_IFBLK */

/* The kernel's structures, as far as they are read. */

struct super_block {
    void *s_bdev;
    u32 s_dev;
} RELOCATED;

struct inode {
    u16 i_mode;
    struct super_block *i_sb;
    unsigned long i_ino;
} RELOCATED;

struct address_space {
    struct inode *host;
} RELOCATED;

struct page {
    unsigned long compound_head;
    struct address_space *mapping;
} RELOCATED;

struct bio_vec {
    struct page *bv_page;
} RELOCATED;

struct file {
    struct inode *f_inode;
} RELOCATED;

struct bio {
    void *bi_end_io; /* a function */
    void *bi_private;
    struct bio_vec *bi_io_vec;
} RELOCATED;

/* Direct I/O to a file of ext4, XFS and others: what its bios lead to (fs/iomap/direct-io.c). */
struct kiocb {
    struct file *ki_filp;
} RELOCATED;

struct iomap_dio {
    struct kiocb *iocb;
} RELOCATED;

/* Of the device mapper, where each bio to a disk beneath is a copy of another (drivers/md/dm-core.h). */
struct dm_io {
    struct bio *orig_bio;
} RELOCATED;

struct dm_target_io {
    struct dm_io *io;
    struct bio clone;
} RELOCATED;

struct gendisk {
    int major;
    int first_minor;
} RELOCATED;

struct request_queue {
    struct gendisk *disk;
} RELOCATED;

struct request {
    struct request_queue *q;
    u32 cmd_flags;
    u32 __data_len;
    struct bio *bio;
} RELOCATED;

/* Until 5.16 the disk was the request's own. */
struct request___until_5_16 {
    struct gendisk *rq_disk;
} RELOCATED;

struct task_struct {
    u32 flags;
    struct task_struct *group_leader;
    u64 start_boottime;
    char comm[16];
} RELOCATED;

enum pageflags { PG_writeback };
enum bpf_func_id { BPF_FUNC_get_current_task_btf };

/* The process at work by its type, whose fields are read without a call of the kernel; since 5.11. */
static struct task_struct *(*const typed_task)(void) = (void *)158;
#define HAS_TYPED_TASK __builtin_preserve_enum_value(*(typeof(enum bpf_func_id) *)BPF_FUNC_get_current_task_btf, 0)

/* What user space reads. */

#define SIZE_BUCKETS 18                                       /* up to 512 bytes, then by powers of two to 32 MiB, and above */

enum { FILE_UNKNOWN = 0, FILE_INODE = 1, FILE_DEVICE = 2 };
/* A request for a flush, which its process waits for, while the disk gets OPERATION_FLUSH; and an end without a begin. */
enum { OPERATION_FLUSH_REQUEST = 0xfe, OPERATION_UNBEGUN = 0xfd };

struct key {
    u64 owner_started_ns;
    u64 inode;
    u32 owner_pid; /* 0 is the kernel */
    u32 device;
    u32 file_device;
    u8 operation;
    u8 file_kind;
    u16 server; /* of whose workers one did it for the owner, whose number is that server's then; 0: the owner itself */
};

struct row {
    u64 ios;
    u64 bytes;
    u64 errors;
    u64 begun; /* I/Os of which it is known when they were asked for */
    u64 queue_ns;
    u64 service_ns;
    char command[16];
    u32 latency[LATENCY_BUCKETS];
    u32 sizes[SIZE_BUCKETS];
};

#include "tables.h"

#include "requests.h"

/* What became of events that are in no row. */
enum count { LOST_REQUESTS, LOST_ROWS, LOST_ROW_BYTES, ORPHANS, REQUEUED, MERGED, UNTIMED, UNASKED, COUNTS };

struct {
    int (*type)[PERCPU_ARRAY];
    int (*max_entries)[COUNTS];
    u32 *key;
    u64 *value;
} counts SECTION(".maps");

/* Whether the tracepoints still have the queue before the request, as they had until 5.10; set by the loader. */
const volatile u32 queue_comes_first SECTION(".rodata") = 0;

/* Where the kernel's functions are that end a bio of direct I/O to a file, a part that was cut off a bio, and a copy of the device
 * mapper's; 0 where that is not known. Set by the loader. */
const volatile u64 direct_end SECTION(".rodata") = 0;
const volatile u64 part_end SECTION(".rodata") = 0;
const volatile u64 copy_end SECTION(".rodata") = 0;

INLINE struct request *request_of(u64 *arguments)
{
    return (struct request *)(queue_comes_first ? arguments[1] : arguments[0]);
}

INLINE void count(u32 which, u64 amount)
{
    u64 *counter = lookup(&counts, &which);

    if (counter)
        *counter += amount; /* each processor has its own */
}

#include "askers.h"

/* What a tracepoint hands over has a type that the kernel knows, and so has what its fields lead to: these are read without a
 * call of the kernel, and lead to 0 where they lead nowhere. Anything else is read by READ. */

INLINE u32 device_of(struct request *request)
{
    struct request___until_5_16 *older = (void *)request;
    struct gendisk *disk;

    if (EXISTS(older->rq_disk)) {
        disk = READ(older, rq_disk);
        return disk ? (u32)READ(disk, major) << 20 | (u32)READ(disk, first_minor) : 0;
    }
    disk = request->q->disk;
    return (u32)disk->major << 20 | (u32)disk->first_minor;
}

/* The first page that the request moves, or the head of the pages that it belongs to. */
INLINE struct page *page_of(struct request *request)
{
    struct page *page = request->bio->bi_io_vec->bv_page;
    unsigned long head = READ(page, compound_head);

    return head & 1 ? (struct page *)(head - 1) : page;
}

/* Whether the page cache itself moves this page: it is locked while it is read, and marked while it is written. A page of
 * a file that only lends its memory to direct I/O is neither. */
INLINE int is_moved_for_its_file(struct page *page)
{
    unsigned long flags = 0;

    read_kernel(&flags, sizeof(flags), page); /* always the first word; its type has changed */
    return flags & (1ul | 1ul << __builtin_preserve_enum_value(*(typeof(enum pageflags) *)PG_writeback, 1));
}

INLINE void name_inode(struct key *key, struct inode *inode)
{
    key->file_kind = FILE_INODE;
    key->file_device = READ(READ(inode, i_sb), s_dev);
    key->inode = READ(inode, i_ino);
}

INLINE void name_file_of_page(struct key *key, struct page *page)
{
    struct address_space *mapping = page ? READ(page, mapping) : 0;
    struct inode *inode = mapping && !((u64)mapping & 3) ? READ(mapping, host) : 0;
    struct super_block *owner = inode ? READ(inode, i_sb) : 0;

    if (!owner)
        return;
    if ((READ(inode, i_mode) & FORMAT_MASK) == FORMAT_BLOCK)
        key->file_kind = FILE_DEVICE;
    else if (READ(owner, s_bdev) && is_moved_for_its_file(page))
        name_inode(key, inode);
}

#define STEPS_MAX 6 /* a part of a copy of a part of a copy, and two more */

/* The bio that somebody made, behind the parts that it was cut into, as it was too large for its disk, and the copies that the
 * device mapper made of it. */
INLINE struct bio *original_of(struct bio *bio)
{
    struct dm_target_io *copy = 0;
    int step;
    u64 end;

#pragma unroll
    for (step = 0; step < STEPS_MAX; step++) {
        end = bio ? (u64)READ(bio, bi_end_io) : 0;
        if (!end)
            return 0;
        if (end == part_end) {
            bio = READ(bio, bi_private);
        } else if (end == copy_end && EXISTS(copy->io)) {
            copy = (void *)bio - __builtin_preserve_field_info(copy->clone, 0);
            bio = READ(READ(copy, io), orig_bio);
        }
    }
    return bio;
}

/* The file that direct I/O goes to, whose pages are of whoever asked for it. */
INLINE struct inode *direct_inode(struct request *request)
{
    u64 end = (u64)request->bio->bi_end_io;
    struct bio *bio = request->bio;
    struct iomap_dio *transfer = 0;

    if (!end || !direct_end || !EXISTS(transfer->iocb))
        return 0;
    if (end == part_end || end == copy_end) {
        bio = original_of(bio);
        end = bio ? (u64)READ(bio, bi_end_io) : 0;
    }
    if (end != direct_end)
        return 0;
    transfer = READ(bio, bi_private);
    return READ(READ(READ(transfer, iocb), ki_filp), f_inode);
}

INLINE void name_file(struct key *key, struct request *request)
{
    struct inode *direct = direct_inode(request);

    if (direct)
        name_inode(key, direct);
    else
        name_file_of_page(key, page_of(request));
}

INLINE u8 operation_of(struct request *request)
{
    return request->cmd_flags & OPERATION_MASK;
}

INLINE void copy_command(char *to, struct task_struct *leader)
{
    u64 *words = (u64 *)leader->comm;

    if (HAS_TYPED_TASK) {
        ((u64 *)to)[0] = words[0];
        ((u64 *)to)[1] = words[1];
    } else {
        read_kernel(to, sizeof(leader->comm), words);
    }
}

/* Books the request on the process at work; the kernel's own threads are the kernel, and a flush of the disk is always the
 * kernel's, whoever happens to be at work when it goes there. */
INLINE void name_owner(struct pending *seen, struct request *request)
{
    struct task_struct *task, *leader;
    u64 started_ns;
    u32 flags;

    if (HAS_TYPED_TASK) {
        task = typed_task();
        leader = task->group_leader;
        flags = task->flags;
        started_ns = leader->start_boottime;
    } else {
        task = current_task();
        leader = READ(task, group_leader);
        flags = READ(task, flags);
        started_ns = READ(leader, start_boottime);
    }
    if (flags & KERNEL_THREAD || operation_of(request) == OPERATION_FLUSH)
        return;
    copy_command(seen->command, leader);
    seen->key.owner_pid = pid_and_thread() >> 32;
    seen->key.owner_started_ns = started_ns;
    name_asker(seen);
}

/* Notes what is known when a request goes to its disk; of one that was given back it is known already. */
INLINE void issue(struct pending *seen, struct request *request)
{
    if (!seen->issued_ns) {
        seen->key.operation = operation_of(request);
        seen->key.device = device_of(request);
        seen->size = request->__data_len;
        if (!seen->started_ns)
            name_file(&seen->key, request);
    }
    seen->issued_ns = now_ns();
    seen->given_back = 0;
}

INLINE u32 size_bucket(u32 bytes)
{
    u32 log2 = bytes > 1 ? log2_of(bytes - 1) + 1 : 0;
    u32 bucket = log2 > 9 ? log2 - 9 : 0;

    return bucket < SIZE_BUCKETS ? bucket : SIZE_BUCKETS - 1;
}

/* A process that runs another program from some moment on, as a command that a shell starts, is that one: the last is the row's. */
INLINE struct row *row_of(struct pending *seen)
{
    struct row *row = row_at(&seen->key);

    if (row)
        __builtin_memcpy(row->command, seen->command, sizeof(row->command));
    return row;
}

/* What is known of it before its end; gives its row, if there is one. */
INLINE struct row *book_moved(struct pending *seen)
{
    struct row *row = row_of(seen);
    u64 bucket = size_bucket(seen->size);

    if (!row) {
        count(LOST_ROWS, 1);
        count(LOST_ROW_BYTES, seen->done);
        return 0;
    }
    ADD(row->ios, 1);
    ADD(row->bytes, seen->done);
    if (seen->started_ns && seen->issued_ns) {
        ADD(row->begun, 1);
        ADD(row->queue_ns, seen->issued_ns - seen->started_ns);
    }
    FOR_VERIFIER(bucket);
    if (bucket < SIZE_BUCKETS)
        ADD(row->sizes[bucket], 1);
    return row;
}

INLINE void book(struct pending *seen, u64 service_ns, int failed)
{
    struct row *row = book_moved(seen);
    u64 bucket = latency_bucket(service_ns);

    if (!row)
        return;
    ADD(row->service_ns, service_ns);
    if (failed)
        ADD(row->errors, 1);
    FOR_VERIFIER(bucket);
    if (bucket < LATENCY_BUCKETS)
        ADD(row->latency[bucket], 1);
}

/* A flush that somebody waits for, which never goes to its disk. */
INLINE int is_seen_as_flush_request(struct pending *seen)
{
    return !seen->issued_ns && seen->key.operation == OPERATION_FLUSH_REQUEST;
}

/* A kernel was seen not to tell of the end of a few requests in a thousand, under load. That there was one shows when the
 * request is used for another I/O: it went to its disk and was not given back, or was a request for a flush. When it ended,
 * and how, nobody knows. */
INLINE void book_untimed(struct pending *seen)
{
    if (seen->issued_ns ? seen->given_back : !is_seen_as_flush_request(seen))
        return;
    seen->done = seen->size;
    count(UNTIMED, 1);
    book_moved(seen);
}

/* Only a flush that somebody waits for has no data and is a write; it ends without going to its disk. */
INLINE int is_flush_request(struct request *request)
{
    return !request->__data_len && operation_of(request) == OPERATION_WRITE;
}

/* A process makes a request, or hands it to the scheduler of a disk. Where there is no room for it, any but a request for a
 * flush will be seen again on its way to its disk. */
INLINE int started(struct request *request)
{
    u64 address = (u64)request;
    struct pending *seen = place_of(&address);

    if (!seen) {
        if (is_flush_request(request))
            count(LOST_REQUESTS, 1);
        return 0;
    }
    if (seen->is_under_way)
        book_untimed(seen);
    begin(seen);
    name_owner(seen, request);
    seen->size = request->__data_len;
    seen->started_ns = now_ns();
    if (is_flush_request(request)) {
        seen->key.operation = OPERATION_FLUSH_REQUEST;
        seen->key.device = device_of(request);
    } else {
        name_file(&seen->key, request); /* now: an I/O of another process may come before it in the same request */
    }
    return 0;
}

/* An end of which nobody saw the begin. Before Linux 6.5 requests for a flush are among these, so each disk has its own. */
INLINE void unbegun(struct request *request)
{
    struct pending seen = {};
    struct row *row;

    count(ORPHANS, 1);
    seen.key.operation = OPERATION_UNBEGUN;
    seen.key.device = device_of(request);
    row = row_of(&seen);
    if (row)
        ADD(row->ios, 1);
}

/* A request that asked for nothing but a flush never goes to the disk: the kernel's own flush does. */
INLINE void end_unissued(struct pending *seen, struct request *request, int failed)
{
    u64 now = now_ns();

    if (seen->size) {
        unbegun(request);
        return;
    }
    seen->key.operation = OPERATION_FLUSH_REQUEST;
    seen->key.device = device_of(request);
    book(seen, now - seen->started_ns, failed);
}

/* Whether a request that goes to its disk is used for another I/O than the one that it is known for, whose end was not told. */
INLINE int is_another(struct pending *seen, struct request *request)
{
    if (is_seen_as_flush_request(seen))
        return !is_flush_request(request);
    return seen->issued_ns && !seen->given_back;
}

SECTION("tp_btf/block_io_start")
int block_io_start(u64 *arguments)
{
    return started((struct request *)arguments[0]);
}

SECTION("tp_btf/block_rq_insert")
int block_rq_insert(u64 *arguments)
{
    struct request *request = request_of(arguments);
    u64 address = (u64)request;
    struct pending *seen = under_way(&address);

    /* One that its disk gave back belongs to who made it, not to who inserts it again. */
    return seen && seen->given_back ? 0 : started(request);
}

SECTION("tp_btf/block_rq_issue")
int block_rq_issue(u64 *arguments)
{
    struct request *request = request_of(arguments);
    u64 address = (u64)request;
    struct pending *seen = place_of(&address);
    int is_known;

    if (!seen) {
        count(LOST_REQUESTS, 1);
        return 0;
    }
    is_known = seen->is_under_way && !is_another(seen, request);
    if (seen->is_under_way && !is_known)
        book_untimed(seen);
    if (!is_known) {
        begin(seen);
        name_owner(seen, request);
    }
    issue(seen, request);
    return 0;
}

SECTION("tp_btf/block_rq_complete")
int block_rq_complete(u64 *arguments)
{
    struct request *request = (struct request *)arguments[0];
    u64 address = (u64)request;
    int failed = (int)arguments[1] != 0;
    u32 bytes = (u32)arguments[2];
    struct pending *seen = under_way(&address);

    if (!seen) {
        unbegun(request);
        return 0;
    }
    if (!seen->issued_ns) {
        end_unissued(seen, request, failed);
    } else {
        seen->done += bytes;
        if (bytes < request->__data_len)
            return 0; /* the rest of it is still to come */
        book(seen, now_ns() - seen->issued_ns, failed);
    }
    end(seen, &address);
    return 0;
}

/* Two requests became one: the other has it all now. */
SECTION("tp_btf/block_rq_merge")
int block_rq_merge(u64 *arguments)
{
    u64 address = (u64)request_of(arguments);
    struct pending *seen = under_way(&address);

    if (seen) {
        end(seen, &address);
        count(MERGED, 1);
    }
    return 0;
}

/* The disk gave it back, the whole or what is left of it: it is issued again. */
SECTION("tp_btf/block_rq_requeue")
int block_rq_requeue(u64 *arguments)
{
    u64 address = (u64)request_of(arguments);
    struct pending *seen = under_way(&address);

    count(REQUEUED, 1);
    if (seen)
        seen->given_back = 1;
    return 0;
}

/* Loads only where the queue comes before the request: elsewhere there is no second argument. Never attached. */
SECTION("tp_btf/block_rq_issue")
int second_argument(u64 *arguments)
{
    return arguments[1] != 0;
}

char licence[] SECTION("license") = "GPL";
