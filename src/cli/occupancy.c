// ridge occupancy: how many blocks and warps an SM holds, what limits them, and what another block
// size, register count or shared memory would give. Calculated from the chip's file (gpu/occupancy.c).
// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

enum { THREADS_DEFAULT = 256, REGISTERS_DEFAULT = 32, POINTS_MAX = 64, BAR_WIDTH = 32 };

struct shape {
    int threads, registers;
    uint64_t shared_bytes;
};
struct point { // of a curve: the value varied, and what it gives
    uint64_t value;
    struct occupancy at;
    bool fits, given;
};
struct curve {
    const char *name, *title;
    struct point points[POINTS_MAX];
    int count;
};

static void curve_add(struct curve *c, const struct gpu *g, uint64_t value, struct shape s,
                      bool given)
{
    struct point p = {.value = value, .given = given};
    p.fits = gpu_occupancy(g, s.threads, s.registers, s.shared_bytes, &p.at);
    if (c->count < POINTS_MAX)
        c->points[c->count++] = p;
}

static struct curve curve_threads(const struct gpu *g, struct shape s)
{
    struct curve c = {.name = "block_threads", .title = "threads a block"};
    int given = s.threads, step = (int)GPU(g, warp_size);
    int most = (int)GPU(g, max_threads_per_block);
    for (int t = step; t <= most; t += step) {
        bool passes = given > t - step && given <= t;
        s.threads = passes ? given : t;
        curve_add(&c, g, (uint64_t)s.threads, s, passes);
    }
    return c;
}

// One point a warp-allocation unit: between them nothing changes.
static struct curve curve_registers(const struct gpu *g, struct shape s)
{
    struct curve c = {.name = "registers_per_thread", .title = "registers a thread"};
    int given = s.registers, step = (int)(GPU(g, register_unit) / GPU(g, warp_size));
    int most = (int)GPU(g, max_registers_per_thread);
    for (int r = step; r < most + step; r += step) {
        bool passes = given > r - step && given <= r;
        s.registers = passes ? given : r < most ? r : most;
        curve_add(&c, g, (uint64_t)s.registers, s, passes);
    }
    return c;
}

// The most shared memory a block may have for each number of blocks.
static struct curve curve_shared(const struct gpu *g, struct shape s)
{
    struct curve c = {.name = "shared_bytes_per_block", .title = "shared bytes a block"};
    uint64_t given = s.shared_bytes, unit = (uint64_t)GPU(g, shared_unit_bytes);
    uint64_t all = (uint64_t)GPU(g, shared_bytes_per_sm), before = UINT64_MAX;
    uint64_t reserved = (uint64_t)GPU(g, shared_reserved_bytes);
    uint64_t most = (uint64_t)GPU(g, shared_bytes_per_block);
    for (uint64_t blocks = (uint64_t)GPU(g, max_blocks_per_sm); blocks >= 1; blocks--) {
        uint64_t share = all / blocks / unit * unit;
        uint64_t bytes = share > reserved ? share - reserved : 0;
        bytes = bytes < most ? bytes : most;
        if (given <= bytes && (before == UINT64_MAX || given > before)) {
            s.shared_bytes = given;
            curve_add(&c, g, given, s, true);
        }
        if (bytes != given && bytes != before) {
            s.shared_bytes = bytes;
            curve_add(&c, g, bytes, s, false);
        }
        before = bytes;
    }
    return c;
}

static json_t *occupancy_json(const struct occupancy *at, bool fits)
{
    json_t *limits = json_object();
    for (int l = 0; l < LIMIT_COUNT; l++)
        json_object_set_new(limits, occupancy_limit_name((enum occupancy_limit)l),
                            json_integer(at->blocks_by[l]));
    return json_pack("{s:b, s:i, s:i, s:f, s:s, s:o}", "fits", (int)fits, "blocks_per_sm",
                     at->blocks_per_sm, "warps_per_sm", at->warps_per_sm, "occupancy_pct", at->pct,
                     "limiter", occupancy_limit_name(at->limiter), "blocks_by", limits);
}

static json_t *curve_json(const struct curve *c)
{
    json_t *points = json_array();
    for (int i = 0; i < c->count; i++)
        json_array_append_new(
            points, json_pack("{s:I, s:o}", c->name, (json_int_t)c->points[i].value, "occupancy",
                              occupancy_json(&c->points[i].at, c->points[i].fits)));
    return points;
}

