// base: what every module stands on: errors with a place, arenas, text, tables, YAML and JSON
// access, files, processes, libraries opened at run time, random numbers, hashes, time.
// Convention: functions that can fail return bool (true = done) and take `struct error *err` last;
// err is never NULL. Nothing here prints or exits.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_BASE_H
#define RIDGE_BASE_H

#include "base/platform.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CHECK_RESULT __attribute__((warn_unused_result))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define COLD __attribute__((cold)) // seldom called: code that leads there stands apart
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- places and errors ------------------------------------------------------------------- */

// A place in a text a person wrote. `source` (optional) is the whole text of the file, NUL
// terminated: with it a message can show the line and a caret. Strings are borrowed.
struct location {
    const char *file;
    int line, column; // from 1; 0 = unknown; a column counts characters (UTF-8 code points)
    const char *source;
};
#define NOWHERE ((struct location){0})

// The exit status of the program follows from the kind (docs/ARCHITECTURE.md, Errors).
enum error_kind {
    ERROR_NONE = 0,
    ERROR_CHECK = 1,  // a check failed: wrong result, regression
    ERROR_INPUT = 2,  // usage, and what the user's files say: an input that cannot be read, too
    ERROR_SYSTEM = 3, // device or operating system: what cannot be written, started or allocated
};

struct error {
    enum error_kind kind;
    char message[4096]; // "file:line:column: what, why, what to do", then source line and caret
};

void error_clear(struct error *err);
// Records an input error; always returns false, so that callers `return fail(err, loc, ...)`.
bool fail(struct error *err, struct location loc, const char *fmt, ...) PRINTF_LIKE(3, 4);
// The same with a kind of its own (ERROR_SYSTEM for the operating system, ERROR_CHECK).
bool fail_as(struct error *err, enum error_kind kind, struct location loc, const char *fmt, ...)
    PRINTF_LIKE(4, 5);
// Appends ": <strerror>" of the saved errno value.
bool fail_errno(struct error *err, int errno_value, const char *fmt, ...) PRINTF_LIKE(3, 4);
// On the way up: appends "\n  in variant 'x'"; returns false.
bool error_context(struct error *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* ---- values -------------------------------------------------------------------------------- */

struct value { // a number of a file's, whole or not
    bool is_integer;
    int64_t i;
    double d; // also set for integers
};

/* ---- memory ------------------------------------------------------------------------------- */

// Memory with one lifetime: released all at once. Out of memory aborts with one line (nothing a
// caller could do). A zeroed struct arena is a valid empty arena.
struct arena {
    struct arena_chunk *chunks;
};
void arena_release(struct arena *a);                   // leaves a valid empty arena
void *arena_alloc(struct arena *a, size_t size_bytes); // zeroed, 16-byte aligned
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n); // ends at a NUL within
// Of any bytes, with a NUL after them.
char *arena_copy(struct arena *a, const char *bytes, size_t size_bytes);
char *arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_alloc((a), sizeof(type) * (size_t)(n)))

void *xcalloc(size_t n, size_t size_bytes); // never NULL; free() with free
void *xrealloc(void *p, size_t size_bytes);
char *xstrdup(const char *s);

// Memory that is given back and taken again, by any thread; of no owner (NULL): not kept. All of it is given back, or never
// again used, before the owner is closed.
struct spare;
struct spare *spare_open(void);
void spare_close(struct spare *s);
void *spare_take(struct spare *s, size_t size_bytes); // never NULL; 64-byte aligned
void *spare_take_zeros(struct spare *s, size_t size_bytes);
void *spare_grow(struct spare *s, void *bytes, size_t size_bytes); // of NULL: as spare_take()
void spare_give(void *bytes);                                      // NULL: nothing

// Grows a malloc'ed array so that index `count` exists; doubles. VEC_PUSH(v.items, v.count,
// v.capacity) = value;
void vec_reserve(void **items, size_t *capacity, size_t count, size_t item_size_bytes);
#define VEC_PUSH(items, count, capacity, value)                                                  \
    do {                                                                                         \
        void *vec_p_ = (items);                                                                  \
        vec_reserve(&vec_p_, &(capacity), (count) + 1,                                           \
                    sizeof(*(items))); /* NOLINT(bugprone-sizeof-expression): of pointers too */ \
        (items) = vec_p_;                                                                        \
        (items)[(count)++] = (value);                                                            \
    } while (0)

/* ---- text --------------------------------------------------------------------------------- */

