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

#endif
