// What the CUDA backend needs of a machine (`ridge devices`).
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda.h"

enum { NAME_BYTES = 256 };

static const char driver_remedy[] = "comes with NVIDIA's driver; simulated GPUs do not need it";

static int driver_body(void *context, int fd)
{
    (void)context;
    struct driver d;
    struct error err = {0};
    int version = 0;
    if (!driver_open(&d, &err))
        return part_missing(fd, "%s", err.message);
    if (d.cuDriverGetVersion(&version) != CUDA_DONE)
        return part_missing(fd, "the driver does not answer");
    return part_here(fd, "for CUDA %d.%d", version / CUDA_VERSION_MAJOR,
                     version % CUDA_VERSION_MAJOR / CUDA_VERSION_MINOR);
}

static int nvml_body(void *context, int fd)
{
    (void)context;
    struct error err = {0};
    char version[NAME_BYTES] = "";
    if (!nvml_version(version, sizeof version - 1, &err))
        return part_missing(fd, "%s", err.message);
    return part_here(fd, "driver %s", version);
}

void cuda_parts(struct parts *p)
{
    static const char *const cupti_names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so",
                                              NULL};
    struct arena *a = p->arena;
    part_ask(p, "CUDA driver (libcuda.so.1)", driver_body, driver_remedy);
    part_ask(p, "NVML (libnvidia-ml.so.1)", nvml_body, driver_remedy);
    const char *cupti = find_in_folders(a, cupti_names);
    parts_add(p, "CUPTI", cupti != NULL,
              cupti ? cupti : "libcupti is in no folder known: no hardware counters",
              "comes with CUDA's toolkit, 12.6 or later; RIDGE_CUDA_PATH names its folder");
    const char *cublas = find_in_folders(a, cublas_names);
    parts_add(
        p, "cuBLAS", cublas != NULL,
        cublas ? cublas : "libcublas is in no folder known: variants that call it are left out",
        "optional: pip install nvidia-cublas (or CUDA's toolkit), then set RIDGE_CUDA_PATH to "
        "its folder");
}
