// Fills and comparisons on several threads: the values of a seed are those of one thread, to the bit,
// and of the worst elements the first one is named, wherever the pieces and parts end.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/experiment.h"
#include "experiment/internal.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#undef fail

static struct arena arena;
static struct error err;

/* ---- fills -------------------------------------------------------------------------------------------- */

static void load_filled(const char *type, const char *fill, int count, struct experiment **e)
{
    char folder[] = "/tmp/ridge_data_XXXXXX";
    assert_non_null(mkdtemp(folder));
    const char *path = path_join(&arena, folder, "experiment.yaml");
    const char *source = path_join(&arena, folder, "k.cu");
    const char *text =
        arena_printf(&arena,
                     "experiment: data\nsource: k.cu\n"
                     "buffers: {x: {type: %s, count: %d, fill: '%s'}}\n"
                     "variants: [{name: a, kernel: k, grid: 1, block: 1, args: [x]}]\n",
                     type, count, fill);
    assert_true(file_write(path, text, strlen(text), &err));
    assert_true(file_write(source, "", 0, &err));
    bool loaded = experiment_load(&arena, path, e, &err);
    (void)(remove(path) | remove(source) | rmdir(folder));
    assert_true(loaded);
}

static uint64_t digest_of(const char *type, const char *fill)
{
    static const struct device_facts device = {.cc = 9};
    struct experiment *e = NULL;
    struct case_point *cases = NULL;
    struct resolved_case c;
    struct host_buffers b;
    int count = 0;
    load_filled(type, fill, 200003, &e);
    assert_true(experiment_cases(&arena, e, NULL, 0, &cases, &count, &err));
    assert_true(experiment_resolve_case(&arena, e, cases, &device, &c, &err));
    assert_true(buffers_fill(e, &c, cases, 1, &b, &err));
    uint64_t digest = hash64(b.data[0], c.buffers[0].size_bytes, 0);
    buffers_release(&b);
    return digest;
}

// Made by the program before it filled on threads: a recorded seed means the same numbers for ever.
static void a_seed_means_the_same_numbers_as_ever(void **state)
{
    (void)state;
    static const struct {
        const char *type, *fill;
        uint64_t digest;
    } known[] = {
        {"f32", "uniform(-1,1)", 0x1a5cdce9939aded8u},
        {"f64", "uniform(-1,1)", 0xb53720aac119cfe3u},
        {"bf16", "uniform(-1,1)", 0x164b66dbeda88377u},
        {"f16", "uniform(-2,3)", 0x9d79282549cf76dbu},
        {"i32", "uniform(-1000,1000)", 0xe0c629b7af9c5387u},
        {"u8", "integers(0,255)", 0x79d30853e5f3b29au},
        {"i32", "integers(-7,90)", 0x4969ef8161f16ffeu},
        {"f32", "integers(0,9)", 0x8642d77fd6578236u},
        {"u32", "zipf(1.1,4096)", 0xbb286950ee82014bu},
        {"u16", "iota", 0xe937c1ef47f152a7u},
        {"f32", "constant(0.5)", 0x9f40c0fcaaec96bcu},
    };
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        uint64_t got = digest_of(known[i].type, known[i].fill);
        if (got != known[i].digest)
            print_error("%s %s: %016" PRIx64 "\n", known[i].type, known[i].fill, got);
        assert_true(got == known[i].digest);
    }
}

// Two sparse matrices' rows: as long as each other but for chance; most of them empty.
static void rows_begin_where_the_ones_before_end(void **state)
{
    (void)state;
    static const struct device_facts device = {.cc = 9};
    enum { ROWS = 70000, ALL = 16 * ROWS };
    for (int power = 1; power <= 64; power += 63) {
        struct experiment *e = NULL;
        struct case_point *cases = NULL;
        struct resolved_case c;
        struct host_buffers b;
        int count = 0, empty = 0;
        load_filled("i32", arena_printf(&arena, "starts(%d,%d)", ALL, power), ROWS + 1, &e);
        assert_true(experiment_cases(&arena, e, NULL, 0, &cases, &count, &err));
        assert_true(experiment_resolve_case(&arena, e, cases, &device, &c, &err));
        assert_true(buffers_fill(e, &c, cases, 1, &b, &err));
        const int32_t *starts = b.data[0];
        int longest = 0;
        assert_int_equal(starts[0], 0);
        assert_int_equal(starts[ROWS], ALL);
        for (int i = 0; i < ROWS; i++) {
            int length = starts[i + 1] - starts[i];
            assert_true(length >= 0);
            empty += length == 0;
            longest = length > longest ? length : longest;
        }
        assert_true(power == 1 ? longest <= 33 && empty < ROWS / 10
                               : longest > 500 && empty > ROWS / 2);
        buffers_release(&b);
    }
}

