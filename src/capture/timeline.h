// The level above kernels: what GPUs did for one program, when, and what follows from it. Filled from recordings
// (capture_timeline_add); every figure is measured or counted, and one that is not known is absent.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_CAPTURE_TIMELINE_H
#define RIDGE_CAPTURE_TIMELINE_H

#include "base/base.h"

enum work_kind { WORK_KERNEL, WORK_COPY, WORK_FILL, WORK_GRAPH }; // a graph: a launch as a whole
#define BYTES_UNKNOWN UINT64_MAX
struct work { // one piece of work of a GPU
    enum work_kind kind;
    uint64_t start_ns,
        end_ns; // since the first of them began; before timeline_sort, of the wall clock
    int name, process,
        device; // indexes of the timeline's; a copy's name is its direction, a graph's "graph NUMBER"
    uint64_t stream, bytes;      // bytes: of copies and fills, or BYTES_UNKNOWN
    int grid[3], block[3];       // of kernels
    int registers, shared_bytes; // registers: 0 where they are not known
    bool by_graph;
    uint64_t thread, call_ns, correlation; // the call that made it, of the wall clock; 0: not known
};
struct range { // that the program named (NVTX), of the wall clock
    int name, process;
    uint64_t thread, start_ns, end_ns; // thread: 0 where it is of the whole process
};
// Launches of one kind that were counted all and timed in part (sampling): a kernel of a shape on a stream, a graph, copies.
struct counted {
    enum work_kind kind;
    int name, process, device; // name: as of work
    uint64_t stream, graph;    // graph: its number
    uint64_t name_id;          // in its file
    int grid[3], block[3], shared_bytes;
    uint64_t launches, bytes;
    uint64_t first_ns, last_ns; // when one was looked at, of the wall clock
    struct {
        struct timed_launch {
            double ns, every; // it stands for so many launches
        } * items;
        size_t count, capacity;
    } times;
};
struct graph_part { // a kernel of a graph: launches of it per launch of the graph
    int name, process;
    uint64_t graph, launches;
};
struct watched_process {
    uint64_t pid;
    const char *command;
    uint64_t launches, graph_launches; // calls that succeeded
    uint64_t call_ns;                  // the time that these calls took on the host
    bool unheard;                      // … of some of them that is not known
    uint64_t lost, dropped;            // events, and records of CUPTI, that are missing
    uint64_t timeless;                 // pieces of work left out, as their times cannot be right
    bool ended;                        // by itself: not killed
    bool sampled;                      // launches were counted, and timed in part
    uint64_t end_ns;                   // of the wall clock; 0: it was killed
    const char *file;
};
struct watched_device {
    uint64_t number;
    const char *name; // NULL: not known
};
struct timeline { // arena-owned but for the lists; timeline_release frees those
    struct arena *arena;
    struct {
        struct work *items;
        size_t count, capacity;
    } work;
    struct {
        struct watched_process *items;
        size_t count, capacity;
    } processes;
    struct {
        struct watched_device *items;
        size_t count, capacity;
    } devices;
    struct {
        struct range *items;
        size_t count, capacity;
    } ranges;
    struct {
        struct counted *items;
        size_t count, capacity;
    } counted;
    struct {
        struct graph_part *items;
        size_t count, capacity;
    } graph_parts;
    uint64_t first_ns; // of the wall clock, when the first work began: timeline_sort
    struct {
        const char **items;
        size_t count, capacity;
    } names, troubles; // troubles: what is missing, and why
    struct table name_numbers;
};
// Kernels, or a graph: what runs in one is kernels for the most part.
static inline bool work_is_kernels(const struct work *w)
{
    return w->kind == WORK_KERNEL || w->kind == WORK_GRAPH;
}

void timeline_release(struct timeline *t);
int timeline_name(struct timeline *t, const char *name); // its index, added if it is new
int timeline_device(struct timeline *t, uint64_t number);
int timeline_process(struct timeline *t, uint64_t pid); // of files that hold several
void timeline_add(
    struct timeline *t,
    struct work w); // one that does not end after it begins, or lasts for years, is counted only
void timeline_add_range(struct timeline *t, struct range r); // the same
const char *timeline_direction(uint64_t kind); // a copy's name: CUpti_ActivityMemcpyKind
// The events of one process's recording.
bool capture_timeline_add(struct timeline *t, const char *file, const char *data, size_t size_bytes,
                          struct error *err) CHECK_RESULT;
void timeline_sort(struct timeline *t); // by device, then start; times from the first start on

/* ---- what follows from it (summary.c) --------------------------------------------------------- */

