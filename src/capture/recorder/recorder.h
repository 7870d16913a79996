// The recorder's files among each other. It lives in somebody else's program: it calls nothing that may end it, keeps
// its hands off signals and streams, and whatever fails becomes a sentence in the recording.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_CAPTURE_RECORDER_H
#define RIDGE_CAPTURE_RECORDER_H

#include "capture/recorder/cupti_min.h"
#include "capture/stream.h"

#include <stdatomic.h>

struct cupti_functions {
#define CUPTI(name, parameters) int(*name) parameters;
#include "capture/recorder/cupti.def"
#undef CUPTI
};
// Of the driver, each NULL where it has none.
struct driver_functions {
    int (*device_name)(char *name, int size_bytes, int device);
    int (*parameter)(void *function, size_t index, size_t *offset, size_t *size_bytes);
};
struct recorder {
    struct stream_writer out;
    struct cupti_functions cupti;
    struct driver_functions driver;
    bool whole;      // for saving kernels: images, parameters and allocations too
    atomic_bool off; // at the end, and in children of fork
};
extern struct recorder recorder;

#define RECORD(NAME, event) \
    stream_add(&recorder.out, EVENT_##NAME, &(event), sizeof(event), NULL, 0)
#define RECORD_TEXT(NAME, event, text) \
    stream_add(&recorder.out, EVENT_##NAME, &(event), sizeof(event), text, strlen(text))
uint64_t recorder_clock_ns(void);
void recorder_trouble(const char *fmt, ...) PRINTF_LIKE(1, 2);
// The number that stands for the name in events; the name itself is written before its first use.
uint64_t recorder_name(const char *name);

bool activities_start(void); // activities.c
void activities_end(void);
bool callbacks_start(void); // callbacks.c

#endif
