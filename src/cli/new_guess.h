// What `ridge new --from` guesses of a kernel's launch, in the order in which it is found out.
//   new_guess.c  sizes, grid, block and arguments: from the host's launch, else by the usual habits
//   new_watch.c  small simulated launches: sizes that are small enough, room, what is reached and changed
//   new_write.c  the experiment file, and what is said of the guesses
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_CLI_NEW_GUESS_H
#define RIDGE_CLI_NEW_GUESS_H

#include "cli/cli.h"
#include "device/code.h"

struct guess_size { // a parameter of the experiment
    const char *name;
    int64_t value, said; // said: by the source; 0 = nothing
    bool in_block;       // the block's shape rests on it
};
struct guess_buffer {
    const char *name;
    enum element_type type;
    int elements; // of the type, in one of the kernel's
    bool typed;   // the type is known
    bool aliased; // by another name
    bool zeroed;  // by the host, before the launch
    uint64_t room_bytes, touched_bytes;
    bool changed;
    const char *count; // NULL: as much as the room has
    const char *at_start;
};
struct guess {
    struct arena *arena;
    const struct declared_kernel *kernel;
    const struct source *source;     // NULL of PTX
    const char *folder, *name;       // of the experiment: its last part
    const char *path, *source_named; // as the file names it
    const char *wanted;              // the kernel as the file names it: with template arguments
    struct declared_launch launch;
    struct guess_size *sizes;
    int size_count;
    struct guess_buffer *buffers; // of the kernel's pointers, and what `set` needs
    int buffer_count;
    const char **arguments; // of the kernel's parameters, as the file writes them; NULL: left out
    const char *grid[3], *block[3], *shared_bytes;
    bool shared_guessed;
    int shape;               // that was tried for want of a launch
    const char *precision;   // to be said of the variant, or NULL
    const char *cannot;      // why no experiment can run this; NULL: it may
    bool watched;            // a launch ran to its end
    struct error stopped_by; // where none did
    struct text notes;
};

bool guess_is_whole(enum element_type t);
// false: words that are no part of an experiment's expressions.
bool guess_uses(const char *expression, const char *name);
void guess_launch(struct guess *g);
// Sizes that nothing is written with any more are left out.
void guess_drop_sizes(struct guess *g);
// Another block, as no launch says it; false: all were tried.
bool guess_next_shape(struct guess *g);
void guess_watch(const struct options *o, struct guess *g, const char *file);
void guess_write(const struct guess *g, struct text *out);
// What is to be checked, line by line.
void guess_tell(const struct guess *g, struct text *out);

#endif
