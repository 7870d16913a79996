// What processes and workers share: a child in its own group, its streams read until it ends, and
// no way to wait for ever. Private to base.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_BASE_INTERNAL_H
#define RIDGE_BASE_INTERNAL_H

#include "base/base.h"

#include <sys/types.h>

_Noreturn void out_of_memory(void); // arena.c

enum { CHILD_STREAMS = 2 };

// A pipe or file the parent reads; `take` gets the bytes as they come. It returns false to refuse
// them: the child is then killed.
struct child_stream {
    int fd; // -1: closed
    bool (*take)(void *context, const char *data, size_t size_bytes);
    void *context;
};

// The first character of `s` (n > 0 bytes) as it may be shown to a person: itself, or in `escape`.
// *size is what it takes of s.
enum { ESCAPE_SIZE = 16 };
const char *text_shown(const char *s, size_t n, size_t *size, char escape[ESCAPE_SIZE]);

// Names of files that are being written: ".ridge-<hex digits>.tmp", locked (flock) by their writer.
#define TEMPORARY_HEAD ".ridge-"
#define TEMPORARY_TAIL ".tmp"
void folder_clean(const char *folder); // removes those that nobody writes any more

enum child_end { CHILD_ENDED, CHILD_TIMED_OUT, CHILD_CANCELLED, CHILD_REFUSED };

struct child {
    pid_t pid;
    struct child_stream streams[CHILD_STREAMS];
    double timeout_s;            // 0 = none
    const uint64_t *began_ns;    // optional: its time runs from there, once that is set
    const volatile bool *cancel; // optional
    bool kill_group;             // also what the child left behind when it ended by itself
    enum child_end end; // set by child_step, as is lost: nobody knows any more how it ended
    bool lost;
    int status; // of waitpid, only for CHILD_ENDED; set by child_finish
    uint64_t start_ns;
    char *step; // room for what is read at once
};

// A pipe whose ends are closed on exec and lie above the standard streams, or false with errno.
bool fd_pipe(int fds[2]) CHECK_RESULT;
bool fd_move_up(int *fd) CHECK_RESULT; // above the standard streams; false with errno, *fd = -1
void fd_close(int *fd);                // and sets -1; errno stays
bool fd_write_all(int fd, const void *data, size_t size_bytes);       // false with errno
bool fd_read_all(int fd, void *data, size_t size_bytes, size_t *got); // to size or end of file

// Pipes between parent and child are made between these two calls and the child's ends closed in
// the parent before the second, so that no child of another thread inherits them and keeps them
// open. The child calls child_unlock as well: it may start processes itself.
void child_lock(void);
void child_unlock(void);
// In the child after fork: own group, dies with the parent, default signals, the standard streams.
// Only async-signal-safe calls.
void child_become(pid_t parent, int in_fd, int out_fd, int err_fd);
// Reads the streams until the child has ended, its time is up, or it is cancelled; then kills what
// has to be killed, reaps it and closes the streams. False if the operating system fails us.
bool child_watch(struct child *c, struct error *err) CHECK_RESULT;
// The same in pieces: begin, steps that do not wait until one is true, finish. Where begin fails, finish is due.
bool child_begin(struct child *c, struct error *err) CHECK_RESULT;
bool child_step(struct child *c) CHECK_RESULT;
void child_wait(struct child *c); // steps, and waits between them, until one is true
bool child_finish(struct child *c, struct error *err) CHECK_RESULT;

#endif
