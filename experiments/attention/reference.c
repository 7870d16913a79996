// o = softmax(q k^T / sqrt(128)) v in double, rounded to bf16 at the end. Keys turned round, so that eight of them
// are worked on at once; queries dealt to threads.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef double lanes __attribute__((vector_size(64), aligned(64)));
enum { D = 128, LANES = 8, ROWS = 4, PANEL = 256, THREADS_MAX = 64 };
#if defined(__x86_64__)
#define WIDEST __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDEST
#endif

struct share {
    uint16_t *o;
    const uint16_t *q;
    const lanes *k, *v; // of a head: k by panels of eight keys, v by rows
    double *scores;     // ROWS times the keys, rounded up
    int length, first, step;
};

static double widened(uint16_t from)
{
    uint32_t bits = (uint32_t)from << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

// To the nearest, ties to even.
static uint16_t narrowed(double value)
{
    float f = (float)value;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// Scores of eight keys for ROWS queries.
WIDEST static void eight_scores(const double q[ROWS][D], const lanes *k, double *scores, size_t pitch)
{
    lanes sum[ROWS] = {0};
    for (int d = 0; d < D; d++)
        for (int r = 0; r < ROWS; r++)
            sum[r] += q[r][d] * k[d];
    for (int r = 0; r < ROWS; r++)
        memcpy(scores + (size_t)r * pitch, &sum[r], sizeof sum[r]);
}

// Weighted rows of v, an eighth of their columns at a time.
WIDEST static void weigh(const double *scores, size_t pitch, const lanes *v, int length, lanes out[ROWS][2])
{
    memset(out, 0, sizeof(lanes) * ROWS * 2);
    lanes sum[ROWS][2] = {0};
    for (int j = 0; j < length; j++)
        for (int r = 0; r < ROWS; r++)
            for (int i = 0; i < 2; i++)
                sum[r][i] += scores[(size_t)r * pitch + (size_t)j] * v[(size_t)j * (D / LANES) + (size_t)i];
    memcpy(out, sum, sizeof sum);
}

static void query_rows(const struct share *s, int row)
{
    double q[ROWS][D], total[ROWS] = {0};
    size_t pitch = ((size_t)s->length + LANES - 1) / LANES * LANES;
    for (int r = 0; r < ROWS; r++)
        for (int d = 0; d < D; d++)
            q[r][d] = widened(s->q[(size_t)(row + r < s->length ? row + r : row) * D + (size_t)d]);
    for (size_t j = 0; j < pitch; j += LANES)
        eight_scores(q, s->k + j / LANES * D, s->scores + j, pitch);
    for (int r = 0; r < ROWS; r++) {
        double *x = s->scores + (size_t)r * pitch, most = x[0];
        for (int j = 1; j < s->length; j++)
            most = x[j] > most ? x[j] : most;
        for (int j = 0; j < s->length; j++)
            total[r] += x[j] = exp((x[j] - most) / sqrt((double)D));
    }
    for (int c = 0; c < D / LANES; c += 2) {
        lanes out[ROWS][2];
        weigh(s->scores, pitch, s->v + c, s->length, out);
        for (int r = 0; r < ROWS && row + r < s->length; r++)
            for (int i = 0; i < 2 * LANES; i++)
                s->o[(size_t)(row + r) * D + (size_t)(c * LANES + i)] =
                    narrowed(out[r][i / LANES][i % LANES] / total[r]);
    }
}

static void *queries(void *context)
{
    const struct share *s = context;
    for (int row = ROWS * s->first; row < s->length; row += ROWS * s->step)
        query_rows(s, row);
    return NULL;
}

static void *room(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (p == NULL)
        abort();
    return p;
}

static void head(uint16_t *o, const uint16_t *q, const uint16_t *k, const uint16_t *v, int L)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    int threads = cpus < 1 ? 1 : cpus > THREADS_MAX ? THREADS_MAX : (int)cpus;
    size_t length = (size_t)L, pitch = (length + LANES - 1) / LANES * LANES;
    double *ks = room(pitch * D * sizeof *ks), *vs = room(length * D * sizeof *vs);
    for (size_t j = 0; j < pitch; j++)
        for (size_t d = 0; d < D; d++)
            ks[(j / LANES * D + d) * LANES + j % LANES] = j < length ? widened(k[j * D + d]) : 0;
    for (size_t i = 0; i < length * D; i++)
        vs[i] = widened(v[i]);
    pthread_t thread[THREADS_MAX];
    struct share share[THREADS_MAX];
    for (int i = 0; i < threads; i++) {
        share[i] = (struct share){o, q, (const lanes *)ks, (const lanes *)vs, room(ROWS * pitch * sizeof(double)),
                                  L, i, threads};
        if (i > 0 && pthread_create(&thread[i], NULL, queries, &share[i]) != 0)
            abort();
    }
    queries(&share[0]);
    for (int i = 0; i < threads; i++) {
        if (i > 0)
            (void)pthread_join(thread[i], NULL);
        free(share[i].scores);
    }
    free(ks);
    free(vs);
}

void attention_ref(uint16_t *o, const uint16_t *q, const uint16_t *k, const uint16_t *v, int H, int L)
{
    for (int h = 0; h < H; h++) {
        size_t at = (size_t)h * (size_t)L * D;
        head(o + at, q + at, k + at, v + at, L);
    }
}