/* ---- halves ------------------------------------------------------------------------------------------- */

// By arithmetic, where element.c works on bits.
static double value_of(uint16_t bits, int mantissa, int bias)
{
    int exponent = (bits & 0x7fff) >> mantissa, fraction = bits & ((1 << mantissa) - 1);
    double m = exponent == 0 ? ldexp(fraction, 1 - bias - mantissa)
                             : ldexp(fraction + (1 << mantissa), exponent - bias - mantissa);
    return (bits & 0x8000) != 0 ? -m : m;
}

static void check_halves(enum element_type t, int mantissa, int bias)
{
    uint16_t infinity = (uint16_t)(0x7fff >> mantissa << mantissa);
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        uint16_t h = (uint16_t)bits, back = 0;
        double value = element_load(t, &h);
        if ((h & 0x7fff) > infinity) {
            assert_true(isnan(value));
            continue;
        }
        if ((h & 0x7fff) == infinity) {
            assert_true(isinf(value) && (signbit(value) != 0) == (h >> 15 != 0));
            continue;
        }
        assert_true(value == value_of(h, mantissa, bias));
        assert_true(element_store(t, value, &back));
        assert_int_equal(back, h);
        // Half-way to the next one: to the even of both; a little less or more: to the nearer.
        uint16_t next = (uint16_t)(h + 1);
        double far = (next & 0x7fff) == infinity ? ldexp(value > 0 ? 1 : -1, bias + 1)
                                                 : value_of(next, mantissa, bias);
        double middle = value / 2 + far / 2;
        (void)element_store(t, middle, &back);
        assert_int_equal(back, (h & 1) != 0 ? next : h);
        (void)element_store(t, nextafter(middle, value), &back);
        assert_int_equal(back, h);
        (void)element_store(t, nextafter(middle, far), &back);
        assert_int_equal(back, next);
    }
}

static void halves_are_rounded_to_nearest_even(void **state)
{
    (void)state;
    check_halves(ELEMENT_F16, 10, 15);
    check_halves(ELEMENT_BF16, 7, 127);
}

// All 256 of them, by the definition; in between to the nearest, ties to even; beyond the largest that one.
static void e4m3_is_rounded_to_nearest_even_and_saturates(void **state)
{
    (void)state;
    uint8_t back = 0;
    for (int bits = 0; bits < 256; bits++) {
        int exponent = bits >> 3 & 15, fraction = bits & 7;
        uint8_t stored = (uint8_t)bits;
        double value = element_load(ELEMENT_E4M3, &stored);
        if ((bits & 0x7f) == 0x7f) {
            assert_true(isnan(value));
            continue;
        }
        double size =
            exponent == 0 ? fraction * 0x1p-9 : (1 + fraction / 8.0) * pow(2, exponent - 7);
        assert_true(value == (bits < 128 ? size : -size));
        assert_true(element_store(ELEMENT_E4M3, value, &back));
        assert_int_equal(back, bits);
        uint8_t next = (uint8_t)(bits + 1);
        if ((next & 0x7f) == 0x7f) {
            continue;
        }
        double middle = (value + element_load(ELEMENT_E4M3, &next)) / 2;
        assert_true(element_store(ELEMENT_E4M3, middle, &back));
        assert_int_equal(back, (bits & 1) != 0 ? next : bits);
    }
    assert_false(element_store(ELEMENT_E4M3, -1e9, &back));
    assert_int_equal(back, 0xfe);
    (void)element_store(ELEMENT_E4M3, (double)NAN, &back);
    assert_int_equal(back & 0x7f, 0x7f);
}

