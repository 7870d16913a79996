// How NVIDIA's GPUs are linked: peer access by the driver; NVLink, PCIe and common ancestors by NVML. Asked in a worker
// process. Without NVML what the driver says is there.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/nvml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { GPUS_MOST = 64, PAIRS_MOST = GPUS_MOST * (GPUS_MOST - 1) / 2, BUS_ID_BYTES = 32 };
enum { ATTRIBUTE_HOST_NUMA_ID = 134 };                // CUdevice_attribute
enum { P2P_RANK = 1, P2P_ATOMICS = 3 };               // CUdevice_P2PAttribute
enum { NVML_FIELD_NVLINK_SPEED = 164 };               // NVML_FI_DEV_NVLINK_GET_SPEED
enum { NVML_REMOTE_GPU = 0, NVML_REMOTE_SWITCH = 2 }; // nvmlIntNvLinkDeviceType_t

static const double mbps_per_gbps = 1000;

struct asked { // what the worker is asked, and its answer
    struct {
        int ordinal;
        char bus_id[BUS_ID_BYTES];
    } devices[GPUS_MOST];
    int count;
    struct topology_gpu gpus[GPUS_MOST]; // by index into devices
    struct topology_pair pairs[PAIRS_MOST];
    int pair_count;
    struct error no_driver, no_nvml;
};

/* ---- in the worker: the driver -------------------------------------------------------------------- */

static int both_ways(const struct driver *d, int attribute, int one, int other)
{
    int there = 0, back = 0;
    if (!d->cuDeviceGetP2PAttribute ||
        d->cuDeviceGetP2PAttribute(&there, attribute, one, other) != CUDA_DONE ||
        d->cuDeviceGetP2PAttribute(&back, attribute, other, one) != CUDA_DONE)
        return TOPOLOGY_UNKNOWN;
    return attribute == P2P_RANK ? (there > back ? there : back) : there && back;
}

static void ask_peers(const struct driver *d, const struct asked *q, struct topology_pair *p)
{
    int one = 0, other = 0, there = 0, back = 0;
    if (d->cuDeviceGet(&one, q->devices[p->first].ordinal) != CUDA_DONE ||
        d->cuDeviceGet(&other, q->devices[p->second].ordinal) != CUDA_DONE)
        return;
    if (d->cuDeviceCanAccessPeer(&there, one, other) == CUDA_DONE &&
        d->cuDeviceCanAccessPeer(&back, other, one) == CUDA_DONE)
        p->peer = there && back;
    p->rank = both_ways(d, P2P_RANK, one, other);
    p->atomics = both_ways(d, P2P_ATOMICS, one, other);
}

static void ask_driver(struct asked *q)
{
    struct driver d;
    if (!driver_open(&d, &q->no_driver))
        return;
    for (int i = 0; i < q->count; i++) {
        int device = 0, node = 0;
        if (d.cuDeviceGet(&device, q->devices[i].ordinal) == CUDA_DONE &&
            d.cuDeviceGetAttribute(&node, ATTRIBUTE_HOST_NUMA_ID, device) == CUDA_DONE && node >= 0)
            q->gpus[i].numa_node = node;
    }
    for (int i = 0; i < q->pair_count; i++)
        ask_peers(&d, q, &q->pairs[i]);
}

/* ---- in the worker: NVML --------------------------------------------------------------------------- */

struct ends { // of a GPU's links
    int to_switch, to_gpu[GPUS_MOST];
};

static void ask_number(int (*ask)(void *, unsigned *), void *device, int *out)
{
    unsigned value = 0;
    if (ask && device && ask(device, &value) == NVML_DONE)
        *out = (int)value;
}

static double link_gbps(const struct nvml_functions *f, void *device, unsigned link)
{
    struct nvml_field field = {.id = NVML_FIELD_NVLINK_SPEED, .scope = link};
    if (!f->nvmlDeviceGetFieldValues ||
        f->nvmlDeviceGetFieldValues(device, 1, &field) != NVML_DONE || field.status != NVML_DONE ||
        field.type != NVML_VALUE_UNSIGNED || field.value.u == 0)
        return (double)NAN;
    return field.value.u / mbps_per_gbps;
}

