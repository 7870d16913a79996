/* ridge: the optimisation loop inside a program of yours, in C or C++, on your own stream and kernels.
 *
 *   ridge_open -> ridge_measure (several regions, interleaved) -> ridge_compare -> ridge_record
 *
 * A region is a function of yours that enqueues work on a stream. On a real GPU it is timed as `ridge
 * run` times variants (docs/measuring.md): cold or warm L2, warm-up, blocks in random order, until
 * half the 95 % interval of every median is within 0.5 % of it. On a simulated GPU (no GPU needed) the
 * region's kernels are started with ridge_launch; times are then modelled, counters simulated.
 *
 * Conventions. Functions return enum ridge_status, 0 = done; after a failure ridge_error() says what,
 * why and what to do. Nothing here prints, exits or changes signal handlers. Times are nanoseconds,
 * sizes bytes, device addresses uint64_t (CUdeviceptr; a pointer of cudaMalloc cast to uintptr_t).
 * Strings given are copied, strings returned belong to the library and live until ridge_close (of
 * ridge_error: until this thread's next failure). A struct of options zeroed, or NULL for it, means
 * the defaults. A handle is for one thread at a time. No CUDA header is needed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RIDGE_H
#define RIDGE_H

#include <stddef.h>
#include <stdint.h>

#define RIDGE_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

enum ridge_status {
    RIDGE_OK = 0,
    RIDGE_FAILED_CHECK = 1, /* a kernel stopped on a problem: out of bounds, a trap, a timeout */
    RIDGE_BAD_INPUT =
        2, /* the caller's mistake: an unknown device, a kernel that does not compile */
    RIDGE_BAD_SYSTEM = 3 /* the device's or the operating system's: no driver, a full disk */
};

RIDGE_API const char *ridge_version(void); /* "0.1.0" */
RIDGE_API const char *ridge_error(void);   /* of this thread's last failure; "" = none yet */

/* ---- a device ---------------------------------------------------------------------------------- */

typedef struct ridge ridge;

struct ridge_options {
    const char *program; /* name of what is recorded; NULL = the executable's */
    const char *
        journal; /* file or postgresql://…; NULL = $RIDGE_JOURNAL, else the user's, as of `ridge run` */
    const char
        *compiler; /* of ridge_compile: "nvrtc", "clang"; NULL = the first that is installed */
    int threads;   /* host threads of a simulated GPU; 0 = all */
};

/* device: "cuda:0" (a real GPU), "sim:h200" (a simulated one), "auto" = the first real one, else
 * sim:h200. A real GPU is used in the context that is current in this thread if it is that GPU's,
 * else in its primary context, the one of the CUDA runtime, which becomes current. */
RIDGE_API int ridge_open(const char *device, const struct ridge_options *options, ridge **out);
/* Ends the recorded run (which may fail); frees memory, kernels and results that were had from it, in
 * any case. NULL is fine. */
RIDGE_API int ridge_close(ridge *r);

RIDGE_API const char *ridge_device(const ridge *r);      /* "sim:h200" */
RIDGE_API const char *ridge_device_name(const ridge *r); /* "NVIDIA H200 (simulated)" */
RIDGE_API int ridge_is_simulated(const ridge *r);        /* 1 or 0 */

/* ---- memory and kernels: for programs that have none of their own, and for simulated GPUs --------- */

/* 256-byte aligned; `name` is what messages call it ("8 bytes past the end of 'out'"). */
RIDGE_API int ridge_alloc(ridge *r, const char *name, uint64_t size_bytes, uint64_t *address);
RIDGE_API int ridge_free(ridge *r, uint64_t address);
/* Both wait until the bytes are copied, and for no stream: end what uses the memory first. */
RIDGE_API int ridge_write(ridge *r, uint64_t address, const void *data, uint64_t size_bytes);
RIDGE_API int ridge_read(ridge *r, void *data, uint64_t address, uint64_t size_bytes);

typedef struct ridge_module ridge_module;

