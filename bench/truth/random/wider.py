#!/usr/bin/env python3
"""Kernels written by chance, for the counts of machine instructions: what people write and generate.py lacks.

  bench/truth/random/wider.py SEED FILES EACH FOLDER

Writes FILES files of EACH kernels of CUDA C into FOLDER (to be compiled: nvcc -w -arch=sm_90 -ptx, and given to walked,
docs/differential.md): bytes and halves, indices of 64 bits, divisions by parameters, arrays of a thread, switches, bits, packed
types, warps' exchanges, early returns, nested conditions, constant memory, structures, functions of f32 and f64. They are
compiled, walked and counted, not run: no index is held within its array.
SPDX-License-Identifier: Apache-2.0
"""
import os
import random
import re
import sys

HEAD = """#include <cuda_fp16.h>
#include <cuda_bf16.h>
struct __align__(16) Body { float x, y, z, mass; };
struct __align__(8) Edge { int from, to; };
struct Cell { float rho, u, v; int kind; };
__constant__ float weights[64];
__constant__ int offsets[32];
"""
PARAMETERS = {
    "f": [("const float *__restrict__", "fa"), ("const float *", "fb"), ("float *", "fo")],
    "i": [("const int *__restrict__", "ia"), ("const int *", "ib"), ("int *", "io")],
    "u": [("const unsigned *__restrict__", "ua"), ("unsigned *", "uo")],
    "l": [("const long long *__restrict__", "la"), ("long long *", "lo")],
    "d": [("const double *__restrict__", "da"), ("double *", "dou")],
    "b": [("const unsigned char *__restrict__", "ca"), ("unsigned char *", "co")],
    "s": [("const short *__restrict__", "sa"), ("short *", "so")],
    "h": [("const __half *__restrict__", "ha"), ("__half *", "ho")],
    "e": [("const __nv_bfloat16 *__restrict__", "ea"), ("__nv_bfloat16 *", "eo")],
    "v": [("const float4 *__restrict__", "va"), ("float4 *", "vo")],
    "w": [("const int2 *__restrict__", "wa"), ("int2 *", "wo")],
    "k": [("const uchar4 *__restrict__", "ka"), ("uchar4 *", "ko")],
    "g": [("const __half2 *__restrict__", "ga"), ("__half2 *", "go")],
    "B": [("const Body *__restrict__", "bodies"), ("Body *", "moved")],
    "E": [("const Edge *__restrict__", "edges")],
    "C": [("const Cell *__restrict__", "cells"), ("Cell *", "after")],
}
SCALARS = [("int", "n"), ("int", "m"), ("int", "width"), ("int", "height"), ("float", "scale"), ("float", "bias"), ("unsigned", "seed"),
           ("long long", "big"), ("double", "dt")]
NAMES = {"f": "float", "i": "int", "u": "unsigned", "l": "long long", "d": "double"}


