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
#define DRIVER(member, symbol, parameters) int(*member) parameters;
#include "capture/recorder/driver.def"
#undef DRIVER
};
struct recorder {
    struct stream_writer out;
    struct cupti_functions cupti;
    struct driver_functions driver;
    bool saving;     // kernels: images and files too
    bool sampled;    // launches are counted, and some timed, without CUPTI
    atomic_bool off; // at the end, and in children of fork
};
extern struct recorder recorder;

#define RECORD(NAME, event) \
    stream_add(&recorder.out, EVENT_##NAME, &(event), sizeof(event), NULL, 0)
#define RECORD_TEXT(NAME, event, text) \
    stream_add(&recorder.out, EVENT_##NAME, &(event), sizeof(event), text, strlen(text))
void sampling_start(void); // sampling.c
void sampling_end(void);
uint64_t recorder_clock_ns(void);
uint64_t recorder_thread(void);
void recorder_trouble(const char *fmt, ...) PRINTF_LIKE(1, 2);
// The number that stands for the name in events; the name itself is written before its first use.
uint64_t recorder_name(const char *name);

void recorder_device(uint32_t device); // writes its name, once (activities.c)

bool activities_start(void); // activities.c
void activities_end(void);
void activities_forget(void); // in a child of fork
// Listens to calls, if anybody needs them: where kernels are saved, after callbacks_want(), and with RIDGE_CAPTURE_CALLS set.
bool callbacks_start(void); // callbacks.c
void callbacks_want(void);

/* ---- saving launches (saving.c) ------------------------------------------------------------------- */

struct launch { // a call's
    const struct launch_config *shape;
    void *function, **values, **extra;
    bool cooperative;
};
struct saved_launch {
    uint64_t ordinal, parameters;
    const char *tail; // as the event has it
    size_t tail_bytes;
};
void saving_start(const char *folder); // by the environment: RIDGE_CAPTURE_KERNELS and its kin
// Around a launch's call, on its thread. If the launch is to be saved, copies what it was given.
void saving_before(const char *symbol, const struct launch *l);
// Copies what it changed. NULL: it is not saved. Until saving_done no other launch is saved.
const struct saved_launch *saving_after(bool launched);
void saving_done(uint64_t correlation);
// Of code that is loaded: the names of its variables (variables.c).
void variables_take(const void *image, size_t size_bytes);
// Those of the module that the launched function is of.
void variables_each(void *function,
                    void (*take)(const char *name, uint64_t address, uint64_t size_bytes));
void caches_record(void);      // where Triton's PTX may lie (caches.c)
void saving_pause(int change); // while streams are captured no launch runs
// Of an image that a call was given to load: 0 where its length is not known. A fatbin's wrapper becomes the fatbin.
size_t image_bytes(const void **image);

#endif