/* Compiles CUDA C (or takes PTX: a path ending in .ptx) and loads it. defines: "NAME=VALUE", or NULL.
 * Compilers' messages are in ridge_error(), with the source's lines. Code is cached as by `ridge run`. */
RIDGE_API int ridge_compile(ridge *r, const char *path, const char *const *defines,
                            int define_count, ridge_module **out);

enum ridge_type { RIDGE_I32, RIDGE_U32, RIDGE_I64, RIDGE_U64, RIDGE_F32, RIDGE_F64, RIDGE_ADDRESS };
struct ridge_argument { /* of a kernel; made by the functions below */
    enum ridge_type type;
    union {
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
        float f32;
        double f64;
    } value;
};
RIDGE_API struct ridge_argument ridge_address(uint64_t address);
RIDGE_API struct ridge_argument ridge_i32(int32_t value);
RIDGE_API struct ridge_argument ridge_u32(uint32_t value);
RIDGE_API struct ridge_argument ridge_i64(int64_t value);
RIDGE_API struct ridge_argument ridge_u64(uint64_t value);
RIDGE_API struct ridge_argument ridge_f32(float value);
RIDGE_API struct ridge_argument ridge_f64(double value);

struct ridge_launch {
    const char *kernel;    /* "naive", or a mangled name */
    unsigned grid[3];      /* blocks; 0 counts as 1 */
    unsigned block[3];     /* threads; 0 counts as 1 */
    unsigned shared_bytes; /* dynamic */
    const struct ridge_argument *arguments;
    int argument_count;
};
/* A real GPU: enqueues on the stream (CUstream or cudaStream_t; NULL = the default stream) and does
 * not wait. A simulated one: runs the kernel to its end; the stream is not looked at. Number and size
 * of the arguments are checked against the kernel's. */
RIDGE_API int ridge_launch(ridge_module *m, const struct ridge_launch *launch, void *stream);

/* ---- results: samples and counters under a name ----------------------------------------------------- */

typedef struct ridge_result ridge_result;

/* The result of that name and case ("N=1024"; NULL = none), made if there is none yet. Inside ranges
 * (below) their path comes before the name: "solve/transpose". */
RIDGE_API int ridge_result_open(ridge *r, const char *name, const char *case_label,
                                ridge_result **out);
/* A time that the program took itself. A result has measured or modelled samples, not both. */
RIDGE_API int ridge_add_sample(ridge_result *x, double time_ns);
/* counter: a name of ridge's table (`ridge run --json` lists them: "dram_read_bytes"). What the
 * program sets counts as measured. */
RIDGE_API int ridge_set_counter(ridge_result *x, const char *counter, double value);
/* Counters and the ratios made of them ("load_sectors_per_request"). provenance (may be NULL):
 * "measured", "simulated", "modelled"; "absent" leaves *value alone and is no failure. */
RIDGE_API int ridge_get_counter(const ridge_result *x, const char *counter, double *value,
                                const char **provenance);

struct ridge_summary {
    const char *name, *case_label;
    const char *provenance; /* of the times: "measured", "modelled", "absent" */
    size_t sample_count;
    const double *samples_ns;          /* in the order they were taken; until more are added */
    double median_ns, low_ns, high_ns; /* 95 % interval of the median */
    double mean_ns, stddev_ns, min_ns, max_ns, p10_ns, p90_ns;
    int batch; /* runs that a sample is the mean of; 0 = not known */
    /* The chip while it was measured; 0 or NULL = not known. */
    double sm_mhz, power_w, temperature_c, energy_mj; /* energy_mj: of one run, back to back */
    const char *throttled; /* why the samples were slower than they could be */
    const char *note;      /* what could not be had, with the reason; NULL = nothing */
};
RIDGE_API int ridge_summarize(const ridge_result *x, struct ridge_summary *out);

/* ---- measuring ----------------------------------------------------------------------------------------- */

/* Enqueues the region's work on the stream; 0 = done, anything else ends the measuring. It is called
 * many times, so it must leave its inputs usable; it should not wait for the device. */
