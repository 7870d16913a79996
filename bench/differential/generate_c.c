// An experiment of random small kernels in C: generate_c SEED KERNELS FOLDER writes FOLDER/experiment.yaml, body.h, kernels.cu
// and reference.c. The kernels' bodies are the same text for the host's compiler and for those of both vendors, and use what C
// defines: unsigned arithmetic that wraps, shifts below the width, divisions by what is not zero, conversions of numbers that
// fit, f32 and f64 operations that IEEE 754 rounds. Every word must be the host's.
// SPDX-License-Identifier: Apache-2.0
#include "differential.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { STATEMENTS = 24, DEPTH_MAX = 2, BLOCK = 96, GRID = 2, WORDS = 12, TEXT_MAX = 512 };

// Clang 14 to 19 take unsigned divisions of what they know to be sign-extended for divisions of 24 bits, and give other results
// on AMD (docs/differential.md): none, which is 0, hides what is divided.
// Statements: $u a uint32_t, $l a uint64_t, $f a float, $d a double of the thread's; the first is written. # a small number.
static const char *const statements[] = {
    "$u = $u + $u;",
    "$u = $u - $u * #u;",
    "$u = $u * $u + $u;",
    "$u = ($u & $u) | ($u & ~$u);",
    "$u = $u ^ $u ^ $u;",
    "$u = ($u | $u) & $u;",
    "$u = ~($u ^ $u);",
    "$u = $u << ($u & 31);",
    "$u = $u >> #;",
    "$u = (uint32_t)((int32_t)$u >> ($u & 31));",
    "$u = $u << # | $u >> (32 - #);",
    "$u = ($u ^ (uint32_t)s->none) / (($u ^ (uint32_t)s->none) | 1);",
    "$u = ($u ^ (uint32_t)s->none) % (($u ^ (uint32_t)s->none) | 1);",
    "$u = (uint32_t)((int32_t)$u / (int32_t)(($u & 0x7fff) | 1));",
    "$u = (uint32_t)((int32_t)$u % (int32_t)(($u & 0x7fff) | 1));",
    "$u = (uint32_t)(((uint64_t)$u * $u) >> 32);",
    "$u = (uint32_t)(((int64_t)(int32_t)$u * (int32_t)$u) >> 32);",
    "$u = ($u & 0xffffff) * ($u & 0xffffff) + $u;",
    "$u = $u < $u ? $u : $u;",
    "$u = (int32_t)$u < (int32_t)$u ? $u : $u;",
    "$u = larger(smaller($u, $u), $u);",
    "$u = signed_larger(signed_smaller($u, $u), $u);",
    "$u = $u > $u ? $u - $u : $u + #u;",
    "$u = ($u >> #) & 0xff;",
    "$u = (uint32_t)(int8_t)($u >> 8) + (uint32_t)(int16_t)$u;",
    "$u = (uint32_t)(uint8_t)$u * (uint16_t)$u;",
    "$u = ($u & 0x00ff00ff) << 8 | (($u >> 8) & 0x00ff00ff);",
    "$u = ($u & 0xffff0000u) | ($u >> 16);",
    "$u = (uint32_t)$l + (uint32_t)($l >> 32);",
    "$u = ($u == $u) + ($u < $u) * 2u + ($l > $l) * 4u;",
    "$l = $l + $l;",
    "$l = $l - $l;",
    "$l = $l * $l + $u;",
    "$l = ($l ^ $l) & ~($l & $l);",
    "$l = $l << ($u & 63);",
    "$l = $l >> ($u & 63);",
    "$l = (uint64_t)((int64_t)$l >> #);",
    "$l = (uint64_t)$u << 32 | $u;",
    "$l = (uint64_t)(int64_t)(int32_t)$u;",
    "$l = (uint64_t)$u * $u + $l;",
    "$l = ($l ^ s->none) / (($l ^ s->none) | 1);",
    "$l = ($l ^ s->none) % (((uint64_t)$u ^ s->none) | 1);",
    "$l = (int64_t)$l < (int64_t)$l ? $l : $l;",
    "$f = $f + $f;",
    "$f = $f - $f * #u;",
    "$f = $f * $f;",
    "$f = fmaf($f, $f, $f);",
    "$f = $f / $f;",
    "$f = sqrtf(fabsf($f));",
    "$f = $f < $f ? $f : -$f;",
    "$f = (float)$u;",
    "$f = (float)(int32_t)$u;",
    "$f = (float)$d;",
    "$f = floorf($f) + truncf($f);",
    "$f = of_bits($u);",
    "$u = bits_of($f);",
    "$u = whole_of($f);",
    "$u = ($f < $f) + ($f == $f) * 2u + ($f != $f) * 4u + ($d >= $d) * 8u;",
    "$d = $d + $d;",
    "$d = $d * $d - $d;",
    "$d = fma($d, $d, $d);",
    "$d = $d / $d;",
    "$d = sqrt(fabs($d));",
    "$d = (double)$f;",
    "$d = (double)(int32_t)$u;",
    "$d = (double)(int64_t)$l;",
    "$d = of_bits_64($l);",
    "$l = bits_of_64($d);",
    "$u = whole_of_64($d);",
    "w[$u & 7] = $u;",
    "$u = w[$u & 7] + #u;",
};
enum { STATEMENT_COUNT = sizeof statements / sizeof statements[0] };