// A growing string; zeroed is valid and empty; data is NUL terminated once anything was added.
struct text {
    char *data;
    size_t length, capacity;
};
void text_release(struct text *t);
void text_clear(struct text *t);
void text_add(struct text *t, const char *s);
void text_addn(struct text *t, const char *s, size_t n);
void text_printf(struct text *t, const char *fmt, ...) PRINTF_LIKE(2, 3);
void text_vprintf(struct text *t, const char *fmt, va_list args) PRINTF_LIKE(2, 0);
const char *text_str(const struct text *t); // "" when empty
// Text of others as it may be shown: control characters (line ends and tabs stay), marks that turn
// the direction of writing and bytes that are no UTF-8 as escapes, \u202e or \xff. The escapes are
// those of JSON: text that is JSON stays JSON, and the same.
void text_add_shown(struct text *t, const char *s, size_t n);

bool str_starts_with(const char *s, const char *prefix);
void str_lower(const char *s, char *out, size_t size); // in lower case, cut to fit
bool str_ends_with(const char *s, const char *suffix);
// The nearest of `candidates` (edit distance with transpositions, at most a third of the length),
// or NULL. For "unknown key 'blok' (did you mean 'block'?)".
// The ending of a regular plural: "" for 1.
static inline const char *plural(double count)
{
    return count == 1 ? "" : "s"; // NOLINT(clang-diagnostic-float-equal): a count
}
const char *str_nearest(const char *word, const char *const *candidates, size_t count);
// Strict numbers: the whole string must be one; no locale; decimal, 0x hex; false if not or too big.
bool str_to_i64(const char *s, int64_t *out) CHECK_RESULT;
bool str_to_double(const char *s, double *out) CHECK_RESULT;

/* ---- tables ------------------------------------------------------------------------------- */

// Map of strings to pointers; keys are copied. Zeroed is valid and empty.
struct table {
    struct table_entry *entries;
    size_t count, capacity;
};
void table_release(struct table *t);
void table_set(struct table *t, const char *key, void *value);
void *table_get(const struct table *t, const char *key); // NULL if absent
bool table_has(const struct table *t, const char *key);

/* ---- files -------------------------------------------------------------------------------- */

// Whole file as NUL-terminated malloc'ed bytes; caller frees *data. Refuses files over max_bytes and
// what is not a regular file: a pipe or a device may never end.
bool file_read(const char *path, size_t max_bytes, char **data, size_t *size_bytes,
               struct error *err) CHECK_RESULT;
// Writes through a temporary file in the same folder, fsync and rename: the old content stays
// whole if the disk is full, read-only or the process dies.
bool file_write(const char *path, const void *data, size_t size_bytes,
                struct error *err) CHECK_RESULT;
bool file_exists(const char *path);
// A folder for what programs leave while they work, below ridge's cache or, where that cannot be
// written, below TMPDIR. work_folder_close removes it with its files; if this process is killed
// before, the next litter_clean does.
struct work_folder {
    char *path;
    int lock_fd;
};
bool work_folder_open(struct work_folder *w, struct error *err) CHECK_RESULT;
void work_folder_close(struct work_folder *w); // a zeroed one too
// Removes from ridge's cache what processes that were killed left: work folders and half-written files.
void litter_clean(void);
bool dir_make(const char *path, struct error *err) CHECK_RESULT; // with parents
// Files of the cache: in folders of this user alone (0700). Nothing fails loudly: without a cache ridge
// is only slower. private_read: false for a file that another user owns or others may write.
bool private_folder_make(const char *path); // with parents; false: it is not this user's
bool private_folder(const char *path);      // this user's, and nobody else may write there
bool private_read(const char *path, size_t max_bytes, char **data, size_t *size_bytes);
bool private_write(const char *path, const void *data, size_t size_bytes);
char *path_join(struct arena *a, const char *dir, const char *name); // absolute name wins
char *path_dir(struct arena *a, const char *path);                   // "." if none
const char *path_name(const char *path);                             // after the last slash
// A header of a CUDA toolkit, of a compiler, of the system or of ridge itself, not of the user: by the folder
// that it lies in, never by its name. A relative path is the user's.
bool path_is_foreign(const char *path);
// Where ridge's own files are: RIDGE_DATA_DIR, else share/ridge in the executable's folder or the two
// above it (a build or installed tree, moved or not), or such a folder itself if it holds `gpus`, the
// same of libridge.so's folder, else the share folder it was built for. NULL with err set if none has `name`.
char *data_path(struct arena *a, const char *name, struct error *err);
// The user's folders: RIDGE_HOME, else XDG_DATA_HOME/ridge (~/.local/share/ridge); and RIDGE_CACHE,
// else XDG_CACHE_HOME/ridge (~/.cache/ridge). Not created.
char *user_data_path(struct arena *a, const char *name);
char *user_cache_path(struct arena *a, const char *name);

