// The C reference: compiled once into the cache, opened, called through libffi.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/internal.h"

#include <ffi.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

static ffi_type *scalar_type(enum element_type t)
{
    switch (t) {
    case ELEMENT_F32:
        return &ffi_type_float;
    case ELEMENT_F64:
        return &ffi_type_double;
    case ELEMENT_I8:
        return &ffi_type_sint8;
    case ELEMENT_U8:
        return &ffi_type_uint8;
    case ELEMENT_I16:
        return &ffi_type_sint16;
    case ELEMENT_I32:
        return &ffi_type_sint32;
    case ELEMENT_U32:
        return &ffi_type_uint32;
    case ELEMENT_I64:
        return &ffi_type_sint64;
    case ELEMENT_U64:
        return &ffi_type_uint64;
    default:
        return &ffi_type_uint16; // f16 and bf16 as their bits
    }
}

static bool fail_timeout(const struct experiment *e, const char *cc, double timeout_s,
                         struct error *err)
{
    return fail_as(err, ERROR_SYSTEM, (struct location){.file = e->reference.source},
                   "%s did not finish compiling the reference within %g s and was stopped; "
                   "--timeout gives it more time",
                   cc, timeout_s);
}

// Into `folder`, which is the compiler's TMPDIR too: nothing it leaves there stays.
static bool compile(struct arena *a, const struct experiment *e, const char *cc, const char *folder,
                    const char *to, double timeout_s, struct error *err)
{
    const char *include = arena_printf(a, "-I%s", e->directory);
    enum { WORDS_MAX = 16 }; // of $CC, which may say "ccache gcc -m64"
    const char *const flags[] = {"-O2",   "-shared", "-fPIC", "-ffp-contract=off",
                                 include, "-o",      to,      e->reference.source,
                                 "-lm",   NULL};
    const char *argv[WORDS_MAX + COUNT_OF(flags)];
    size_t words = 0;
    for (const char *s = cc + strspn(cc, " "); *s != '\0' && words < WORDS_MAX;) {
        size_t n = strcspn(s, " ");
        argv[words++] = arena_strndup(a, s, n);
        s += n + strspn(s + n, " ");
    }
    memcpy(argv + words, flags, sizeof flags);
    struct process_spec spec = {.argv = argv, .timeout_s = timeout_s, .temporary_folder = folder};
    struct process_result result = {0};
    if (!process_run(&spec, &result, err)) {
        return error_context(err, "compiling the reference '%s'", e->reference.source);
    }
    bool ok = result.exit_status == 0;
    if (result.timed_out) {
        ok = fail_timeout(e, cc, timeout_s, err);
    } else if (!ok) {
        (void)fail(err, (struct location){.file = e->reference.source},
                   "the reference does not compile with %s:\n%s%s", cc, text_str(&result.err_text),
                   text_str(&result.out));
    }
    process_result_release(&result);
    return ok;
}

// A cache that cannot be written is only slower: the reference is then used where it was made.
static void keep(struct arena *a, const char *name, struct reference_code *code)
{
    struct error ignored = {0};
    const char *folder = user_cache_path(a, "reference");
    const char *cached = path_join(a, folder, name);
    if (dir_make(folder, &ignored) && rename(code->path, cached) == 0) {
        code->path = cached;
    }
}

bool reference_build(struct arena *a, const struct experiment *e, double timeout_s,
                     struct reference_code *code, struct error *err)
{
    enum { SOURCE_BYTES_MAX = 16 << 20 };
    const char *cc = getenv("CC");
    char *source = NULL;
    size_t size = 0;
    char hash[33];
    cc = cc != NULL && cc[strspn(cc, " ")] != '\0' ? cc : "cc";
    if (!file_read(e->reference.source, SOURCE_BYTES_MAX, &source, &size, err)) {
        return false;
    }
    const struct hash_piece pieces[] = {
        {source, size}, {cc, strlen(cc) + 1}, {e->reference.source, strlen(e->reference.source)}};
    hash_hex(pieces, COUNT_OF(pieces), hash);
    free(source);
    const char *name = arena_printf(a, "%s.so", hash);
    code->path = path_join(a, user_cache_path(a, "reference"), name);
    if (file_exists(code->path)) {
        return true;
    }
    if (!work_folder_open(&code->folder, err)) {
        return error_context(err, "compiling the reference '%s'", e->reference.source);
    }
    code->path = path_join(a, code->folder.path, name);
    if (!compile(a, e, cc, code->folder.path, code->path, timeout_s, err)) {
        return false;
    }
    keep(a, name, code);
    return true;
}

void reference_release(struct reference_code *code)
{
    work_folder_close(&code->folder);
    code->path = NULL;
}

static bool reference_open(const struct experiment *e, const struct reference_code *code,
                           void (**function)(void), struct error *err)
{
    const char *const names[] = {code->path, NULL};
    void *library = library_open(names, NULL, err);
    if (library == NULL) {
        return error_context(err, "opening the reference '%s'", e->reference.source);
    }
    if (!library_symbol(library, e->reference.function, function, sizeof *function, err)) {
        return fail(err, (struct location){.file = e->reference.source},
                    "the reference has no function '%s' (is it static?)", e->reference.function);
    }
    return true;
}

static bool call(struct arena *a, const struct experiment *e, const struct resolved_reference *r,
                 const struct host_buffers *buffers, void (*function)(void), struct error *err)
{
    ffi_type **types = ARENA_ARRAY(a, ffi_type *, r->arg_count + 1);
    void **values = ARENA_ARRAY(a, void *, r->arg_count + 1);
    for (int i = 0; i < r->arg_count; i++) {
        bool pointer = r->args[i].kind == ARGUMENT_BUFFER;
        types[i] = pointer ? &ffi_type_pointer : scalar_type(r->args[i].type);
        values[i] = pointer ? (void *)&buffers->data[r->args[i].buffer] : (void *)r->args[i].value;
    }
    ffi_cif cif;
    if (ffi_prep_cif(&cif, FFI_DEFAULT_ABI, (unsigned)r->arg_count, &ffi_type_void, types) !=
        FFI_OK) {
        return fail_as(err, ERROR_SYSTEM, e->reference.at,
                       "libffi refuses the arguments of the reference");
    }
    ffi_call(&cif, function, NULL, values);
    return true;
}

bool reference_run(const struct experiment *e, const struct reference_code *code,
                   const struct resolved_reference *r, struct host_buffers *buffers,
                   struct error *err)
{
    if (e->reference.source == NULL) {
        return fail(err, NOWHERE, "experiment '%s' has no reference to call", e->name);
    }
    struct arena a = {0};
    void (*function)(void) = NULL;
    bool ok = reference_open(e, code, &function, err) && call(&a, e, r, buffers, function, err);
    arena_release(&a);
    return ok;
}