/* ---- comparisons -------------------------------------------------------------------------------------- */

enum { COUNT = 3 * ELEMENTS_PER_PIECE + 1500 };

static const struct buffer_spec near_f32 = {
    .type = ELEMENT_F32, .output = true, .tolerance_rel = 1e-4, .tolerance_abs = 1e-6};

static float *numbers(void)
{
    float *x = xcalloc(COUNT, sizeof *x);
    for (int i = 0; i < COUNT; i++)
        x[i] = 1.0F + (float)(i % 1000) / 1000;
    return x;
}

static struct output_difference compare_parts(const struct buffer_spec *spec, const float *got,
                                              const float *wanted, uint64_t part)
{
    struct output_difference d = {.buffer = 0};
    for (uint64_t at = 0; at < COUNT; at += part)
        output_compare(spec, got + at, wanted + at, at, COUNT - at < part ? COUNT - at : part, &d);
    assert_true(d.count == COUNT);
    return d;
}

static void the_first_of_the_worst_is_named_wherever_parts_end(void **state)
{
    (void)state;
    float *wanted = numbers(), *got = numbers();
    static const uint64_t parts[] = {COUNT, ELEMENTS_PER_PIECE, 1024, 70001};
    for (int i = 5; i < COUNT; i += 3) // right, and a little off
        got[i] = nextafterf(got[i], 3);
    for (size_t k = 0; k < COUNT_OF(parts); k++) {
        struct output_difference d = compare_parts(&near_f32, got, wanted, parts[k]);
        assert_true(d.wrong_count == 0 && d.rank == RANK_RIGHT);
        assert_int_equal(d.index, 5); // all differ by one step of [1, 2)
        assert_true(d.absolute == 0x1p-23);
    }
    // Two as wrong as each other in different pieces, one less wrong before them.
    got[70] += 1;
    got[ELEMENTS_PER_PIECE + 1023] = wanted[ELEMENTS_PER_PIECE + 1023] + 4;
    got[3 * ELEMENTS_PER_PIECE + 1499] = wanted[3 * ELEMENTS_PER_PIECE + 1499] + 4;
    for (size_t k = 0; k < COUNT_OF(parts); k++) {
        struct output_difference d = compare_parts(&near_f32, got, wanted, parts[k]);
        assert_int_equal(d.wrong_count, 3);
        assert_int_equal(d.index, ELEMENTS_PER_PIECE + 1023);
    }
    free(wanted);
    free(got);
}

static void a_single_element_is_seen_wherever_it_is(void **state)
{
    (void)state;
    static const int places[] = {
        0, 1, 1023, 1024, ELEMENTS_PER_PIECE - 1, ELEMENTS_PER_PIECE, COUNT - 1};
    static const float values[] = {(float)NAN, (float)INFINITY, 1e30F, -1};
    float *wanted = numbers(), *got = numbers();
    for (size_t p = 0; p < COUNT_OF(places); p++)
        for (size_t v = 0; v < COUNT_OF(values); v++) {
            float before = got[places[p]];
            got[places[p]] = values[v];
            struct output_difference d = compare_parts(&near_f32, got, wanted, COUNT);
            assert_int_equal(d.wrong_count, 1);
            assert_int_equal(d.index, places[p]);
            got[places[p]] = before;
        }
    free(wanted);
    free(got);
}

// As the sums of compare.c: of all elements, wherever parts end, and rows that are passed over too.
static void errors_are_of_all_elements_wherever_parts_end(void **state)
{
    (void)state;
    static const uint64_t parts[] = {COUNT, 4096, ELEMENTS_PER_PIECE + 1024};
    float *wanted = numbers(), *got = numbers();
    double ulp_squares = 0, squares = 0, wanted_squares = 0;
    for (size_t i = 0; i < COUNT; i++) {
        int32_t bits, more = i == 77 ? 9 : i % 5 == 0 ? 2 : 0;
        memcpy(&bits, &got[i], sizeof bits);
        bits += more; // so many ulp
        memcpy(&got[i], &bits, sizeof bits);
        double off = (double)got[i] - (double)wanted[i];
        ulp_squares += (double)(more * more);
        squares += off * off;
        wanted_squares += (double)wanted[i] * (double)wanted[i];
    }
    for (size_t p = 0; p < COUNT_OF(parts); p++) {
        struct output_errors e = compare_parts(&near_f32, got, wanted, parts[p]).errors;
        assert_int_equal(e.count, COUNT);
        assert_true(e.ulp_max == 9);
        assert_true(e.ulp_squares == ulp_squares);
        assert_true(fabs(e.squares / squares - 1) < 1e-12);
        assert_true(fabs(e.wanted_squares / wanted_squares - 1) < 1e-12);
    }
    free(wanted);
    free(got);
}