// "00000000:4E:00.0" of NVML and "0000:4e:00.0" of the driver are one place.
static bool is_same_place(const char *one, const char *other)
{
    size_t long_one = strlen(one), long_other = strlen(other);
    size_t least = long_one < long_other ? long_one : long_other;
    return least > 0 && strcasecmp(one + long_one - least, other + long_other - least) == 0;
}

static void link_end(const struct nvml_functions *f, const struct asked *q, void *device,
                     unsigned link, struct ends *out)
{
    struct nvml_pci pci = {0};
    int type = TOPOLOGY_UNKNOWN;
    if (f->nvmlDeviceGetNvLinkRemoteDeviceType &&
        f->nvmlDeviceGetNvLinkRemoteDeviceType(device, link, &type) == NVML_DONE &&
        type == NVML_REMOTE_SWITCH) {
        out->to_switch++;
        return;
    }
    if (!f->nvmlDeviceGetNvLinkRemotePciInfo_v2 ||
        f->nvmlDeviceGetNvLinkRemotePciInfo_v2(device, link, &pci) != NVML_DONE)
        return;
    pci.bus_id[sizeof pci.bus_id - 1] = '\0';
    for (int i = 0; i < q->count; i++)
        out->to_gpu[i] += is_same_place(pci.bus_id, q->devices[i].bus_id);
}

static void ask_links(const struct nvml_functions *f, struct asked *q, int index, void *device,
                      struct ends *ends)
{
    struct topology_gpu *g = &q->gpus[index];
    int active = 0;
    for (unsigned i = 0; f->nvmlDeviceGetNvLinkState && i < TELEMETRY_LINKS_MAX; i++) {
        int status = f->nvmlDeviceGetNvLinkState(device, i, &active);
        if (status == NVML_NOT_SUPPORTED)
            g->nvlinks = 0;
        if (status != NVML_DONE)
            break; // a chip without NVLink, or with no more of them
        g->nvlinks = (g->nvlinks < 0 ? 0 : g->nvlinks) + (active != 0);
        if (!active)
            continue;
        link_end(f, q, device, i, ends);
        double gbps = link_gbps(f, device, i);
        if (!(g->nvlink_gbps <= gbps)) // the slowest counts; NAN of the first is replaced
            g->nvlink_gbps = isnan(gbps) ? g->nvlink_gbps : gbps;
    }
}

static void ask_pair(const struct nvml_functions *f, const struct asked *q, void *const *devices,
                     const struct ends *ends, struct topology_pair *p)
{
    const struct ends *one = &ends[p->first], *other = &ends[p->second];
    int level = 0, direct = one->to_gpu[p->second];
    if (q->gpus[p->first].nvlinks >= 0 && q->gpus[p->second].nvlinks >= 0) {
        int switched = one->to_switch < other->to_switch ? one->to_switch : other->to_switch;
        p->nvlinks = direct > 0 ? direct : switched;
        p->nvswitch = direct == 0 && switched > 0;
        p->nvlink_gbps =
            p->nvlinks * fmin(q->gpus[p->first].nvlink_gbps, q->gpus[p->second].nvlink_gbps);
    }
    if (!f->nvmlDeviceGetTopologyCommonAncestor ||
        f->nvmlDeviceGetTopologyCommonAncestor(devices[p->first], devices[p->second], &level) !=
            NVML_DONE)
        return;
    for (int i = 0; i < TOPOLOGY_PATH_COUNT; i++)
        if (topology_path_info((enum topology_path)i)->nvml == level)
            p->path = (enum topology_path)i;
}

