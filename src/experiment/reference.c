// The C reference: compiled once into the cache, opened, called through libffi.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/internal.h"

#include <ffi.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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
    case ELEMENT_E4M3: // as its bits
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

struct build {
    struct arena *arena;
    const struct experiment *e;
    const char *cc;
    double timeout_s;
    const char *folder; // for what the compiler leaves
};

// $CC may say "ccache gcc -m64".
static size_t split_words(struct arena *a, const char *s, const char **out, size_t most)
{
    size_t count = 0;
    for (s += strspn(s, " "); *s != '\0' && count < most;) {
        size_t n = strcspn(s, " ");
        out[count++] = arena_strndup(a, s, n);
        s += n + strspn(s + n, " ");
    }
    return count;
}

// The compiler, asked for `what` (NULL terminated) of the source; what it says goes to `result`.
static bool run_compiler(const struct build *b, const char *const *what,
                         struct process_result *result, struct error *err)
{
    enum { WORDS_MAX = 32 };
    const char *source = b->e->reference.source;
    const char *const flags[] = {"-O2", "-fPIC", "-ffp-contract=off",
                                 arena_printf(b->arena, "-I%s", b->e->directory), source};
    const char *argv[2 * WORDS_MAX + COUNT_OF(flags) + 1];
    size_t count = split_words(b->arena, b->cc, argv, WORDS_MAX);
    for (size_t i = 0; i < COUNT_OF(flags); i++) {
        argv[count++] = flags[i];
    }
    for (; *what != NULL; what++) {
        argv[count++] = *what;
    }
    argv[count] = NULL;
    struct process_spec spec = {
        .argv = argv, .timeout_s = b->timeout_s, .temporary_folder = b->folder};
    if (!process_run(&spec, result, err)) {
        return error_context(err, "compiling the reference '%s'", source);
    }
    const char *trouble = process_trouble(b->arena, result);
    if (result->timed_out) {
        (void)fail_timeout(b->e, b->cc, b->timeout_s, err);
    } else if (trouble != NULL) {
        (void)fail_as(err, ERROR_SYSTEM, (struct location){.file = source},
                      "the compiler '%s' failed on the reference, by no fault of its source: %s; "
                      "free memory and disk space, or name another compiler with CC",
                      b->cc, trouble);
    } else if (result->exit_status != 0) {
        (void)fail(err, (struct location){.file = source},
                   "the reference does not compile with %s:\n%s%s", b->cc,
                   text_str(&result->err_text), text_str(&result->out));
    } else {
        return true;
    }
    process_result_release(result);
    return false;
}

