// NumPy's files (.npy, versions 1 to 3: numpy.lib.format): one array, in C order, little endian.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/internal.h"

#include <stdlib.h>
#include <string.h>

static const char magic[] = "\x93NUMPY";
enum { MAGIC_BYTES = 6, HEADER_MAX = 1 << 16, RANK_MAX = 32 };

static bool fail_npy(const char *path, const char *what, struct error *err)
{
    return fail(err, (struct location){.file = path},
                "%s; numpy.save of a contiguous array of numbers writes what is read here", what);
}

static uint32_t little(const unsigned char *p, size_t bytes)
{
    uint32_t x = 0;
    for (size_t i = bytes; i-- > 0;) {
        x = x << 8 | p[i];
    }
    return x;
}

// What follows 'key': in the header's dictionary, or NULL.
static const char *value_of(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    if (at == NULL) {
        return NULL;
    }
    at += strlen(key);
    at += strspn(at, " ");
    return *at == ':' ? at + 1 + strspn(at + 1, " ") : NULL;
}

static bool parse_type(const char *path, const char *header, struct npy *out, struct error *err)
{
    static const struct {
        const char *name;
        enum element_type type;
    } types[] = {{"<f2", ELEMENT_F16}, {"<f4", ELEMENT_F32}, {"<f8", ELEMENT_F64},
                 {"|i1", ELEMENT_I8},  {"|u1", ELEMENT_U8},  {"<i2", ELEMENT_I16},
                 {"<u2", ELEMENT_U16}, {"<i4", ELEMENT_I32}, {"<u4", ELEMENT_U32},
                 {"<i8", ELEMENT_I64}, {"<u8", ELEMENT_U64}, {"|b1", ELEMENT_U8},
                 {"|S1", ELEMENT_U8}};
    const char *s = value_of(header, "'descr'");
    for (size_t i = 0; s != NULL && i < COUNT_OF(types); i++) {
        if (s[0] == '\'' && strncmp(s + 1, types[i].name, 3) == 0 && s[4] == '\'') {
            out->type = types[i].type;
            return true;
        }
    }
    return fail_npy(path, "its elements are of no type that a buffer has", err);
}

// (3, 4), (5,) or ()
static bool parse_shape(const char *path, const char *header, struct npy *out, struct error *err)
{
    const char *s = value_of(header, "'shape'");
    out->count = 1;
    if (s == NULL || *s != '(') {
        return fail_npy(path, "its header has no shape", err);
    }
    int rank = 0;
    for (s++; *s != ')'; rank++) {
        size_t digits = strspn(s, "0123456789");
        if (digits == 0 || digits > 18 || rank == RANK_MAX) {
            return fail_npy(path, "its shape cannot be read", err);
        }
        uint64_t n = 0;
        for (size_t i = 0; i < digits; i++) {
            n = n * 10 + (uint64_t)(s[i] - '0');
        }
        if (n > 0 && out->count > UINT64_MAX / 16 / n) {
            return fail_npy(path, "its shape is larger than any file", err);
        }
        out->count *= n;
        s += digits + strspn(s + digits, "L");
        s += strspn(s, ", ");
    }
    return true;
}

bool npy_parse(const char *path, const char *data, size_t size_bytes, struct npy *out,
               struct error *err)
{
    const unsigned char *p = (const unsigned char *)data;
    char header[HEADER_MAX + 1];
    *out = (struct npy){0};
    if (size_bytes < MAGIC_BYTES + 4 || memcmp(p, magic, MAGIC_BYTES) != 0) {
        return fail_npy(path, "it is no .npy file", err);
    }
    size_t width = p[MAGIC_BYTES] == 1 ? 2 : 4, at = MAGIC_BYTES + 2 + width;
    if (p[MAGIC_BYTES] < 1 || p[MAGIC_BYTES] > 3 || size_bytes < at) {
        return fail_npy(path, "it is a .npy file of an unknown version", err);
    }
    uint32_t length = little(p + MAGIC_BYTES + 2, width);
    if (length > HEADER_MAX || length > size_bytes - at) {
        return fail_npy(path, "its header is longer than the file, or than any", err);
    }
    memcpy(header, data + at, length);
    header[length] = '\0';
    const char *fortran = value_of(header, "'fortran_order'");
    if (!parse_type(path, header, out, err) || !parse_shape(path, header, out, err)) {
        return false;
    }
    if (fortran == NULL || strncmp(fortran, "False", 5) != 0) {
        return fail_npy(path, "its elements are in Fortran's order", err);
    }
    out->data = data + at + length;
    if (size_bytes - at - length != out->count * element_bytes(out->type)) {
        return fail(
            err, (struct location){.file = path},
            "its shape has %llu elements of %s, and %zu bytes follow its header: it is cut, "
            "or holds several arrays",
            (unsigned long long)out->count, element_name(out->type), size_bytes - at - length);
    }
    return true;
}

// Floating-point numbers become the buffer's; whole ones must be of its type.
static bool convert(const char *path, const struct npy *n, const struct resolved_buffer *b,
                    unsigned char *to, struct error *err)
{
    size_t from_bytes = element_bytes(n->type), to_bytes = element_bytes(b->type);
    bool bits = n->type == ELEMENT_U16 && b->type == ELEMENT_BF16; // NumPy has no bf16
    if (n->type == b->type || bits) {
        memcpy(to, n->data, b->size_bytes);
        return true;
    }
    if (!element_is_float(n->type) || !element_is_float(b->type)) {
        return fail(err, (struct location){.file = path},
                    "its elements are %s and buffer '%s' has %s: convert them with .astype",
                    element_name(n->type), b->name, element_name(b->type));
    }
    for (uint64_t i = 0; i < n->count; i++) {
        (void)!element_store(b->type, element_load(n->type, n->data + i * from_bytes),
                             to + i * to_bytes);
    }
    return true;
}

bool npy_read(const char *path, const struct resolved_buffer *b, void *to, struct error *err)
{
    char *data = NULL;
    size_t size = 0;
    struct npy n;
    if (!file_read(path, 2 * HEADER_MAX + b->count * sizeof(double), &data, &size, err)) {
        return error_context(err, "in buffer '%s'", b->name);
    }
    bool done = npy_parse(path, data, size, &n, err);
    if (done && n.count != b->count) {
        done = fail(err, (struct location){.file = path},
                    "it has %llu elements, and buffer '%s' has %llu", (unsigned long long)n.count,
                    b->name, (unsigned long long)b->count);
    }
    done = done && convert(path, &n, b, to, err);
    free(data);
    return done;
}
