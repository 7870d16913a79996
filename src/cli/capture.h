// The files of `ridge capture` among each other.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_CLI_CAPTURE_H
#define RIDGE_CLI_CAPTURE_H

#include "capture/timeline.h"
#include "cli/cli.h"

// All recordings of a folder, by name: one per process.
bool capture_take_folder(struct timeline *t, const char *folder, struct error *err) CHECK_RESULT;
// Without --list: kernels of the program become folders for `ridge run` (capture_save.c).
bool capture_save(const struct options *o, int *status, struct error *err) CHECK_RESULT;

// The kernels with the most time, of which a launch each is saved by default.
size_t capture_most_time(struct arena *a, const struct timeline *t,
                         const struct timeline_summary *s, const char ***names);
// A run of the program that saves a launch of each of these kernels into the folder; *saved, a new reference, is as
// --json has it: {kernel, folder, …}. The program's output goes to standard error.
bool capture_save_kernels(const struct options *o, const char *folder, const char *const *names,
                          size_t count, json_t **saved, struct error *err) CHECK_RESULT;
// --floors: saves, runs again with counters, and adds what that shows (capture_floors.c).
bool capture_floors(const struct options *o, struct arena *a, const struct timeline *t,
                    struct timeline_summary *s, struct error *err) CHECK_RESULT;

#endif
