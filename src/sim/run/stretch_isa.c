// What runs a stretch (stretch.h), compiled once for each instruction set (SIM_ISA).
// SPDX-License-Identifier: Apache-2.0
#include "sim/run/stretch.h"
#include "sim/paste.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

enum { HALF = LANES / 2 };

// A stretch that runs: where each group's first lane points to, without the offset of the load.
struct going {
    uint8_t *regs;
    const struct group_state *groups;
    const uint8_t *from[STRETCH_GROUPS];
};

/* ---- loads and multiply-adds --------------------------------------------------------------- */

#if defined(__AVX512F__) || (defined(__AVX2__) && defined(__FMA__))
#if defined(__AVX512F__)
enum { PARTS = 2 }; // of a row
typedef __m512 part;

static inline part part_load(const uint8_t *p)
{
    return _mm512_loadu_ps(p);
}
static inline void part_store(uint8_t *p, part v)
{
    _mm512_storeu_ps(p, v);
}
static inline part part_splat(const uint8_t *p)
{
    int32_t v;
    memcpy(&v, p, sizeof(v));
    return _mm512_castsi512_ps(_mm512_set1_epi32(v));
}
static inline part part_gather(const uint8_t *from, const struct group_state *g, size_t i)
{
    if (g->shape == GROUP_OTHER)
        return _mm512_i32gather_ps(_mm512_load_si512(g->delta + HALF * i), from, 1);
    const uint8_t *low = from + g->lowest;
    return _mm512_permutex2var_ps(_mm512_loadu_ps(low), _mm512_load_si512(g->word + HALF * i),
                                  _mm512_loadu_ps(low + 64));
}
static inline part part_fma(part a, part b, part c)
{
    return _mm512_fmadd_ps(a, b, c);
}
static inline part part_canon(part v)
{
    __m512i canon = _mm512_set1_epi32(0x7fffffff);
    return _mm512_mask_mov_ps(v, _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q),
                              _mm512_castsi512_ps(canon));
}
#else
enum { PARTS = 4 };
typedef __m256 part;

static inline part part_load(const uint8_t *p)
{
    return _mm256_loadu_ps((const float *)(const void *)p);
}
static inline void part_store(uint8_t *p, part v)
{
    _mm256_storeu_ps((float *)(void *)p, v);
}
static inline part part_splat(const uint8_t *p)
{
    int32_t v;
    memcpy(&v, p, sizeof(v));
    return _mm256_castsi256_ps(_mm256_set1_epi32(v));
}
static inline part part_gather(const uint8_t *from, const struct group_state *g, size_t i)
{
    const __m256i *delta = (const __m256i *)(const void *)(g->delta + 8 * i);
    return _mm256_i32gather_ps((const float *)(const void *)from, _mm256_load_si256(delta), 1);
}
static inline part part_fma(part a, part b, part c)
{
    return _mm256_fmadd_ps(a, b, c);
}
static inline part part_canon(part v)
{
    __m256i canon = _mm256_set1_epi32(0x7fffffff);
    return _mm256_blendv_ps(v, _mm256_castsi256_ps(canon), _mm256_cmp_ps(v, v, _CMP_UNORD_Q));
}
#endif

static inline void row_fetch(const struct going *r, const struct step_load *load, part out[PARTS])
{
    const struct group_state *g = &r->groups[load->group];
    const uint8_t *from = r->from[load->group] + load->offset, *half = from + g->half;
    enum { PER_HALF = PARTS / 2 };
    if (g->shape == GROUP_SPLAT) {
        part low = part_splat(from), high = part_splat(half);
        for (size_t i = 0; i < PER_HALF; i++) {
            out[i] = low;
            out[PER_HALF + i] = high;
        }
    } else if (g->shape == GROUP_ROWS) {
        for (size_t i = 0; i < PER_HALF; i++) {
            out[i] = part_load(from + i * sizeof(part));
            out[PER_HALF + i] = part_load(half + i * sizeof(part));
        }
    } else {
        for (size_t i = 0; i < PARTS; i++)
            out[i] = part_gather(from, g, i);
    }
}

static inline void row_load(const struct going *r, uint32_t row, part out[PARTS])
{
    for (size_t i = 0; i < PARTS; i++)
        out[i] = part_load(r->regs + row + i * sizeof(part));
}