class Kernel:
    def __init__(self, r, name):
        self.r, self.name, self.count, self.used = r, name, 0, set()
        self.lines, self.live = [], {t: [] for t in NAMES}
        self.lanes = True      # may exchange: all lanes are here
        self.double = r.random() < .12
        self.wide = r.random() < .25
        self.loops = 0
        self.index = "i"
        self.taste = {k: r.random() for k in ("special", "bits", "divide", "clamp", "load", "choose")}

    def add(self, depth, text):
        self.lines.append("    " * depth + text)

    def new(self, t):
        self.count += 1
        return f"{t}{self.count}"

    def use(self, group):
        self.used.add(group)

    def some(self, t):
        r = self.r
        own = self.live[t]
        if own and r.random() < .85:
            return r.choice(own[-5:])
        if t == "f":
            return r.choice(["scale", "bias", "0.5f", "2.0f", "1.0f", "0.1f", f"weights[{r.randrange(8)}]", "3.14159265f"])
        if t == "i":
            return r.choice(["n", "m", "width", "int(threadIdx.x)", "int(blockIdx.x)", str(r.choice([1, 2, 3, 7, 16, 255])), f"int({self.index})"])
        if t == "u":
            return r.choice(["seed", "threadIdx.x", "0x9e3779b9u", "0xffu", f"unsigned({self.index})"])
        if t == "l":
            return r.choice(["big", "(long long)" + self.some("i"), "1ll"])
        return r.choice(["dt", "0.5", "1.0", "(double)" + self.some("f")])

    def place(self):
        r, i = self.r, self.index
        k = r.random()
        if k < .5: return i
        if k < .62: return f"{i} {r.choice('+-')} {r.choice(['1', '1', '2', 'm', 'width', 'n'])}"
        if k < .72: return f"{i} * {r.choice(['2', '3', '4', 'm', 'width'])} + {r.choice(['0', '1', '2', 'threadIdx.x'])}"
        if k < .8 and self.live["i"]: return f"{self.some('i')}"
        if k < .86: return f"(long long){i} * m + {self.some('i')}"
        if k < .92: return f"{i} ^ {r.choice([1, 16, 31])}"
        self.use("i")
        return f"ia[{i}]"

    # ---- expressions: of a type, from what is live

    def f(self, deep=0):
        r = self.r
        a, b, c = self.some("f"), self.some("f"), self.some("f")
        if deep < 2 and r.random() < .25: a = f"({self.f(deep + 1)})"
        k = r.random()
        if k < .16: return f"{a} * {b} + {c}"
        if k < .26: return f"{a} {r.choice('+-')} {b}"
        if k < .32: return f"{a} * {b}"
        if k < .36: return f"fmaf({a}, {b}, {c})"
        if k < .42: return r.choice([f"fminf(fmaxf({a}, 0.0f), 1.0f)", f"fmaxf({a}, {b})", f"fminf({a}, {b})", f"fabsf({a} - {b})", f"__saturatef({a})",
                                     f"fmaxf({a}, 0.0f)", f"fminf({a}, fminf({b}, {c}))", f"fmaxf(fabsf({a}), fabsf({b}))"])
        if k < .50: return r.choice([f"({a} > {b} ? {a} : {c})", f"({a} > 0.0f ? {a} : 0.01f * {a})", f"({self.condition(1)} ? {a} : {b})",
                                     f"({a} < {b} ? {c} : ({a} < 1.0f ? {b} : {a}))", f"({self.condition(1)} ? {a} * {b} : {c} + 1.0f)"])
        if k < .50 + .14 * self.taste["special"]:
            return r.choice([f"expf({a})", f"__expf(-{a})", f"sinf({a})" if r.random() < .4 else f"__sinf({a})", f"cosf({a})" if r.random() < .2 else f"__cosf({a})", f"logf({a})",
                             f"powf({a}, {r.choice(['2.0f', '1.5f', b])})", f"rsqrtf({a})", f"sqrtf({a})", f"sqrtf({a} * {a} + {b} * {b})", f"tanhf({a})", f"1.0f / (1.0f + __expf(-{a}))",
                             f"1.0f / (1.0f + expf(-{a}))", f"exp2f({a})", f"log2f({a})", f"__logf({a})", f"erff({a})", f"log1pf({a})", f"atan2f({a}, {b})" if r.random() < .5 else f"cbrtf({a})", f"hypotf({a}, {b})"])
        if k < .68 and r.random() < self.taste["divide"]:
            return r.choice([f"{a} / {b}", f"{a} / 3.0f", f"1.0f / {a}", f"__fdividef({a}, {b})", f"{a} / ({b} + 1e-6f)", f"{a} / (float)m", f"__frcp_rn({a})"])
        if k < .76 and r.random() < self.taste["load"] + .3: return self.load_f()
        if k < .82: return r.choice([f"(float){self.some('i')}", f"(float){self.some('u')} * 2.3283064e-10f", f"{a} * (float)({self.some('i')} & 7)", f"(float)({self.some('i')} % 10)"])
        if k < .86: return r.choice([f"floorf({a})", f"rintf({a})", f"truncf({a})", f"{a} - floorf({a})", f"ceilf({a} * {b})", f"fmodf({a}, 1.0f)", f"roundf({a})", f"copysignf({a}, {b})"])
        if k < .88: return f"__int_as_float({self.some('i')} & 0x7fffffff)"
        if k < .91 and self.lanes: return r.choice([f"__shfl_xor_sync(0xffffffffu, {a}, {r.choice([1, 2, 4, 8, 16])})", f"__shfl_down_sync(0xffffffffu, {a}, {r.choice([1, 16])})", f"__shfl_sync(0xffffffffu, {a}, {r.choice(['0', self.some('i')])})"])
        if k < .93 and self.double: return f"(float){self.some('d')}"
        return f"{a} * {b} - {c} * {self.some('f')}"

    def load_f(self):
        r, p = self.r, self.place()
        k = r.random()
        if k < .4: self.use("f"); return f"{r.choice(['fa', 'fb'])}[{p}]"
        if k < .5: self.use("h"); return f"__half2float(ha[{p}])"
        if k < .56: self.use("e"); return f"__bfloat162float(ea[{p}])"
        if k < .66: self.use("b"); return f"(float)ca[{p}] * (1.0f / 255.0f)"
        if k < .72: self.use("s"); return f"(float)sa[{p}]"
        if k < .8: self.use("B"); return f"bodies[{p}].{r.choice(['x', 'y', 'z', 'mass'])}"
        if k < .86: self.use("C"); return f"cells[{p}].{r.choice(['rho', 'u', 'v'])}"
        if k < .93: self.use("f"); return f"__ldg(&fa[{p}])"
        return f"weights[{self.some('i')} & 63]"

    def i(self, deep=0):
        r = self.r
        a, b, c = self.some("i"), self.some("i"), self.some("i")
        if deep < 2 and r.random() < .2: a = f"({self.i(deep + 1)})"
        k = r.random()
        if k < .18: return f"{a} {r.choice('+-')} {b}"
        if k < .26: return f"{a} * {r.choice([b, '3', '5', '10', '12', '100'])} + {c}"
        if k < .36 and r.random() < self.taste["bits"] + .2: return r.choice([f"{a} & {r.choice(['1', '3', '31', '255', b])}", f"{a} >> {r.choice([1, 2, 5, 16])}", f"{a} << {r.choice([1, 2, 4])}", f"({a} >> 8) & 0xff",
                                     f"{a} ^ {b}", f"{a} | {b}", f"({a} & {b}) ^ ({a} | {c})", f"__popc({a})", f"__ffs({a})", f"__clz({a})", f"__brev({a})", f"{a} & -{a}", f"{a} & ({a} - 1)", f"~{a}", f"{a} >> ({b} & 31)"])
        if k < .44: return r.choice([f"min({a}, {b})", f"max({a}, {b})", f"min(max({a}, 0), {r.choice(['n - 1', '255', 'width - 1'])})", f"abs({a} - {b})", f"max({a}, 0)", f"min(min({a}, {b}), {c})", f"abs({a})"])
        if k < .53: return r.choice([f"({a} < {b} ? {a} : {c})", f"({self.condition(1)} ? {a} : {b})", f"({a} >= width ? {a} - width : {a})", f"({a} < 0 ? -1 : {a} > 0)", f"({self.condition(1)} ? 1 : 0)", f"({self.condition(1)} ? {a} + 1 : {b})"])
        if k < .64 and r.random() < self.taste["divide"] + .2: return r.choice([f"{a} / {r.choice(['m', 'width', '3', '10', '7', '16', b])}", f"{a} % {r.choice(['m', 'width', '3', '10', '32', '64', b])}", f"{a} / m % width", f"({a} / width) * width + {b}"])
        if k < .72 and r.random() < self.taste["load"] + .3: return self.load_i()
        if k < .77: return r.choice([f"(int){self.some('f')}", f"__float2int_rn({self.some('f')})", f"(int)({self.some('f')} * 255.0f + 0.5f)", f"(int)floorf({self.some('f')})", f"__float_as_int({self.some('f')})"])
        if k < .8: return f"(int)({self.some('u')} {r.choice(['& 15', '>> 28', '% 6u'])})"
        if k < .83 and self.lanes: return r.choice([f"__popc(__ballot_sync(0xffffffffu, {self.condition(1)}))", f"__shfl_up_sync(0xffffffffu, {a}, {r.choice([1, 2, 4])})", f"__any_sync(0xffffffffu, {self.condition(1)})", f"__reduce_add_sync(0xffffffffu, {a})", f"__ffs(__ballot_sync(0xffffffffu, {self.condition(1)})) - 1", f"__all_sync(0xffffffffu, {self.condition(1)})"])
        if k < .86: return r.choice([f"__dp4a({a}, {b}, {c})", f"__mulhi({a}, {b})", f"__mul24({a}, {b})", f"__byte_perm({a}, {b}, 0x{r.choice(['5410', '7632', '3210', '0123', '4321'])})", f"__sad({a}, {b}, 0u)", f"__hadd({a}, {b})"])
        if k < .89 and self.wide: return f"(int)({self.some('l')} {r.choice(['>> 32', '& 1023', '% m'])})"
        if k < .92: return f"(int)(signed char)({a})" if r.random() < .5 else f"(int)(short)({a} * {b})"
        return f"{a} + {b} + {c}"

    def load_i(self):
        r, p = self.r, self.place()
        k = r.random()
        if k < .4: self.use("i"); return f"{r.choice(['ia', 'ib'])}[{p}]"
        if k < .6: self.use("b"); return f"(int)ca[{p}]"
        if k < .7: self.use("s"); return f"(int)sa[{p}]"
        if k < .8: self.use("E"); return f"edges[{p}].{r.choice(['from', 'to'])}"
        if k < .87: self.use("C"); return f"cells[{p}].kind"
        if k < .92: return f"offsets[{self.some('i')} & 31]"
        self.use("w"); return f"wa[{p}].{r.choice('xy')}"

    def u(self, deep=0):
        r = self.r
        a, b, c = self.some("u"), self.some("u"), self.some("u")
        s = r.randint(1, 31)
        if deep < 2 and r.random() < .2: a = f"({self.u(deep + 1)})"
        k = r.random()
        if k < .15: return f"{a} ^ ({b} >> {s})"
        if k < .25: return f"{a} * {r.choice(['0x85ebca6bu', '1664525u', '2654435761u', '33u', b])} + {r.choice(['1013904223u', c, '0u'])}"
        if k < .36: return r.choice([f"__funnelshift_l({a}, {a}, {s})", f"({a} << {s}) | ({a} >> {32 - s})", f"__funnelshift_r({a}, {b}, {c})", f"__funnelshift_l({a}, {b}, {s})", f"({a} >> {s % 24}) & {r.choice(['0xffu', '0xfu', '0x7ffu'])}"])
        if k < .46: return r.choice([f"({a} & {b}) | (~{a} & {c})", f"({a} & {b}) ^ ({a} & {c}) ^ ({b} & {c})", f"{a} ^ {b} ^ {c}", f"({a} & 0x55555555u) << 1 | ({a} >> 1) & 0x55555555u", f"{a} & ~{b}", f"({a} | ({a} << 8)) & 0x00ff00ffu"])
        if k < .53: return r.choice([f"__popc({a} & {b})", f"__clz({a})", f"__brev({a}) >> {s}", f"__umulhi({a}, {b})", f"__byte_perm({a}, {b}, 0x{r.choice(['5140', '6420', '3201'])})", f"__dp4a({a}, {b}, {c})", f"__vadd4({a}, {b})" if r.random() < .3 else f"__usad({a}, {b}, {c})"])
        if k < .62 and r.random() < self.taste["divide"] + .2: return r.choice([f"{a} % {r.choice(['10u', '3u', '1000u', '(unsigned)m', b, '97u'])}", f"{a} / {r.choice(['10u', '3u', '1000u', '(unsigned)m', b, '255u'])}"])
        if k < .7: return r.choice([f"min({a}, {b})", f"max({a}, {b})", f"min({a} + {b}, 255u)", f"({a} > {b} ? {a} - {b} : {b} - {a})", f"({self.condition(1)} ? {a} : {b})", f"({a} + {b} < {a} ? 0xffffffffu : {a} + {b})"])
        if k < .78:
            self.use("u"); return f"ua[{self.place()}]"
        if k < .82: return r.choice([f"(unsigned){self.some('i')}", f"(unsigned)({self.some('f')} * 16.0f)", f"__float_as_uint({self.some('f')})"])
        if k < .85 and self.lanes: return r.choice([f"__ballot_sync(0xffffffffu, {self.condition(1)})", f"__shfl_xor_sync(0xffffffffu, {a}, {r.choice([1, 4, 16])})", f"__match_any_sync(0xffffffffu, {a})" if r.random() < .3 else f"__reduce_max_sync(0xffffffffu, {a})", f"__activemask()"])
        if k < .88 and self.wide: return r.choice([f"(unsigned)({self.some('l')} >> 32)", f"(unsigned)(((unsigned long long){a} * {b}) >> 32)", f"(unsigned){self.some('l')}"])
        return f"{a} + {b}" if k < .95 else f"{a} - {b}"

    def l(self, deep=0):
        r = self.r
        a, b, c = self.some("l"), self.some("l"), self.some("l")
        s = r.randint(1, 60)
        return r.choice([f"{a} + {b}", f"{a} - {b}", f"{a} * {b}", f"{a} * {r.choice(['3ll', '10ll', '6364136223846793005ll', '100ll'])} + {c}", f"{a} ^ ({a} >> {s})", f"{a} << {s}", f"{a} & {b}", f"{a} | {b}",
                         f"{a} & 0xffffffffll", f"(long long){self.some('i')} * {self.some('i')}", f"(long long){self.some('i')}", f"{a} + {self.some('i')}", f"min({a}, {b})", f"({a} < {b} ? {a} : {c})",
                         f"({self.condition(1)} ? {a} : {b})", f"(long long)((unsigned long long){a} >> {s})", f"__popcll({a})", f"__clzll({a})", f"(long long)__ffsll({a})", f"{a} % {r.choice(['m', 'n', '10', b])}", f"{a} / {r.choice(['m', 'n', '1000', b])}", f"(long long)__umul64hi({a}, {b})",
                         f"(long long){self.some('f')}", self.load_l(), f"(long long)((unsigned long long){self.some('u')} << 32 | {self.some('u')})", f"-{a}", f"~{a}", f"({a} << {s}) | (long long)((unsigned long long){a} >> {64 - s})"])

    def load_l(self):
        self.use("l")
        return f"la[{self.place()}]"

    def d(self, deep=0):
        r = self.r
        a, b, c = self.some("d"), self.some("d"), self.some("d")
        k = r.random()
        if k < .25: return f"{a} * {b} + {c}"
        if k < .4: return f"{a} {r.choice('+-*')} {b}"
        if k < .5: return r.choice([f"fmax({a}, {b})", f"fmin({a}, 1.0)", f"fabs({a})", f"({a} > {b} ? {a} : {c})", f"({self.condition(1)} ? {a} : {b})"])
        if k < .6:
            self.use("d"); return f"da[{self.place()}]"
        if k < .7: return r.choice([f"{a} / {b}", f"1.0 / {a}", f"sqrt({a})", f"rsqrt({a})", f"{a} / 3.0"])
        if k < .76: return r.choice([f"exp({a})", f"log({a})", f"sin({a})", f"cos({a})", f"pow({a}, {b})", f"floor({a})", f"rint({a})", f"tanh({a})"])
        if k < .9: return r.choice([f"(double){self.some('f')}", f"(double){self.some('i')}", f"{a} * 0.125", f"{a} + 1.5"])
        return f"fma({a}, {b}, {c})"

    def condition(self, deep=0):
        r = self.r
        t = r.choices("fiu", [4, 5, 2])[0]
        a, b = self.some(t), self.some(t)
        one = {"f": [f"{a} > {b}", f"{a} < 0.0f", f"{a} >= 1.0f", f"{a} != {b}", f"fabsf({a}) < {b}", f"isnan({a})" if r.random() < .2 else f"{a} <= {b}"],
               "i": [f"{a} < {b}", f"{a} == {b}", f"{a} >= 0", f"({a} & 1) == 0", f"{a} != 0", f"({a} & {r.choice([3, 7, 31])}) == {r.choice([0, 1])}", f"{a} < n", f"{a} % 3 == 0", f"(unsigned){a} < (unsigned)width"],
               "u": [f"{a} < {b}", f"{a} > 127u", f"({a} & {b}) != 0", f"({a} >> {r.randint(1, 31)}) & 1", f"{a} == {b}"]}[t]
        text = r.choice(one)
        if deep < 2 and r.random() < .22: text = f"({text}) {r.choice(['&&', '||', '&&'])} ({self.condition(deep + 1)})"
        if r.random() < .04: text = f"!({text})"
        return text

    # ---- statements

    def pick(self):
        r = self.r
        kinds = ["f", "i", "u"] + (["l"] if self.wide else []) + (["d"] if self.double else [])
        weights = [5, 4, 2] + ([1.5] if self.wide else []) + ([4] if self.double else [])
        return r.choices(kinds, weights)[0]

    def statement(self, depth, deep):
        r = self.r
        k = r.random()
        t = self.pick()
        if k < .46:
            v = self.new(t)
            self.add(depth, f"{NAMES[t]} {v} = {getattr(self, t)()};")
            self.live[t].append(v)
        elif k < .58:
            own = [v for v in self.live[t][-6:] if v[1:].isdigit()]
            if own:
                v, o = r.choice(own), r.choice(["=", "+=", "+="] + (["^="] if t in "iul" else ["*="]))
                self.add(depth, f"{v} {o} {getattr(self, t)()};")
        elif k < .74 and deep < 3: self.branch(depth, deep)
        elif k < .78 and deep < 2: self.loop(depth, deep)
        elif k < .82 and deep < 2: self.switch(depth, deep)
        elif k < .87 and deep < 2: self.array(depth, deep)
        elif k < .93: self.packed(depth)
        else: self.store(depth)

    def scoped(self, depth, deep, count, lanes=False):
        kept, was = {t: list(v) for t, v in self.live.items()}, self.lanes
        self.lanes = self.lanes and lanes
        for _ in range(count): self.statement(depth, deep + 1)
        t = self.pick()
        own = [v for v in kept[t][-6:] if v[1:].isdigit()]
        if own: self.add(depth, f"{self.r.choice(own)} {self.r.choice(['=', '+='])} {getattr(self, t)()};")
        else: self.store(depth)
        self.live, self.lanes = kept, was

    def branch(self, depth, deep):
        r = self.r
        self.add(depth, f"if ({self.condition()}) {{")
        self.scoped(depth + 1, deep, r.choice([0, 0, 1, 1, 2, 3, 5]))
        if r.random() < .06 and deep == 0:
            self.store(depth + 1)
            self.add(depth + 1, "return;")
            self.lanes = False
        while r.random() < .18:
            self.add(depth, f"}} else if ({self.condition()}) {{")
            self.scoped(depth + 1, deep, r.choice([0, 0, 1, 2]))
        if r.random() < .38:
            self.add(depth, "} else {")
            self.scoped(depth + 1, deep, r.choice([0, 0, 1, 1, 2, 3, 5]))
        self.add(depth, "}")

    def loop(self, depth, deep):
        r = self.r
        self.loops += 1
        v, was = self.new("j"), self.index
        pragma = r.choice(["", "", "", "", "#pragma unroll", "#pragma unroll 1", "#pragma unroll 4"])
        bound = r.choice(["n", "m", "m", "width", "height", str(r.choice([3, 4, 5, 7, 8, 16, 32, 100])), self.some("i")])
        if pragma == "#pragma unroll" and not bound.isdigit(): pragma = ""
        if pragma: self.add(depth, pragma)
        form = r.random()
        if form < .62: self.add(depth, f"for (int {v} = 0; {v} < {bound}; {v}++) {{")
        elif form < .74: self.add(depth, f"for (int {v} = {r.choice(['threadIdx.x', 'lane', 'ia[i]'])}; {v} < {bound}; {v} += {r.choice(['blockDim.x', '32', '256', '2'])}) {{")
        elif form < .82: self.add(depth, f"for (int {v} = {r.choice(['16', '128', 'm / 2'])}; {v} > 0; {v} >>= 1) {{")
        elif form < .92: self.add(depth, f"for (int {v} = ia[i]; {v} < ia[i + 1]; {v}++) {{")
        else:
            w = self.new("u")
            self.add(depth, f"int {v} = 0;")
            self.add(depth, f"unsigned {w} = {self.some('u')};")
            self.add(depth, f"while ({w} != 0u && {v} < {bound}) {{")
            self.add(depth + 1, r.choice([f"{w} &= {w} - 1u;", f"{w} >>= 1;", f"{w} = {w} * 5u + 1u;"]))
            self.add(depth + 1, f"{v}++;")
        if "ia[" in self.lines[-1]: self.use("i")
        kept = {t: list(x) for t, x in self.live.items()}
        self.live["i"].append(v)
        self.index = r.choice([v, v, f"({was} + {v})", f"({was} * {r.choice(['m', '8'])} + {v})", f"({v} * n + {was})", was])
        if r.random() < .12:
            self.add(depth + 1, f"if ({self.condition()}) {r.choice(['break', 'continue', 'continue'])};")
            self.scoped(depth + 1, deep, r.choice([1, 2, 3]))
        else:
            self.scoped(depth + 1, deep, r.choice([0, 1, 1, 2, 2, 3, 5]), self.lanes and bound.isdigit() and form < .62)
        self.index, self.live = was, kept
        self.add(depth, "}")

    def switch(self, depth, deep):
        r = self.r
        ways = r.choice([2, 3, 4, 5, 8])
        self.add(depth, f"switch ({self.some('i')} {r.choice(['& 7', '% 5', '& 3', ''])}) {{")
        t = self.pick()
        own = [v for v in self.live[t][-6:] if v[1:].isdigit()]
        for w in range(ways):
            self.add(depth, f"case {w}:")
            if own: self.add(depth + 1, f"{self.r.choice(own[-1:])} {r.choice(['=', '+='])} {getattr(self, t)()};")
            else: self.store(depth + 1)
            self.add(depth + 1, "break;")
        if r.random() < .6:
            self.add(depth, "default:")
            if own: self.add(depth + 1, f"{own[-1]} = {self.some(t)};")
            self.add(depth + 1, "break;")
        self.add(depth, "}")

    def array(self, depth, deep):
        """An array of a thread: mostly kept in registers, sometimes indexed by what is not known."""
        r = self.r
        t, v, size = r.choice("fi"), self.new("a"), r.choice([3, 4, 4, 8, 9])
        name, j = NAMES[t], self.new("j")
        self.add(depth, f"{name} {v}[{size}];")
        self.add(depth, "#pragma unroll")
        was, self.index = self.index, r.choice([f"({self.index} + {j})", f"({self.index} * {size} + {j})", f"({j} * n + {self.index})"])
        kept = list(self.live["i"])
        self.live["i"].append(j)
        self.add(depth, f"for (int {j} = 0; {j} < {size}; {j}++) {v}[{j}] = {r.choice([self.load_f() if t == 'f' else self.load_i(), getattr(self, t)()])};")
        self.index, self.live["i"] = was, kept
        how = r.random()
        if how < .2:
            w = self.new(t)
            self.add(depth, f"{name} {w} = {v}[{self.some('i')} & {1 if size == 3 else 3}];")
            self.live[t].append(w)
        elif how < .45:   # sorted by exchanges
            for x in range(min(size, 4) - 1):
                self.add(depth, f"if ({v}[{x}] > {v}[{x + 1}]) {{ {name} swap = {v}[{x}]; {v}[{x}] = {v}[{x + 1}]; {v}[{x + 1}] = swap; }}")
            self.live[t].append(f"{v}[1]")
        else:
            w = self.new(t)
            self.add(depth, f"{name} {w} = {v}[0];")
            op = r.choice(["{w} += {v}[{j}];", "{w} = max({w}, {v}[{j}]);" if t == "i" else "{w} = fmaxf({w}, {v}[{j}]);", "{w} = {w} * {k} + {v}[{j}];", "{w} += {v}[{j}] * {v}[{j} - 1];", "if ({v}[{j}] > {w}) {w} = {v}[{j}];"])
            self.add(depth, f"for (int {j} = 1; {j} < {size}; {j}++) " + op.format(w=w, v=v, j=j, k="scale" if t == "f" else "31"))
            self.live[t].append(w)

    def packed(self, depth):
        r, p = self.r, self.place()
        k = r.random()
        v = self.new("q")
        if k < .25:
            self.use("v")
            self.add(depth, f"float4 {v} = va[{p}];")
            w = self.new("f")
            self.add(depth, f"float {w} = {v}.x * {self.some('f')} + {v}.y * {self.some('f')} + {v}.z * {v}.z {r.choice(['+', '-'])} {v}.w;")
            self.live["f"].append(w)
            if r.random() < .4:
                a = self.some("f")
                self.add(depth, f"{v}.x += {a}; {v}.y *= {a}; {v}.z = fmaxf({v}.z, {a}); vo[{p}] = {v};")
        elif k < .4:
            self.use("B")
            self.add(depth, f"Body {v} = bodies[{p}];")
            x = [self.new("f") for _ in range(3)]
            self.add(depth, f"float {x[0]} = {v}.x - {self.some('f')}, {x[1]} = {v}.y - {self.some('f')}, {x[2]} = {v}.mass * rsqrtf({x[0]} * {x[0]} + {x[1]} * {x[1]} + {v}.z * {v}.z + 0.01f);")
            self.live["f"] += x
            if r.random() < .3: self.add(depth, f"moved[{p}] = {v};")
        elif k < .55:
            self.use("k")
            self.add(depth, f"uchar4 {v} = ka[{p}];")
            w, x = self.new("i"), self.new("f")
            self.add(depth, f"int {w} = ({v}.x * 77 + {v}.y * 150 + {v}.z * 29) >> 8;" if r.random() < .5 else f"int {w} = max(max({v}.x, {v}.y), {v}.z) - {v}.w;")
            self.add(depth, f"float {x} = {v}.x * 0.299f + {v}.y * 0.587f + {v}.z * 0.114f;")
            self.live["i"].append(w)
            self.live["f"].append(x)
            if r.random() < .5: self.add(depth, f"ko[{p}] = make_uchar4({w}, (unsigned char){x}, {v}.z, {r.choice(['255', v + '.w'])});")
        elif k < .75:
            self.use("g")
            self.add(depth, f"__half2 {v} = ga[{p}];")
            x, y = self.new("f"), self.new("f")
            e = r.choice([f"__hfma2({v}, {v}, ga[{p} + 1])", f"__hadd2({v}, __float2half2_rn({self.some('f')}))", f"__hmul2({v}, __floats2half2_rn({self.some('f')}, {self.some('f')}))", f"__hmax2({v}, __float2half2_rn(0.0f))", v])
            self.add(depth, f"{v} = {e};")
            self.add(depth, f"float2 {v}f = __half22float2({v});")
            self.add(depth, f"float {x} = {v}f.x, {y} = {v}f.y * {self.some('f')};")
            self.live["f"] += [x, y]
            if r.random() < .5: self.add(depth, f"go[{p}] = __floats2half2_rn({x}, {y});")
        elif k < .85:
            self.use("h")
            w = self.new("f")
            self.add(depth, f"__half {v} = {r.choice(['__hadd', '__hmul', '__hmax'])}(ha[{p}], __float2half({self.some('f')}));")
            self.add(depth, f"float {w} = __half2float({v});")
            self.live["f"].append(w)
            if r.random() < .4: self.add(depth, f"ho[{p}] = {v};")
        else:
            self.use("w")
            w = self.new("i")
            self.add(depth, f"int2 {v} = wa[{p}];")
            self.add(depth, f"int {w} = {v}.x {r.choice(['+', '*', '-'])} {v}.y;")
            self.live["i"].append(w)
            if r.random() < .5: self.add(depth, f"wo[{p}] = make_int2({w}, {self.some('i')});")

    def store(self, depth):
        r, p = self.r, self.place()
        k = r.random()
        f, i = self.some("f"), self.some("i")
        if k < .33: self.use("f"); text = f"fo[{p}] = {f}"
        elif k < .48: self.use("i"); text = f"io[{p}] = {i}"
        elif k < .54: self.use("u"); text = f"uo[{p}] = {self.some('u')}"
        elif k < .61: self.use("b"); text = f"co[{p}] = (unsigned char){r.choice([i, f'fminf(fmaxf({f}, 0.0f), 255.0f)', f'min(max({i}, 0), 255)'])}"
        elif k < .65: self.use("s"); text = f"so[{p}] = (short){i}"
        elif k < .72: self.use("h"); text = f"ho[{p}] = __float2half({f})"
        elif k < .75: self.use("e"); text = f"eo[{p}] = __float2bfloat16({f})"
        elif k < .8: self.use("v"); text = f"vo[{p}] = make_float4({f}, {self.some('f')}, {self.some('f')}, {self.some('f')})"
        elif k < .84: self.use("i"); text = r.choice([f"atomicAdd(&io[{p}], {i})", f"atomicMax(&io[{p}], {i})", "atomicAdd(&io[0], 1)"])
        elif k < .87: self.use("f"); text = f"atomicAdd(&fo[{p}], {f})"
        elif k < .9 and self.double: self.use("d"); text = f"dou[{p}] = {self.some('d')}"
        elif k < .94 and self.wide: self.use("l"); text = f"lo[{p}] = {self.some('l')}"
        else: self.use("f"); text = f"fo[{p}] += {f}"
        self.add(depth, text + ";")

    def end(self, depth):
        """What is live is stored, so that little is dead."""
        for t, array, group in (("f", "fo", "f"), ("i", "io", "i"), ("u", "uo", "u"), ("l", "lo", "l"), ("d", "dou", "d")):
            own = [v for v in self.live[t] if v[0] == t and v[1:].isdigit()]
            if own:
                self.use(group)
                self.add(depth, f"{array}[{self.index}] = {' + '.join(self.r.sample(own, min(len(own), 4)))};")

    def write(self):
        r = self.r
        self.add(1, "int lane = threadIdx.x & 31;")
        frame = r.random()
        closing = 0
        if frame < .4:
            self.add(1, "int i = blockIdx.x * blockDim.x + threadIdx.x;")
            if r.random() < .8:
                self.add(1, r.choice(["if (i >= n) return;", "if (i >= n) return;", "if (i < n) {"]))
                closing, self.lanes = self.lines[-1].endswith("{"), False
        elif frame < .58:
            self.add(1, "int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;")
            self.add(1, r.choice(["if (x >= width || y >= height) return;", "if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;"]))
            self.add(1, r.choice(["int i = y * width + x;", "int i = (blockIdx.z * height + y) * width + x;"]))
            self.live["i"] += ["x", "y"]
            self.lanes = False
        elif frame < .66:
            self.add(1, "int i = blockIdx.x * blockDim.x + threadIdx.x;")
            self.add(1, "if (i >= n) return;")
            self.add(1, f"int x = i % width, y = i / width % {r.choice(['height', '64'])}, z = i / (width * height);")
            self.live["i"] += ["x", "y", "z"]
            self.lanes = False
        elif frame < .74:
            self.add(1, "int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, i = row * m + lane;")
            self.add(1, "if (row >= n) return;")
            self.live["i"] += ["row", "lane"]
        elif frame < .84:
            self.add(1, f"for ({r.choice(['int', 'int', 'long long'])} i = blockIdx.x * blockDim.x + threadIdx.x; i < {r.choice(['n', 'n', 'big'])}; i += blockDim.x * gridDim.x) {{")
            closing, self.lanes = True, False
        elif frame < .92:
            self.add(1, "long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;")
            self.add(1, "if (i >= big) return;")
            self.lanes = False
        else:
            self.add(1, f"__shared__ float tile[{r.choice([256, 512])}];")
            self.add(1, "int i = blockIdx.x * blockDim.x + threadIdx.x;")
            self.use("f")
            self.add(1, "tile[threadIdx.x] = i < n ? fa[i] : 0.0f;")
            self.add(1, "__syncthreads();")
            self.add(1, f"float f0 = tile[threadIdx.x ^ {r.choice([1, 2, 16])}], f00 = tile[(threadIdx.x + {r.choice(['1', 'm'])}) & 255];")
            self.live["f"] += ["f0", "f00"]
        depth = 1 + closing
        if r.random() < .8 or not self.live["f"]:
            v = self.new("f")
            self.add(depth, f"float {v} = {self.load_f()};")
            self.live["f"].append(v)
        if r.random() < .5:
            v = self.new("i")
            self.add(depth, f"int {v} = {self.load_i()};")
            self.live["i"].append(v)
        for _ in range(r.choice([1, 2, 3, 4, 5, 6, 8, 10, 14])): self.statement(depth, 0)
        self.end(depth)
        if closing: self.add(1, "}")
        parameters = [p for group, pair in PARAMETERS.items() if group in self.used for p in pair]
        text = "\n".join(self.lines)
        words = set(re.findall(r"\w+", text))
        scalars = [s for s in SCALARS if s[1] in words]
        return f'extern "C" __global__ void {self.name}({", ".join(" ".join(p) for p in parameters + scalars)})\n{{\n{text}\n}}\n'


def main():
    if len(sys.argv) != 5: sys.exit(__doc__)
    seed, files, each, folder = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    os.makedirs(folder, exist_ok=True)
    for q in range(files):
        r = random.Random(seed * 1000003 + q)
        with open(f"{folder}/wider{seed}_{q:03d}.cu", "w") as out:
            out.write(HEAD)
            for k in range(each): out.write("\n" + Kernel(r, f"w{seed}_{q:03d}_{k:02d}").write())


if __name__ == "__main__": main()