// Which files the compiler is: an update changes one of them.
static void add_identity(struct build *b, struct text *t)
{
    const char *words[32];
    size_t count = split_words(b->arena, b->cc, words, COUNT_OF(words));
    for (size_t i = 0; i < count; i++) {
        struct stat st;
        const char *path = program_find(b->arena, words[i]);
        text_printf(t, "%s", words[i]);
        if (path != NULL && stat(path, &st) == 0) {
            text_printf(t, " %s %lld %lld.%ld", path, (long long)st.st_size,
                        (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
        }
        text_add(t, "\n");
    }
}

// A name for the object by what the compiler reads: the preprocessed text. NULL with err NONE: it reads
// more than that, so that it is compiled each time.
static const char *object_name(struct build *b, struct error *err)
{
    enum { TEXT_BYTES_MAX = 32 << 20 };
    static const char *const preprocess[] = {"-E", NULL};
    struct process_result result = {0};
    if (!run_compiler(b, preprocess, &result, err)) {
        return NULL;
    }
    const char *text = text_str(&result.out);
    char hash[33];
    bool whole = result.out.length < TEXT_BYTES_MAX && strstr(text, ".incbin") == NULL &&
                 strstr(text, "#embed") == NULL;
    struct text identity = {0};
    add_identity(b, &identity);
    const char *source = b->e->reference.source;
    const struct hash_piece pieces[] = {{text, result.out.length},
                                        {text_str(&identity), identity.length},
                                        {source, strlen(source)}};
    hash_hex(pieces, COUNT_OF(pieces), hash);
    text_release(&identity);
    process_result_release(&result);
    return whole ? arena_printf(b->arena, "%s.so", hash) : NULL;
}

enum { OBJECT_BYTES_MAX = 256 << 20, SUM_DIGITS = 32 };

// "HASH\n", of the object, beside it.
static const char *sum_path(struct arena *a, const char *object)
{
    return arena_printf(a, "%s.sum", object);
}

static bool object_sum(const char *object, char sum[SUM_DIGITS + 1])
{
    char *data = NULL;
    size_t size = 0;
    if (!private_read(object, OBJECT_BYTES_MAX, &data, &size)) {
        return false;
    }
    hash_hex(&(struct hash_piece){data, size}, 1, sum);
    free(data);
    return true;
}

// Is it there, this user's own, and as it was written? In a folder of others it could be exchanged between
// the look and the loading.
static bool is_whole(struct arena *a, const char *object)
{
    char sum[SUM_DIGITS + 1];
    char *wanted = NULL;
    size_t size = 0;
    const char *folder = path_dir(a, object);
    if (!private_folder(path_dir(a, folder)) || !private_folder_make(folder) ||
        !private_read(sum_path(a, object), SUM_DIGITS + 1, &wanted, &size)) {
        return false;
    }
    bool whole =
        size >= SUM_DIGITS && object_sum(object, sum) && memcmp(sum, wanted, SUM_DIGITS) == 0;
    free(wanted);
    return whole;
}

// A cache that cannot be written is only slower: the reference is then used where it was made.
static void keep(struct arena *a, const char *cached, struct reference_code *code)
{
    char sum[SUM_DIGITS + 1];
    if (!private_folder_make(path_dir(a, cached)) || chmod(code->path, S_IRWXU) != 0 ||
        !object_sum(code->path, sum) || rename(code->path, cached) != 0) {
        return;
    }
    code->path = cached;
    (void)private_write(sum_path(a, cached), sum, SUM_DIGITS);
}

bool reference_build(struct arena *a, const struct experiment *e, double timeout_s,
                     struct reference_code *code, struct error *err)
{
    const char *cc = getenv("CC");
    if (e->reference.python) {
        code->path = e->reference.source;
        return python_look(a, e, timeout_s, err);
    }
    cc = cc != NULL && cc[strspn(cc, " ")] != '\0' ? cc : "cc";
    if (!work_folder_open(&code->folder, err)) {
        return error_context(err, "compiling the reference '%s'", e->reference.source);
    }
    struct build b = {a, e, cc, timeout_s, code->folder.path};
    const char *name = object_name(&b, err);
    if (name == NULL && err->kind != ERROR_NONE) {
        return false;
    }
    const char *cached = name != NULL ? path_join(a, user_cache_path(a, "reference"), name) : NULL;
    code->path = cached;
    if (cached != NULL && is_whole(a, cached)) {
        return true;
    }
    code->path = path_join(a, code->folder.path, "reference.so");
    const char *const make[] = {"-shared", "-o", code->path, "-lm", NULL};
    struct process_result result = {0};
    if (!run_compiler(&b, make, &result, err)) {
        return false;
    }
    process_result_release(&result);
    // What was edited while it was compiled is not kept under the old text's name.
    struct error ignored = {0};
    const char *after = name != NULL ? object_name(&b, &ignored) : NULL;
    if (after != NULL && strcmp(after, name) == 0) {
        keep(a, cached, code);
    }
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
    static const char undefined[] = "undefined symbol: ";
    void *library = library_open(names, NULL, err);
    const char *symbol = library == NULL ? strstr(err->message, undefined) : NULL;
    if (symbol != NULL) {
        char name[256];
        symbol += sizeof undefined - 1;
        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(symbol, " ,;\n"), symbol);
        return fail(err, (struct location){.file = e->reference.source},
                    "the reference calls '%s', which is defined nowhere: define it in this file or "
                    "include its source (the reference is linked with the C library and libm)",
                    name);
    }
    if (library == NULL) {
        return error_context(err, "opening the compiled reference '%s'", e->reference.source);
    }
    if (!library_symbol(library, e->reference.function, function, sizeof *function, err)) {
        return fail(
            err, e->reference.at,
            "the reference's file %s has no function '%s': name one that it has and that is "
            "not static",
            e->reference.source, e->reference.function);
    }
    return true;
}

struct look { // in a worker, as opening a library runs what is in it
    const struct experiment *e;
    const struct reference_code *code;
    struct error *err; // the parent's: it comes back whole
};

static int look_body(void *context, int fd)
{
    const struct look *l = context;
    void (*function)(void) = NULL;
    struct error why = {0};
    if (!reference_open(l->e, l->code, &function, &why))
        (void)worker_send(fd, &why, sizeof why);
    return 0;
}

static void look_take(void *context, const char *data, size_t size_bytes)
{
    const struct look *l = context;
    if (size_bytes == sizeof *l->err)
        memcpy(l->err, data, size_bytes);
}

bool reference_look(const struct experiment *e, const struct reference_code *code, double timeout_s,
                    struct error *err)
{
    struct look look = {e, code, err};
    struct worker_spec spec = {.body = look_body,
                               .context = &look,
                               .timeout_s = timeout_s,
                               .on_message = look_take,
                               .message_context = &look};
    struct worker_result result;
    if (e->reference.python)
        return true; // reference_build looked
    if (!worker_run(&spec, &result, err) || err->kind != ERROR_NONE)
        return false;
    return result.end == WORKER_DONE ||
           fail(err, e->reference.at,
                "the compiled reference '%s' does not open: it ends or hangs there",
                e->reference.source);
}

// As libffi wants a struct: its fields' types, NULL terminated.
static ffi_type *struct_type(struct arena *a, const struct resolved_struct *s)
{
    ffi_type *type = ARENA_NEW(a, ffi_type);
    type->type = FFI_TYPE_STRUCT;
    type->elements = ARENA_ARRAY(a, ffi_type *, s->count + 1);
    for (int i = 0; i < s->count; i++) {
        const struct resolved_argument *x = &s->items[i];
        type->elements[i] = x->kind == ARGUMENT_STRUCT   ? struct_type(a, x->fields)
                            : x->kind == ARGUMENT_SCALAR ? scalar_type(x->type)
                                                         : &ffi_type_pointer;
    }
    return type;
}

// The host's pointers stand where the kernel has the device's.
static bool bind_struct(struct arena *a, const struct experiment *e,
                        const struct resolved_struct *s, const struct host_buffers *buffers,
                        ffi_type **type, void **value, struct error *err)
{
    if (!s->as_c) {
        return fail(err, e->reference.at,
                    "the reference cannot be given a struct with 'at' or 'size': state its "
                    "arguments with reference: {call: ..., args: [...]}");
    }
    uint64_t *addresses = ARENA_ARRAY(a, uint64_t, buffers->count + 1);
    for (int i = 0; i < buffers->count; i++) {
        addresses[i] = (uint64_t)(uintptr_t)buffers->data[i];
    }
    uint8_t *bytes = arena_alloc(a, s->size_bytes);
    struct_store(s, addresses, bytes);
    *type = struct_type(a, s);
    *value = bytes;
    return true;
}

static bool bind_argument(struct arena *a, const struct experiment *e,
                          const struct resolved_argument *x, const struct host_buffers *buffers,
                          ffi_type **type, void **value, struct error *err)
{
    switch (x->kind) {
    case ARGUMENT_STRUCT:
        return bind_struct(a, e, x->fields, buffers, type, value, err);
    case ARGUMENT_SCALAR:
        *type = scalar_type(x->type);
        *value = (void *)(uintptr_t)x->value; // it only reads
        return true;
    case ARGUMENT_BUFFER:
    case ARGUMENT_TENSOR_MAP:
    case ARGUMENT_TEXTURE:
    case ARGUMENT_WORD: // a library's
        break;
    }
    void **pointer = ARENA_NEW(a, void *);
    *pointer = (char *)buffers->data[x->buffer] + x->inside_bytes;
    *type = &ffi_type_pointer;
    *value = pointer;
    return true;
}

static bool call(struct arena *a, const struct experiment *e, const struct resolved_argument *args,
                 int arg_count, const struct host_buffers *buffers, void (*function)(void),
                 struct error *err)
{
    ffi_type **types = ARENA_ARRAY(a, ffi_type *, arg_count + 1);
    void **values = ARENA_ARRAY(a, void *, arg_count + 1);
    for (int i = 0; i < arg_count; i++) {
        if (!bind_argument(a, e, &args[i], buffers, &types[i], &values[i], err)) {
            return false;
        }
    }
    ffi_cif cif;
    if (ffi_prep_cif(&cif, FFI_DEFAULT_ABI, (unsigned)arg_count, &ffi_type_void, types) != FFI_OK) {
        return fail_as(err, ERROR_SYSTEM, e->reference.at,
                       "libffi refuses the arguments of the reference");
    }
    ffi_call(&cif, function, NULL, values);
    return true;
}

bool reference_run(const struct experiment *e, const struct reference_code *code,
                   const struct resolved_reference *r, int part, struct host_buffers *buffers,
                   struct error *err)
{
    if (e->reference.source == NULL) {
        return fail(err, NOWHERE, "experiment '%s' has no reference to call", e->name);
    }
    struct arena a = {0};
    void (*function)(void) = NULL;
    const struct reference_part *p = &r->parts[part];
    struct host_buffers own = {ARENA_ARRAY(&a, void *, buffers->count + 1), buffers->count};
    for (int i = 0; i < buffers->count; i++) {
        own.data[i] = (unsigned char *)buffers->data[i] + p->offsets_bytes[i];
    }
    bool ok = reference_open(e, code, &function, err) &&
              call(&a, e, p->args, r->arg_count, &own, function, err);
    arena_release(&a);
    return ok;
}

bool reference_read(const struct experiment *e, const struct case_point *point,
                    const struct resolved_case *c, struct host_buffers *wanted, struct error *err)
{
    struct arena a = {0};
    struct scope scope;
    bool done = true;
    scope_build(&a, e, point, NULL, &scope);
    for (int i = 0; done && i < c->buffer_count; i++) {
        if (e->reference.files[i] != NULL) {
            done = npy_read(path_of_case(&a, e->reference.files[i], &scope), &c->buffers[i],
                            wanted->data[i], err);
        }
    }
    arena_release(&a);
    return done;
}
