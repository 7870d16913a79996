// Texture fetches and surface accesses. A texture is rows of texels in device memory; an array's lie in tiles
// for the caches. Coordinates, filters and what lies outside: CUDA programming guide, "Texture Fetching"; the
// weights of the linear filter have 8 bits of fraction, as it says, rounded to nearest, and so have those of the four
// texels in two dimensions (an H200's, measured).
// SPDX-License-Identifier: Apache-2.0
#include "sim/run/texture.h"

#include "sim/alu/tensor_math.h"
#include "sim/model/cost.h"
#include "sim/observe/events.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { CHANNELS = 4, TAPS_MAX = 4, GROUP_LANES = 8, SECTORS_MAX = TAPS_MAX * GROUP_LANES * 2 };
static const double weight_steps = 256;

/* ---- objects --------------------------------------------------------------------------------------- */

#define TEXTURE_HANDLES UINT64_C(0x0074657800000001)
#define ARRAY_PLACES (DEVICE_BASE + ((uint64_t)1 << 38)) // beyond any device memory
enum { TILE_ROW_BYTES = 64, TILE_ROWS = 8 };             // of an array's tile, 512 bytes

static uint64_t array_bytes(const struct sim_texture *t)
{
    uint64_t across = (t->pitch_bytes + TILE_ROW_BYTES - 1) / TILE_ROW_BYTES;
    uint64_t down = t->rank > 1 ? (t->height + TILE_ROWS - 1) / TILE_ROWS : 1;
    return across * down * TILE_ROW_BYTES * TILE_ROWS;
}

static bool is_same_texture(const struct sim_texture *a, const struct sim_texture *b)
{
    bool same = a->address == b->address && a->width == b->width && a->height == b->height &&
                a->pitch_bytes == b->pitch_bytes && a->element == b->element &&
                a->rank == b->rank && a->channels == b->channels && a->surface == b->surface &&
                a->array == b->array && a->linear_filter == b->linear_filter &&
                a->normalized == b->normalized && a->read_normalized == b->read_normalized;
    for (int i = 0; i < SIM_TEXTURE_RANK_MAX; i++)
        same = same && a->mode[i] == b->mode[i];
    return same;
}

static bool is_same_array(const struct sim_texture *a, const struct sim_texture *b)
{
    return a->array && b->array && a->address == b->address && a->pitch_bytes == b->pitch_bytes &&
           a->height == b->height && a->rank == b->rank;
}

uint64_t sim_texture_open(struct sim *s, const struct sim_texture *t)
{
    struct texture fresh = {.is = *t, .place = t->address};
    bool placed = !t->array;
    for (size_t i = 0; i < s->texture_count; i++) {
        if (is_same_texture(&s->textures[i].is, t))
            return TEXTURE_HANDLES + i;
        if (!placed && is_same_array(&s->textures[i].is, t)) {
            fresh.place = s->textures[i].place;
            placed = true;
        }
    }
    if (!placed) {
        fresh.place = ARRAY_PLACES + s->array_bytes;
        s->array_bytes += array_bytes(t);
    }
    VEC_PUSH(s->textures, s->texture_count, s->texture_capacity, fresh);
    return TEXTURE_HANDLES + s->texture_count - 1;
}

const struct texture *texture_find(const struct sim *s, uint64_t handle)
{
    uint64_t i = handle - TEXTURE_HANDLES;
    return i < s->texture_count ? &s->textures[i] : NULL;
}

static unsigned element_bytes_of(const struct sim_texture *t)
{
    return (unsigned)ptx_type_bits(t->element) / 8;
}

static unsigned texel_bytes(const struct sim_texture *t)
{
    return element_bytes_of(t) * (unsigned)t->channels;
}

// Byte x of row y for the caches. In an array: tiles of 64 bytes by 8 rows, within which 16 bytes of two rows
// are a sector (NVIDIA, Tegra X1 technical reference manual, "Block Linear").
static uint64_t place_of(const struct texture *t, uint64_t x, uint64_t y)
{
    if (!t->is.array || t->is.rank < 2)
        return t->place + y * t->is.pitch_bytes + x;
    uint64_t across = (t->is.pitch_bytes + TILE_ROW_BYTES - 1) / TILE_ROW_BYTES;
    uint64_t tile = y / TILE_ROWS * across + x / TILE_ROW_BYTES;
    return t->place + tile * TILE_ROW_BYTES * TILE_ROWS + x % 64 / 32 * 256 + y % 8 / 2 * 64 +
           x % 32 / 16 * 32 + y % 2 * 16 + x % 16;
}

