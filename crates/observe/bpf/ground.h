/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * What a probe stands on: types, the kernel's functions, kinds of maps, and the buckets of a latency.
 *
 * Structures of the kernel name only what is read, and the loader moves each field to where the running kernel has it; none
 * of them needs a header of a kernel. crates/observe/src/layout.rs knows the buckets.
 */

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define SECTION(name) __attribute__((section(name), used))
#define INLINE static inline __attribute__((always_inline))
#define RELOCATED __attribute__((preserve_access_index))
#define EXISTS(field) __builtin_preserve_field_info(field, 2)
/* What a chain of pointers leads to, also where no type of the kernel is known for it; 0 where it leads nowhere. */
#define READ(source, field)                                                                                           \
    ({                                                                                                                 \
        typeof((source)->field) value_read = 0;                                                                        \
        read_kernel(&value_read, sizeof(value_read), &(source)->field);                                                \
        value_read;                                                                                                    \
    })

static void *(*const lookup)(const void *map, const void *key) = (void *)1;
static long (*const update)(const void *map, const void *key, const void *value, u64 flags) = (void *)2;
static long (*const forget)(const void *map, const void *key) = (void *)3;
static u64 (*const now_ns)(void) = (void *)5;
static u64 (*const pid_and_thread)(void) = (void *)14;
static void *(*const current_task)(void) = (void *)35;
static long (*const read_kernel)(void *to, u32 size, const void *from) = (void *)113;
static long (*const read_text_of_process)(void *to, u32 size, const void *from) = (void *)114;

enum { ANY = 0, ONLY_NEW = 1 }; /* flags of `update` */
enum { HASH = 1, ARRAY = 2, PERCPU_ARRAY = 6, LRU_HASH = 9, ARRAY_OF_MAPS = 12 };

#define LATENCY_STEPS_LOG2 4                                  /* 16 buckets to each doubling: of a disk that takes the same
                                                               * time of each I/O, 8 put p99 10 % off */
#define LATENCY_FIRST_LOG2 10                                 /* below 1,024 ns is one bucket */
#define LATENCY_DOUBLINGS 25                                  /* up to 34 s; above is one bucket */
#define LATENCY_BUCKETS (2 + (LATENCY_DOUBLINGS << LATENCY_STEPS_LOG2))

/* Before a number is held against a bound: the compiler, which may know the outcome, leaves the comparison away or makes it of a
 * copy, and verifiers of older kernels (6.1) take no other register's bound for this one's. */
#define FOR_VERIFIER(number) __asm__ volatile("" : "+r"(number))

INLINE u32 log2_of(u64 value)
{
    u32 log2 = 0;

#define HALVE(bits)                                                                                                   \
    if (value >> bits) {                                                                                               \
        value >>= bits;                                                                                                \
        log2 += bits;                                                                                                  \
    }
    HALVE(32) HALVE(16) HALVE(8) HALVE(4) HALVE(2) HALVE(1)
#undef HALVE
    return log2;
}

INLINE u32 latency_bucket(u64 ns)
{
    u32 log2 = log2_of(ns);
    u32 bucket;

    if (log2 < LATENCY_FIRST_LOG2)
        return 0;
    bucket = 1 + ((log2 - LATENCY_FIRST_LOG2) << LATENCY_STEPS_LOG2) +
             ((ns >> (log2 - LATENCY_STEPS_LOG2)) & ((1 << LATENCY_STEPS_LOG2) - 1));
    return bucket < LATENCY_BUCKETS ? bucket : LATENCY_BUCKETS - 1;
}
