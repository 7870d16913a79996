// cuBLAS, opened at run time, its functions declared in cublas.def. The experiment's matrices lie by
// rows, cuBLAS's by columns: the same memory is the transposed matrix there. So c = op(a) op(b) is asked
// for as c' = op(b)' op(a)': a and b change places, m and n too, and each keeps its own transposition.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda.h"

#include <stdlib.h>
#include <string.h>

enum { CUBLAS_DONE = 0, CUBLAS_OP_N = 0, CUBLAS_OP_T = 1 };
enum { CUBLAS_MATH_DEFAULT = 0, CUBLAS_MATH_TF32 = 3 };
enum { CUBLAS_COMPUTE_F32 = 68, CUBLAS_ALGORITHM_DEFAULT = -1 };
enum { PROPERTY_MAJOR, PROPERTY_MINOR, PROPERTY_PATCH };
enum { TYPE_F32 = 0, TYPE_F16 = 2, TYPE_BF16 = 14 }; // cudaDataType
enum { WORKSPACE_BYTES = 32 << 20 };                 // what cuBLAS itself takes on Hopper, the most

struct cublas {
#define CUBLAS(name, parameters) int(*name) parameters;
#include "device/cuda/cublas.def"
#undef CUBLAS
    void *handle;
    const char *version;
    uint64_t workspace;
};

/* ---- opening ----------------------------------------------------------------------------------- */

const char *const cublas_names[] = {"libcublas.so.13", "libcublas.so.12", NULL};

