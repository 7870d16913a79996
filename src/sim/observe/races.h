// Races: words of memory that threads touch with nothing to order them. Knows blocks, warps and threads by their numbers
// only, so that PTX (check.c) and AMD's machine code (amd/check.c) are judged by the same rules.
//   races_init -> race_look, per lane and word -> races_release
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_RACES_H
#define RIDGE_SIM_RACES_H

#include "sim/internal.h"

// Who touched a word last. Times count accesses of the launch (which runs its SMs one by one); epochs count the
// block's barriers. A zero time is: nobody.
struct touch_record {
    uint64_t time, block, epoch;
    uint32_t sync_epoch; // of the warp
    uint32_t thread, site;
    uint8_t order;    // enum access_order
    bool many, lanes; // readers of several warps or blocks; of several lanes
};
struct byte_record {
    struct touch_record write, read;
};
struct word_record { // of the word as a whole, until a part of it is touched: then of each byte
    struct byte_record whole;
    struct word_bytes *bytes; // NULL: only whole
};
struct word_bytes {
    struct byte_record byte[4];
    struct word_bytes *next_free;
};
struct block_order {             // what a block did to be ordered after others' writes
    uint64_t released, acquired; // times
};

struct races { // of a launch
    uint64_t time;
    uint32_t warp_lanes;
    uint64_t page_count;
    struct word_record **pages; // of global memory, by address
    struct arena word_bytes;    // for those of words touched in part
    struct word_bytes *free_word_bytes;
    struct block_order *order; // by block
};

// Is the access synchronisation? PLAIN: data. MAYBE: machine code writes it as it writes data. ATOMIC: for certain.
// Two accesses do not race where both may be synchronisation and one is for certain.
enum access_order { ORDER_PLAIN, ORDER_MAYBE, ORDER_ATOMIC };

struct race_access { // of a lane to a word
    uint64_t block, epoch;
    uint32_t thread, sync_epoch, site;
    uint64_t address;    // of the word
    uint8_t first, last; // the word's bytes that the lane touches
    uint8_t from;        // the word's place in what the lane reads or writes
    enum touch touch;
    enum access_order order;
    bool shared;
    void *lane; // the caller's
};
struct race_caller {
    // All writes so far and this one leave the same in bytes `first` to `last` of the word.
    bool (*same_value)(const struct race_access *a, const struct touch_record *other,
                       unsigned first, unsigned last);
    void (*tell)(const struct race_access *a, const struct touch_record *other, bool other_wrote);
};

void races_init(struct races *r, uint64_t memory_bytes, uint64_t blocks, uint32_t warp_lanes);
void races_release(struct races *r);
// The access's first and last byte, place and word, of a lane's access of `bytes` (aligned: within one word, or whole
// words).
void race_at(struct race_access *a, uint64_t address, unsigned from, unsigned bytes);
// The record of a word of global memory; NULL: none.
struct word_record *races_record(struct races *r, uint64_t word);
void race_look(struct races *r, struct word_record *record, const struct race_access *a,
               const struct race_caller *caller);
void races_forget(struct races *r, struct word_record *records, size_t count); // all touches
void races_order(struct races *r, uint64_t block, bool releases, bool acquires);

#endif