typedef int (*ridge_enqueue)(void *user, void *stream);

struct ridge_work { /* what the region's task needs at least, however it is done; 0 = not stated */
    double bytes; /* to and from device memory: gives GB/s and, with the chip's rates, the floor */
    double flops_f16, flops_f32, flops_f64, flops_tensor;
};
struct ridge_region {
    const char *name;
    ridge_enqueue enqueue;
    ridge_enqueue prepare; /* optional: makes the inputs new before a block of samples, untimed */
    void *user;            /* given to both */
    struct ridge_work work;
};
struct ridge_measure_options {
    const char *case_label; /* "N=1024"; NULL = none */
    int warm;               /* 1: the L2 as the region left it; 0: emptied before each sample */
    int count;          /* 1: hardware counters too, by further runs; simulated GPUs always count */
    size_t samples_max; /* a region; 0 = 2000 */
    double time_limit_s; /* of sampling, a region; 0 = 3 */
    double timeout_s;    /* of one block of samples; 0 = 600 */
    uint64_t seed;       /* of the order of the blocks; 0 = fresh */
};
/* Times the regions on the stream, interleaved in random order, and adds samples, counters and the
 * chip's state to a result each: results[i] is of regions[i]. On a simulated GPU each region runs
 * once (warm: twice) and has one sample, the sum of its kernels' modelled times.
 * Warm regions shorter than 0.2 ms are timed in batches. A cold region is timed by itself, the
 * events' own cost (under 1 µs on an H200) included: docs/api.md. */
RIDGE_API int ridge_measure(ridge *r, const struct ridge_region *regions, int region_count,
                            void *stream, const struct ridge_measure_options *options,
                            ridge_result **results);

/* A region in the program's own course: what lies between begin and end becomes one more sample,
 * cold or warm as the program has it. ridge_end waits for the stream. Regions do not nest. */
RIDGE_API int ridge_begin(ridge_result *x, void *stream);
RIDGE_API int ridge_end(ridge_result *x, void *stream);

/* ---- comparing and recording ------------------------------------------------------------------------------ */

enum ridge_verdict { RIDGE_SAME, RIDGE_FASTER, RIDGE_SLOWER };
struct ridge_comparison {
    double ratio, low,
        high; /* base time / new time: above 1 = the new one is faster; 95 % interval */
    enum ridge_verdict verdict; /* SAME: no difference beyond the noise, or below 1 % */
};
/* Both must have times of one provenance. */
RIDGE_API int ridge_compare(const ridge_result *base, const ridge_result *fresh,
                            struct ridge_comparison *out);
RIDGE_API const char *ridge_verdict_name(enum ridge_verdict v); /* "no difference", "faster", … */

/* Writes the result to the journal, compared with `base` if that is not NULL and, where its counters
 * suffice, diagnosed: `ridge show`, `explain` and `compare` have it. The first one begins a run, ridge_close ends it. Once a result. */
RIDGE_API int ridge_record(ridge_result *x, const ridge_result *base);
RIDGE_API int64_t ridge_run_id(const ridge *r); /* in the journal; 0 = nothing recorded yet */
/* NULL = nothing recorded yet; where the journal's server went away, the file that has the results instead. */
RIDGE_API const char *ridge_journal_path(const ridge *r);

/* ---- dividing work over devices ------------------------------------------------------------------------- */

/* Shares in proportion to what each device was seen to do, for a program that runs them itself:
 *   ridge_shares_open -> ridge_split -> run the shares -> ridge_shares_add (each) -> ridge_split -> …
 * Units are whatever the work is counted in: rows, elements, particles. No device is opened. docs/scale.md
 * explains the average and its weight. */
typedef struct ridge_shares ridge_shares;

struct ridge_shares_options {
    uint64_t granule; /* shares are multiples of it; 0 = 1 */
    double
        weight; /* of the newest throughput, above 0 to 1; 0 = 0.5: 90 % of a change in 4 updates */
    int adapt;  /* 1: the weight follows noise and drift, as a Kalman filter's gain */
};
/* Devices are numbered from 0. */
RIDGE_API int ridge_shares_open(int device_count, const struct ridge_shares_options *options,
                                ridge_shares **out);
