// c = a b in double: columns of b packed into panels, rows dealt to threads.
// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef double lanes __attribute__((vector_size(64), aligned(64)));
enum { LANES = 8, PANEL = 2, WIDE = PANEL * LANES, ROWS = 4, THREADS_MAX = 64 };
#if defined(__x86_64__)
#define WIDEST __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDEST
#endif

struct share {
    float *c;
    const float *a;
    const lanes *b; // panels of K rows of WIDE columns
    int m, n, k, first, step;
};

// ROWS rows by a panel.
WIDEST static void block(const float *const a[ROWS], const lanes *b, int k, lanes out[ROWS][PANEL])
{
    lanes sum[ROWS][PANEL] = {0};
    for (int x = 0; x < k; x++, b += PANEL)
        for (int r = 0; r < ROWS; r++) {
            sum[r][0] += (double)a[r][x] * b[0];
            sum[r][1] += (double)a[r][x] * b[1];
        }
    memcpy(out, sum, sizeof sum);
}

static void *rows(void *context)
{
    const struct share *s = context;
    for (int j = 0; j < s->n; j += WIDE)
        for (int i = ROWS * s->first; i < s->m; i += ROWS * s->step) {
            const float *a[ROWS];
            lanes sum[ROWS][PANEL];
            for (int r = 0; r < ROWS; r++)
                a[r] = s->a + (size_t)(i + r < s->m ? i + r : i) * (size_t)s->k;
            block(a, s->b + (size_t)(j / WIDE) * (size_t)s->k * PANEL, s->k, sum);
            for (int r = 0; r < ROWS && i + r < s->m; r++)
                for (int x = 0; x < WIDE && j + x < s->n; x++)
                    s->c[(size_t)(i + r) * (size_t)s->n + (size_t)(j + x)] =
                        (float)sum[r][x / LANES][x % LANES];
        }
    return NULL;
}

static lanes *packed(const float *b, int n, int k)
{
    size_t panels = (size_t)(n + WIDE - 1) / WIDE;
    double *to = aligned_alloc(64, panels * (size_t)k * WIDE * sizeof *to), *at = to;
    if (to == NULL)
        abort();
    for (size_t p = 0; p < panels; p++)
        for (int x = 0; x < k; x++)
            for (int j = (int)p * WIDE; j < ((int)p + 1) * WIDE; j++)
                *at++ = j < n ? (double)b[(size_t)x * (size_t)n + (size_t)j] : 0;
    return (lanes *)to;
}

void matmul_ref(float *c, const float *a, const float *b, int M, int N, int K)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    int threads = cpus < 1 ? 1 : cpus > THREADS_MAX ? THREADS_MAX : (int)cpus;
    lanes *panels = packed(b, N, K);
    pthread_t thread[THREADS_MAX];
    struct share share[THREADS_MAX];
    for (int i = 0; i < threads; i++) {
        share[i] = (struct share){c, a, panels, M, N, K, i, threads};
        if (i > 0 && pthread_create(&thread[i], NULL, rows, &share[i]) != 0)
            abort();
    }
    rows(&share[0]);
    for (int i = 1; i < threads; i++)
        (void)pthread_join(thread[i], NULL);
    free(panels);
}
