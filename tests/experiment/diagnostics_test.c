// What is said of malformed experiment files, to the letter: place, words, suggestion. One row a
// mistake, made in a file that is right: the first occurrence of `what` becomes `mistake`.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/experiment.h"
#include "support/mistakes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char right[] = "experiment: copy\n"                                    // 1
                            "title: A copy\n"                                       // 2
                            "source: scale.cu\n"                                    // 3
                            "reference: reference.c:scale_ref\n"                    // 4
                            "params:\n"                                             // 5
                            "  N: [4, 8]\n"                                         // 6
                            "buffers:\n"                                            // 7
                            "  in: {type: f32, count: N, fill: 'uniform(-1,1)'}\n"  // 8
                            "  out:\n"                                              // 9
                            "    type: f32\n"                                       // 10
                            "    count: N\n"                                        // 11
                            "    output: true\n"                                    // 12
                            "    tolerance: {rel: 1e-6, abs: 0}\n"                  // 13
                            "work: {bytes: 8*N, flops: 0}\n"                        // 14
                            "variants:\n"                                           // 15
                            "  - name: first\n"                                     // 16
                            "    kernel: k\n"                                       // 17
                            "    grid: [ceil_div(N,4)]\n"                           // 18
                            "    block: [4]\n"                                      // 19
                            "    args: [out, in, N]\n"                              // 20
                            "  - name: second\n"                                    // 21
                            "    from: first\n"                                     // 22
                            "    expect: {time: -50%}\n"                            // 23
                            "    launches:\n"                                       // 24
                            "      - {zero: out}\n"                                 // 25
                            "      - {kernel: k, grid: 1, block: 4, args: [out]}\n" // 26
                            "  - name: peer\n"                                      // 27
                            "    library: cublas:geam\n"                            // 28
                            "    args: {a: in, c: out, m: 2, n: N/2}\n"             // 29
                            "  - name: plug-in\n"                                   // 30
                            "    library: plug.so:double_f32\n"                     // 31
                            "    args: [out, in, N]\n";                             // 32

