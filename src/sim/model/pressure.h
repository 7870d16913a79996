// How many registers are taken at each place of the order of issue (schedule.c): an order that needs more than the thread
// has is none that ptxas makes.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_PRESSURE_H
#define RIDGE_SIM_PRESSURE_H

#include "sim/decode/decode.h"

struct pressure {
    const struct program *program;
    int room;          // registers of 32 bits that ptxas would fill in the kernel …
    int most, live;    // … that values may take in the region; that they take
    int as_written;    // the most that they take in the region where it is issued as it is written
    uint8_t *units;    // by register of the program; 0: it takes none
    uint64_t *live_in; // by block, a bit for each register of the function
    uint64_t *written_in;
    size_t words;
    int function;   // of the program
    bool *alive;    // by register: it has a value that is read again
    bool *out;      // … behind the region
    int *left;      // how often its value is read by the rest of the region
    int *later;     // … and the value that it gets then
    bool *ends;     // it gets one in the rest of the region, on every way
    uint32_t *mark; // the last look that met it
    uint32_t looks;
};

void pressure_init(struct pressure *r, struct program *p);
void pressure_release(struct pressure *r);
// A region of so many sites begins.
void pressure_region(struct pressure *r, int first, int count);
// Registers that are taken more behind the instruction than in front of it.
int pressure_change(struct pressure *r, const struct timing_site *t);
// It is the next.
void pressure_take(struct pressure *r, const struct timing_site *t);

#endif
