// Functions that compilers leave to the system: printf, malloc, free, assert, and the C library's
// mathematics (clang without a toolkit calls sinf, NVVM's __nv_sinf). Arguments and results are in
// the caller's .param variables, which lie in local memory.
// SPDX-License-Identifier: Apache-2.0
#include "sim/run/exec.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* ---- arguments and memory ------------------------------------------------------------------ */

uint8_t *local_at(const struct warp *w, uint64_t offset, uint32_t lane)
{
    return w->local + offset / 4 * ROW32 + (size_t)lane * 4 + offset % 4;
}

static uint64_t argument(const struct warp *w, const struct call *call, int i, uint32_t lane)
{
    uint64_t value = 0;
    if (i >= call->arg_count)
        return 0;
    uint64_t at = w->frame->local_base + call->args[i];
    for (unsigned j = 0; j < call->arg_sizes[i] && j < 8; j++) {
        uint64_t byte = *local_at(w, at + j, lane);
        value |= byte << 8 * j;
    }
    return value;
}

static void result(struct warp *w, const struct call *call, uint32_t lane, uint64_t value)
{
    if (call->result_count == 0)
        return;
    uint64_t at = w->frame->local_base + call->results[0];
    for (unsigned j = 0; j < call->result_sizes[0] && j < 8; j++)
        *local_at(w, at + j, lane) = (uint8_t)(value >> 8 * j);
}

// Reads bytes of the generic space; false if they aren't there.
static bool generic_read(const struct warp *w, uint32_t lane, uint64_t address, void *out,
                         unsigned bytes)
{
    const struct launch *l = w->core->launch;
    uint8_t *d = out;
    for (unsigned i = 0; i < bytes; i++, address++) {
        if (address - LOCAL_WINDOW < l->local_bytes)
            d[i] = *local_at(w, address - LOCAL_WINDOW, lane);
        else if (address - SHARED_WINDOW < l->shared_bytes)
            d[i] = w->block->shared[address - SHARED_WINDOW];
        else if (lane_bounded(&l->sim->space, address, 1, false))
            d[i] = *space_host(&l->sim->space, address);
        else
            return false;
    }
    return true;
}

static void generic_string(const struct warp *w, uint32_t lane, uint64_t address, char *out,
                           size_t size)
{
    size_t n = 0;
    while (n + 1 < size && generic_read(w, lane, address + n, &out[n], 1) && out[n] != '\0')
        n++;
    out[n] = '\0';
}

/* ---- printf -------------------------------------------------------------------------------- */

enum { TEXT_MAX = 4096 };

struct printer {
    const struct warp *w;
    uint32_t lane;
    uint64_t args; // address of the next argument
    struct text out;
};

static uint64_t printer_argument(struct printer *p, unsigned bytes)
{
    uint64_t value = 0;
    p->args = (p->args + bytes - 1) / bytes * bytes;
    if (!generic_read(p->w, p->lane, p->args, &value, bytes))
        value = 0;
    p->args += bytes;
    return value;
}

// One conversion: `spec` is "%-8.3" with stars replaced, `length` counts l's.
static void printer_convert(struct printer *p, const char *spec, int length, char conversion)
{
    char piece[TEXT_MAX], full[80];
    if (strchr("diouxXc", conversion) != NULL) {
        bool is_signed = conversion == 'd' || conversion == 'i';
        uint64_t v = printer_argument(p, length > 0 ? 8 : 4);
        long long value = is_signed && length == 0 ? (int32_t)v : (long long)v;
        (void)snprintf(full, sizeof(full), conversion == 'c' ? "%s%c" : "%sll%c", spec, conversion);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        if (conversion == 'c')
            (void)snprintf(piece, sizeof(piece), full, (int)value);
        else
            (void)snprintf(piece, sizeof(piece), full, value);
    } else if (strchr("fFeEgGaA", conversion) != NULL) {
        uint64_t bits = printer_argument(p, 8);
        double value;
        memcpy(&value, &bits, 8);
        (void)snprintf(full, sizeof(full), "%s%c", spec, conversion);
        (void)snprintf(piece, sizeof(piece), full, value);
    } else if (conversion == 's') {
        char string[TEXT_MAX];
        generic_string(p->w, p->lane, printer_argument(p, 8), string, sizeof(string));
        (void)snprintf(full, sizeof(full), "%ss", spec);
        (void)snprintf(piece, sizeof(piece), full, string);
#pragma GCC diagnostic pop
    } else if (conversion == 'p') {
        (void)snprintf(piece, sizeof(piece), "0x%" PRIx64, printer_argument(p, 8));
    } else {
        (void)snprintf(piece, sizeof(piece), "%c", conversion); // %% and what is no conversion
    }
    text_add(&p->out, piece);
}