static const char path[] = "tests/cli/scale/copy.yaml";
static const struct mistake rows[] = {
    {"args: [out, in, N]", "args: [out, {tensor_map: inn, dims: [N], box: [4]}, N]", 20, 30,
     "unknown buffer 'inn' (did you mean 'in'?)"},
    {"args: [out, in, N]", "args: [{tensor_map: in, dims: [N], box: [4]}, in, N]", 9, 3,
     "buffer 'out' is an output, but not among the arguments of the reference 'scale_ref' (in, in, "
     "N, those of the first kernel of variant 'first'): state them with reference: {call: "
     "reference.c:scale_ref, args: [...]}"},
    {"args: [out, in, N]", "args: [out, {tensor_map: in, dims: [N]}, N]", 20, 17,
     "the tensor map of 'in' needs 'box', innermost first"},
    {"args: [out, in, N]", "args: [out, {tensor_map: in, dims: [4, 2], box: 4}, N]", 20, 53,
     "'box' of this tensor map must have 2 entries, not 1: 'dims' has one per dimension, 'box' "
     "too, 'strides' one less"},
    {"args: [out, in, N]", "args: [out, {tensor_map: in, dims: [1,1,1,1,1,1], box: [4]}, N]", 20,
     40, "a tensor map has 1 to 5 dimensions, not 6"},
    {"args: [out, in, N]", "args: [out, {tensor_map: in, dims: [N], box: [4], swizzle: 256B}, N]",
     20, 64, "unknown swizzle '256B' (known: none, 32B, 64B, 128B)"},
    {"args: [out, in, N]", "args: [out, {tensor_map: in, dim: [N], box: [4]}, N]", 20, 34,
     "unknown key 'dim' in a tensor map (did you mean 'dims'?)"},
    {"args: [out, in, N]", "args: [out, in, N]\n    memory: {in: pinned}", 20, 17,
     "'k' takes 'in', which is pinned memory of the host in variant 'first': write a step {copy: "
     "{from: in, to: BUFFER}} before it, or memory: {in: mapped}"},
    {"args: [out, in, N]", "args: [out, in, N]\n    memory: {in: pined}", 21, 18,
     "unknown memory 'pined' (did you mean 'pinned'?)"},
    {"- {zero: out}", "- {zero: out, after: side}", 25, 28,
     "unknown stream of an earlier step 'side' (known: main)"},
    {"- {zero: out}", "- {copy: {from: in}}", 25, 16,
     "a copy needs 'to': {copy: {from: x, to: dx}}"},
    {"- {zero: out}", "- {copy: {from: in, to: in}}", 25, 16,
     "a copy needs two buffers, and this is 'in' to itself"},
    {"args: [out, in, N]", "args: [out, in, N]\n    persist: {bytes: 4}", 21, 14,
     "'persist' needs 'buffer': {buffer: table, bytes: 4*N}"},
    {"args: [out, in, N]", "args: [out, {texture: inn, size: N}, N]", 20, 27,
     "unknown buffer 'inn' (did you mean 'in'?)"},
    {"args: [out, in, N]", "args: [out, {texture: in}, N]", 20, 17,
     "the texture of 'in' needs 'size': texels in x, or in x and y"},
    {"args: [out, in, N]", "args: [out, {texture: in, size: [1, N, 1]}, N]", 20, 37,
     "'size' of a texture must have 1 or 2 dimensions, not 3"},
    {"args: [out, in, N]", "args: [out, {texture: in, size: [1, N], address: wrap}, N]", 20, 54,
     "'address: wrap' needs 'coordinates: normalized': with coordinates in texels CUDA takes clamp "
     "for it"},
    {"args: [out, in, N]", "args: [out, {texture: in, size: [1, N], read: normalized}, N]", 20, 51,
     "'read: normalized' takes integers of 8 or 16 bits, and these are f32"},
    {"args: [out, in, N]", "args: [out, {texture: in, size: N, filter: linear}, N]", 20, 17,
     "a texture of one dimension in linear memory takes tex1Dfetch alone: filters, normalized "
     "coordinates and 'address' are for 'memory: array'"},
    {"args: [out, in, N]", "args: [out, {texture: in, size: N, channels: 3}, N]", 20, 50,
     "'channels' must be 1, 2 or 4 elements per texel"},
    {"args: [out, in, N]", "args: [out, {surface: in, size: N, filter: linear}, N]", 20, 40,
     "unknown key 'filter' in a surface (known: surface, size, channels)"},
    {"title: A copy", "titel: A copy", 2, 1,
     "unknown key 'titel' in the experiment (did you mean 'title'?)"},
    {"title: A copy", "colour: red", 2, 1,
     "unknown key 'colour' in the experiment (known: experiment, title, source, flags, reference, "
     "verify, params, "
     "buffers, work, variants, gate, split, patterns)"},
    {"work: {bytes: 8*N, flops: 0}", "work: {bytes: 8*N, flops: 0}\nsplit: M", 15, 8,
     "unknown parameter 'M' (known: N)"},
    {"work: {bytes: 8*N, flops: 0}", "work: {bytes: 8*N, flops: 0}\nsplit: {granule: 4}", 15, 8,
     "'split' needs 'over', the parameter that is divided: split: {over: N}"},
    {"work: {bytes: 8*N, flops: 0}", "work: {bytes: 8*N, flops: 0}\nsplit: {over: N, grain: 4}", 15,
     18,
     "unknown key 'grain' in 'split' (known: over, granule, halo, whole, columns, add, "
     "gather, broadcast, panels, turn)"},
    {"work: {bytes: 8*N, flops: 0}", "work: {bytes: 8*N, flops: 0}\nsplit: {over: N, add: [inn]}",
     15, 24, "unknown buffer 'inn' (did you mean 'in'?)"},
    {"work: {bytes: 8*N, flops: 0}", "work: {bytes: 8*N, flops: 0}\nsplit: {over: N, add: [in]}",
     15, 24, "'in' is no output: what is added must have 'output: true'"},
    {"work: {bytes: 8*N, flops: 0}", "work: {bytes: 8*N, flops: 0}\nsplit: {over: N, whole: [out]}",
     15, 26,
     "'out' is an output, which must not be 'whole' in every part: name it in 'add' if parts of it "
     "are summed"},
    {"work: {bytes: 8*N, flops: 0}",
     "work: {bytes: 8*N, flops: 0}\nsplit: {over: N, whole: [in], columns: [in]}", 15, 41,
     "'split' must name buffer 'in' once"},
    {"work: {bytes: 8*N, flops: 0}", "work: {bytes: 8*N, flops: 0}\nsplit: {over: N, gather: [in]}",
     15, 27, "'gather' of 'split' must not name 'in': it takes outputs that are divided by rows"},
    {"work: {bytes: 8*N, flops: 0}",
     "work: {bytes: 8*N, flops: 0}\nsplit: {over: N, broadcast: [in]}", 15, 30,
     "'broadcast' of 'split' must not name 'in': it takes inputs that every part has whole"},
    {"work: {bytes: 8*N, flops: 0}",
     "work: {bytes: 8*N, flops: 0}\nsplit: {over: N, whole: [in], broadcast: [in], panels: [in]}",
     15, 8, "'split' must not name 'in' in both 'broadcast' and 'panels'"},
    {"work: {bytes: 8*N, flops: 0}", "work: {bytes: 8*N, flops: 0}\nsplit: {over: N, turn: [out]}",
     15, 25, "'turn' of 'split' must not name 'out': it takes outputs that are divided by columns"},
    {"work: {bytes: 8*N, flops: 0}",
     "work: {bytes: 8*N, flops: 0}\nsplit: {over: N, columns: [out], turn: [out], halo: 1}", 15, 8,
     "'split' must not have a 'halo' and turn 'out'"},
    {"work: {bytes: 8*N, flops: 0}",
     "work: {bytes: 8*N, flops: 0}\nsplit: {over: N, gather: [inn]}", 15, 27,
     "unknown buffer 'inn' (did you mean 'in'?)"},
    {"work: {bytes: 8*N, flops: 0}",
     "work: {bytes: 8*N, flops: 0}\nsplit: {over: N, halo: 1, add: [out]}", 15, 8,
     "'split' must not have a 'halo' and add 'out': units of the halo would count twice"},
    {"    count: N\n    output: true\n    tolerance: {rel: 1e-6, abs: 0}\n",
     "    count: 4\n    output: true\nsplit: N\n", 13, 8,
     "'split': the count of the output 'out' does not name 'N': if every part computes a summand "
     "of "
     "it, write 'add: [out]'"},
    {"title: A copy", "title: [a, b]", 2, 8, "'title' must be a single value, not a list"},
    {"title: A copy\n", "title: A copy\ntitle: B\n", 3, 1,
     "duplicate key 'title' (first on line 2)"},
    {"experiment: copy\n", "", 1, 1, "'experiment: NAME' is missing"},
    {"source: scale.cu", "source: none.cu", 3, 9,
     "'source': the file 'tests/cli/scale/none.cu' does not exist"},
    {"source: scale.cu", "source: ''", 3, 9,
     "'source' must name a file; 'tests/cli/scale/' is a folder"},
    {"source: scale.cu", "source: .", 3, 9,
     "'source' must name a file; 'tests/cli/scale/.' is a folder"},
    {"reference: reference.c:scale_ref", "reference: reference.c", 4, 12,
     "'reference' is written FILE.c:FUNCTION, or FILE.py:FUNCTION, not 'reference.c'"},
    {"reference: reference.c:scale_ref", "reference: none.c:f", 4, 12,
     "'reference': the file 'tests/cli/scale/none.c' does not exist"},
    {"reference: reference.c:scale_ref", "reference: {args: [out, in, N]}", 4, 12,
     "'reference' needs one of 'call: FILE.c:FUNCTION', 'variant: NAME' and 'expected: {BUFFER: "
     "FILE.npy}'"},
    {"reference: reference.c:scale_ref", "reference: {call: reference.c}", 4, 19,
     "'call' is written FILE.c:FUNCTION, or FILE.py:FUNCTION, not 'reference.c'"},
    {"reference: reference.c:scale_ref", "reference: {call: reference.c:scale_ref, arg: [in]}", 4,
     42, "unknown key 'arg' in 'reference' (did you mean 'args'?)"},
    {"reference: reference.c:scale_ref", "reference: {call: reference.c:scale_ref, args: [in, M]}",
     4, 53, "unknown buffer or parameter 'M' (known: in, out, N)"},
    {"reference: reference.c:scale_ref", "reference: {call: reference.c:scale_ref, args: [in, N]}",
     9, 3,
     "buffer 'out' is an output, but not among the arguments of the reference 'scale_ref' (in, N): "
     "add it to 'args', or take 'output: true' away"},
    {"    output: true\n    tolerance: {rel: 1e-6, abs: 0}\n", "", 4, 12,
     "there is a reference, but no buffer has 'output: true': nothing would be compared with it, "
     "and any kernel would be called right"},
    {"    output: true\n", "    output: true\n    scratch: true\n", 13, 14,
     "buffer 'out' is an output, which is compared, and 'scratch', which is not: one of them"},
    {"    output: true\n", "    output: true\n    written: most\n", 13, 14,
     "'written' must be all or some, not 'most'"},
    {"type: f32, count: N, fill", "type: f32, written: some, count: N, fill", 8, 28,
     "buffer 'in' has 'written' but is no output"},
    {"reference: reference.c:scale_ref\n", "", 8, 3,
     "buffer 'out' is an output, but the experiment has no 'reference' to compare it with "
     "(reference: FILE.c:FUNCTION); 'verify: self' compares a variant's runs with each other"},
    {"params:\n  N: [4, 8]\n", "params: 4\n", 5, 9, "'params' must be a map, not a single value"},
    {"N: [4, 8]", "N: []", 6, 6, "parameter 'N' has no values"},
    {"N: [4, 8]", "N: [4, many]", 6, 10, "parameter 'N' must be a number, not 'many'"},
    {"N: [4, 8]", "4N: [4, 8]", 6, 3, "'4N' is no name for a parameter (letters, digits and _)"},
    {"in: {type: f32", "in: {type: f31", 8, 14, "unknown type 'f31' (did you mean 'f32'?)"},
    {"in: {type: f32", "in: {type: float", 8, 14,
     "unknown type 'float' (known: f16, bf16, e4m3, f32, f64, i8, u8, i16, u16, i32, u32, i64, "
     "u64)"},
    {"in: {type: f32, count: N", "in: {count: N", 8, 3, "buffer 'in' needs 'type' and 'count'"},
    {"  in: {", "  N: {", 8, 3, "'N' is the name of a parameter already"},
    {"  in: {", "  in-put: {", 8, 3, "'in-put' is no name for a buffer (letters, digits and _)"},
    {"count: N, fill", "count: N N, fill", 8, 28,
     "unexpected 'N' in the expression 'N N'; an operator or the end is expected"},
    {"count: N, fill", "count: N*, fill", 8, 28,
     "the expression 'N*' ends where a number, a name or '(' is expected"},
    {"count: N, fill", "count: (N, fill", 8, 28, "the expression '(N' ends where ')' is expected"},
    {"count: N, fill", "count: 99999999999999999999, fill", 8, 26,
     "'99999999999999999999' is too large for a 64-bit integer"},
    {"'uniform(-1,1)'", "'unifrom(-1,1)'", 8, 35,
     "unknown fill 'unifrom' (did you mean 'uniform'?)"},
    {"'uniform(-1,1)'", "'random'", 8, 35,
     "unknown fill 'random'; the fills are uniform(a,b) normal(m,s) integers(lo,hi) constant(v) "
     "iota zipf(s,n) starts(n,p) file(path) npy(path) permutation sorted(a,b) letters(ACGT) "
     "csr_columns(rows,n)"},
    {"'uniform(-1,1)'", "'uniform(1)'", 8, 35, "'uniform(1)' takes 2 arguments"},
    {"'uniform(-1,1)'", "'uniform'", 8, 35, "'uniform' takes 2 arguments in parentheses"},
    {"'uniform(-1,1)'", "'iota(3)'", 8, 35, "'iota' takes no arguments"},
    {"'uniform(-1,1)'", "'file(none.bin)'", 8, 35,
     "'fill': the file 'tests/cli/scale/none.bin' does not exist"},
    {"output: true", "output: maybe", 12, 13, "'output' must be true or false, not 'maybe'"},
    {"rel: 1e-6", "rel: -1", 13, 22, "the tolerance 'rel' must not be negative"},
    {"rel: 1e-6", "rel: small", 13, 22, "'rel' must be a number, not 'small'"},
    {"{rel: 1e-6, abs: 0}", "{bits: 1}", 13, 17,
     "unknown key 'bits' in 'tolerance' (known: rel, abs, ulp)"},
    {"    output: true\n", "", 12, 16, "buffer 'out' has a 'tolerance' but is no output"},
    {"flops: 0", "flop: 0", 14, 20, "unknown key 'flop' in 'work' (did you mean 'flops'?)"},
    {"bytes: 8*N", "bytes: 8*", 14, 17,
     "the expression '8*' ends where a number, a name or '(' is expected"},
    {"  - name: first\n    kernel", "  - kernel", 16, 5, "a variant needs 'name'"},
    {"name: second", "name: first", 21, 11, "there are two variants named 'first'"},
    {"from: first", "from: frist", 22, 11,
     "unknown earlier variant 'frist' (did you mean 'first'?)"},
    {"from: first", "from: second", 22, 11,
     "variant 'second' answers itself: 'from' must name an earlier one"},
    {"    from: first\n", "", 22, 20,
     "'time: -50%' compares with an earlier variant, but 'second' has no 'from'"},
    {"kernel: k\n    grid", "kernal: k\n    grid", 17, 5,
     "unknown key 'kernal' in a variant (did you mean 'kernel'?)"},
    {"    grid: [ceil_div(N,4)]\n", "", 17, 13, "the launch of 'k' needs 'grid'"},
    {"    block: [4]\n", "", 17, 13, "the launch of 'k' needs 'block'"},
    {"block: [4]", "block: [1, 1, 1, 4]", 19, 12, "'block' has 1 to 3 dimensions, not 4"},
    {"ceil_div(N,4)", "cieldiv(N,4)", 18, 12,
     "unknown function 'cieldiv' (did you mean 'ceil_div'?)"},
    {"ceil_div(N,4)", "ceil_div(N)", 18, 22, "'ceil_div' takes 2 arguments; ',' is expected here"},
    {"ceil_div(N,4)", "N $ 4", 18, 14,
     "unexpected '$' in the expression 'N $ 4'; an operator or the end is expected"},
    {"[out, in, N]", "[out, inn, N]", 20, 17,
     "unknown buffer or parameter 'inn' (did you mean 'in'?)"},
    {"[out, in, N]", "out", 20, 11, "'args' must be a list, not a single value"},
    {"{time: -50%}", "{time: fast}", 23, 20,
     "'fast' is no expectation; write -50%, 2x, <= 4, >= 90 or a number"},
    {"{time: -50%}", "-50%", 23, 13, "'expect' must be a map, not a single value"},
    {"- {zero: out}", "- {zero: nothing}", 25, 16, "unknown buffer 'nothing' (known: in, out)"},
    {"- {zero: out}", "- {zreo: out}", 25, 10,
     "unknown key 'zreo' in a launch (did you mean 'zero'?)"},
    {"- {zero: out}\n      - {kernel: k, grid: 1, block: 4, args: [out]}", "- {zero: out}", 25, 7,
     "variant 'second' launches no kernel and calls no library that is timed"},
    {"    launches:\n", "    block: [4]\n    launches:\n", 24, 12,
     "variant 'second' has 'launches': 'block' belongs into them"},
    {"variants:", "vary:", 15, 1,
     "unknown key 'vary' in the experiment (known: experiment, title, source, flags, reference, "
     "verify, params, "
     "buffers, work, variants, gate, split, patterns)"},
    {"experiment: copy", "experiment: ''", 1, 13, "'experiment' must not be empty"},
    {"name: first", "name: ''", 16, 11, "'name' must not be empty"},
    {"name: first", "name: a:b", 16, 11, "'name' must not hold ':', '/' or a line break"},
    {"from: first", "from: [first]", 22, 11, "'from' must be a single value, not a list"},
    {"    kernel: k\n", "", 16, 5, "a launch needs 'kernel'"},
    {"- {kernel: k, grid: 1", "- {grid: 1", 26, 9, "a launch needs 'kernel'"},
    {"kernel: k\n    grid", "kernel:\n    grid", 17, 12, "'kernel' must not be empty"},
    {"variants:", "tune: 3\nvariants:", 15, 1,
     "'tune' belongs to a variant: write it beside its 'kernel'"},
    {"    from: first\n", "    from: first\n    library: x.so:f\n", 23, 14,
     "variant 'second' has 'launches': 'library' belongs into them"},
    {"cublas:geam", "cublas", 28, 14, "'library' is written NAME:FUNCTION, not 'cublas'"},
    {"    library: cublas:geam\n", "    library: cublas:geam\n    grid: 1\n", 29, 11,
     "'grid' belongs to kernels: leave it out beside 'library', which launches its own"},
    {"title: A copy", "title: &a A copy", 2, 8,
     "anchors are not supported: write the value out where it is used"},
    {"title: A copy", "title: *a", 2, 8,
     "aliases are not supported: write the value out instead of '*a'"},
    {"title: A copy", "title: !!str A copy", 2, 8,
     "tags are not supported: leave 'tag:yaml.org,2002:str' out"},
    {"title: A copy", "title: \"A\\u0007copy\"", 2, 8, "'title' holds a control character (0x07)"},
    {"  N: [4, 8]", "\tN: [4, 8]", 6, 1, "not valid YAML: a tab; indent with spaces"},
    {"N: [4, 8]", "N: [4, 8", 7, 8,
     "not valid YAML: did not find expected ',' or ']' while parsing a flow sequence"},
};