/* ---- one request: the texels of a group of lanes ------------------------------------------------------------- */

struct request {
    struct warp *w;
    const struct uop *u;
    const struct texture_op *op;
    const struct mem_op *m;
    uint32_t mask;
    unsigned bytes; // of a texel, or a lane's access of a surface
    int taps;
    uint32_t tap_mask[TAPS_MAX];
    uint64_t address[TAPS_MAX][LANES]; // in device memory
    struct {
        uint64_t sector;
        uint32_t bytes; // touched: bits
    } sectors[SECTORS_MAX];
    int sector_count;
};

static void request_touch(struct request *r, uint64_t place, unsigned bytes)
{
    uint64_t sector = place / SECTOR_BYTES;
    uint32_t touched = (uint32_t)((((uint64_t)1 << bytes) - 1) << place % SECTOR_BYTES);
    for (int i = r->sector_count - 1; i >= 0; i--) // neighbours touch the same
        if (r->sectors[i].sector == sector) {
            r->sectors[i].bytes |= touched;
            return;
        }
    r->sectors[r->sector_count].sector = sector;
    r->sectors[r->sector_count++].bytes = touched;
}

// The bytes at x of row y, for a lane: counted, and where they are. NULL after a violation: what the texture
// spans is not all there.
static uint8_t *request_bytes(struct request *r, const struct texture *t, uint32_t lane, int tap,
                              uint64_t x, uint64_t y)
{
    struct space *space = &r->w->core->launch->sim->space;
    uint64_t address = t->is.address + y * t->is.pitch_bytes + x;
    bool write = r->op->access >= SURFACE_WRITE;
    if (!lane_bounded(space, address, r->bytes, write)) {
        violation_global(r->w, r->u, lane, address, r->bytes, write ? TOUCH_WRITE : TOUCH_READ);
        return NULL;
    }
    r->address[tap][lane] = address;
    r->tap_mask[tap] |= UINT32_C(1) << lane;
    r->taps = tap + 1 > r->taps ? tap + 1 : r->taps;
    uint64_t place = place_of(t, x, y);
    unsigned first =
        SECTOR_BYTES / 2 - (unsigned)(x % (SECTOR_BYTES / 2)); // to the tile's next piece
    first = r->bytes < first ? r->bytes : first;
    request_touch(r, place, first);
    if (first < r->bytes)
        request_touch(r, place_of(t, x + first, y), r->bytes - first);
    return space_host(space, address);
}

static int by_sector(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b; // the struct's first member
    return *x < *y ? -1 : *x > *y;
}

static void lines_take(const struct request *r, struct access *out)
{
    static_assert((int)SECTORS_MAX <= (int)COUNT_OF(((struct access *)0)->line), "a line each");
    out->line_count = 0;
    out->sector_count = out->sector_ideal = r->sector_count;
    for (int i = 0; i < r->sector_count; i++) {
        uint64_t line = r->sectors[i].sector / SECTORS_PER_LINE * LINE_BYTES;
        if (out->line_count == 0 || out->line[out->line_count - 1].address != line)
            out->line[out->line_count++] = (struct access_line){.address = line};
        struct access_line *l = &out->line[out->line_count - 1];
        uint8_t bit = (uint8_t)(1u << r->sectors[i].sector % SECTORS_PER_LINE);
        l->sectors |= bit;
        l->full_sectors |= r->sectors[i].bytes == UINT32_MAX ? bit : 0;
    }
}

static unsigned filter_cycles(const struct request *r)
{
    return texture_filter_cycles(r->w->core->launch->gpu, (int)lane_count(r->mask));
}

static void request_tell(struct request *r)
{
    struct mem_state *s = &r->w->core->mem[r->u->extra];
    struct access *access = &r->w->core->access_out;
    bool write = r->op->access >= SURFACE_WRITE;
    struct event e = {.kind = EVENT_TEXTURE,
                      .u = r->u,
                      .mask = r->mask,
                      .touch = write ? TOUCH_WRITE : TOUCH_READ,
                      .bytes = r->bytes,
                      .access = access,
                      .passes = filter_cycles(r),
                      .taps = (unsigned)r->taps,
                      .tap_masks = r->tap_mask,
                      .address = r->address[0]};
    qsort(r->sectors, (size_t)r->sector_count, sizeof r->sectors[0], by_sector);
    lines_take(r, access);
    e.sectors = (unsigned)access->sector_count;
    s->requests++;
    s->sectors += (uint64_t)access->sector_count;
    s->lines += (uint64_t)access->line_count;
    if (is_heard(r->w, EVENT_TEXTURE))
        event_send(r->w, &e);
}

