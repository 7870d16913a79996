// Running a program with the recorder in it.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_CAPTURE_PROGRAM_H
#define RIDGE_CAPTURE_PROGRAM_H

#include "base/base.h"

struct watched_program {
    const char *const *argv; // NULL terminated; argv[0] is searched in PATH
    const char *folder;      // an existing one, for the recordings
    const char *cupti;       // a CUPTI to try first; NULL: as the loader finds it
    bool output_aside;       // its standard output goes to standard error
    const char *
        graphs; // launches of these are recorded "whole", or by their "kernels"; NULL: as the environment says
    bool sampled;        // launches are counted, and timed by sample (sampling.c of the recorder)
    const char *kernels; // an extended regular expression: save launches of these; NULL: none
    const char *launch;  // which launch of each, from 1
    const char *saved_bytes; // how many bytes of files per process
};
bool capture_can_sample(void); // on this machine
// Runs it to its end with our streams. *status is its exit status, or 128 and the signal that ended it, as a shell has
// it. What a signal asks of us is for the program: it is passed on.
bool capture_program(const struct watched_program *p, int *status, struct error *err) CHECK_RESULT;

#endif