static struct arena arena;

static void file_that_is_right_is_read(void **state)
{
    (void)state;
    struct experiment *e = NULL;
    struct error err = {0};
    if (!experiment_parse(&arena, path, right, strlen(right), &e, &err))
        fail_msg("%s", err.message);
    assert_int_equal(e->variant_count, 4);
    arena_release(&arena);
}

// The reference is given the buffer.
static void a_tensor_map_of_an_output_is_an_argument_of_the_reference(void **state)
{
    (void)state;
    struct experiment *e = NULL;
    struct error err = {0};
    const struct mistake m = {"[out, in, N]", "[{tensor_map: out, dims: [N], box: [4]}, in, N]", 0,
                              0, ""};
    const char *text = with_mistake(&arena, right, &m);
    if (!experiment_parse(&arena, path, text, strlen(text), &e, &err))
        fail_msg("%s", err.message);
    arena_release(&arena);
}

static bool read_experiment(struct arena *a, const char *name, const char *text, struct error *err)
{
    struct experiment *e = NULL;
    return experiment_parse(a, name, text, strlen(text), &e, err);
}

static void each_mistake_is_said_to_the_letter(void **state)
{
    (void)state;
    mistakes_are_said(&arena, path, right, rows, COUNT_OF(rows), read_experiment);
    arena_release(&arena);
}

static void line_and_caret_stand_below_the_message(void **state)
{
    (void)state;
    struct experiment *e = NULL;
    struct error err = {0};
    const struct mistake m = {"[out, in, N]", "[out, inn, N]", 0, 0, ""};
    const char *text = with_mistake(&arena, right, &m);
    assert_false(experiment_parse(&arena, "./copy.yaml", text, strlen(text), &e, &err));
    assert_string_equal(err.message,
                        "./copy.yaml:3:9: 'source': the file './scale.cu' does not exist\n"
                        "    source: scale.cu\n"
                        "            ^");
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_that_is_right_is_read),
        cmocka_unit_test(a_tensor_map_of_an_output_is_an_argument_of_the_reference),
        cmocka_unit_test(each_mistake_is_said_to_the_letter),
        cmocka_unit_test(line_and_caret_stand_below_the_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
