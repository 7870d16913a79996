// What the readers share: the CSV reader, numbers and units, and the kernels that are built up.
// A reader sees one file whole and calls kernel_*; import.c makes results of the kernels.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_IMPORT_INTERNAL_H
#define RIDGE_IMPORT_INTERNAL_H

#include "diagnose/diagnose.h"
#include "gpu/roofs.h"
#include "import/import.h"

struct source {
    const char *file;
    const char *path; // NULL: only in memory
    const char *data;
    size_t size_bytes;
};

/* ---- CSV (RFC 4180, and what tools make of it) ------------------------------------------------ */

// Rows one by one; fields are NUL terminated in the arena. Line ends CR, LF, CRLF; quoted fields may
// hold separators, line ends and doubled quotes; empty lines and lines that start with "==" (what
// the profiler said) are passed over; a byte order mark too.
struct csv {
    struct arena *arena;
    const char *file, *at, *end;
    int line;      // of the row that was read
    int next_line; // of `at`
    char separator;
    bool decimal_comma; // the file writes 1.234,5
    const char **fields;
    size_t count, capacity;
};
void csv_open(struct csv *c, struct arena *a, const char *file, const char *data,
              size_t size_bytes);
void csv_close(struct csv *c);
// *more is false at the end. Fails on a quote without an end.
bool csv_next(struct csv *c, bool *more, struct error *err) CHECK_RESULT;
// Moves behind the next line that holds all the names (NULL terminated) as fields, whatever stands
// before it; the fields are the header's then. false: there is none.
bool csv_header(struct csv *c, const char *const *names);
bool csv_has_header(const struct source *s, const char *const *names);
struct columns { // a copy of a header
    const char **names;
    size_t count;
};
struct columns csv_columns(const struct csv *c);
int column_find(const struct columns *c, const char *name);        // -1: none
int column_any(const struct columns *c, const char *const *names); // the first that is there
const char *csv_field(const struct csv *c, int column);            // "" where the row is short
struct location csv_place(const struct csv *c);

enum number_kind { NUMBER_OK, NUMBER_ABSENT, NUMBER_BAD }; // absent: empty, n/a, nan
enum number_kind number_read(const char *s, bool decimal_comma, double *out);
// What to multiply a value of this unit with to have ns, bytes, or single ones: 1e6 for "msecond",
// 1e9 for "Gbyte", 1e-3 for "1/Kinst". Unknown words are ones.
double unit_factor(const char *unit);
// "(32, 8, 1)" -> 256; 0 where there is no number.
double volume_read(const char *s);

/* ---- what is built up ----------------------------------------------------------------------------- */

struct metric {
    double sum;
    size_t count;
};
struct kernel {
    const char *name, *shape, *group; // group: "" kernels, else the case ("memory operations")
    double *samples_ns;
    size_t sample_count, sample_capacity, launches, zero_count;
    bool summed;                                          // the tool gave only these:
    double mean_ns, median_ns, min_ns, max_ns, stddev_ns; // NAN = not said
    struct table metrics;                                 // name -> struct metric, in the arena
    struct counters counters; // set by the reader itself: the launch's shape
    enum result_status status;
    const char *error, *note;
};
struct builder {
    struct arena *arena;
    struct kernel **kernels;
    size_t count, capacity;
    struct table by_key, seen; // seen: dispatches whose time was taken
    const char *device_id, *device_name;
    double cc;
    const char *format;
    json_t *context; // of the file, or NULL; goes to the environment
};
// Found or added. shape and group may be "". Names are made valid UTF-8.
struct kernel *kernel_get(struct builder *b, const char *name, const char *shape,
                          const char *group);
void kernel_time(struct kernel *k, double ns);
void kernel_metric(struct builder *b, struct kernel *k, const char *name, double value);
void kernel_shape(struct kernel *k, double grid_blocks, double block_threads);
// Where a text is not UTF-8, as the journal's is, its bytes beyond ASCII become '?'.
const char *text_valid(struct arena *a, const char *s);
bool seen_first(struct builder *b, const char *key); // true the first time

/* ---- readers: one a format ------------------------------------------------------------------------ */

#define FORMAT(id, name, what)                \
    bool id##_detect(const struct source *s); \
    bool id##_read(struct builder *b, const struct source *s, struct error *err) CHECK_RESULT;
#include "import/formats.def"
#undef FORMAT

#endif