// How far a kernel is from the floor of its code: the busiest resource's work, counted in one launch of it that was run
// again, at that resource's rate. `why`: not known, and for that reason.
struct kernel_floor {
    const char *why;
    double time_ns, floor_ns;            // of that launch
    const char *floor_of;                // the busiest resource
    const char *limiter;                 // its roofline class: a resource, or "latency"
    const char *device;                  // that ran it again
    const char *time_from, *counts_from; // "measured", "modelled", "simulated"
};
struct kernel_sum { // of one name, by falling total
    int name;
    size_t launches, by_graph;
    double total_ns, median_ns, min_ns, max_ns;
    double share_pct;                               // of the time of all kernels
    int grid[3], block[3], registers, shared_bytes; // of its longest launch
    size_t shapes;                                  // different grids and blocks
    const struct kernel_floor *floor;               // NULL: nobody asked
};
struct move_sum { // copies of one direction, or fills
    int name;
    size_t count;
    double total_ns, bytes; // bytes: NAN where one's are not known
};
struct range_sum { // of one name, by falling total; kernels: that were launched meanwhile
    int name;
    size_t count, kernels;
    double total_ns, kernel_ns;
};
struct gap {
    double start_ns, length_ns;
    int before, after; // names of what ended and what began
};
enum { GAPS_SHOWN = 5 };
// What recording adds to the program's time at most for such a kernel, and for a whole graph that found the GPU idle: an H200 showed
// medians of 0.4 to 2.1 us, and of 4.5 to 9.8 (docs/capture.md). The GPU was idle where it had nothing to do for longer than between
// two kernels that are queued.
enum { RECORDING_DEAR_NS = 2500, RECORDING_DEAR_GRAPH_NS = 10000, RECORDING_IDLE_NS = 3000 };
struct device_sum {
    int device;
    double start_ns, span_ns; // from the first beginning to the last end
    double busy_ns, kernel_ns, move_ns,
        both_ns; // when anything, a kernel, a copy or fill, both ran
    double idle_ns;
    double kernel_sum_ns; // kernels' times added up: more than kernel_ns where they ran at once
    size_t kernels, moves, streams, gaps;
    size_t
        dear; // kernels that a recorder slows down most: they found the GPU idle, or are of a graph
    size_t dear_graphs; // whole ones that found it idle
    struct gap longest[GAPS_SHOWN];
    size_t longest_count;
};
// What would be worth looking at, by the most that can be gained there: its time, or of kernels whose floor is known what
// their time is above it.
enum worth_kind { WORTH_KERNEL, WORTH_IDLE, WORTH_MOVES };
struct worth {
    enum worth_kind kind;
    int name; // of a kernel
    double time_ns, gain_ns;
    double share_pct;                 // of the span: gain_ns
    const struct kernel_floor *floor; // NULL: of a kernel that nobody asked for, or of no kernel
};
struct timeline_summary { // arena-owned
    struct kernel_sum *kernels;
    struct move_sum *moves;
    struct device_sum *devices;
    struct worth *worth;
    struct range_sum *ranges;
    size_t kernel_count, move_count, device_count, worth_count, range_count;
    double span_ns; // of all devices together, added up
    size_t dear, dear_graphs;
    size_t of_graphs; // kernels
    size_t
        whole_graphs; // launches of graphs of which nothing else is known; in `kernels` each graph is a row
    double
        recording_pct; // of the span, that our recorder may have added for these; 0: it did not record this
    bool floors; // of some kernels they were asked for
};
struct range_sum *timeline_range_sums(struct arena *a, const struct timeline *t,
                                      size_t *count); // ranges.c
// Sorts the timeline first.
void timeline_summarize(struct arena *a, struct timeline *t, struct timeline_summary *out);
// The floor of the kernel of that index; the list of what is worth looking at is made anew.
void timeline_set_floor(struct timeline_summary *s, size_t kernel,
                        const struct kernel_floor *floor);

/* ---- of launches that were timed in part (estimates.c) ------------------------------------------- */

enum {
    EVENTS_ADD_NS = 1000
}; // about, at most, to a timed launch; measured on an H200, docs/capture.md

struct estimate { // of one name; kernels by falling total
    enum work_kind kind;
    int name;
    uint64_t launches, by_graphs, timed,
        bytes;        // by_graphs: kernels that graphs launched, beside `launches`
    uint64_t untimed; // of `launches`: of kinds of which none was timed; they are not in the total
    double total_ns;  // estimated, but for graphs' kernels; NAN: none was timed
    double
        around_ns; // the total's interval of 95 % is so much to both sides; NAN: too few were timed
    double median_ns, min_ns, max_ns; // of the timed ones
    double share_pct;                 // of the time of all kernels and graphs
    int grid[3], block[3];            // of the kind with the most time
    size_t shapes;
};
struct counted_device {
    int device;
    double span_ns; // from the first launch to the last end of a process
    uint64_t launches, graph_launches, moves;
    size_t streams;
    double kernel_ns; // of kernels and graphs, estimated
};
struct estimates { // arena-owned
    struct estimate *kernels, *graphs, *moves;
    size_t kernel_count, graph_count, move_count;
    struct counted_device *devices;
    size_t device_count;
    double span_ns; // of all devices, added up
};
void timeline_estimate(struct arena *a, const struct timeline *t, struct estimates *out);

#endif