static void limits_print(const struct gpu *g, struct shape s, const struct occupancy *at, bool fits,
                         struct text *out)
{
    text_printf(out,
                "%s, calculated: %d threads a block, %d registers a thread, %llu shared bytes\n",
                g->name, s.threads, s.registers, (unsigned long long)s.shared_bytes);
    if (!fits)
        text_printf(out, "No block fits on an SM: %s.\n", occupancy_limit_name(at->limiter));
    else
        text_printf(out, "Occupancy %.1f %%: %d blocks, %d of %.0f warps on an SM\n", at->pct,
                    at->blocks_per_sm, at->warps_per_sm, GPU(g, max_warps_per_sm));
    text_add(out, "\nBlocks an SM could hold by\n");
    for (int l = 0; l < LIMIT_COUNT; l++) {
        bool tight = at->blocks_by[l] == at->blocks_per_sm;
        const char *name = occupancy_limit_name((enum occupancy_limit)l);
        if (at->blocks_by[l] == INT32_MAX)
            text_printf(out, "  %-14s no limit\n", name);
        else
            text_printf(out, "  %-14s %4d%s\n", name, at->blocks_by[l], tight ? "  limits" : "");
    }
}

// Neighbours with the same occupancy share a line.
static void curve_print(const struct curve *c, struct text *out)
{
    text_printf(out, "\nBy %s\n", c->title);
    for (int i = 0; i < c->count;) {
        int last = i;
        bool given = c->points[i].given;
        while (last + 1 < c->count && c->points[last + 1].fits == c->points[i].fits &&
               c->points[last + 1].at.warps_per_sm == c->points[i].at.warps_per_sm)
            given |= c->points[++last].given;
        char range[48];
        unsigned long long from = c->points[i].value, to = c->points[last].value;
        if (i == last)
            snprintf(range, sizeof range, "%llu", from);
        else
            snprintf(range, sizeof range, "%llu-%llu", from, to);
        text_printf(out, "  %c %-14s ", given ? '>' : ' ', range);
        int filled = (int)(c->points[i].at.pct / 100 * BAR_WIDTH + 0.5);
        for (int k = 0; k < BAR_WIDTH; k++)
            text_add(out, k < filled ? "█" : "·");
        text_printf(out, " %5.1f %%  %s\n", c->points[i].at.pct,
                    occupancy_limit_name(c->points[i].at.limiter));
        i = last + 1;
    }
}

static bool shape_read(const struct options *o, const struct gpu *g, struct shape *s,
                       struct error *err)
{
    int64_t threads, registers, shared;
    if (!option_i64(o, OPTION_BLOCK, 1, (int64_t)GPU(g, max_threads_per_block), THREADS_DEFAULT,
                    &threads, err) ||
        !option_i64(o, OPTION_REGISTERS, 1, (int64_t)GPU(g, max_registers_per_thread),
                    REGISTERS_DEFAULT, &registers, err) ||
        !option_i64(o, OPTION_SHARED, 0, (int64_t)GPU(g, shared_bytes_per_block), 0, &shared, err))
        return false;
    *s = (struct shape){(int)threads, (int)registers, (uint64_t)shared};
    return true;
}

bool command_occupancy(const struct options *o, int *status, struct error *err)
{
    struct arena a = {0};
    struct device_info device;
    struct shape s;
    struct occupancy at;
    *status = 0;
    bool done = device_find(&a, option_text(o, OPTION_DEVICE, "sim:h200"), &device, err);
    if (done && !device.gpu)
        done = fail(err, NOWHERE, "nothing is known of '%s': no file in gpus/ describes it",
                    device.name);
    if (done && shape_read(o, device.gpu, &s, err)) {
        bool fits = gpu_occupancy(device.gpu, s.threads, s.registers, s.shared_bytes, &at);
        struct curve curves[] = {curve_threads(device.gpu, s), curve_registers(device.gpu, s),
                                 curve_shared(device.gpu, s)};
        if (option_given(o, OPTION_JSON)) {
            json_t *json = json_pack("{s:s, s:i, s:s, s:s, s:o}", "ridge", RIDGE_VERSION, "schema",
                                     1, "device", device.id, "provenance", "modelled", "occupancy",
                                     occupancy_json(&at, fits));
            for (size_t i = 0; i < COUNT_OF(curves); i++)
                json_object_set_new(json, curves[i].name, curve_json(&curves[i]));
            done = cli_print_json(json, err);
        } else {
            struct text out = {0};
            limits_print(device.gpu, s, &at, fits, &out);
            for (size_t i = 0; i < COUNT_OF(curves); i++)
                curve_print(&curves[i], &out);
            done = cli_print(&out, err);
            text_release(&out);
        }
    } else {
        done = false;
    }
    arena_release(&a);
    return done;
}
