// The host's side of a source, as far as its launches need it: functions, and whole numbers that are followed from where
// they are used to where they are defined.
//   launches.c  the launch of a kernel, its template arguments
//   values.c    an expression of the host as one of an experiment file, over the host's sizes
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DEVICE_COMPILE_HOST_H
#define RIDGE_DEVICE_COMPILE_HOST_H

#include "device/code.h"
#include "device/compile/extract.h"

// Of definitions within definitions, and of names that are looked up for one launch: what is beyond stays a size.
enum { HOST_DEPTH_MAX = 16, HOST_LOOKUPS_MAX = 2000 };

struct host_function {
    size_t file, name, last; // tokens; last is past the end
    size_t open, close;      // the parentheses of its parameters
    size_t angle,
        angle_end; // the angles of its template's parameters; angle SIZE_MAX = no template
};
struct host {
    struct arena *arena;
    const struct source *source;
    struct token_list *lists; // of each file
    struct host_function *functions;
    size_t function_count, function_capacity;
    int lookups;
    struct declared_size *sizes;
    size_t size_count, size_capacity;
};
void host_read(struct arena *a, const struct source *s, struct host *h);
void host_release(struct host *h);
// The function in whose head or body the token stands, or NULL.
const struct host_function *host_function_at(const struct host *h, size_t file, size_t token);
// The source from token i up to `end`; "" = there is none.
const char *host_text(struct arena *a, const struct token_list *t, size_t i, size_t end);
// The end of the item that begins at i: its comma, or `end`.
size_t host_item_end(const struct token_list *t, size_t i, size_t end);
const char *host_template_value(struct host *h, size_t file, size_t begin, size_t end, bool type,
                                int depth);

struct host_value {
    const char *text; // as an experiment writes it; NULL = not understood
    double number;    // where known
    bool known;       // it has no size in it that is not known
    bool literal;     // it stands in the source as a number
    bool whole;
};
struct host_value host_evaluate(struct host *h, size_t file, size_t begin, size_t end, int depth);
// dim3(a, b), {a, b}, a name of one, or a number.
void host_dimensions(struct host *h, size_t file, size_t begin, size_t end, int depth,
                     const char *out[3]);

#endif