/* ---- coordinates ------------------------------------------------------------------------------------- */

// A coordinate as texels: 0.5 is the middle of the first. What is no number is 0. Whole turns are taken away
// where they change nothing.
static double in_texels(const struct sim_texture *t, int dimension, float at)
{
    double size = (double)(dimension == 0 ? t->width : t->height), x = (double)at;
    bool wraps = t->mode[dimension] == SIM_TEXTURE_WRAP;
    if (isnan(x))
        return 0;
    if (!t->normalized)
        return x;
    if (wraps || t->mode[dimension] == SIM_TEXTURE_MIRROR)
        return isinf(x) ? 0 : (wraps ? x - floor(x) : x - 2 * floor(x / 2)) * size;
    return x * size;
}

// The texel of that index; -1: there is none, and its value is 0. A mirror turns whole texels round, not the
// place between two (as an H200 does).
static int64_t index_inside(const struct sim_texture *t, int dimension, double index)
{
    double size = (double)(dimension == 0 ? t->width : t->height);
    enum sim_texture_mode mode = t->mode[dimension];
    if (index >= 0 && index < size)
        return (int64_t)index;
    if (mode == SIM_TEXTURE_BORDER)
        return -1;
    if (mode == SIM_TEXTURE_WRAP && t->normalized)
        return (int64_t)(index < 0 ? size - 1 : 0);
    if (mode == SIM_TEXTURE_MIRROR && t->normalized) {
        double turned = index < 0 ? -1 - index : 2 * size - 1 - index;
        return (int64_t)(turned < 0 ? 0 : turned); // index 2 * size is the first of the next turn
    }
    return (int64_t)(index < 0 ? 0 : size - 1);
}

struct taps { // of one dimension: two texels and the second's weight
    int64_t index[2];
    double weight;
    int count;
};

static struct taps taps_at(const struct sim_texture *t, int dimension, float at)
{
    double x = in_texels(t, dimension, at);
    struct taps out = {.count = 1};
    if (!t->linear_filter) {
        out.index[0] = index_inside(t, dimension, floor(x));
        return out;
    }
    double low = floor(x - 0.5), part = x - 0.5 - low;
    out.weight = isinf(x) ? 0 : floor(part * weight_steps + 0.5) / weight_steps;
    out.index[0] = index_inside(t, dimension, low);
    out.index[1] = index_inside(t, dimension, low + 1);
    out.count = 2;
    return out;
}

// A fetch by integers: linear memory of one dimension has zeros outside, whatever its mode.
static struct taps taps_of_index(const struct sim_texture *t, int dimension, int32_t at)
{
    int64_t size = (int64_t)(dimension == 0 ? t->width : t->height);
    struct taps out = {.count = 1, .index = {at, at}};
    if (at < 0 || at >= size)
        out.index[0] = t->rank == 1 && !t->array ? -1 : index_inside(t, dimension, at);
    return out;
}

/* ---- texels -------------------------------------------------------------------------------------------- */