static const char head[] =
    "// Random kernels in C: made by bench/differential/generate_c.c.\n"
    "// SPDX-License-Identifier: Apache-2.0\n"
    "FUNCTION uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }\n"
    "FUNCTION uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }\n"
    "FUNCTION uint32_t signed_larger(uint32_t a, uint32_t b) { return (int32_t)a > (int32_t)b ? a "
    ": b; }\n"
    "FUNCTION uint32_t signed_smaller(uint32_t a, uint32_t b) { return (int32_t)a < (int32_t)b ? a "
    ": b; }\n"
    "FUNCTION float of_bits(uint32_t x) { union { uint32_t u; float f; } v; v.u = x; return v.f; "
    "}\n"
    "FUNCTION double of_bits_64(uint64_t x) { union { uint64_t u; double d; } v; v.u = x; return "
    "v.d; }\n"
    "// Bits of NaNs are left open: all are one.\n"
    "FUNCTION uint32_t bits_of(float x) { union { uint32_t u; float f; } v; v.f = x; return x != x "
    "? 0x7fc00000u : v.u; }\n"
    "FUNCTION uint64_t bits_of_64(double x)\n"
    "{ union { uint64_t u; double d; } v; v.d = x; return x != x ? 0x7ff8000000000000u : v.u; }\n"
    "// Conversions of what does not fit are left open.\n"
    "FUNCTION uint32_t whole_of(float x) { return x > -2e9f && x < 2e9f ? (uint32_t)(int32_t)x : "
    "7u; }\n"
    "FUNCTION uint32_t whole_of_64(double x) { return x > -2e9 && x < 2e9 ? (uint32_t)(int32_t)x : "
    "7u; }\n"
    "struct state { uint32_t u[4]; uint64_t l[2]; float f[3]; double d[2]; uint32_t t; uint64_t "
    "none; };\n"
    "FUNCTION void state_load(struct state *s, const uint32_t *in)\n"
    "{\n"
    "    for (int i = 0; i < 4; i++) s->u[i] = in[i];\n"
    "    for (int i = 0; i < 2; i++) s->l[i] = (uint64_t)in[4 + i] << 32 | in[5 + i];\n"
    "    for (int i = 0; i < 3; i++) s->f[i] = of_bits(in[6 + i]);\n"
    "    s->d[0] = (double)of_bits(in[9]);\n"
    "    s->d[1] = of_bits_64((uint64_t)in[10] << 32 | in[11]);\n"
    "}\n"
    "FUNCTION void state_store(const struct state *s, uint32_t *out)\n"
    "{\n"
    "    for (int i = 0; i < 4; i++) out[i] = s->u[i];\n"
    "    out[4] = (uint32_t)s->l[0]; out[5] = (uint32_t)(s->l[0] >> 32);\n"
    "    out[6] = (uint32_t)s->l[1] ^ (uint32_t)(s->l[1] >> 32);\n"
    "    for (int i = 0; i < 3; i++) out[7 + i] = bits_of(s->f[i]);\n"
    "    for (int i = 0; i < 2; i++)\n"
    "        out[10 + i] = (uint32_t)bits_of_64(s->d[i]) ^ (uint32_t)(bits_of_64(s->d[i]) >> 32) * "
    "3u;\n"
    "}\n";