RIDGE_API void ridge_shares_close(ridge_shares *s); /* NULL is fine */
/* The most units that the device holds at once; 0 = no limit. */
RIDGE_API int ridge_shares_limit(ridge_shares *s, int device, uint64_t units);
/* What it did, and in what time. noise: relative standard deviation of such times (0 = not known). */
RIDGE_API int ridge_shares_add(ridge_shares *s, int device, uint64_t units, double time_ns,
                               double noise);
/* It is gone: it gets nothing more. What it had is for the next ridge_split. */
RIDGE_API int ridge_shares_lose(ridge_shares *s, int device);
/* Divides so many units: shares[i] is of device i. Devices of which nothing is known yet get the share of an
 * average one. *dealt (may be NULL) is less than `units` where the devices left do not hold them at once. */
RIDGE_API int ridge_split(const ridge_shares *s, uint64_t units, uint64_t *shares, uint64_t *dealt);
/* Units per second, as estimated; 0 = nothing known. NAN where there is no such device. */
RIDGE_API double ridge_shares_rate(const ridge_shares *s, int device);

/* ---- choosing a variant at run time ------------------------------------------------------------------------ */

struct ridge_fallback {     /* where the tuned table has nothing that holds */
    double least_cc;        /* compute capability: 9.0; 0 = any device */
    const char *variant;    /* "tiled" */
    const char *parameters; /* "TILE=32 ROWS=8"; NULL = none */
};
struct ridge_select_query {
    const char *experiment;   /* as `ridge tune` had it: "transpose" */
    const char *variant;      /* NULL = the best of all that were tuned, by the objective */
    const char *const *sizes; /* of the work at hand, all parameters of the experiment: "N=5000" */
    int size_count;
    const char *source; /* the kernels' source as the program has it: it is read and hashed … */
    const char *flags;  /* … with the experiment's `flags`, or NULL */
    const char *source_hash; /* or its hash, as `ridge tuned --json` has it */
    const char *table;       /* file; NULL = the user's tuned.json */
    const struct ridge_fallback
        *fallbacks; /* the most demanding one that the device fulfils is taken */
    int fallback_count;
    const char *objective; /* "time" (NULL), "energy", "edp": as `ridge tune --objective` had it */
};
struct ridge_selection {
    const char *variant;
    const char *parameters; /* "TILE=32 ROWS=8"; "" = none */
    int tuned;              /* 1: an entry of the table; 0: a fallback */
    const char *case_label; /* that it was tuned at: "N=4096" */
    double octaves;         /* how far that is: the sum of |log2| of the sizes' ratios */
    double time_ns;         /* there */
    const char *provenance; /* of that time: "measured", "modelled"; a fallback: "absent" */
    const char *why;  /* why it is a fallback, or what of the table was not used; "" = nothing */
    double energy_mj; /* of a run, there; NAN = not measured */
};
/* Of the table's entries for this experiment, those that were tuned on a chip of this name, with a driver of this
 * major version (on a simulated GPU: by the same model) and from this very source: the one of the nearest case (of
 * two as near the smaller), and in that case of the variant that took the least by the objective. An entry that is stale in any
 * of these is never used; then a fallback is taken, and without one it is RIDGE_BAD_INPUT. */
RIDGE_API int ridge_select(ridge *r, const struct ridge_select_query *query,
                           struct ridge_selection *out);
/* "32" for "TILE"; NULL: it has no such parameter. */
RIDGE_API const char *ridge_selected(ridge *r, const struct ridge_selection *s, const char *name);

/* ---- choosing again when the choice does not hold what it promised ------------------------------------------- */

/* ridge_adapt_open selects as ridge_select does; the program runs what ridge_adapt_selection says and gives its times
 * back. When the median of the newest of them leaves the band around the promised time (the chip is hot or shared, the
 * table is of other conditions), the variant that promises, or was seen to take, the least is chosen instead; two rules keep
 * it from going to and fro: none within hold_s of the last choice, and none for less than 5 %. */
