// ridge new: a starter experiment (saxpy, one float per thread and four) that runs as it is.
// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <string.h>

static const char yaml_text[] =
    "experiment: %s\n"
    "title: y = a*x + y on f32 vectors\n"
    "source: %s.cu\n"
    "reference: reference.c:saxpy_ref\n\n"
    "params:\n  N: [1048576]\n\n"
    "buffers:\n"
    "  x:\n    type: f32\n    count: N\n    fill: uniform(-1,1)\n"
    "  y:\n    type: f32\n    count: N\n    fill: uniform(-1,1)\n    output: true\n"
    "    tolerance: {rel: 1e-6, abs: 1e-6}\n\n"
    "work:\n  bytes: 3*N*4\n  flops_f32: 2*N\n\n"
    "variants:\n"
    "  - name: scalar\n    kernel: saxpy_scalar\n    grid: [ceil_div(N,256)]\n    block: [256]\n"
    "    args: [y, x, 2.5, N]\n\n"
    "  - name: vector\n    from: scalar\n"
    "    hypothesis: Four floats per thread keep more bytes in flight with a quarter of the "
    "requests.\n"
    "    expect: {time: -10%%, global_load_requests: -75%%}\n"
    "    kernel: saxpy_vector\n    grid: [ceil_div(N,1024)]\n    block: [256]\n"
    "    args: [y, x, 2.5, N]\n";

static const char kernel_text[] =
    "// y = a*x + y: one float per thread, then four (N must be a multiple of 4).\n"
    "extern \"C\" __global__ void saxpy_scalar(float *y, const float *x, float a, int N)\n{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < N)\n        y[i] = a * x[i] + y[i];\n}\n\n"
    "extern \"C\" __global__ void saxpy_vector(float *y, const float *x, float a, int N)\n{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (4 * i >= N)\n        return;\n"
    "    float4 u = ((const float4 *)x)[i], v = ((float4 *)y)[i];\n"
    "    ((float4 *)y)[i] = make_float4(a * u.x + v.x, a * u.y + v.y, a * u.z + v.z, a * u.w + "
    "v.w);\n}\n";

static const char reference_text[] =
    "// The same in plain C, in double: the arguments of the first variant's kernel, in their "
    "order.\n"
    "void saxpy_ref(float *y, const float *x, float a, int N)\n{\n"
    "    for (int i = 0; i < N; i++)\n        y[i] = (float)((double)a * x[i] + y[i]);\n}\n";

static bool name_check(const char *name, struct error *err)
{
    for (const char *s = name; *s; s++)
        if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') ||
              *s == '_' || *s == '-'))
            return fail(err, NOWHERE,
                        "'%s' cannot be an experiment's name: letters, digits, - and _ only", name);
    return *name != '-' || fail(err, NOWHERE, "an experiment's name does not start with '-'");
}

static bool files_write(struct arena *a, const char *name, const char *paths[3], struct error *err)
{
    struct text yaml = {0};
    text_printf(&yaml, yaml_text, name, name);
    paths[0] = path_join(a, name, "experiment.yaml");
    paths[1] = path_join(a, name, arena_printf(a, "%s.cu", name));
    paths[2] = path_join(a, name, "reference.c");
    bool done = dir_make(name, err) && file_write(paths[0], yaml.data, yaml.length, err) &&
                file_write(paths[1], kernel_text, strlen(kernel_text), err) &&
                file_write(paths[2], reference_text, strlen(reference_text), err);
    text_release(&yaml);
    return done;
}

bool command_new(const struct options *o, int *status, struct error *err)
{
    struct arena a = {0};
    struct text out = {0};
    const char *name = o->arguments[0], *paths[3];
    *status = 0;
    if (option_given(o, OPTION_LIST))
        return new_list(o, err);
    if (option_given(o, OPTION_FROM))
        return new_from(o, err);
    if (o->argument_count == 0)
        return fail(err, NOWHERE,
                    "`ridge new` takes a name: ridge new NAME; --from FILE.cu makes one "
                    "around a kernel, --list FILE.cu lists kernels");
    bool done = name_check(name, err);
    if (done && file_exists(name))
        done = fail(err, NOWHERE, "'%s' exists already: choose another name", name);
    done = done && files_write(&a, name, paths, err);
    if (done && option_given(o, OPTION_JSON)) {
        done = cli_print_json(json_pack("{s:[s, s, s]}", "created", paths[0], paths[1], paths[2]),
                              err);
    } else if (done) {
        text_printf(&out, "made %s, %s and %s\nnow: ridge run %s\n", paths[0], paths[1], paths[2],
                    name);
        done = cli_print(&out, err);
    }
    text_release(&out);
    arena_release(&a);
    return done;
}