struct writer {
    FILE *out;
    struct random random;
};

static void write_statement(struct writer *w, int depth)
{
    static const struct {
        char letter, count;
    } pools[] = {{'u', 4}, {'l', 2}, {'f', 3}, {'d', 2}};
    const char *p = statements[random_below(&w->random, STATEMENT_COUNT)];
    uint32_t number = 1 + random_below(&w->random, 30);
    fprintf(w->out, "%*s", 4 * depth, "");
    for (; *p; p++) {
        if (*p == '#') {
            fprintf(w->out, "%u", number);
            continue;
        }
        if (*p != '$') {
            fputc(*p, w->out);
            continue;
        }
        p++;
        for (size_t i = 0; i < sizeof pools / sizeof pools[0]; i++)
            if (pools[i].letter == *p)
                fprintf(w->out, "s->%c[%u]", *p,
                        random_below(&w->random, (uint32_t)pools[i].count));
    }
    fputc('\n', w->out);
}

static void write_block(struct writer *w, int count, int depth, int level)
{
    for (int i = 0; i < count; i++) {
        uint32_t kind = level < DEPTH_MAX ? random_below(&w->random, 10) : 9;
        if (kind == 0) {
            fprintf(w->out, "%*sif (s->u[%u] %c s->u[%u]) {\n", 4 * depth, "",
                    random_below(&w->random, 4), random_below(&w->random, 2) ? '<' : '&',
                    random_below(&w->random, 4));
            write_block(w, 3, depth + 1, level + 1);
            fprintf(w->out, "%*s} else {\n", 4 * depth, "");
            write_block(w, 2, depth + 1, level + 1);
            fprintf(w->out, "%*s}\n", 4 * depth, "");
        } else if (kind == 1) { // lanes leave at different times
            fprintf(w->out, "%*sfor (uint32_t i%d = 0, n%d = s->u[%u] & 7; i%d < n%d; i%d++) {\n",
                    4 * depth, "", level, level, random_below(&w->random, 4), level, level, level);
            write_block(w, 3, depth + 1, level + 1);
            fprintf(w->out, "%*s}\n", 4 * depth, "");
        } else {
            write_statement(w, depth);
        }
    }
}

static void write_body(struct writer *w, int kernel, const char *phase)
{
    fprintf(w->out,
            "FUNCTION void k%d_%s(struct state *s)\n{\n    uint32_t w[8] = {s->t, 1, 2, 3, 4, 5, "
            "6, 7};\n",
            kernel, phase);
    write_block(w, STATEMENTS / 2, 1, 0);
    fprintf(w->out, "    s->u[0] += w[s->u[1] & 7];\n}\n");
}

// Between its halves a work-group exchanges words through shared memory; sums of all threads go to the last word.
static void write_kernels(FILE *out, int kernels)
{
    fprintf(
        out,
        "#include <stdint.h>\n#define FUNCTION static __device__ inline\n#include \"body.h\"\n");
    for (int k = 0; k < kernels; k++)
        fprintf(
            out,
            "extern \"C\" __global__ void k%d(uint32_t *out, uint32_t base, const uint32_t "
            "*in, uint64_t none)\n{\n    out += base;\n"
            "    __shared__ uint32_t tile[%d];\n    struct state s;\n"
            "    uint32_t t = blockIdx.x * %du + threadIdx.x;\n    s.t = t;\n    s.none = none;\n"
            "    state_load(&s, in + t * %du);\n    k%d_first(&s);\n"
            "    tile[threadIdx.x] = s.u[0];\n    __syncthreads();\n"
            "    s.u[1] ^= tile[(threadIdx.x * 5u + %du) %% %du];\n    k%d_second(&s);\n"
            "    state_store(&s, out + t * %du);\n    atomicAdd(out + %du, s.u[2]);\n}\n",
            k, BLOCK, BLOCK, WORDS, k, k, BLOCK, k, WORDS, GRID * BLOCK * WORDS);
}

