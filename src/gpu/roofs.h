// roofs: what a device of a chip really reaches, as `ridge probe` measures it and as it is kept in the
// user's data folder; and its place among the chip's own figures.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_GPU_ROOFS_H
#define RIDGE_GPU_ROOFS_H

#include "gpu/gpu.h"

// roofs.def: what a device really reaches, in the unit that people know.
enum roof_id {
#define ROOF(name, unit, field, conversion, factor, kernel, shape, work, cc_least, meaning) \
    ROOF_##name,
#include "gpu/roofs.def"
#undef ROOF
    ROOF_COUNT
};
const char *roof_name(enum roof_id id); // "dram_read_gbps"
const char *roof_unit(enum roof_id id); // "GB/s"
const char *roof_meaning(enum roof_id id);
// What the chip's own figures say, in the roof's unit; NAN if nothing.
double roof_of_chip(const struct gpu *chip, enum roof_id id);
const char *roof_source(const struct gpu *chip, enum roof_id id); // of that figure, or NULL

struct roofs { // arena-owned
    const char *device, *driver, *date;
    double value[ROOF_COUNT];       // NAN = not measured (the device has no such thing)
    const char *slowed[ROOF_COUNT]; // why the chip was slower than it could be, or NULL; not kept
};
// Keeps them in the user's data folder, where roofs_of_device finds them.
bool roofs_write(struct arena *a, const struct roofs *roofs, const char **path,
                 struct error *err) CHECK_RESULT;
// The chip with the roofs that were measured on this machine in the place of its own figures: on the
// device of that name, or any of that chip (NULL). The newest; none: `chip` itself.
const struct gpu *roofs_known(struct arena *a, const struct gpu *chip, const char *device_name);
bool roofs_parse(struct arena *a, const char *file, const char *text, size_t size_bytes,
                 struct roofs *out, struct error *err) CHECK_RESULT;
// The chip with the roofs that are kept for this device and driver; none: `chip` itself. Where they are
// not to be used, *warning says why (else it is left alone); `id` names the device in it.
const struct gpu *roofs_of_device(struct arena *a, const struct gpu *chip, const char *device_name,
                                  const char *driver, const char *id, const char **warning);

/* ---- for who measures them ------------------------------------------------------------------------- */

enum roof_conversion { ROOF_SAME, ROOF_LANES, ROOF_CYCLES, ROOF_BESIDE }; // see roofs.def
enum roof_shape { ROOF_STREAM, ROOF_TILES, ROOF_BUSY, ROOF_LAUNCH, ROOF_LINK };
struct roof_info {
    const char *name, *unit, *meaning;
    enum gpu_field field; // GPU_FIELD_COUNT = none
    enum roof_conversion conversion;
    double factor;
    const char *kernel;
    enum roof_shape shape;
    double work, cc_least;
};
const struct roof_info *roof_info(enum roof_id id);
double roof_units_per_ns(enum roof_id id); // of its unit: 1 GB/s is a byte a ns
// Where they are kept.
const char *roofs_path(struct arena *a, const char *device, const char *driver);

#endif