static bool functions_load(struct cublas *b, struct error *why)
{
    struct arena a = {0};
    void *library = library_open(cublas_names, cuda_folders(&a), why);
    arena_release(&a);
    if (!library)
        return false;
#define CUBLAS(name, parameters)                                        \
    if (!library_symbol(library, #name, &b->name, sizeof b->name, why)) \
        return false;
#include "device/cuda/cublas.def"
#undef CUBLAS
    return true;
}

static bool check(int status, const char *doing, struct error *err)
{
    static const struct {
        int status;
        const char *what;
    } known[] = {{1, "not initialised"},  {3, "no memory"},     {7, "invalid value"},
                 {8, "not on this chip"}, {11, "memory error"}, {13, "execution failed"},
                 {14, "internal error"},  {15, "not supported"}};
    const char *what = "unknown error";
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (known[i].status == status)
            what = known[i].what;
    return status == CUBLAS_DONE ||
           fail_as(err, ERROR_SYSTEM, NOWHERE, "cuBLAS cannot %s: %s (status %d)", doing, what,
                   status);
}

static bool start(struct cublas *b, struct cuda_device *c, struct error *err)
{
    return check(b->cublasCreate_v2(&b->handle), "start", err) &&
           check(b->cublasSetStream_v2(b->handle, c->stream), "take the stream", err) &&
           cuda_grab(c, "cuBLAS's workspace", WORKSPACE_BYTES, &b->workspace, err) &&
           // After the stream, which resets it.
           check(b->cublasSetWorkspace_v2(b->handle, device_pointer(b->workspace), WORKSPACE_BYTES),
                 "take its workspace", err);
}

// Once per device: all its calls share the handle.
static bool cublas_open(struct cuda_device *c, const struct library_call *call, const void **opened,
                        struct device_library *facts, struct error *err)
{
    struct error why = {0};
    int version[3] = {0};
    (void)call;
    *opened = NULL;
    if (c->cublas) {
        facts->version = c->cublas->version;
        return true;
    }
    struct cublas *b = xcalloc(1, sizeof *b);
    // The environment must not change what the variant says: f32 stays f32.
    (void)unsetenv("NVIDIA_TF32_OVERRIDE");            // NOLINT(concurrency-mt-unsafe): a worker,
    (void)unsetenv("CUBLAS_EMULATE_SINGLE_PRECISION"); // NOLINT(concurrency-mt-unsafe): one thread
    if (!functions_load(b, &why)) {
        free(b);
        facts->absent = arena_printf(&c->arena,
                                     "cuBLAS was not found (%s): pip install nvidia-cublas, or the "
                                     "CUDA toolkit; RIDGE_CUDA_PATH names its folder",
                                     why.message);
        return true;
    }
    if (!start(b, c, err)) {
        free(b);
        return false;
    }
    for (int i = PROPERTY_MAJOR; i <= PROPERTY_PATCH; i++)
        (void)b->cublasGetProperty(i, &version[i]);
    b->version = arena_printf(&c->arena, "cuBLAS %d.%d.%d", version[0], version[1], version[2]);
    facts->version = b->version;
    c->cublas = b;
    return true;
}

static void cublas_close(struct cuda_device *c)
{
    if (c->cublas)
        (void)c->cublas->cublasDestroy_v2(c->cublas->handle);
    free(c->cublas);
    c->cublas = NULL;
}

/* ---- a call -------------------------------------------------------------------------------------- */

struct scalar { // alpha or beta, as whoever wants it
    double f64;
    float f32;
};

struct matrix {
    void *address;
    enum element_type type;
    int op;
};

struct operands {
    enum cublas_function function;
    struct matrix matrix[3]; // a b c
    int m, n, k;
    struct scalar alpha, beta;
    bool tf32, has_b;
};

static struct scalar scalar_of(double value)
{
    return (struct scalar){value, (float)value};
}

static bool is_given_word(const struct resolved_argument *x, const char *word)
{
    return x->kind == ARGUMENT_WORD && strcmp(x->text, word) == 0;
}

static int operation_of(const struct resolved_argument *x)
{
    return is_given_word(x, "true") ? CUBLAS_OP_T : CUBLAS_OP_N;
}

static void matrix_set(struct matrix *m, const struct resolved_argument *x,
                       const uint64_t *addresses)
{
    m->address = device_pointer(addresses[x->buffer]);
    m->type = x->type;
}

static struct operands operands_of(const struct resolved_launch *l, const uint64_t *addresses)
{
    struct operands o = {.function = cublas_function_of(l->library->function),
                         .alpha = scalar_of(1)};
    bool beta = false;
    for (int i = 0; i < l->arg_count; i++) {
        const struct resolved_argument *x = &l->args[i];
        double number = x->kind == ARGUMENT_SCALAR ? element_load(x->type, x->value) : 0;
        enum cublas_argument role = cublas_argument_of(x->name);
        switch (role) {
        case CUBLAS_ARGUMENT_A:
        case CUBLAS_ARGUMENT_B:
        case CUBLAS_ARGUMENT_C:
            matrix_set(&o.matrix[role - CUBLAS_ARGUMENT_A], x, addresses);
            o.has_b = o.has_b || role == CUBLAS_ARGUMENT_B;
            break;
        case CUBLAS_ARGUMENT_M:
            o.m = (int)number;
            break;
        case CUBLAS_ARGUMENT_N:
            o.n = (int)number;
            break;
        case CUBLAS_ARGUMENT_K:
            o.k = (int)number;
            break;
        case CUBLAS_ARGUMENT_TRANSA:
            o.matrix[0].op = operation_of(x);
            break;
        case CUBLAS_ARGUMENT_TRANSB:
            o.matrix[1].op = operation_of(x);
            break;
        case CUBLAS_ARGUMENT_ALPHA:
            o.alpha = scalar_of(number);
            break;
        case CUBLAS_ARGUMENT_BETA:
            o.beta = scalar_of(number);
            beta = true;
            break;
        case CUBLAS_ARGUMENT_MATH:
            o.tf32 = is_given_word(x, "tf32");
            break;
        case CUBLAS_ARGUMENT_COUNT:
            break;
        }
    }
    if (o.has_b && !beta && o.function == CUBLAS_GEAM)
        o.beta = scalar_of(1);
    return o;
}

static bool cublas_prepare(struct cuda_device *c, struct arena *a, const void *opened,
                           const struct device_sequence *sequence, const struct resolved_launch *l,
                           const uint64_t *addresses, void **call, size_t *workspace_bytes,
                           struct error *err)
{
    struct operands *o = ARENA_NEW(a, struct operands);
    (void)c;
    (void)opened;
    (void)sequence;
    (void)err;
    *o = operands_of(l, addresses);
    *call = o;
    *workspace_bytes = 0; // it has its own
    return true;
}

static int type_code(enum element_type t)
{
    return t == ELEMENT_F16 ? TYPE_F16 : t == ELEMENT_BF16 ? TYPE_BF16 : TYPE_F32;
}

// A row of op(x) is as long as op(x) has columns; x itself is stored, so transposed it is the rows.
static int leading(const struct matrix *x, int rows, int columns)
{
    return x->op == CUBLAS_OP_T ? rows : columns;
}

static int call_geam(const struct cublas *b, const struct operands *o)
{
    const struct matrix *a = &o->matrix[0], *c = &o->matrix[2];
    // Without b: c in its place with beta 0, which cuBLAS allows and does not read.
    const struct matrix *second = o->has_b ? &o->matrix[1] : c;
    int lda = leading(a, o->m, o->n), ldb = leading(second, o->m, o->n);
    return a->type == ELEMENT_F64
               ? b->cublasDgeam(b->handle, a->op, second->op, o->n, o->m, &o->alpha.f64, a->address,
                                lda, &o->beta.f64, second->address, ldb, c->address, o->n)
               : b->cublasSgeam(b->handle, a->op, second->op, o->n, o->m, &o->alpha.f32, a->address,
                                lda, &o->beta.f32, second->address, ldb, c->address, o->n);
}

static bool cublas_enqueue(struct cuda_device *device, const void *call,
                           const struct resolved_launch *l, struct error *err)
{
    const struct cublas *b = device->cublas;
    const struct operands *o = call;
    const struct matrix *x = &o->matrix[0], *y = &o->matrix[1], *z = &o->matrix[2];
    int ldx = leading(x, o->m, o->k), ldy = leading(y, o->k, o->n), status = CUBLAS_DONE;
    if (!check(b->cublasSetMathMode(b->handle, o->tf32 ? CUBLAS_MATH_TF32 : CUBLAS_MATH_DEFAULT),
               "choose how it computes", err))
        return false;
    switch (o->function) {
    case CUBLAS_GEAM:
        status = call_geam(b, o);
        break;
    case CUBLAS_SGEMM:
        status =
            b->cublasSgemm_v2(b->handle, y->op, x->op, o->n, o->m, o->k, &o->alpha.f32, y->address,
                              ldy, x->address, ldx, &o->beta.f32, z->address, o->n);
        break;
    case CUBLAS_DGEMM:
        status =
            b->cublasDgemm_v2(b->handle, y->op, x->op, o->n, o->m, o->k, &o->alpha.f64, y->address,
                              ldy, x->address, ldx, &o->beta.f64, z->address, o->n);
        break;
    case CUBLAS_GEMM_EX:
        status = b->cublasGemmEx(
            b->handle, y->op, x->op, o->n, o->m, o->k, &o->alpha.f32, y->address,
            type_code(y->type), ldy, x->address, type_code(x->type), ldx, &o->beta.f32, z->address,
            type_code(z->type), o->n, CUBLAS_COMPUTE_F32, CUBLAS_ALGORITHM_DEFAULT);
        break;
    case CUBLAS_FUNCTION_COUNT:
        break;
    }
    return check(status, l->library->text, err) || error_context(err, "in '%s'", l->library->text);
}

const struct cuda_library library_cublas = {
    .rules = {.name = "cublas", .check = cublas_check, .check_case = cublas_check_case},
    .open = cublas_open,
    .prepare = cublas_prepare,
    .enqueue = cublas_enqueue,
    .close = cublas_close,
};