static void write_reference(FILE *out, int kernels)
{
    fprintf(
        out,
        "#include <math.h>\n#include <stdint.h>\n#define FUNCTION static inline\n#include "
        "\"body.h\"\n"
        "static void exchange(struct state *s, uint32_t c)\n{\n    uint32_t tile[%d];\n"
        "    for (uint32_t t = 0; t < %du; t++) tile[t] = s[t].u[0];\n"
        "    for (uint32_t t = 0; t < %du; t++) s[t].u[1] ^= tile[(t * 5u + c) %% %du];\n}\n"
        "void kernels_ref(uint32_t *out, const uint32_t *in)\n{\n    static struct state s[%d];\n",
        BLOCK, BLOCK, BLOCK, BLOCK, BLOCK);
    for (int k = 0; k < kernels; k++)
        fprintf(out,
                "    for (uint32_t g = 0; g < %du; g++) {\n"
                "        for (uint32_t t = 0; t < %du; t++) {\n"
                "            s[t].t = g * %du + t;\n            s[t].none = 0;\n"
                "            state_load(&s[t], in + (g * %du + t) * %du);\n            "
                "k%d_first(&s[t]);\n        }\n"
                "        exchange(s, %du);\n"
                "        for (uint32_t t = 0; t < %du; t++) {\n            k%d_second(&s[t]);\n"
                "            state_store(&s[t], out + %du + (g * %du + t) * %du);\n"
                "            out[%du] = (g | t ? out[%du] : 0) + s[t].u[2];\n        }\n    }\n",
                GRID, BLOCK, BLOCK, BLOCK, WORDS, k, k, BLOCK, k,
                (uint32_t)k * (GRID * BLOCK * WORDS + 1), BLOCK, WORDS,
                (uint32_t)(k + 1) * (GRID * BLOCK * WORDS + 1) - 1,
                (uint32_t)(k + 1) * (GRID * BLOCK * WORDS + 1) - 1);
    fprintf(out, "}\n");
}

static void write_experiment(FILE *out, int kernels)
{
    fprintf(out,
            "experiment: random-kernels\ntitle: Random kernels in C\nsource: kernels.cu\n"
            "reference: {call: \"reference.c:kernels_ref\", args: [out, in]}\nflags: "
            "--fmad=false\nbuffers:\n"
            "  out: {type: u32, count: %d, output: true}\n"
            "  in: {type: u32, count: %d, fill: \"file(input.bin)\"}\nwork: {bytes: 4}\n"
            "variants:\n  - name: all\n    launches:\n      - {zero: out}\n",
            kernels * (GRID * BLOCK * WORDS + 1), GRID * BLOCK * WORDS);
    for (int k = 0; k < kernels; k++)
        fprintf(out,
                "      - {kernel: k%d, grid: [%d], block: [%d], args: [out, {value: %d, type: "
                "u32}, in, {value: 0, type: u64}]}\n",
                k, GRID, BLOCK, k * (GRID * BLOCK * WORDS + 1));
}

static FILE *file_in(const char *folder, const char *name)
{
    char path[TEXT_MAX];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "w");
    if (!out) {
        perror(path);
        exit(1);
    }
    return out;
}

int main(int count, char **words)
{
    if (count != 4) {
        fprintf(stderr, "usage: generate_c SEED KERNELS FOLDER\n");
        return 2;
    }
    uint64_t seed = strtoull(words[1], NULL, 10);
    int kernels = atoi(words[2]); // NOLINT(cert-err34-c): a wrong one makes no kernels
    static uint32_t input[THREADS_MAX * IN_WORDS];
    struct writer w = {.out = file_in(words[3], "body.h"), .random = {seed}};
    fputs(head, w.out);
    for (int k = 0; k < kernels; k++) {
        write_body(&w, k, "first");
        write_body(&w, k, "second");
    }
    bool done = fclose(w.out) == 0;
    FILE *out = file_in(words[3], "kernels.cu");
    write_kernels(out, kernels);
    done &= fclose(out) == 0;
    out = file_in(words[3], "reference.c");
    write_reference(out, kernels);
    done &= fclose(out) == 0;
    out = file_in(words[3], "experiment.yaml");
    write_experiment(out, kernels);
    done &= fclose(out) == 0;
    input_fill(seed, 0, input);
    out = file_in(words[3], "input.bin");
    done &= fwrite(input, 4, GRID * BLOCK * WORDS, out) == GRID * BLOCK * WORDS;
    done &= fclose(out) == 0;
    return done ? 0 : 1;
}