static uint32_t word_of(float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static float value_of(uint32_t word)
{
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

// An element's bits in 32: a float, or an integer with its sign.
static uint32_t element_word(const struct sim_texture *t, const uint8_t *p)
{
    unsigned bytes = element_bytes_of(t);
    bool is_signed = ptx_type_kind(t->element) == PTX_KIND_SIGNED;
    uint32_t v = 0, sign = UINT32_C(1) << (8 * bytes - 1);
    memcpy(&v, p, bytes);
    if (t->element == PTX_TYPE_F16)
        return word_of(tensor_value(PTX_TYPE_F16, v));
    return is_signed && bytes < 4 && (v & sign) != 0 ? v | ~(2 * sign - 1) : v;
}

static double element_value(const struct sim_texture *t, const uint8_t *p)
{
    uint32_t word = element_word(t, p);
    unsigned bits = 8 * element_bytes_of(t);
    if (!t->read_normalized)
        return (double)value_of(word);
    if (ptx_type_kind(t->element) == PTX_KIND_SIGNED)
        return fmax((double)(int32_t)word / (double)((1 << (bits - 1)) - 1), -1);
    return (double)word / (double)((UINT32_C(1) << bits) - 1);
}

static void texel_take(const struct sim_texture *t, const uint8_t *p, double weight,
                       double sum[CHANNELS])
{
    for (int c = 0; c < t->channels; c++)
        sum[c] += weight * element_value(t, p + (size_t)c * element_bytes_of(t));
}

static void texel_words(const struct sim_texture *t, const uint8_t *p, uint32_t out[CHANNELS])
{
    for (int c = 0; c < t->channels; c++)
        out[c] = t->read_normalized
                     ? word_of((float)element_value(t, p + (size_t)c * element_bytes_of(t)))
                     : element_word(t, p + (size_t)c * element_bytes_of(t));
}

/* ---- fetches --------------------------------------------------------------------------------------------- */

static const struct texture *texture_of(struct request *r, uint32_t lane)
{
    uint64_t handle = row64(r->w, r->op->handle)[lane];
    const struct texture *t = texture_find(r->w->core->launch->sim, handle);
    bool surface = r->op->access != TEXTURE_READ;
    const char *what = surface ? "surface" : "texture";
    if (t == NULL || t->is.surface != surface) {
        violation_add(r->w, SIM_TRAP, r->u->site, lane, handle,
                      "uses a %s object that is none: give the kernel {%s: BUFFER, size: [...]}",
                      what, what);
        return NULL;
    }
    if (t->is.rank != r->op->rank) {
        violation_add(r->w, SIM_TRAP, r->u->site, lane, 0,
                      "uses a %s of %d dimension%s with %d coordinate%s", what, t->is.rank,
                      plural(t->is.rank), r->op->rank, plural(r->op->rank));
        return NULL;
    }
    if (!surface && !r->op->whole && t->is.rank == 1 && !t->is.array) {
        violation_add(r->w, SIM_TRAP, r->u->site, lane, 0,
                      "fetches by a coordinate from a texture in linear memory: tex1Dfetch, or "
                      "'memory: array'");
        return NULL;
    }
    return t;
}

static void result_give(struct request *r, uint32_t lane, const uint32_t word[CHANNELS])
{
    for (unsigned c = 0; c < r->m->vector; c++)
        if (r->m->reg[c] != NO_ROW)
            row32(r->w, r->m->reg[c])[lane] = word[c];
}

static bool fetch_lane(struct request *r, const struct texture *t, uint32_t lane)
{
    struct taps across = {.count = 1}, down = {.count = 1};
    uint32_t word[CHANNELS] = {0};
    double sum[CHANNELS] = {0};
    struct taps *dimension[] = {&across, &down};
    for (int i = 0; i < r->op->rank; i++) {
        uint32_t at = row32(r->w, r->op->at[i])[lane];
        *dimension[i] =
            r->op->whole ? taps_of_index(&t->is, i, (int32_t)at) : taps_at(&t->is, i, value_of(at));
    }
    bool filtered = across.count > 1;
    double both = floor(across.weight * down.weight * weight_steps + 0.5) / weight_steps;
    const double weights[TAPS_MAX] = {1 - across.weight - down.weight + both, across.weight - both,
                                      down.weight - both, both};
    for (int j = 0; j < down.count; j++)
        for (int i = 0; i < across.count; i++) {
            if (across.index[i] < 0 || down.index[j] < 0)
                continue;
            const uint8_t *p =
                request_bytes(r, t, lane, j * 2 + i, (uint64_t)across.index[i] * r->bytes,
                              (uint64_t)down.index[j]);
            if (p == NULL)
                return false;
            if (filtered)
                texel_take(&t->is, p, weights[j * 2 + i], sum);
            else
                texel_words(&t->is, p, word);
        }
    for (int c = 0; c < CHANNELS && filtered; c++)
        word[c] = word_of((float)sum[c]);
    result_give(r, lane, word);
    return true;
}

/* ---- surfaces -------------------------------------------------------------------------------------------- */

// Where the lane's bytes are; *inside false: they are not to be touched. false: a violation.
static bool surface_place(struct request *r, const struct texture *t, uint32_t lane, uint64_t at[2],
                          bool *inside)
{
    bool texels = r->op->access == SURFACE_WRITE_TEXELS;
    int64_t unit = texels ? texel_bytes(&t->is) : 1;
    int64_t last[2] = {(int64_t)t->is.pitch_bytes - (int64_t)r->bytes, (int64_t)t->is.height - 1};
    *inside = true;
    at[1] = 0;
    for (int i = 0; i < r->op->rank; i++) {
        int64_t x = (int32_t)row32(r->w, r->op->at[i])[lane] * (i == 0 ? unit : 1);
        if (i == 0 && x % (int64_t)r->bytes != 0) {
            violation_add(
                r->w, SIM_MISALIGNED, r->u->site, lane, 0,
                "accesses %u bytes of a surface at byte %lld of its row: x is in bytes, a "
                "multiple of the access",
                r->bytes, (long long)x);
            return false;
        }
        bool outside = x < 0 || x > last[i];
        if (outside && r->op->outside == OUTSIDE_TRAP) {
            violation_add(r->w, SIM_OUT_OF_BOUNDS, r->u->site, lane, 0,
                          "accesses a surface outside of it: %s is %lld, and it has %llu %s",
                          i == 0 ? "x in bytes" : "y", (long long)x,
                          (unsigned long long)(i == 0 ? t->is.pitch_bytes : t->is.height),
                          i == 0 ? "bytes per row" : "rows");
            return false;
        }
        *inside = *inside && !(outside && r->op->outside == OUTSIDE_ZERO);
        at[i] = (uint64_t)(x < 0 ? 0 : x > last[i] ? last[i] : x);
    }
    return true;
}

static void surface_load(struct request *r, uint32_t lane, const uint8_t *p)
{
    for (unsigned c = 0; c < r->m->vector; c++) {
        uint64_t v = 0;
        if (p != NULL)
            memcpy(&v, p + (size_t)c * r->m->bytes, r->m->bytes);
        if (r->m->reg[c] == NO_ROW)
            continue;
        if (r->m->width == 64)
            row64(r->w, r->m->reg[c])[lane] = v;
        else
            row32(r->w, r->m->reg[c])[lane] = (uint32_t)v;
    }
}

// sust.p: a register of 32 bits per channel, in the texel's format.
static void texel_store(struct request *r, const struct sim_texture *t, uint32_t lane, uint8_t *p)
{
    unsigned bytes = element_bytes_of(t);
    for (unsigned c = 0; c < (unsigned)t->channels; c++) {
        uint32_t v = c < r->m->vector ? row32(r->w, r->m->reg[c])[lane] : 0;
        if (t->element == PTX_TYPE_F16)
            v = tensor_raw(PTX_TYPE_F16, value_of(v));
        memcpy(p + (size_t)c * bytes, &v, bytes);
    }
}

static bool surface_lane(struct request *r, const struct texture *t, uint32_t lane)
{
    uint64_t at[2];
    bool inside;
    if (!surface_place(r, t, lane, at, &inside))
        return false;
    uint8_t *p = inside ? request_bytes(r, t, lane, 0, at[0], at[1]) : NULL;
    if (inside && p == NULL)
        return false;
    if (r->op->access == SURFACE_READ)
        surface_load(r, lane, p);
    else if (p != NULL && r->op->access == SURFACE_WRITE)
        stored_value(r->w, r->m, lane, p);
    else if (p != NULL)
        texel_store(r, &t->is, lane, p);
    return true;
}

// The unit takes a warp in requests: fetches by coordinates of 4 lanes, all others of 8 (an H200's counters:
// l1tex__t_requests_pipe_tex of tests/device/texture.cu).
static uint32_t group_of(const struct texture_op *op, uint32_t lane)
{
    uint32_t lanes = op->access == TEXTURE_READ && !op->whole ? 4 : 8;
    return ((UINT32_C(1) << lanes) - 1) << lane / lanes * lanes;
}

static bool run_request(struct request *r)
{
    EACH_LANE(lane, r->mask)
    {
        const struct texture *t = texture_of(r, lane);
        if (t == NULL)
            return false;
        bool whole_texel = r->op->access == TEXTURE_READ || r->op->access == SURFACE_WRITE_TEXELS;
        r->bytes = whole_texel ? texel_bytes(&t->is) : (unsigned)r->m->bytes * r->m->vector;
        if (!(r->op->access == TEXTURE_READ ? fetch_lane(r, t, lane) : surface_lane(r, t, lane)))
            return false;
    }
    request_tell(r);
    return true;
}

// more: struct texture_op; extra: struct mem_op, whose registers are the data's.
const struct uop *op_texture(struct warp *w, const struct uop *u)
{
    const struct program *program = w->core->launch->program;
    uint32_t mask = guard_mask(w, u);
    if (mask == 0)
        return u + 1;
    while (mask != 0) {
        struct request r = {
            .w = w, .u = u, .op = &program->texture_ops[u->more], .m = &program->mem_ops[u->extra]};
        uint32_t group = group_of(r.op, (uint32_t)lane_first(mask));
        r.mask = mask & group;
        mask &= ~group;
        if (!run_request(&r))
            return warp_stop(w, u);
    }
    w->pc = u + 1;
    return NULL;
}