static void ask_nvml(struct asked *q)
{
    struct nvml_functions f;
    void *devices[GPUS_MOST] = {NULL};
    if (!nvml_functions_load(&f, &q->no_nvml))
        return;
    struct ends *ends = xcalloc((size_t)q->count + 1, sizeof *ends);
    for (int i = 0; i < q->count; i++) {
        struct topology_gpu *g = &q->gpus[i];
        if (f.nvmlDeviceGetHandleByPciBusId_v2(q->devices[i].bus_id, &devices[i]) != NVML_DONE) {
            devices[i] = NULL;
            continue;
        }
        ask_number(f.nvmlDeviceGetCurrPcieLinkGeneration, devices[i], &g->pcie_generation);
        ask_number(f.nvmlDeviceGetMaxPcieLinkGeneration, devices[i], &g->pcie_generation_max);
        ask_number(f.nvmlDeviceGetCurrPcieLinkWidth, devices[i], &g->pcie_lanes);
        ask_number(f.nvmlDeviceGetMaxPcieLinkWidth, devices[i], &g->pcie_lanes_max);
        ask_links(&f, q, i, devices[i], &ends[i]);
    }
    for (int i = 0; i < q->pair_count; i++)
        if (devices[q->pairs[i].first] && devices[q->pairs[i].second])
            ask_pair(&f, q, devices, ends, &q->pairs[i]);
    free(ends);
}

static int ask_body(void *context, int fd)
{
    struct asked *q = context;
    ask_driver(q);
    ask_nvml(q);
    return worker_send(fd, q, sizeof *q) ? 0 : 1;
}

/* ---- in the parent ----------------------------------------------------------------------------------- */

static void asked_fill(struct asked *q, const struct device_info *infos, int count)
{
    for (int i = 0; i < count && q->count < GPUS_MOST; i++) {
        const char *colon = strchr(infos[i].id, ':');
        if (strcmp(infos[i].backend, backend_cuda.name) != 0)
            continue;
        q->devices[q->count].ordinal =
            colon ? atoi(colon + 1) : 0; // NOLINT(cert-err34-c): device_find made it
        (void)snprintf(q->devices[q->count].bus_id, BUS_ID_BYTES, "%s",
                       infos[i].bus_id ? infos[i].bus_id : "");
        q->gpus[q->count++] = (struct topology_gpu){
            i,
            TOPOLOGY_UNKNOWN,
            TOPOLOGY_UNKNOWN,
            TOPOLOGY_UNKNOWN,
            TOPOLOGY_UNKNOWN,
            TOPOLOGY_UNKNOWN,
            TOPOLOGY_UNKNOWN,
            (double)NAN,
        };
    }
    for (int i = 0; i < q->count; i++)
        for (int k = i + 1; k < q->count; k++)
            q->pairs[q->pair_count++] = (struct topology_pair){
                i,
                k,
                TOPOLOGY_UNKNOWN,
                TOPOLOGY_UNKNOWN,
                TOPOLOGY_UNKNOWN,
                TOPOLOGY_UNKNOWN,
                TOPOLOGY_UNKNOWN,
                (double)NAN,
                TOPOLOGY_PATH_COUNT,
            };
}

bool cuda_topology(struct arena *a, const struct device_info *infos, int count,
                   struct topology *out, struct error *err)
{
    struct asked *q = xcalloc(1, sizeof *q);
    asked_fill(q, infos, count);
    bool done =
        q->count == 0 || driver_ask(ask_body, q, sizeof *q, "the CUDA driver", "GPUs' links", err);
    for (int i = 0; done && i < q->count; i++)
        out->gpus[out->gpu_count++] = q->gpus[i];
    for (int i = 0; done && i < q->pair_count; i++) {
        struct topology_pair *p = &out->pairs[out->pair_count++];
        *p = q->pairs[i];
        p->first = q->gpus[p->first].device;
        p->second = q->gpus[p->second].device;
    }
    if (q->no_driver.kind != ERROR_NONE)
        out->note = arena_printf(a, "Peer access is not known: %s", q->no_driver.message);
    if (q->no_nvml.kind != ERROR_NONE)
        out->note = arena_printf(a, "NVLink and PCIe are not known: %s", q->no_nvml.message);
    free(q);
    return done;
}
