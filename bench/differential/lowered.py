#!/usr/bin/env python3
# What the lowering pass reckons beside what ptxas makes: machine instructions per PTX instruction. Needs ptxas, no GPU.
#   bench/differential/lowered.py [--lines] [--opcodes] FILE.ptx...
# ptxas assembles a copy with a .loc for each instruction, and the line table of its output says which PTX line each machine
# instruction came from. Machine code is counted, by line and by unit; it is neither run nor translated. A kernel's figure is
# the sum over its basic blocks, with ten for each loop around them; where ptxas unrolled a loop, a block of it is divided
# by how often (the median over the block's lines). What stands behind the last EXIT is left out if it holds slow paths
# that ordinary values do not take (divisions' subroutines, shuffles of lanes that diverged), and so are the calls of them;
# divisions of 64 bits are such subroutines as a whole and count on neither side.
# --lines: every PTX instruction with both counts; --opcodes: both counts by PTX opcode, over all kernels, and the mean of
# what they bring to a kernel's error.
# LOWERED names the program that prints the model's side (default build/bench/differential/lowered).
# SPDX-License-Identifier: Apache-2.0
import os
import re
import statistics
import struct
import subprocess
import sys
import tempfile
from collections import defaultdict

LOWERED = os.environ.get("LOWERED", "build/bench/differential/lowered")
PTXAS = os.environ.get("PTXAS", "ptxas")
NOP, BRANCH, EXIT, ALWAYS = 0x918, 0x947, 0x94d, 7
CALL, CALLED = {0x943, 0x944}, 3  # to a slow path, with the moves of its argument and address: not on ordinary values' way
OUT_OF_LINE = {0x950, 0x348, 0x948}  # a subroutine's return; lanes that diverged, brought together


def with_lines(text):
    """The PTX with each statement of a body at its own line, by .loc; other .loc and .file are left out."""
    out, depth, start, files = [], 0, True, False
    for number, line in enumerate(text.split("\n"), 1):
        code = line.split("//")[0].strip()
        if re.match(r"\.(loc|file|section)\b", code) and not code.startswith(".section"):
            out.append("")
            continue
        if code.startswith(".entry") or ".entry" in code or ".func" in code:
            if not files:
                out.append('.file 1 "kernel.ptx"')
                files = True
        rest = re.sub(r"^(\{|\s|\.reg\b[^;]*;)+", "", code)  # { .reg .b16 x; mov … }: a statement on one line
        statement = depth > 0 and start and rest and rest[0] not in ".}$/" and not re.match(r"^[\w$%]+:", rest)
        if statement:
            out.append(f".loc 1 {number} 0")
        out.append(line)
        depth += code.count("{") - code.count("}") if not code.endswith(";") else 0
        if code:
            start = code[-1] in ";{}:"
    return "\n".join(out)


def sections(data):
    offset, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    rows = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(count)]
    strings = data[rows[names][4]:rows[names][4] + rows[names][5]]
    return [(strings[r[0]:strings.index(b"\0", r[0])].decode(), r, data[r[4]:r[4] + r[5]]) for r in rows]


def leb(data, at, signed=False):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if not byte & 0x80:
            break
    if signed and byte & 0x40:
        value -= 1 << shift
    return value, at


def line_rows(data, section_at):
    """DWARF 2 line table: (section of the address, address, line) of every row. section_at: offset -> section."""
    rows, at = [], 0
    while at < len(data):
        length, version, header = struct.unpack_from("<IHI", data, at)
        end, program = at + 4 + length, at + 10 + header
        least, _, base, span, opcodes = struct.unpack_from("<BBbBB", data, at + 10)
        lengths = data[at + 15:at + 15 + opcodes - 1]
        at = program
        section, address, line = None, 0, 1
        while at < end:
            op = data[at]
            at += 1
            if op >= opcodes:
                address += (op - opcodes) // span * least
                line += base + (op - opcodes) % span
                rows.append((section, address, line))
            elif op == 0:
                size, at = leb(data, at)
                if data[at] == 1:
                    rows.append((section, address, None))
                    section, address, line = None, 0, 1
                elif data[at] == 2:
                    section, address = section_at.get(at + 1), struct.unpack_from("<Q", data, at + 1)[0]
                at += size
            elif op == 1:
                rows.append((section, address, line))
            elif op == 2:
                step, at = leb(data, at)
                address += step * least
            elif op == 3:
                step, at = leb(data, at, True)
                line += step
            elif op == 8:
                address += (255 - opcodes) // span * least
            elif op == 9:
                address += struct.unpack_from("<H", data, at)[0]
                at += 2
            else:
                for _ in range(lengths[op - 1]):
                    _, at = leb(data, at)
        at = end
    return rows


