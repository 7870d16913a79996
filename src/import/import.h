// import: other tools' files -> struct run, as the loop fills it, provenance measured. Each kernel is
// a result (the variant is its name), its launches are the samples, its metrics our counters by the
// table of src/counters; where chip, time and counters suffice it is diagnosed.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_IMPORT_H
#define RIDGE_IMPORT_H

#include "base/base.h"
#include "capture/timeline.h"
#include "record/record.h"

struct import_request {
    const char *format; // a name of import_formats(), NULL = from the content
    const char *name;   // the run's; NULL = the first file's, without its ending
    const char *chip; // of gpus/: "h200"; NULL = from the device's name in the file, if it is there
};
// Several files of one program make one run: what they say of a kernel comes together. The caller
// json_decref()s out->header.environment.
bool import_files(struct arena *a, const struct import_request *request, const char *const *paths,
                  size_t count, struct run *out, struct error *err) CHECK_RESULT;
// The same from memory, `file` names it in messages.
bool import_bytes(struct arena *a, const struct import_request *request, const char *file,
                  const char *data, size_t size_bytes, struct run *out,
                  struct error *err) CHECK_RESULT;
// A file that says when each piece of work ran (Nsight Systems' SQLite export, AMD's databases, JSON and Perfetto
// traces), as part of a timeline.
bool import_timeline_detect(const char *data, size_t size_bytes);
bool import_timeline(struct timeline *t, const char *file, const char *data, size_t size_bytes,
                     struct error *err) CHECK_RESULT;
const char *const *import_formats(size_t *count); // "ncu", "nsys-stats", …

#endif