// A width or precision from the text, as one given by a star at most 999: CUDA's output is a fixed
// buffer, and a kernel must not make the host write a gigabyte of blanks.
static const char *add_number(char *spec, size_t size, size_t *n, const char *f)
{
    enum { NUMBER_MAX = 999 };
    int value = 0;
    for (; *f >= '0' && *f <= '9'; f++)
        value = value > NUMBER_MAX ? value : value * 10 + (*f - '0');
    *n += (size_t)snprintf(spec + *n, size - *n, "%d", value > NUMBER_MAX ? NUMBER_MAX : value);
    return f - 1;
}

static const char *printer_spec(struct printer *p, const char *f)
{
    char spec[64] = "%";
    size_t n = 1;
    int length = 0;
    for (; *f != '\0' && strchr("-+ #0123456789.*hlLzjt", *f) != NULL; f++) {
        if (*f == '*')
            n += (size_t)snprintf(spec + n, sizeof(spec) - n, "%d",
                                  (int)(int32_t)printer_argument(p, 4) % 1000);
        else if (*f >= '1' && *f <= '9')
            f = add_number(spec, sizeof(spec), &n, f);
        else if (strchr("hlLzjt", *f) != NULL)
            length += *f == 'l' || *f == 'z' || *f == 'j' || *f == 't';
        else
            spec[n++] = *f;
        if (n > sizeof(spec) - 16)
            n = sizeof(spec) - 16;
        spec[n] = '\0';
    }
    if (*f == '\0')
        return f;
    printer_convert(p, spec, length, *f);
    return f + 1;
}

static void call_printf(struct warp *w, const struct call *call, uint32_t mask)
{
    const struct sim_launch *options = w->core->launch->options;
    EACH_LANE(lane, mask)
    {
        char fmt[TEXT_MAX];
        struct printer p = {.w = w, .lane = lane, .args = argument(w, call, 1, lane)};
        generic_string(w, lane, argument(w, call, 0, lane), fmt, sizeof(fmt));
        for (const char *f = fmt; *f != '\0';) {
            if (*f == '%') {
                f = printer_spec(&p, f + 1);
            } else {
                size_t n = strcspn(f, "%");
                text_addn(&p.out, f, n);
                f += n;
            }
        }
        int written = (int)p.out.length;
        if (options->printf_sink != NULL)
            written = options->printf_sink(options->printf_context, text_str(&p.out), p.out.length);
        text_release(&p.out);
        result(w, call, lane, (uint64_t)written);
    }
}

/* ---- the heap ------------------------------------------------------------------------------ */

// Sizes are powers of two with a header of 16 bytes that holds the class; freed pieces of a class
// are a list through their first word.
enum { HEAP_HEADER = 16, HEAP_SMALLEST = 4 };

static uint64_t *heap_word(struct sim *s, uint64_t address)
{
    return (uint64_t *)(void *)space_host(&s->space, address);
}

static uint64_t heap_alloc(struct sim *s, uint64_t bytes)
{
    unsigned class = HEAP_SMALLEST;
    while (class < HEAP_CLASSES && ((uint64_t)1 << class) < bytes)
        class ++;
    if (bytes == 0 || class >= HEAP_CLASSES)
        return 0;
    uint64_t piece = s->heap_free[class];
    if (piece != 0) {
        s->heap_free[class] = *heap_word(s, piece);
        return piece;
    }
    uint64_t need = ((uint64_t)1 << class) + HEAP_HEADER;
    if (s->heap_next + need > s->heap_address + HEAP_BYTES)
        return 0;
    piece = s->heap_next + HEAP_HEADER;
    *heap_word(s, s->heap_next) = class;
    s->heap_next += need;
    return piece;
}

static bool heap_free(struct sim *s, uint64_t address)
{
    if (address == 0)
        return true;
    if (address < s->heap_address + HEAP_HEADER || address >= s->heap_next || address % 16 != 0)
        return false;
    uint64_t class = *heap_word(s, address - HEAP_HEADER);
    if (class < HEAP_SMALLEST || class >= HEAP_CLASSES)
        return false;
    *heap_word(s, address) = s->heap_free[class];
    s->heap_free[class] = address;
    return true;
}

/* ---- mathematics --------------------------------------------------------------------------- */

static float rsqrtf(float x)
{
    return 1.0f / sqrtf(x);
}
static double rsqrt(double x)
{
    return 1.0 / sqrt(x);
}
static float rcbrtf(float x)
{
    return 1.0f / cbrtf(x);
}
static double rcbrt(double x)
{
    return 1.0 / cbrt(x);
}

// clang-format off
#define UNARY(X) \
    X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) \
    X(atanh) X(exp) X(exp2) X(exp10) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sqrt) \
    X(rsqrt) X(cbrt) X(rcbrt) X(fabs) X(floor) X(ceil) X(trunc) X(round) X(rint) \
    X(nearbyint) X(erf) X(erfc) X(tgamma) X(lgamma) X(logb) X(j0) X(j1) X(y0) X(y1)
// clang-format on
#define BINARY(X) X(pow) X(atan2) X(fmod) X(remainder) X(hypot) X(fmin) X(fmax) X(copysign) X(fdim)