/* ---- YAML (libyaml), for every file a person writes ----------------------------------------- */

enum yaml_kind { YAML_SCALAR, YAML_LIST, YAML_MAP };
// A node of a parsed document. Scalars stay text: the schema types them. Duplicate keys, tags,
// anchors and several documents are errors.
struct yaml_node {
    enum yaml_kind kind;
    struct location at;
    const char *scalar;       // YAML_SCALAR
    size_t count;             // list items or map pairs
    struct yaml_node **items; // YAML_LIST: items; YAML_MAP: values
    struct yaml_node **keys;  // YAML_MAP only: scalar keys, same order
};
// Parses text (NUL terminated, copied into the arena); `file` names it in messages.
bool yaml_parse(struct arena *a, const char *file, const char *text, size_t size_bytes,
                struct yaml_node **root, struct error *err) CHECK_RESULT;
const struct yaml_node *yaml_get(const struct yaml_node *map, const char *key); // NULL if absent
// Fails at the first key not in `allowed`, with a suggestion.
bool yaml_check_keys(const struct yaml_node *map, const char *what, const char *const *allowed,
                     size_t count, struct error *err) CHECK_RESULT;
// The readers below print `what` as it is ("'count'", "the grid"); a NULL node means it is missing.
bool yaml_expect(const struct yaml_node *node, enum yaml_kind kind, const char *what,
                 struct error *err) CHECK_RESULT;
bool yaml_string(const struct yaml_node *node, const char *what, const char **out,
                 struct error *err) CHECK_RESULT;
bool yaml_double(const struct yaml_node *node, const char *what, double *out,
                 struct error *err) CHECK_RESULT;
bool yaml_i64(const struct yaml_node *node, const char *what, int64_t *out,
              struct error *err) CHECK_RESULT;
// "unknown TYPE 'x' (did you mean 'y'?)", or what there is.
bool fail_unknown(struct error *err, struct location at, const char *what, const char *name,
                  const char *const *known, size_t count);
bool yaml_bool(const struct yaml_node *node, const char *what, bool *out,
               struct error *err) CHECK_RESULT;

/* ---- processes ---------------------------------------------------------------------------- */

// The program's wish to stop: a flag that its signal handler sets, looked at wherever a child process
// or a file is waited for. A library sets none.
void cancel_on(const volatile bool *flag);
bool cancel_asked(void);

struct process_spec {
    const char *const *argv; // NULL terminated; argv[0] is searched in PATH
    const char *input;       // optional text for its standard input
    size_t input_bytes;
    double timeout_s;             // 0 = none
    const char *directory;        // optional working directory
    const char *temporary_folder; // optional: the program's TMPDIR
};
struct process_result { // caller releases out and err_text
    int exit_status;    // -1 if killed by a signal
    int signal;
    bool timed_out;
    struct text out, err_text;
};
// Runs a program to its end, both streams captured (at most 64 MiB each). Fails only if it could
// not be started or was interrupted (cancel_on); the exit status is the caller's business. The program
// and all it started end with this process, however that dies.
bool process_run(const struct process_spec *spec, struct process_result *result,
                 struct error *err) CHECK_RESULT;
void process_result_release(struct process_result *result);
// Why a compiler that failed did so for a reason of its own or of the system (killed, no memory, a full
// disk, a crash, not a word said), as one line; NULL: it is about what it was given, or did not fail.
const char *process_trouble(struct arena *a, const struct process_result *result);
// Path of a program in PATH, or NULL.
char *program_find(struct arena *a, const char *name);

// A child made by fork that runs `body` and sends one message (bytes) back over a pipe: the worker
// process of the loop. The child's standard output goes to /dev/null, its standard error is kept
// (last 8 KiB). The child is put in its own process group and killed with it on timeout; it dies
// with its parent (PR_SET_PDEATHSIG).
// body writes its answer with worker_send, any number of times; every message is handed to
// on_message in the parent as it comes (each one is whole).
struct worker_spec {
    int (*body)(void *context, int fd); // its return value is the child's exit status
    void *context;
    double timeout_s;                                                       // 0 = none
    void (*on_message)(void *context, const char *data, size_t size_bytes); // in the parent
    void *message_context;
    const uint64_t *began_ns;    // optional: on_message sets it where the worker's time begins anew
    const volatile bool *cancel; // optional: set by a signal handler; kills the worker
};
enum worker_end { WORKER_DONE, WORKER_EXITED, WORKER_CRASHED, WORKER_TIMED_OUT, WORKER_CANCELLED };
struct worker_result {
    enum worker_end end;
    int exit_status, signal;
    char stderr_tail[8192];
};
bool worker_run(const struct worker_spec *spec, struct worker_result *result,
                struct error *err) CHECK_RESULT;
