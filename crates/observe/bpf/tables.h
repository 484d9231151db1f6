/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * Two tables of rows, the same for all processors: user space tells which of them is added to, and reads and empties the
 * other, so that there is room for new rows after each reading. For a probe that has defined `struct key` and `struct row`;
 * crates/observe/src/tables.rs is the other side.
 */

struct rows {
    int (*type)[HASH];
    int (*max_entries)[8192]; /* set by the loader */
    struct key *key;
    struct row *value;
};

struct rows rows_0 SECTION(".maps");
struct rows rows_1 SECTION(".maps");

struct one_number {
    int (*type)[ARRAY];
    int (*max_entries)[1];
    u32 *key;
    u32 *value;
};

/* Which rows are added to, 0 or 1. */
struct one_number in_use SECTION(".maps");

/* No program looks into it: whenever user space changes a map of maps, the kernel waits until every program that was at work
 * has ended, and so nobody adds to rows any more that were in use before. */
struct {
    int (*type)[ARRAY_OF_MAPS];
    int (*max_entries)[1];
    int (*key_size)[sizeof(u32)];
    struct one_number *values[];
} ended SECTION(".maps");

/* One row of zeros: a row is larger than the stack. */
struct {
    int (*type)[ARRAY];
    int (*max_entries)[1];
    u32 *key;
    struct row *value;
} blank SECTION(".maps");

/* Other processors may add to the same row. */
#define ADD(counter, amount) __sync_fetch_and_add(&(counter), amount)

INLINE void *rows_in_use(void)
{
    u32 zero = 0;
    u32 *which = lookup(&in_use, &zero);

    return which && *which ? &rows_1 : &rows_0;
}

/* The row of that key, where it must be made of zeros; none where there is no room. */
INLINE struct row *row_at(struct key *key)
{
    void *rows = rows_in_use();
    struct row *row = lookup(rows, key);
    u32 zero = 0;
    void *empty;

    if (row)
        return row;
    empty = lookup(&blank, &zero);
    if (empty)
        update(rows, key, empty, ONLY_NEW); /* another processor may have been first */
    return lookup(rows, key);
}