def machine_words(path):
    """kernel -> list of (PTX line or None, lower word, upper word of the machine instruction), in order."""
    with tempfile.TemporaryDirectory() as work:
        source = os.path.join(work, "k.ptx")
        with open(path) as f:
            text = f.read()
        with open(source, "w") as f:
            f.write(with_lines(text))
        target = re.search(r"\.target\s+(sm_\w+)", text).group(1)
        arch = target if target.startswith("sm_90") else "sm_90"
        subprocess.run([PTXAS, "-arch=" + arch, "--generate-line-info", "-o", source + ".cubin", source], check=True)
        with open(source + ".cubin", "rb") as f:
            data = f.read()
    parts = sections(data)
    index = {i: name for i, (name, _, _) in enumerate(parts)}
    symbols = next(body for name, _, body in parts if name == ".symtab")
    section_of = [struct.unpack_from("<IBBHQQ", symbols, i)[3] for i in range(0, len(symbols), 24)]
    at = {}
    for name, row, body in parts:
        if name in (".rel.debug_line", ".rela.debug_line"):
            step = 24 if name.startswith(".rela") else 16
            for i in range(0, len(body), step):
                offset, info = struct.unpack_from("<QQ", body, i)
                at[offset] = index[section_of[info >> 32]]
    table = defaultdict(list)
    for section, address, line in line_rows(next((b for n, _, b in parts if n == ".debug_line"), b""), at):
        table[section].append((address, line))
    kernels = {}
    for name, _, body in parts:
        if not name.startswith(".text."):
            continue
        rows, code, k, line = sorted(table[name], key=lambda r: r[0]), [], 0, None
        for address in range(0, len(body), 16):
            while k < len(rows) and rows[k][0] <= address:
                line = rows[k][1] or line
                k += 1
            code.append((line, *struct.unpack_from("<QQ", body, address)))
        kernels[name[len(".text."):]] = code
    return kernels


def machine(path):
    """kernel -> list of (PTX line or None, opcode of the machine instruction), in order."""
    kernels = {}
    for name, words in machine_words(path).items():
        code, last_exit = [], 0
        for line, word, _ in words:
            if word & 0xfff == EXIT and word >> 12 & 15 == ALWAYS:
                last_exit = len(code)
            if word & 0xfff != NOP:
                code.append((line, word & 0xfff))
        tail = {opcode for _, opcode in code[last_exit + 1:]}
        if tail & OUT_OF_LINE:
            code = code[:last_exit + 1]
        elif tail and code[-1][1] == BRANCH:  # to itself: the end
            code.pop()
        kernels[name] = code
    return kernels


def model(path):
    """kernel -> PTX line -> (depth, block, pipe, machine instructions, opcode)."""
    kernels = defaultdict(lambda: defaultdict(list))
    said = subprocess.run([LOWERED, path], check=True, capture_output=True, text=True).stdout
    for row in said.splitlines():
        kernel, line, depth, block, pipe, slots, opcode = row.split()
        kernels[kernel][int(line)].append((int(depth), int(block), pipe, int(slots), opcode))
    return kernels


def compare(path, show, by_opcode):
    reckoned, made = model(path), machine(path)
    for kernel, lines in reckoned.items():
        real, codes = defaultdict(int), defaultdict(list)
        lost = 0
        for n in [n for n, rows in lines.items() if rows[0][4] in ("div", "rem") and rows[0][2] == "MULTIPLY" and rows[0][3] > 30]:
            del lines[n]  # of 64 bits: a subroutine, which is not counted here
        for line, code in made.get(kernel, []):
            if code in CALL and line in lines:
                real[line] -= CALLED
                continue
            if line in lines:
                real[line] += 1
                codes[line].append(f"{code:x}")
            else:
                lost += 1
        blocks = defaultdict(list)
        for line, rows in lines.items():
            blocks[rows[0][1]].append(line)
        totals, brings = [0.0, 0.0], defaultdict(float)
        real = defaultdict(int, {n: max(0, r) for n, r in real.items()})
        static = [sum(r[3] for rows in lines.values() for r in rows), len(made.get(kernel, []))]
        for block, members in sorted(blocks.items()):
            weight = 10.0 ** lines[members[0]][0][0]
            copies = [real[n] / sum(r[3] for r in lines[n]) for n in members if real[n] and sum(r[3] for r in lines[n])]
            often = max(1, round(statistics.median(copies))) if copies and lines[members[0]][0][0] else 1
            for n in members:
                slots = sum(r[3] for r in lines[n])
                totals[0] += weight * slots
                totals[1] += weight * real[n] / often
                key = lines[n][0][4] + " " + lines[n][0][2]
                by_opcode[key][0] += 1
                by_opcode[key][1] += slots
                by_opcode[key][2] += real[n] / often
                brings[key] += weight * (slots - real[n] / often)
                if show:
                    print(f"  {n} b{block} d{lines[n][0][0]} x{often} {key} model {slots} ptxas {real[n]}: {' '.join(codes[n][:16])}")
        for key, more in brings.items() if totals[1] else ():
            by_opcode[key][3] += more / totals[1]
            by_opcode[key][4] += abs(more) / totals[1]
        if made.get(kernel):
            yield path, kernel, static, totals, lost


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    if not arguments:
        sys.exit("usage: lowered.py [--lines] [--opcodes] FILE.ptx...")
    by_opcode, errors = defaultdict(lambda: [0, 0, 0.0, 0.0, 0.0]), []
    for path in arguments:
        for where, kernel, static, totals, lost in compare(path, "--lines" in sys.argv, by_opcode):
            error = totals[0] / totals[1] - 1 if totals[1] else 0
            errors.append(abs(error))
            print(f"{where} {kernel}: model {totals[0]:.0f}, ptxas {totals[1]:.0f}, {100 * error:+.1f} % "
                  f"(static {static[0]} and {static[1]}; {lost} without a line)")
    if "--opcodes" in sys.argv:
        for key, (count, slots, real, more, off) in sorted(by_opcode.items(), key=lambda r: -r[1][4]):
            print(f"{key}: {count} instructions, model {slots}, ptxas {real:.0f}; of a kernel's count, in the mean "
                  f"{100 * more / len(errors):+.2f} %, {100 * off / len(errors):.2f} % either way")
    if errors:
        errors.sort()
        print(f"{len(errors)} kernels: median error {100 * statistics.median(errors):.1f} %, "
              f"{sum(e <= 0.05 for e in errors)} within 5 %, {sum(e <= 0.1 for e in errors)} within 10 %")


if __name__ == "__main__":
    main()