// By its rows each pattern of bits is the number that it is by itself, and errors are those of these numbers.
static void narrow_numbers_are_compared_as_they_are_loaded(void **state)
{
    (void)state;
    static const enum element_type types[] = {ELEMENT_F16, ELEMENT_BF16, ELEMENT_E4M3};
    enum { PATTERNS = 65536, AHEAD = 3 };
    unsigned char *got = xcalloc(PATTERNS, 2), *wanted = xcalloc(PATTERNS, 2);
    float *wide = xcalloc(PATTERNS, sizeof *wide);
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        size_t n = element_bytes(types[t]), patterns = n == 1 ? 256 : PATTERNS, count = 0;
        struct buffer_spec spec = {.type = types[t], .tolerance_rel = 0.5, .tolerance_abs = 1};
        struct output_difference d = {.buffer = 0};
        double squares = 0, wanted_squares = 0;
        for (size_t i = 0; i < patterns; i++)
            memcpy(got + i * n, &(uint16_t){(uint16_t)i}, n);
        elements_widen(types[t], got, patterns, wide);
        for (size_t i = 0; i < patterns; i++) {
            double one = element_load(types[t], got + i * n);
            assert_true((double)wide[i] == one || (isnan(wide[i]) && isnan(one)));
        }
        for (size_t i = 0; i + AHEAD < patterns; i++) { // neighbours, where both are numbers
            unsigned char *g = got + count * n, *w = wanted + count * n;
            memcpy(g, &(uint16_t){(uint16_t)i}, n);
            memcpy(w, &(uint16_t){(uint16_t)(i + AHEAD)}, n);
            double a = element_load(types[t], g), b = element_load(types[t], w);
            if (!isfinite(a) || !isfinite(b) || signbit(a) != signbit(b))
                continue;
            squares += (a - b) * (a - b);
            wanted_squares += b * b;
            count++;
        }
        output_compare(&spec, got, wanted, 0, count, &d);
        assert_int_equal(d.errors.count, count);
        assert_true(d.errors.ulp_max == AHEAD);
        assert_true(d.errors.ulp_squares == (double)count * AHEAD * AHEAD);
        assert_true(fabs(d.errors.squares / squares - 1) < 1e-12);
        assert_true(fabs(d.errors.wanted_squares / wanted_squares - 1) < 1e-12);
    }
    free(got);
    free(wanted);
    free(wide);
}

// Neighbours of 0 are one apart, on both sides; whole numbers have no such errors.
static void ulps_are_counted_across_zero_and_by_the_type(void **state)
{
    (void)state;
    static const uint16_t got[] = {0x8001, 0x3f81}, wanted[] = {0x0001, 0x3f80};
    static const float small[] = {-1e-45F, 0.0F}, other[] = {1e-45F, -0.0F};
    struct buffer_spec bf16 = {.type = ELEMENT_BF16, .tolerance_abs = 1};
    struct buffer_spec whole = {.type = ELEMENT_U16, .tolerance_abs = 70000};
    struct output_difference d = {.buffer = 0}, f = {.buffer = 0}, u = {.buffer = 0};
    output_compare(&bf16, got, wanted, 0, 2, &d);
    assert_true(d.errors.ulp_max == 2 && d.errors.ulp_squares == 5);
    output_compare(&near_f32, small, other, 0, 2, &f);
    assert_true(f.errors.ulp_max == 2 && f.errors.ulp_squares == 4);
    output_compare(&whole, got, wanted, 0, 2, &u);
    assert_int_equal(u.errors.count, 0);
}

