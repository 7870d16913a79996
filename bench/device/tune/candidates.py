#!/usr/bin/env python3
# Writes what try.sh compiles and try.cu times: cubins.txt (name, source, macros) and, for each topic, TOPIC.list.
# Usage: bench/device/tune/candidates.py FOLDER [TOPIC...]     topics: see TOPICS; default: all
# SPDX-License-Identifier: Apache-2.0
import itertools
import os
import sys

SMS = 132  # of an H200
cubins = {}


def ceil_div(a, b):
    return -(-a // b)


def cubin(source, **macros):
    name = "-".join([source.split("/")[-1][:-3]] + [f"{k}{v}" for k, v in sorted(macros.items())])
    cubins[name] = " ".join([name, source] + [f"{k}={v}" for k, v in sorted(macros.items())])
    return name + ".cubin"


def run(file, kernel, grid, block, shared, cluster, *arguments):
    return f"run {file} {kernel} {grid} {block} {shared} {cluster} " + " ".join(str(a) for a in arguments)


def histogram_f32():
    n, bins = 1 << 28, 65536
    yield f"buffer counts {bins * 4} zero"
    for spread in (1, 1e-6, 8 / 65536, 64 / 65536):
        yield f"buffer in {n * 4} f32 0 {spread}"
        yield f"group histogram-f32,65536-bins,spread={spread} {n * 4} 0 counts 0"
        tail = ("@counts", "@in", f"l:{n}", "f:0", "f:1", f"i:{bins}")

        def one(title, kernel, **macros):
            file = cubin("histogram-f32/histogram.cu", BLOCK=1024, **macros)
            yield f"try {title}"
            yield "zero counts"
            yield run(file, kernel, SMS, 1024, 2 * bins, 1, *tail)

        yield from one("packed", "packed_histogram")
        yield from one("ahead FLIGHT 4 MEET 16", "ahead_histogram", FLIGHT=4, MEET=16)
        for flight, slots, share in ((4, 128, 128), (4, 64, 64), (2, 128, 128), (6, 128, 128), (4, 256, 256)):
            yield from one(f"hot FLIGHT {flight} SLOTS {slots} SHARE {share}", "hot_histogram", FLIGHT=flight, SLOTS=slots, SHARE=share)


def histogram_u8():
    n = 1 << 30
    yield "buffer counts 1024 zero"
    for fill in ("bytes", "zero"):
        yield f"buffer in {n} {fill}"
        yield f"group histogram-u8,{fill} {n} 0 counts 0"
        for flight, (block, per_sm) in itertools.product(
                (4, 6, 8), ((1024, 1), (1024, 2), (512, 4))):
            file = cubin("histogram/histogram.cu", BLOCK=block, FLIGHT=flight)
            yield f"try columns FLIGHT {flight} BLOCK {block} x {per_sm}"
            yield "zero counts"
            yield run(file, "columns_histogram", SMS * per_sm, block, 0, 1, "@counts", "@in", f"i:{n}")


def softmax():
    elements = 1 << 27
    yield f"buffer in {elements * 4} f32 -4 4"
    yield f"buffer out {elements * 4} zero"
    yield f"buffer words {16 * ceil_div(elements, 1024)} zero"
    yield "buffer progress 8 zero"
    for cols in (65536, 262144):
        rows = elements // cols
        yield f"group softmax,cols={cols} {8 * elements} 0 out 1e-4"

        def clusters(size, block, blocks):
            vecs = ceil_div(cols, 4 * size * block)
            if vecs > 16:
                return
            file = cubin("softmax/softmax.cu", CLUSTER=size, BLOCK=block, VECS=vecs, BLOCKS=blocks)
            yield f"try cluster {size} BLOCK {block} at least {blocks}"
            yield run(file, "cluster_softmax", size * rows, block, 0, size, "@out", "@in", f"i:{rows}", f"i:{cols}")

        def parts(part, block, stages, lead, per_sm):
            vecs = part // (4 * block)
            file = cubin("softmax/softmax.cu", PART=part, BLOCK=block, VECS=vecs, STAGES=stages, LEAD=lead, BLOCKS=per_sm)
            grid = min(rows * ceil_div(cols, part), per_sm * SMS)
            if grid < ceil_div(cols, part) or stages * part * 4 * per_sm > 226 * 1024:
                return
            yield "clear progress"
            yield "clear words"
            yield f"try parts {part} BLOCK {block} STAGES {stages} LEAD {lead} x {per_sm}"
            yield run(file, "parts_softmax", grid, block, stages * part * 4, 1, "@out", "@in", f"i:{rows}", f"i:{cols}",
                      "@words", "@progress")

        def roles(part, summers, writers, stages, kernel="roles", blocks=SMS, per_sm=1, store="__stcs"):
            block = 32 * (1 + summers + writers + (kernel == "listening"))
            file = cubin("softmax/softmax.cu", PART=part, BLOCK=block, SUMMERS=summers, STAGES=stages, BLOCKS=per_sm, VECS=1, STORE=store)
            grid = min(rows * ceil_div(cols, part), per_sm * blocks)
            if grid < ceil_div(cols, part) or stages * part * 4 * per_sm > 226 * 1024:
                return
            yield "clear progress"
            yield "clear words"
            yield f"try {kernel} {part} SUMMERS {summers} WRITERS {writers} STAGES {stages} x {per_sm}, {blocks} SMs, {store}"
            yield run(file, kernel + "_softmax", grid, block, stages * part * 4, 1, "@out", "@in", f"i:{rows}", f"i:{cols}",
                      "@words", "@progress")

        def ahead(size, block, vecs, stages, per_sm, store):
            file = cubin("softmax/softmax.cu", CLUSTER=size, BLOCK=block, VECS=vecs, STAGES=stages, BLOCKS=per_sm, PART=8, STORE=store)
            if size * block * vecs * 4 != cols:
                return
            even = ceil_div(rows, ceil_div(rows, SMS // size * per_sm))  # as many rows for each
            yield f"try ahead cluster {size} BLOCK {block} VECS {vecs} STAGES {stages} x {per_sm}, {even} clusters, {store}"
            yield run(file, "ahead_softmax", size * even, block, stages * block * vecs * 16, size, "@out", "@in", f"i:{rows}", f"i:{cols}")

        yield from clusters(8, 256 if cols <= 65536 else 1024, 1)
        yield from roles(8192, 4, 4, 6)
        for summers, writers in ((4, 4), (8, 8)):
            yield from roles(8192, summers, writers, 6, "lean", store="__stwb")
        for store in ("__stcs", "__stwb"):
            for size, block, vecs, stages, per_sm in ((4, 512, 8, 1, 2), (8, 512, 4, 2, 2), (8, 512, 4, 3, 2), (4, 1024, 4, 3, 1), (8, 1024, 2, 2, 2),
                                                      (16, 512, 8, 1, 2), (16, 1024, 4, 1, 1), (16, 1024, 4, 3, 1)):
                yield from ahead(size, block, vecs, stages, per_sm, store)
        for part, stages in ((8192, 6), (9376, 6), (10944, 5), (13120, 4)):  # of a row's parts, as large as rooms allow, in whole lines
            for kernel in ("roles", "listening"):
                yield from roles(part, 4, 4, stages, kernel, store="__stwb")
        yield from roles(8192, 4, 4, 6, "leaving")
        for part, block, stages, lead, per_sm in ((8192, 512, 3, 1, 2), ):
            yield from parts(part, block, stages, lead, per_sm)
        yield "try a copy by cudaMemcpy, no softmax"
        yield "copy out in"


def softmax_bf16():
    elements = 1 << 27
    yield f"buffer in {elements * 2} bf16 -4 4"
    yield f"buffer out {elements * 2} zero"
    yield f"buffer words {16 * ceil_div(elements, 1024)} zero"
    yield "buffer progress 8 zero"
    for cols in (65536, 262144):
        rows = elements // cols
        yield f"group softmax-bf16,cols={cols} {4 * elements} 0 out -1"

        def roles(part, summers, writers, stages, kernel="roles", per_sm=1, store="__stwb", **macros):
            block = 32 * (1 + summers + writers + ("listen" in kernel))
            file = cubin("softmax/softmax.cu", BF16=1, PART=part, BLOCK=block, SUMMERS=summers, STAGES=stages, BLOCKS=per_sm, VECS=1, STORE=store, **macros)
            grid = min(rows * ceil_div(cols, part), per_sm * SMS)
            if grid < ceil_div(cols, part) or stages * part * 2 * per_sm > 226 * 1024:
                return
            yield "clear progress"
            yield "clear words"
            yield f"try {kernel} {part} SUMMERS {summers} WRITERS {writers} STAGES {stages} x {per_sm}, {store} {macros or ''}"
            yield run(file, kernel + "_softmax", grid, block, stages * part * 2, 1, "@out", "@in", f"i:{rows}", f"i:{cols}",
                      "@words", "@progress")

        def ahead(size, block, vecs, stages, per_sm, store="__stcs", clusters=0):
            shared = stages * block * vecs * 16
            if size * block * vecs * 8 < cols or shared * per_sm > 224 * 1024:
                return
            file = cubin("softmax/softmax.cu", BF16=1, CLUSTER=size, BLOCK=block, VECS=vecs, STAGES=stages, BLOCKS=per_sm, PART=8, STORE=store)
            most = clusters or SMS // size * per_sm
            even = clusters or ceil_div(rows, ceil_div(rows, most))  # as many rows for each
            yield f"try ahead cluster {size} BLOCK {block} VECS {vecs} STAGES {stages} x {per_sm}, {even} clusters, {store}"
            yield run(file, "ahead_softmax", size * even, block, shared, size, "@out", "@in", f"i:{rows}", f"i:{cols}")

        yield from roles(16384, 4, 4, 6)
        yield "try a copy by cudaMemcpy, no softmax"
        yield "copy out in"
        yield "try a copy by a kernel, no softmax"
        yield run(cubin("../bench/device/tune/copy.cu", QUADS=1), "copy_quads", ceil_div(elements // 2, 4 * 512), 512, 0, 1, "@out", "@in", f"l:{elements // 2}")
        for kernel in ("lean", "lean_listening"):
            for summers, writers, first in ((4, 4, 6), (8, 8, 6), (8, 4, 6), (8, 4, 2), (8, 4, 3), (8, 3, 2), (8, 2, 2), (10, 4, 2), (12, 4, 2), (16, 4, 2), (8, 5, 2), (7, 5, 2)):
                yield from roles(16384, summers, writers, 6, kernel, FIRST=first)
            yield from roles(16384, 8, 4, 6, kernel, store="__stcg", FIRST=2)
            yield from roles(21888, 8, 4, 5, kernel, FIRST=2)
            yield from roles(13120, 8, 4, 8, kernel, FIRST=2)
        for store in ("__stcs", "__stwb", "__stcg"):
            for size, block, vecs, stages, per_sm, clusters in ((1, 1024, 8, 1, 1, 128), (1, 1024, 8, 1, 1, 132), (2, 512, 8, 1, 2, 128), (2, 512, 8, 1, 2, 132), (2, 1024, 4, 2, 1, 64),
                                                                (4, 512, 4, 2, 2, 60), (4, 1024, 8, 1, 1, 32), (8, 512, 8, 1, 2, 28), (8, 512, 8, 1, 2, 32)):
                if size * block * vecs * 8 == cols:
                    yield from ahead(size, block, vecs, stages, per_sm, store, clusters)


def norm():
    for rows, cols in ((2048, 65536), ):
        for name in ("x", "residual", "h", "y"):
            yield f"buffer {name} {rows * cols * 4} f32 -1 1"
        yield f"buffer weight {cols * 4} f32 0 1"
        yield f"buffer bias {cols * 4} f32 -1 1"
        yield f"group layernorm,{rows}x{cols} {16 * rows * cols} 0 y 1e-3"
        tail = ("@y", "@h", "@x", "@residual", "@weight", "@bias", f"i:{rows}", f"i:{cols}")
        for block in (256, 512, 1024):
            if cols <= block * 32:
                yield f"try registers BLOCK {block}"
                yield run(cubin("layernorm/norm.cu", BLOCK=block, VECS=cols // (4 * block)), "registers_norm", rows, block, 0, 1, *tail)
        for size, block in ((2, 1024), (4, 1024)):
            vecs = cols // (4 * size * block)
            if 2 <= vecs <= 8:
                file = cubin("layernorm/norm.cu", BLOCK=block, VECS=vecs, CLUSTER=size)
                yield f"try cluster {size} BLOCK {block}"
                yield run(file, "cluster_norm", size * rows, block, 0, size, *tail)

        yield f"buffer words {16 * rows * 64} zero"
        yield "buffer progress 8 zero"
        yield "try two copies by a kernel, no norm"
        for to, source in (("h", "x"), ("y", "residual")):
            yield run(cubin("../bench/device/tune/copy.cu", QUADS=1), "copy_quads", ceil_div(rows * cols // 4, 512), 512, 0, 1, f"@{to}", f"@{source}",
                      f"l:{rows * cols}")
        yield "try two copies by cudaMemcpy, no norm"
        yield "copy h x"
        yield "copy y residual"

        def roles(kernel, parts, summers, writers, stages, keep, **macros):
            part = 32 * ceil_div(cols, 32 * parts)  # whole lines
            shared = (2 * (1 - keep) + 2 * stages) * part * 4
            if shared > 225 * 1024 or ceil_div(cols, part) != parts:
                print("left out:", kernel, parts, stages, keep, file=sys.stderr)
                return
            block = 32 * (1 + summers + writers + (kernel == "listening"))
            cluster = parts if kernel == "pushing" else 1
            file = cubin("layernorm/norm.cu", BLOCK=block, SUMMERS=summers, STAGES=stages, PART=part, KEEP=keep, CLUSTER=cluster, **macros)
            yield "clear progress"
            yield "clear words"
            yield f"try {kernel}, {parts} parts SUMMERS {summers} WRITERS {writers} STAGES {stages} KEEP {keep} {macros or ''}"
            yield run(file, kernel + "_norm", min(rows, SMS // parts) * parts, block, shared, cluster, *tail,
                      *(() if cluster > 1 else ("@words", "@progress")))

        for store in ("__stcs", "__stwb"):
            yield from roles("listening", 12, 7, 7, 5, 1, STORE=store)
        for parts, summers, writers, stages in ((12, 8, 7, 5), (12, 7, 6, 5), (12, 6, 7, 5), (12, 8, 8, 5), (12, 6, 6, 5), (12, 4, 7, 5), (12, 10, 9, 5),
                                                (11, 7, 7, 4), (11, 8, 8, 4), (16, 7, 7, 7), (16, 8, 8, 6), (13, 7, 7, 5), (22, 6, 6, 9), (12, 7, 7, 4)):
            yield from roles("listening", parts, summers, writers, stages, 1, STORE="__stwb")
        for kernel, parts, summers, writers, stages, keep in (
                ("roles", 16, 8, 8, 6, 0), ("listening", 16, 8, 8, 6, 0), ("roles", 16, 8, 7, 7, 1), ("roles", 12, 8, 8, 4, 0), ("roles", 12, 8, 7, 5, 1),
                ("roles", 12, 4, 7, 5, 1), ("listening", 12, 8, 8, 4, 0), ("listening", 12, 7, 7, 5, 1), ("roles", 11, 8, 7, 4, 1), ("listening", 11, 7, 7, 4, 1),
                ("roles", 22, 8, 7, 9, 1), ("listening", 22, 7, 7, 9, 1), ("pushing", 8, 8, 8, 2, 0), ("pushing", 8, 4, 11, 3, 1), ("pushing", 8, 5, 10, 3, 1),
                ("pushing", 16, 8, 8, 6, 0), ("pushing", 16, 8, 7, 7, 1)):
            yield from roles(kernel, parts, summers, writers, stages, keep)


def norm_bf16():
    rows, cols = 4096, 65536
    for name in ("x", "residual", "h", "y"):
        yield f"buffer {name} {rows * cols * 2} bf16 -1 2"
    yield f"buffer weight {cols * 2} bf16 0.5 1.5"
    yield f"buffer bias {cols * 2} bf16 -0.5 0.5"
    yield f"buffer words {16 * rows * 64} zero"
    yield "buffer progress 8 zero"
    tail = ("@y", "@h", "@x", "@residual", "@weight", "@bias", f"i:{rows}", f"i:{cols}")

    def settled(parts, summers, block, stages, kernel="listening", **macros):
        part = 64 * ceil_div(cols, 64 * parts)  # whole lines
        keep = macros.pop("KEEP", 1)
        shared = (2 * (1 - keep) + 2 * stages) * part * 2
        if shared > 225 * 1024 or ceil_div(cols, part) != parts:
            print("left out:", parts, stages, file=sys.stderr)
            return
        macros.setdefault("STORE", "__stwb")
        file = cubin("layernorm/norm.cu", BF16=1, BLOCK=block, SUMMERS=summers, STAGES=stages, PART=part, KEEP=keep, **macros)
        yield "clear progress"
        yield "clear words"
        yield f"try {kernel} parts {parts} SUMMERS {summers} BLOCK {block} STAGES {stages} {' '.join(f'{k}={v}' for k, v in macros.items())}"
        yield run(file, kernel + "_norm", min(rows, SMS // parts) * parts, block, shared, 1, *tail, "@words", "@progress")

    yield f"group layernorm-bf16,{rows}x{cols} {8 * rows * cols} 0 h 0"  # h: its bits must be the same
    yield from settled(6, 7, 512, 5)
    yield from settled(6, 7, 512, 5, PIN=1)
    yield from settled(6, 7, 512, 5, PIN=1, PAIRS=1)
    yield f"group layernorm-bf16,{rows}x{cols} {8 * rows * cols} 0 y 0.02"  # as pairs of bf16, the upper half tells
    yield from settled(6, 7, 512, 5)
    yield from settled(6, 7, 512, 5, PIN=1)
    yield from settled(6, 7, 512, 5, PIN=1, PAIRS=1)
    for parts, summers, block, stages in ((6, 6, 512, 5), (6, 4, 512, 5), (6, 6, 640, 5), (8, 6, 512, 7), (8, 7, 512, 7), (8, 5, 512, 7), (8, 4, 512, 7), (8, 6, 512, 6),
                                          (8, 3, 384, 7), (8, 4, 448, 7), (8, 6, 640, 7), (9, 6, 512, 7), (10, 6, 512, 8), (11, 6, 512, 9), (13, 6, 512, 11),
                                          (16, 6, 512, 14), (5, 6, 512, 4), (5, 5, 512, 4), (7, 6, 512, 6), (4, 4, 512, 3)):
        yield from settled(parts, summers, block, stages, PIN=1, PAIRS=1)
    yield "try two copies by a kernel, no norm"
    for to, source in (("h", "x"), ("y", "residual")):
        yield run(cubin("../bench/device/tune/copy.cu", QUADS=1), "copy_quads", ceil_div(rows * cols // 8, 512), 512, 0, 1, f"@{to}", f"@{source}",
                  f"l:{rows * cols // 2}")
    yield "try two copies by cudaMemcpy, no norm"
    yield "copy h x"
    yield "copy y residual"
    yield f"group rmsnorm-bf16,{rows}x{cols} {8 * rows * cols} 0 y 0.02"
    for macros in ({}, {"PIN": 1}, {"PIN": 1, "PAIRS": 1}):
        yield from settled(6, 7, 512, 5, RMS=1, **macros)
    yield from settled(8, 6, 512, 7, RMS=1, PIN=1, PAIRS=1)


def reduction():
    n = 1 << 30
    yield f"buffer in {4 * n} f32 0 1"
    yield "buffer out 64 zero"
    yield f"buffer words {8 * 64 * SMS} zero"
    yield f"group reduction,N={n} {4 * n} 0 out 1e-5"

    def waiting(block, per_sm, **macros):
        yield f"try waiting BLOCK {block} x {per_sm} {' '.join(f'{k}={v}' for k, v in macros.items())}"
        yield run(cubin("reduction/reduction.cu", BLOCK=block, **macros), "waiting_sum", per_sm * SMS, block, 0, 1, "@out", "@in", f"i:{n}", "@words")

    yield from waiting(512, 3)
    yield from waiting(512, 3, FLIGHT=4)
    for block, per_sm, flight in ((512, 4, 4), (1024, 2, 4)):
        yield from waiting(block, per_sm, FLIGHT=flight)
    for block, per_sm, flight in ((256, 40, 4), (512, 3, 4), (512, 4, 4), (512, 8, 4), (512, 20, 4), (512, 4, 8), (512, 8, 8), (512, 12, 8), (512, 20, 8), (512, 40, 8),
                                  (512, 12, 16), (1024, 2, 4), (1024, 6, 4), (1024, 2, 8), (1024, 6, 8), (1024, 10, 8), (256, 24, 8), (256, 24, 16), (512, 4, 16)):
        yield from waiting(block, per_sm, FLIGHT=flight, TILED=1)


def spmv():
    for rows, mean, skew in ((1 << 22, 32, 1), (1 << 22, 4, 1), (1 << 22, 32, 64), (1 << 25, 8, 1)):
        yield f"buffer x {rows * 4} f32 -1 1"
        yield f"buffer y {rows * 4} zero"
        elements = rows * mean
        yield f"buffer starts {rows * 4 + 4} rows {mean} {skew}"
        yield f"buffer columns {elements * 4} i32 0 {rows}"
        yield f"buffer values {elements * 4} f32 -1 1"
        yield f"buffer first {4 * (ceil_div(rows + elements, 256) + 1)} zero"
        yield f"group spmv,rows={rows},mean={mean},skew={skew} {8 * elements + 12 * rows} 0 y 1e-3"
        csr = ("@starts", "@columns", "@values", "@x", f"i:{rows}")
        if mean > 4:
            yield "try warp"
            yield run(cubin("spmv/spmv.cu", LANES=32), "group_spmv", ceil_div(rows, 8), 256, 0, 1, "@y", *csr)
        else:
            yield "try thread"
            yield run(cubin("spmv/spmv.cu"), "thread_spmv", ceil_div(rows, 256), 256, 0, 1, "@y", *csr)
        yield "try gallop"
        yield "zero y"
        yield run(cubin("spmv/spmv.cu", EACH=8, BLOCK=256, GALLOP=1), "split_spmv", ceil_div(elements, 2048), 256, 0, 1,
                  "@y", *csr, f"i:{elements}")
        for each, block, whole in ((8, 64, 0), (8, 128, 0), (16, 64, 0), (8, 64, 1), (8, 128, 1), (16, 64, 1), (8, 32, 1), (4, 64, 1), (8, 256, 1)):
            file = cubin("spmv/spmv.cu", EACH=each, BLOCK=block, GALLOP=1, WHOLE=whole)
            yield f"try prepared EACH {each} BLOCK {block} WHOLE {whole}"
            yield run(file, "prepare_rows", 8 * SMS, 256, 0, 1, "@y", "@first", "@starts", f"i:{rows}", f"i:{elements}")
            yield run(file, "prepared_spmv", ceil_div(elements, each * block), block, 0, 1, "@y", "@first", *csr, f"i:{elements}")
        for lanes, flight, block in ((2 if mean <= 8 else 16, 4, 128), (8, 4, 256), (32 if mean > 8 else 4, 2, 128)):
            file = cubin("spmv/spmv.cu", LANES=lanes, FLIGHT=flight, BLOCK=block)
            yield f"try flight LANES {lanes} FLIGHT {flight} BLOCK {block}"
            yield run(file, "flight_spmv", ceil_div(rows * lanes, block), block, 0, 1, "@y", *csr)
        for cluster, near in ((1, 1024), (8, 51200), (8, 40960), (16, 51200)):
            file = cubin("spmv/near.cu", LANES=2 if mean <= 8 else 16, FLIGHT=4, BLOCK=1024, CLUSTER=cluster, NEAR=near)
            yield f"try near CLUSTER {cluster} NEAR {near}"
            yield run(file, "near_spmv", SMS // cluster * cluster, 1024, 4 * near, cluster, "@y", *csr)
        yield f"buffer sorted_columns {elements * 4} zero"
        yield f"buffer sorted_values {elements * 4} zero"
        yield f"buffer sorted_rows {elements * 2} zero"
        arrays = ("@sorted_columns", "@sorted_values", "@sorted_rows")
        for chunk, block, flight, per_sm in ((32768, 1024, 4, 1), (32768, 1024, 8, 1), (49152, 1024, 4, 1), (16384, 1024, 4, 2), (16384, 512, 8, 2)):
            file = cubin("spmv/spmv.cu", BLOCK=block, FLIGHT=flight, CHUNK=chunk)
            yield "once " + run(file, "sort_columns", ceil_div(rows, chunk), 1024, 0, 1, *arrays, "@starts", "@columns", "@values", f"i:{rows}")[4:]
            yield f"try sorted CHUNK {chunk} BLOCK {block} x {per_sm} FLIGHT {flight}"
            yield "zero y"
            yield run(file, "sorted_spmv", SMS * per_sm, block, 4 * chunk, 1, "@y", "@starts", *arrays, "@x", f"i:{rows}", f"i:{elements}")


def conv1d():
    n, taps = 1 << 26, 129
    yield f"buffer x {n * 4} f32 -1 1"
    yield f"buffer weights {taps * 4} f32 -0.2 0.2"
    yield f"buffer y {n * 4} zero"
    yield f"group conv1d,K={taps} {8 * n} {2 * n * taps} y 1e-4"
    for outputs, block, blocks in ((12, 64, 24), ):
        file = cubin("conv1d/conv1d.cu", K=taps, OUTPUTS=outputs, BLOCK=block, BLOCKS=blocks)
        yield f"try staged OUTPUTS {outputs} BLOCK {block} at least {blocks}"
        yield f"set taps weights {taps * 4}"
        yield run(file, "staged_conv", ceil_div(n, block * outputs), block, 0, 1, "@y", "@x", f"l:{n}")
    for outputs, block, chunk in ((20, 64, 40), (28, 64, 32), (28, 32, 16), (28, 32, 32), (28, 32, 40), (28, 32, 24), (36, 32, 16), (36, 32, 32),
                                  (28, 96, 32), (28, 128, 32), (44, 32, 32)):
        file = cubin("conv1d/conv1d.cu", K=taps, OUTPUTS=outputs, BLOCK=block, CHUNK=chunk, JOIN=1)
        yield f"try rounds OUTPUTS {outputs} BLOCK {block} CHUNK {chunk}"
        yield f"set taps weights {taps * 4}"
        yield run(file, "rounds_conv", ceil_div(n, block * outputs), block, 0, 1, "@y", "@x", f"l:{n}")


def transpose():
    n = 16384
    yield f"buffer in {4 * n * n} f32 -1 1"
    yield f"buffer out {4 * n * n} zero"
    yield f"group transpose,N={n} {8 * n * n} 0 out 0"
    yield "try striped"
    yield run(cubin("transpose/transpose.cu"), "striped_transpose", f"{n // 64},{n // 64}", 512, 0, 1, "@out", "@in", f"i:{n}")
    for down, across, block, blocks, stripe, stream in (
            (64, 64, 512, 4, 2, 0), (64, 64, 512, 4, 2, 1), (64, 64, 512, 4, 2, 2), (64, 64, 512, 4, 2, 3), (64, 64, 256, 8, 2, 3),
            (64, 64, 256, 6, 2, 3), (64, 64, 512, 4, 1, 3), (64, 64, 512, 4, 4, 3), (64, 64, 512, 4, 8, 3), (128, 64, 512, 4, 2, 3),
            (128, 64, 512, 4, 1, 3), (128, 64, 512, 4, 4, 3), (128, 64, 256, 5, 2, 3), (128, 64, 1024, 2, 2, 3), (128, 64, 512, 4, 2, 0),
            (64, 128, 512, 4, 2, 3), (64, 128, 512, 4, 1, 3), (64, 128, 256, 5, 1, 3), (128, 128, 1024, 2, 1, 3), (128, 128, 512, 3, 1, 3),
            (128, 128, 512, 3, 2, 3), (256, 64, 512, 3, 2, 3), (64, 256, 512, 3, 1, 3), (32, 128, 512, 4, 2, 3), (128, 32, 512, 4, 4, 3)):
        file = cubin("transpose/transpose.cu", DOWN=down, ACROSS=across, BLOCK=block, BLOCKS=blocks, STRIPE=stripe, STREAM=stream)
        yield f"try runs {down} x {across} BLOCK {block} x {blocks} STRIPE {stripe} STREAM {stream}"
        yield run(file, "runs_transpose", ceil_div(n, down) * ceil_div(n, across), block, down * across * 4, 1, "@out", "@in", f"i:{n}")
    for quads in (1, 2, 4):
        yield f"try a copy by a kernel, {quads} x 16 bytes a thread"
        yield run(cubin("../bench/device/tune/copy.cu", QUADS=quads), "copy_quads", ceil_div(n * n // 4, 512 * quads), 512, 0, 1, "@out", "@in",
                  f"l:{n * n}")
    yield "try a copy by cudaMemcpy"
    yield "copy out in"


def split():
    for m, n, k in ((4096, 4096, 4096), (8192, 8192, 8192), (2048, 2048, 2048), (65536, 256, 2048)):
        yield f"buffer a {4 * m * k} f32 -1 1"
        yield f"buffer b {4 * k * n} f32 -1 1"
        yield f"buffer c {4 * m * n} zero"
        yield f"buffer pa {6 * m * k} zero"
        yield f"buffer pb {6 * k * n} zero"
        yield f"group matmul-f32,{m}x{n}x{k} {4 * (m * k + k * n + m * n)} {2 * m * n * k} c 1e-3"
        for title, macros in (("boxes", {"STAGES": 2}), ("boxes 256 rows", {"STAGES": 3, "BM": 256, "BLOCKS": 1, "ORDER": 2})):
            rows, stages = macros.get("BM", 128), macros["STAGES"]
            yield f"try {title}"
            yield run(cubin("matmul-f32/boxes.cu", **macros), "boxes_matmul", ceil_div(m, rows) * ceil_div(n, 128), rows,
                      stages * (rows + 128) * 128 + 64, 1, "@c", f"map:a:f32:{k}:{m}:32:{rows}:128", f"map:b:f32:{n}:{k}:128:32:0",
                      f"i:{m}", f"i:{n}", f"i:{k}")
        for box, stages, keep, group in ((32, 4, 2, 8), (32, 4, 1, 8), (32, 4, 4, 8), (32, 4, 1000000, 8), (32, 4, 2, 16), (32, 4, 2, 4),
                                         (32, 3, 2, 8), (64, 2, 1, 8), (64, 2, 2, 8)):
            file = cubin("matmul-split/split.cu", BK=box, STAGES=stages, KEEP=keep, GROUP=group)
            yield f"try split BK {box} STAGES {stages} KEEP {keep} GROUP {group}"
            yield run(file, "split_parts", ceil_div(m * k // 8, 256), 256, 0, 1, "@pa", "@a", f"i:{m}", f"i:{k}", f"i:{k}")
            yield run(file, "split_parts", ceil_div(k * n // 8, 256), 256, 0, 1, "@pb", "@b", f"i:{k}", f"i:{n}", f"i:{n}")
            yield run(file, "split_matmul", min(SMS, ceil_div(m, 128) * ceil_div(n, 128)), 384, stages * 3 * 512 * box + 64, 1,
                      "@c", f"map:pa:bf16:{k}:{3 * m}:{box}:128:{2 * box}", f"map:pb:bf16:{n}:{3 * k}:64:{box}:128",
                      f"i:{m}", f"i:{n}", f"i:{k}")


TOPICS = {"histogram-f32": histogram_f32, "histogram-u8": histogram_u8, "softmax": softmax, "softmax-bf16": softmax_bf16, "norm": norm, "norm-bf16": norm_bf16, "reduction": reduction, "spmv": spmv,
          "conv1d": conv1d, "transpose": transpose, "split": split}


def main(arguments):
    if not arguments or any(t not in TOPICS for t in arguments[1:]):
        sys.exit("usage: candidates.py FOLDER [TOPIC...]; topics: " + ", ".join(TOPICS))
    folder = arguments[0]
    os.makedirs(folder, exist_ok=True)
    for topic in arguments[1:] or TOPICS:
        with open(os.path.join(folder, topic + ".list"), "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in TOPICS[topic]())
    with open(os.path.join(folder, "cubins.txt"), "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in cubins.values())


main(sys.argv[1:])