static void step_load(const struct going *r, const struct step *s)
{
    part word[PARTS];
    row_fetch(r, &s->left, word);
    for (size_t i = 0; i < PARTS; i++)
        part_store(r->regs + s->d + i * sizeof(part), word[i]);
}

// And those that continue it; returns the last. A NaN stays one, so that it is made canonical at the end.
static const struct step *step_fma(const struct going *r, const struct step *s)
{
    part sum[PARTS], a[PARTS], b[PARTS];
    row_load(r, s->c, sum);
    for (;; s++) {
        if (s->kind == STEP_FMA)
            row_load(r, s->a, a);
        else
            row_fetch(r, &s->left, a);
        if (s->kind == STEP_LOADS_FMA)
            row_fetch(r, &s->right, b);
        else
            row_load(r, s->b, b);
        for (size_t i = 0; i < PARTS; i++)
            sum[i] = part_fma(a[i], b[i], sum[i]);
        if (!s[1].continues)
            break;
    }
    for (size_t i = 0; i < PARTS; i++)
        part_store(r->regs + s->d + i * sizeof(part), part_canon(sum[i]));
    return s;
}

#else

static void words_fetch(const struct going *r, const struct step_load *load, uint8_t *d)
{
    const struct group_state *g = &r->groups[load->group];
    const uint8_t *from = r->from[load->group] + load->offset;
    for (size_t i = 0; i < LANES; i++)
        memcpy(d + 4 * i, from + (int32_t)g->delta[i], 4);
}

static void step_load(const struct going *r, const struct step *s)
{
    words_fetch(r, &s->left, r->regs + s->d);
}

static const struct step *step_fma(const struct going *r, const struct step *s)
{
    _Alignas(64) uint8_t left[ROW32], right[ROW32];
    const uint8_t *a = r->regs + s->a, *b = r->regs + s->b;
    if (s->kind != STEP_FMA) {
        words_fetch(r, &s->left, left);
        a = left;
    }
    if (s->kind == STEP_LOADS_FMA) {
        words_fetch(r, &s->right, right);
        b = right;
    }
    s->fn(r->regs + s->d, a, b, r->regs + s->c, r->regs + s->e, s->imm);
    return s;
}
#endif

/* ---- the stretch --------------------------------------------------------------------------- */

// All of the group's lanes lie as they did, and within the block's memory.
static bool group_enter(const struct warp *w, const struct stretch_group *group,
                        const struct group_state *g, const uint8_t **from)
{
    uint32_t low[LANES];
    const uint32_t *near = (const uint32_t *)(const void *)(w->regs + group->base);
    if (group->wide) {
        const uint64_t *far = (const uint64_t *)(const void *)near;
        for (size_t i = 0; i < LANES; i++)
            low[i] = (uint32_t)far[i];
        near = low;
    }
    int64_t base = (int32_t)near[0];
    if ((base & 3) != 0 || base + group->low + g->lowest < 0 ||
        base + group->high + g->highest > (int64_t)w->core->launch->shared_bytes)
        return false;
    uint32_t differ = 0;
    for (size_t i = 0; i < LANES; i++)
        differ |= (near[i] - near[0]) ^ g->delta[i];
    if (differ != 0)
        return false;
    *from = w->block->shared + base;
    return true;
}

#define RUN PASTE(stretch_run_, SIM_ISA)
extern bool RUN(struct warp *w, const struct stretch *s, const struct group_state *g);
bool RUN(struct warp *w, const struct stretch *s, const struct group_state *g)
{
    struct going r; // most of it stays as it is
    r.regs = w->regs;
    r.groups = g;
    for (uint32_t i = 0; i < s->group_count; i++)
        if (!group_enter(w, &s->groups[i], &g[i], &r.from[i]))
            return false;
    const struct step *end = s->steps + s->step_count;
    for (const struct step *x = s->steps; x < end; x++)
        switch (x->kind) {
        case STEP_ALU:
            x->fn(r.regs + x->d, r.regs + x->a, r.regs + x->b, r.regs + x->c, r.regs + x->e,
                  x->imm);
            break;
        case STEP_LOAD:
            step_load(&r, x);
            break;
        case STEP_FMA:
        case STEP_LOAD_FMA:
        case STEP_LOADS_FMA:
            x = step_fma(&r, x);
            break;
        }
    return true;
}
