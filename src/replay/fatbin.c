// NVIDIA's fat binaries: a header, then sections of PTX and machine code, each with a header of its own. The format is
// not documented; what is read here is what nvcc 13.0 writes (tests/replay has it do so). Compressed sections
// are unpacked by Debian's libzstd and liblz4, opened at run time.
// SPDX-License-Identifier: Apache-2.0
#include "replay/replay.h"

#include <string.h>

static const uint32_t magic = 0xba55ed50;
enum { HEADER_BYTES = 16, SECTION_BYTES = 64, PLAIN_MAX = 1 << 28 };
enum { COMPRESSED_LZ4 = 0x2000, COMPRESSED_ZSTD = 0x8000 }; // of a section's flags

struct section_header {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t size_bytes;   // padded
    uint32_t packed_bytes; // without padding; 0: not compressed
    uint32_t options;
    uint16_t minor, major;
    uint32_t architecture, name, name_bytes;
    uint64_t flags, zero, plain_bytes;
};
_Static_assert(sizeof(struct section_header) == SECTION_BYTES, "as in the file");

bool fatbin_detect(const char *data, size_t size_bytes)
{
    return size_bytes >= HEADER_BYTES && memcmp(data, &magic, sizeof magic) == 0;
}

bool fatbin_next(const char *data, size_t size_bytes, size_t *at, struct fatbin_section *out)
{
    struct section_header h;
    uint64_t follow;
    if (*at == 0) {
        if (!fatbin_detect(data, size_bytes))
            return false;
        *at = HEADER_BYTES;
    }
    memcpy(&follow, data + sizeof(uint64_t), sizeof follow);
    size_t end = follow < size_bytes - HEADER_BYTES ? (size_t)follow + HEADER_BYTES : size_bytes;
    if (*at > end || end - *at < sizeof h)
        return false;
    memcpy(&h, data + *at, sizeof h);
    size_t left = end - *at;
    if (h.header_bytes < sizeof h || h.header_bytes > left || h.size_bytes > left - h.header_bytes)
        return false;
    uint64_t bytes = h.packed_bytes > 0 ? h.packed_bytes : h.size_bytes;
    *out = (struct fatbin_section){
        .kind = h.kind,
        .architecture = h.architecture,
        .data = data + *at + h.header_bytes,
        .size_bytes = bytes < h.size_bytes ? bytes : h.size_bytes,
        .plain_bytes = h.plain_bytes,
        .lz4 = (h.flags & COMPRESSED_LZ4) != 0,
        .zstd = (h.flags & COMPRESSED_ZSTD) != 0,
    };
    *at += h.header_bytes + h.size_bytes;
    return true;
}

static bool unpack_zstd(const struct fatbin_section *s, char *to, struct error *err)
{
    static const char *const names[] = {"libzstd.so.1", NULL};
    size_t (*decompress)(void *, size_t, const void *, size_t);
    void *library = library_open(names, NULL, err);
    return library &&
           library_symbol(library, "ZSTD_decompress", &decompress, sizeof decompress, err) &&
           (decompress(to, s->plain_bytes, s->data, s->size_bytes) == s->plain_bytes ||
            fail(err, NOWHERE, "libzstd cannot unpack it"));
}

static bool unpack_lz4(const struct fatbin_section *s, char *to, struct error *err)
{
    static const char *const names[] = {"liblz4.so.1", NULL};
    int (*decompress)(const char *, char *, int, int);
    void *library = library_open(names, NULL, err);
    return library &&
           library_symbol(library, "LZ4_decompress_safe", &decompress, sizeof decompress, err) &&
           (decompress(s->data, to, (int)s->size_bytes, (int)s->plain_bytes) ==
                (int)s->plain_bytes ||
            fail(err, NOWHERE, "liblz4 cannot unpack it"));
}

bool fatbin_unpack(struct arena *a, const struct fatbin_section *s, const char **data,
                   size_t *size_bytes, struct error *err)
{
    if (!s->lz4 && !s->zstd) {
        *data = arena_strndup(a, s->data, s->size_bytes);
        *size_bytes = strlen(*data);
        return true;
    }
    if (s->plain_bytes == 0 || s->plain_bytes > PLAIN_MAX || s->size_bytes > PLAIN_MAX)
        return fail(err, NOWHERE, "a section of a fat binary claims %zu bytes", s->plain_bytes);
    char *to = arena_alloc(a, s->plain_bytes + 1);
    *data = to;
    if (!(s->zstd ? unpack_zstd(s, to, err) : unpack_lz4(s, to, err)))
        return false;
    *size_bytes = strnlen(to, s->plain_bytes); // compilers pack a NUL at the end too
    return true;
}
