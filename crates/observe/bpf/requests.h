/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * Requests between their begin and their end, each known by its address.
 *
 * The kernel makes the requests of a disk once and uses each again and again. So most of them keep their place in the table when
 * they end, and what is in it is written over at the next begin: to give a place back and take another was a sixth of all that
 * the probe takes of an I/O. Disks come and go, so there is an end to the places that are kept; the requests that came after
 * these give theirs back. For a probe that has defined `struct key`.
 */

struct pending {
    struct key key;
    u64 started_ns;
    u64 issued_ns;
    u32 size;
    u32 done;
    u8 is_under_way;
    u8 given_back;
    u8 keeps_place;
    u8 unused[5];
    char command[16];
};

struct {
    int (*type)[HASH];
    int (*max_entries)[24576]; /* set by the loader: requests under way, and places that are kept */
    u64 *key;
    struct pending *value;
} pending SECTION(".maps");

/* How many places are kept at most; set by the loader. */
const volatile u32 kept_places_max SECTION(".rodata") = 0;

/* How many are. Where several processors take one at the same moment it may be as many more. */
struct one_number kept_places SECTION(".maps");

/* Of a request that has none yet; 0 where there is no room. */
INLINE struct pending *new_place(u64 *address)
{
    struct pending blank = {};
    u32 zero = 0;
    u32 *kept = lookup(&kept_places, &zero);

    blank.keeps_place = kept && *kept < kept_places_max;
    if (update(&pending, address, &blank, ONLY_NEW))
        return 0;
    if (kept && blank.keeps_place)
        ADD(*kept, 1);
    return lookup(&pending, address);
}

/* What is known of a request, if it is under way. */
INLINE struct pending *under_way(u64 *address)
{
    struct pending *seen = lookup(&pending, address);

    return seen && seen->is_under_way ? seen : 0;
}

/* What is known of a request, under way or not; 0 where there is no room for it. */
INLINE struct pending *place_of(u64 *address)
{
    struct pending *seen = lookup(&pending, address);

    return seen ? seen : new_place(address);
}

/* From here on it is another I/O, of which nothing is known. */
INLINE void begin(struct pending *seen)
{
    u8 keeps_place = seen->keeps_place;

    __builtin_memset(seen, 0, sizeof(*seen));
    seen->keeps_place = keeps_place;
    seen->is_under_way = 1;
}

INLINE void end(struct pending *seen, u64 *address)
{
    if (seen->keeps_place)
        seen->is_under_way = 0;
    else
        forget(&pending, address);
}