// The same in pieces, for who watches several at once, from one thread: a child that is forked while other threads run
// may find a lock held that nobody there will free (an allocator's). start; worker_ended whenever one of the streams has something
// and now and then, until it is true (it never waits); finish, which kills what still runs and frees.
struct worker;
enum { WORKER_STREAMS = 2 };
struct worker *worker_start(const struct worker_spec *spec,
                            struct error *err);                       // NULL: it could not
void worker_streams(const struct worker *w, int fds[WORKER_STREAMS]); // -1: closed
pid_t worker_pid(const struct worker *w);
bool worker_ended(struct worker *w) CHECK_RESULT;
// Sleeps until one of them has something, or for a moment (20 ms at most). NULL: there is none there.
void workers_wait(struct worker *const *workers, int count);
bool worker_finish(struct worker *w, struct worker_result *result, struct error *err) CHECK_RESULT;
bool worker_send(int fd, const void *data, size_t size_bytes);
// A message of one of several kinds: the kind is its first byte.
bool worker_send_kind(int fd, char kind, const void *data, size_t size_bytes);

/* ---- libraries opened at run time -------------------------------------------------------- */

// The first of `names` (NULL terminated) that opens, searched in `folders` (NULL terminated,
// optional) and then by the loader. NULL with err naming what was tried. Never closed.
void *library_open(const char *const *names, const char *const *folders, struct error *err);
// The library of that name if this process has it already, else NULL.
void *library_loaded(const char *name);
// Stores the symbol's address through memcpy into *function (a pointer to a function pointer). library NULL: of all that the
// process has loaded.
bool library_symbol(void *library, const char *name, void *function, size_t function_size_bytes,
                    struct error *err) CHECK_RESULT;

/* ---- large arrays ---------------------------------------------------------------------------- */

// Calls body for pieces of [0, count) that begin at multiples of grain, on the host's processors. No
// order, and several at once: a body writes only what belongs to its piece.
typedef void (*parallel_body)(void *context, uint64_t first, uint64_t end);
void parallel_for(uint64_t count, uint64_t grain, parallel_body body, void *context);
void parallel_copy(void *to, const void *from, size_t size_bytes);

// Threads for one job after the other, in the order in which one thread gives them. NULL: there are none.
struct team;
typedef void (*team_body)(void *context, int index); // by each: the giver is 0, others 1 and up
struct team *team_open(int others);                  // at most; they start with the first job
int team_size(const struct team *c);                 // at most, the giver included
bool team_begin(struct team *c, team_body body,
                void *context); // the others begin; false: there are none
void team_end(struct team *c);  // waits for them
void team_run(struct team *c, team_body body, void *context); // all do it, the giver too
void team_close(struct team *c);                              // between jobs; NULL: nothing

/* ---- random numbers, hashes, time ---------------------------------------------------------- */

// Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC'11): the
// `index`-th block of four words of stream `stream` under `seed`; same on host and device.
void philox(uint64_t seed, uint64_t stream, uint64_t index, uint32_t out[4]);
// `count` blocks from `index` on: four words each.
void philox_blocks(uint64_t seed, uint64_t stream, uint64_t index, size_t count, uint32_t *out);
double philox_uniform(uint32_t word); // [0, 1), 2^-32 steps
uint64_t random_seed(void);           // from the operating system

uint64_t hash64(const void *data, size_t size_bytes, uint64_t seed); // XXH3
// 32 hex digits (XXH3-128) of several pieces; out has room for 33.
struct hash_piece {
    const void *data;
    size_t size_bytes;
};
void hash_hex(const struct hash_piece *pieces, size_t count, char out[33]);

// The same 32 digits of one large piece, hashed on all processors (not hash_hex's of it).
void hash_hex_large(const void *data, size_t size_bytes, char out[33]);

uint64_t clock_ns(void);          // monotonic
void time_utc_iso(char out[32]);  // "2026-11-20T21:00:00Z"
int cpu_count(void);              // usable by this process
int cpu_count_known(void);        // the same, as it was when this was first called
uint64_t memory_free_bytes(void); // that this process may still take; 0 = not known

/* ---- numbers for people --------------------------------------------------------------------- */

// "12.1 us", "1.55 ms": three significant digits, unit by size. Buffers of 32 are enough.
char *format_time_ns(double ns, char out[32]);
char *format_count(double value, char out[32]); // "524 k", "1.05 M"
char *format_bytes(double bytes, char out[32]); // "16.8 MB" (decimal)

#endif
