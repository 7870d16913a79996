// C++'s names of types as elements of an experiment's buffers: by a table, and by the source's own aliases.
// SPDX-License-Identifier: Apache-2.0
#include "device/code.h"
#include "device/internal.h"

#include <ctype.h>
#include <string.h>

// More than one element: float4.
static const struct {
    const char *c;
    enum element_type element;
    int elements;
} types[] = {
    {"float", ELEMENT_F32, 1},
    {"double", ELEMENT_F64, 1},
    {"int", ELEMENT_I32, 1},
    {"unsigned", ELEMENT_U32, 1},
    {"unsigned int", ELEMENT_U32, 1},
    {"uint", ELEMENT_U32, 1},
    {"uint32_t", ELEMENT_U32, 1},
    {"int32_t", ELEMENT_I32, 1},
    {"char", ELEMENT_I8, 1},
    {"signed char", ELEMENT_I8, 1},
    {"int8_t", ELEMENT_I8, 1},
    {"unsigned char", ELEMENT_U8, 1},
    {"uint8_t", ELEMENT_U8, 1},
    {"uchar", ELEMENT_U8, 1},
    {"bool", ELEMENT_U8, 1},
    {"short", ELEMENT_I16, 1},
    {"int16_t", ELEMENT_I16, 1},
    {"unsigned short", ELEMENT_U16, 1},
    {"uint16_t", ELEMENT_U16, 1},
    {"long", ELEMENT_I64, 1},
    {"long long", ELEMENT_I64, 1},
    {"int64_t", ELEMENT_I64, 1},
    {"size_t", ELEMENT_U64, 1},
    {"unsigned long", ELEMENT_U64, 1},
    {"unsigned long long", ELEMENT_U64, 1},
    {"uint64_t", ELEMENT_U64, 1},
    {"half", ELEMENT_F16, 1},
    {"__half", ELEMENT_F16, 1},
    {"half2", ELEMENT_F16, 2},
    {"__half2", ELEMENT_F16, 2},
    {"__nv_bfloat16", ELEMENT_BF16, 1},
    {"nv_bfloat16", ELEMENT_BF16, 1},
    {"__nv_bfloat162", ELEMENT_BF16, 2},
    {"float2", ELEMENT_F32, 2},
    {"float3", ELEMENT_F32, 3},
    {"float4", ELEMENT_F32, 4},
    {"double2", ELEMENT_F64, 2},
    {"int2", ELEMENT_I32, 2},
    {"int4", ELEMENT_I32, 4},
    {"uint4", ELEMENT_U32, 4},
    {"uint2", ELEMENT_U32, 2},
    {"uchar4", ELEMENT_U8, 4},
    {"f32", ELEMENT_F32, 1},
    {"f64", ELEMENT_F64, 1},
    {"u32", ELEMENT_U32, 1},
    {"u64", ELEMENT_U64, 1},
    {"s32", ELEMENT_I32, 1},
    {"s64", ELEMENT_I64, 1},
    {"b32", ELEMENT_I32, 1},
    {"b64", ELEMENT_I64, 1},
    {"u16", ELEMENT_U16, 1},
    {"u8", ELEMENT_U8, 1},
    {"ptrdiff_t", ELEMENT_I64, 1},
    {"nv_bfloat162", ELEMENT_BF16, 2},
    {"int3", ELEMENT_I32, 3},
    {"uint3", ELEMENT_U32, 3},
    {"uchar2", ELEMENT_U8, 2},
    {"char4", ELEMENT_I8, 4},
    {"double4", ELEMENT_F64, 4},
    {"ushort", ELEMENT_U16, 1},
    {"ulong", ELEMENT_U64, 1},
    {"long int", ELEMENT_I64, 1},
    {"long long int", ELEMENT_I64, 1},
    {"unsigned short int", ELEMENT_U16, 1},
    {"short int", ELEMENT_I16, 1},
};

static bool type_find(const char *c, enum element_type *element, int *elements)
{
    for (size_t i = 0; i < COUNT_OF(types); i++)
        if (strcmp(types[i].c, c) == 0) {
            *element = types[i].element;
            *elements = types[i].elements;
            return true;
        }
    return false;
}

// "float" of `#define fp float`, `typedef float fp;` and `using fp = float;` in the text; of several the last.
static const char *alias_in(struct arena *a, const char *text, const char *name)
{
    size_t length = strlen(name);
    const char *found = NULL; // branches of an #if: the last one is what holds without definitions
    for (const char *at = text; (at = strstr(at, name)); at += length) {
        const char *line = at;
        while (line > text && line[-1] != '\n')
            line--;
        line += strspn(line, " \t");
        const char *after = at + length + strspn(at + length, " \t=");
        bool word = at > text && isspace((unsigned char)at[-1]) &&
                    !isalnum((unsigned char)at[length]) && at[length] != '_';
        if (word && (str_starts_with(line, "#define ") || str_starts_with(line, "using ")))
            found = arena_strndup(a, after, strcspn(after, ";\r\n/ "));
        if (word && str_starts_with(line, "typedef ") && *after == ';') {
            size_t end = (size_t)(at - line);
            while (end > 0 && isspace((unsigned char)line[end - 1]))
                end--;
            size_t begin = sizeof "typedef " - 1;
            found = end > begin ? arena_strndup(a, line + begin, end - begin) : found;
        }
    }
    return found;
}

bool declared_element(struct arena *a, const struct source *source, const char *type,
                      enum element_type *element, int *elements)
{
    enum { ALIASES_MAX = 4 }; // of aliases
    for (int depth = 0; depth <= ALIASES_MAX && type; depth++) {
        const char *other = NULL;
        if (type_find(type, element, elements))
            return true;
        for (size_t i = 0; source && i < source->file_count && !other; i++)
            other = alias_in(a, source->texts[i], type);
        type = other;
    }
    return false;
}