struct math_function {
    const char *name;
    float (*f1)(float);
    double (*d1)(double);
    float (*f2)(float, float);
    double (*d2)(double, double);
};
static const struct math_function MATH[] = {
#define X(name) {#name, name##f, name, NULL, NULL},
    UNARY(X)
#undef X
#define X(name) {#name, NULL, NULL, name##f, name},
        BINARY(X)
#undef X
            {"fma", NULL, NULL, NULL, NULL},
};

static float float_of(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float f;
    memcpy(&f, &low, 4);
    return f;
}

static double double_of(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, 8);
    return d;
}

static uint64_t math_float(const struct math_function *m, const uint64_t x[3])
{
    float a = float_of(x[0]), b = float_of(x[1]), r;
    if (m->f1 != NULL)
        r = m->f1(a);
    else
        r = m->f2 != NULL ? m->f2(a, b) : fmaf(a, b, float_of(x[2]));
    uint32_t bits;
    memcpy(&bits, &r, 4);
    return bits;
}

static uint64_t math_double(const struct math_function *m, const uint64_t x[3])
{
    double a = double_of(x[0]), b = double_of(x[1]), r;
    if (m->d1 != NULL)
        r = m->d1(a);
    else
        r = m->d2 != NULL ? m->d2(a, b) : fma(a, b, double_of(x[2]));
    uint64_t bits;
    memcpy(&bits, &r, 8);
    return bits;
}

/* ---- the table ----------------------------------------------------------------------------- */

enum { CALL_PRINTF, CALL_MALLOC, CALL_FREE, CALL_ASSERT, CALL_MATH, CALL_MATH_FLOAT = 1000 };
static const char *const SYSTEM_CALLS[CALL_MATH] = {"vprintf", "malloc", "free", "__assertfail"};

int external_find(const char *name)
{
    for (int i = 0; i < CALL_MATH; i++)
        if (strcmp(name, SYSTEM_CALLS[i]) == 0)
            return i;
    if (str_starts_with(name, "__nv_"))
        name += strlen("__nv_");
    if (str_starts_with(name, "fast_"))
        name += strlen("fast_");
    size_t length = strlen(name);
    for (size_t i = 0; i < COUNT_OF(MATH); i++)
        if (strcmp(name, MATH[i].name) == 0)
            return CALL_MATH + (int)i;
    for (size_t i = 0; i < COUNT_OF(MATH); i++)
        if (length == strlen(MATH[i].name) + 1 && name[length - 1] == 'f' &&
            strncmp(name, MATH[i].name, length - 1) == 0)
            return CALL_MATH_FLOAT + (int)i;
    return -1;
}

bool external_order_shows(int external)
{
    return external == CALL_PRINTF || external == CALL_MALLOC || external == CALL_FREE;
}

bool external_uses_heap(int external)
{
    return external == CALL_MALLOC || external == CALL_FREE;
}

static void call_assert(struct warp *w, const struct uop *u, const struct call *call, uint32_t mask)
{
    char condition[512], file[256], function[256];
    uint32_t lane = (uint32_t)lane_first(mask);
    generic_string(w, lane, argument(w, call, 0, lane), condition, sizeof(condition));
    generic_string(w, lane, argument(w, call, 1, lane), file, sizeof(file));
    generic_string(w, lane, argument(w, call, 3, lane), function, sizeof(function));
    violation_add(w, SIM_ASSERT, u->site, lane, 0, "fails the assertion '%s' (%s:%u, in %s)",
                  condition, file, (unsigned)argument(w, call, 2, lane), function);
}

static void call_math(struct warp *w, const struct call *call, uint32_t mask)
{
    bool is_float = call->external >= CALL_MATH_FLOAT;
    const struct math_function *m =
        &MATH[call->external - (is_float ? CALL_MATH_FLOAT : CALL_MATH)];
    EACH_LANE(lane, mask)
    {
        uint64_t x[3] = {argument(w, call, 0, lane), argument(w, call, 1, lane),
                         argument(w, call, 2, lane)};
        result(w, call, lane, is_float ? math_float(m, x) : math_double(m, x));
    }
}

const struct uop *external_call(struct warp *w, const struct uop *u, const struct call *call,
                                uint32_t mask)
{
    struct sim *s = w->core->launch->sim;
    switch (call->external) {
    case CALL_PRINTF:
        call_printf(w, call, mask);
        break;
    case CALL_MALLOC:
        EACH_LANE(lane, mask)
        {
            result(w, call, lane, heap_alloc(s, argument(w, call, 0, lane)));
        }
        break;
    case CALL_FREE:
        EACH_LANE(lane, mask)
        {
            if (heap_free(s, argument(w, call, 0, lane)))
                continue;
            violation_add(w, SIM_TRAP, u->site, lane, argument(w, call, 0, lane),
                          "frees 0x%" PRIx64 ", which malloc did not give",
                          argument(w, call, 0, lane));
            return warp_stop(w, u);
        }
        break;
    case CALL_ASSERT:
        call_assert(w, u, call, mask);
        return warp_stop(w, u);
    default:
        call_math(w, call, mask);
        break;
    }
    return u + 1;
}