static void what_nobody_wrote_is_named_unless_something_is_wrong(void **state)
{
    (void)state;
    const struct resolved_buffer b = {.type = ELEMENT_F32, .count = 1, .size_bytes = 4};
    float *wanted = numbers(), *got = numbers();
    output_poison(&b, &got[ELEMENTS_PER_PIECE + 9], POISON_FIRST);
    output_poison(&b, &got[2 * ELEMENTS_PER_PIECE], POISON_FIRST);
    struct output_difference d = compare_parts(&near_f32, got, wanted, 4096);
    assert_int_equal(d.unwritten_count, 2);
    assert_int_equal(d.wrong_count, 2);
    assert_int_equal(d.index, ELEMENTS_PER_PIECE + 9);
    got[COUNT - 1] = 7;
    d = compare_parts(&near_f32, got, wanted, 4096);
    assert_int_equal(d.unwritten_count, 2);
    assert_int_equal(d.wrong_count, 3);
    assert_int_equal(d.index, COUNT - 1);
    free(wanted);
    free(got);
}

// A byte near to what it must be is right, even where it is the byte that outputs are poisoned with.
static void a_byte_within_its_tolerance_is_written(void **state)
{
    (void)state;
    const struct buffer_spec b = {.type = ELEMENT_U8, .output = true, .tolerance_abs = 1};
    const struct resolved_buffer one = {.type = ELEMENT_U8, .count = 1, .size_bytes = 1};
    unsigned char got[3];
    for (int i = 0; i < 3; i++)
        output_poison(&one, &got[i], POISON_FIRST);
    const unsigned char wanted[] = {got[0], (unsigned char)(got[0] - 1),
                                    (unsigned char)(got[0] + 2)};
    struct output_difference d = {.buffer = 0};
    output_compare(&b, got, wanted, 0, 3, &d);
    assert_int_equal(d.unwritten_count, 1);
    assert_int_equal(d.wrong_count, 1);
    assert_int_equal(d.index, 2);
}

static void the_poison_is_found_wherever_it_is(void **state)
{
    (void)state;
    const struct resolved_buffer b = {
        .type = ELEMENT_F32, .count = COUNT, .size_bytes = COUNT * sizeof(float)};
    float *first = numbers(), *second = numbers();
    output_poison(&b, first, POISON_FIRST);
    output_poison(&b, second, POISON_SECOND);
    struct unwritten u = output_unwritten(&b, first, second);
    assert_true(u.count == COUNT && u.first == 0);
    for (int i = 0; i < COUNT; i++)
        if (i != ELEMENTS_PER_PIECE + 1 && i != COUNT - 1)
            first[i] = 1;
    u = output_unwritten(&b, first, NULL);
    assert_true(u.count == 2 && u.first == ELEMENTS_PER_PIECE + 1);
    second[ELEMENTS_PER_PIECE + 1] = 1; // written, by a value that is the first poison
    u = output_unwritten(&b, first, second);
    assert_true(u.count == 1 && u.first == COUNT - 1);
    free(first);
    free(second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seed_means_the_same_numbers_as_ever),
        cmocka_unit_test(rows_begin_where_the_ones_before_end),
        cmocka_unit_test(halves_are_rounded_to_nearest_even),
        cmocka_unit_test(e4m3_is_rounded_to_nearest_even_and_saturates),
        cmocka_unit_test(the_first_of_the_worst_is_named_wherever_parts_end),
        cmocka_unit_test(a_single_element_is_seen_wherever_it_is),
        cmocka_unit_test(errors_are_of_all_elements_wherever_parts_end),
        cmocka_unit_test(narrow_numbers_are_compared_as_they_are_loaded),
        cmocka_unit_test(ulps_are_counted_across_zero_and_by_the_type),
        cmocka_unit_test(what_nobody_wrote_is_named_unless_something_is_wrong),
        cmocka_unit_test(a_byte_within_its_tolerance_is_written),
        cmocka_unit_test(the_poison_is_found_wherever_it_is),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_release(&arena);
    return failed;
}