typedef struct ridge_adaptive ridge_adaptive;

struct ridge_adapt_options {
    double band;   /* of the promised time, to both sides; 0 = 0.2 */
    int patience;  /* times that the median is taken of; 0 = 9 */
    double hold_s; /* after a choice; 0 = 60 */
    const char *
        log; /* a line of JSON per choice is added to it; NULL = choices.jsonl of the user's data folder; "" = none */
};
RIDGE_API int ridge_adapt_open(ridge *r, const struct ridge_select_query *query,
                               const struct ridge_adapt_options *options, ridge_adaptive **out);
RIDGE_API void ridge_adapt_close(ridge_adaptive *a); /* before ridge_close; NULL is fine */
/* What is chosen now; until the next choice. */
RIDGE_API const struct ridge_selection *ridge_adapt_selection(const ridge_adaptive *a);
/* What a run of it took. *chosen_anew (may be NULL): 1 = run another variant from now on. */
RIDGE_API int ridge_adapt_add(ridge_adaptive *a, double time_ns, int *chosen_anew);
/* The work has another size from now on: selected anew (kept until ridge_close, as with ridge_select). */
RIDGE_API int ridge_adapt_size(ridge_adaptive *a, const char *const *sizes, int size_count,
                               int *chosen_anew);
RIDGE_API int ridge_adapt_choices(const ridge_adaptive *a); /* so far, the first among them */

/* ---- regions as metrics ---------------------------------------------------------------------------------------- */

/* Regions of a program in production, timed now and then, as a file that Prometheus' node exporter takes in
 * (--collector.textfile). A pass is timed when that keeps what ridge does and waits for below `overhead` of the
 * program's time: a timed pass waits for the stream at its end. Passes that are not timed are counted. */
typedef struct ridge_watch ridge_watch;

struct ridge_watch_options {
    const char *
        textfile; /* "/var/lib/node_exporter/job.prom", written whole or not at all; NULL = by ridge_watch_write only */
    double overhead; /* a share of the time; 0 = 0.01; 1 = every pass is timed */
    int regions_max; /* names, the label's values; further ones are counted as "other"; 0 = 64 */
    double write_every_s; /* 0 = 10 */
};
RIDGE_API int ridge_watch_open(ridge *r, const struct ridge_watch_options *options,
                               ridge_watch **out);
RIDGE_API int
ridge_watch_close(ridge_watch *w); /* writes once more; before ridge_close; NULL is fine */
RIDGE_API int ridge_watch_begin(ridge_watch *w, const char *region, void *stream);
/* *time_ns (may be NULL): of this pass; NAN = it was not timed. */
RIDGE_API int ridge_watch_end(ridge_watch *w, void *stream, double *time_ns);
RIDGE_API int ridge_watch_write(ridge_watch *w, const char *file);

struct ridge_watched {
    uint64_t passes, timed;
    double total_ns, median_ns; /* of those timed; the median of the newest 63; NAN = none */
    double overhead;            /* of all regions, so far */
};
RIDGE_API int ridge_watch_figures(const ridge_watch *w, const char *region,
                                  struct ridge_watched *out);

/* ---- ranges --------------------------------------------------------------------------------------------- */

/* Names what the program is doing, in this thread: results opened inside carry the path, profilers that
 * know NVTX (nsys, ncu) show it, beside the ranges that ridge itself puts around its phases. */
RIDGE_API void ridge_range_push(const char *name);
RIDGE_API void ridge_range_pop(void);
/* The ranges that the program pushes by NVTX's own header (3.1 or later) count the same, where no profiler
 * takes them, after this line before its first NVTX call:
 *     InitializeInjectionNvtx2_fnptr = ridge_nvtx; */
RIDGE_API int ridge_nvtx(const void *(*get_table)(uint32_t id));

#ifdef __cplusplus
}
#endif

#endif
