#!/usr/bin/env python3
# Recordings that others made, as `ridge monitor --replay -` reads them: from_csv.py FILE.csv | ridge monitor --replay -
# Read are nvidia-smi's (--query-gpu=timestamp,uuid,temperature.gpu,… --format=csv -l 1; with nounits, too) and the GPU files of the
# MIT Supercloud data set (timestamp,gpu_index,utilization_gpu_pct,…). A column that is not known is left out, and named on
# standard error; a value that is no number ("N/A", "[Not Supported]") is absent.
# SPDX-License-Identifier: Apache-2.0
import csv
import datetime
import json
import sys

COLUMNS = {  # theirs, without the unit in brackets: ours, and by what it is multiplied
    "temperature.gpu": ("temperature_c", 1),
    "temperature_gpu": ("temperature_c", 1),
    "temperature.memory": ("memory_temperature_c", 1),
    "temperature_memory": ("memory_temperature_c", 1),
    "clocks.sm": ("sm_clock_mhz", 1),
    "clocks.current.sm": ("sm_clock_mhz", 1),
    "clocks.mem": ("memory_clock_mhz", 1),
    "clocks.current.memory": ("memory_clock_mhz", 1),
    "power.draw": ("power_w", 1),
    "power_draw_W": ("power_w", 1),
    "utilization.gpu": ("busy_pct", 1),
    "utilization_gpu_pct": ("busy_pct", 1),
    "utilization.memory": ("memory_busy_pct", 1),
    "utilization_memory_pct": ("memory_busy_pct", 1),
    "memory.used": ("memory_used_bytes", 2**20),
    "memory_used_MiB": ("memory_used_bytes", 2**20),
    "pcie.link.width.current": ("pcie_width_lanes", 1),
    "pcie_link_width_current": ("pcie_width_lanes", 1),
    "ecc.errors.corrected.volatile.total": ("ecc_corrected_errors", 1),
}
NAMES = ("uuid", "index", "gpu_index", "pci.bus_id")  # the first that is there says which GPU


def seconds(text):
    try:
        return float(text)  # of the epoch
    except ValueError:
        at = datetime.datetime.strptime(text.split(".")[0], "%Y/%m/%d %H:%M:%S")
        return at.replace(tzinfo=datetime.timezone.utc).timestamp() + float("0." + (text.split(".") + ["0"])[1])


def number(text):
    try:
        return float(text.split()[0])
    except (ValueError, IndexError):
        return None


def lines(rows):
    """Samples in order: rows of the same time, or of different GPUs in turn, are one."""
    sample, at = {}, None
    for time, gpu, values in rows:
        if gpu in sample:
            yield at, sample
            sample = {}
        if not sample:
            at = time
        sample[gpu] = values
    if sample:
        yield at, sample


def read(file):
    reader = csv.reader(file, skipinitialspace=True)
    header = [h.split(" [")[0].strip() for h in next(reader, [])]
    if "timestamp" not in header or not any(n in header for n in NAMES):
        sys.exit("from_csv.py: the first line names no timestamp and no GPU (uuid, index, gpu_index or pci.bus_id)")
    name = next(n for n in NAMES if n in header)
    unknown = [h for h in header if h not in COLUMNS and h not in NAMES + ("timestamp", "name")]
    if unknown:
        print("from_csv.py: left out:", ", ".join(unknown), file=sys.stderr)
    for row in reader:
        if len(row) != len(header) or row[0].startswith("timestamp"):
            continue  # cut, or the header again
        of = dict(zip(header, row))
        values = {}
        for theirs, (ours, factor) in COLUMNS.items():
            value = number(of.get(theirs, ""))
            if value is not None:
                values[ours] = value * factor
        yield seconds(of["timestamp"]), of[name], values


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: from_csv.py FILE.csv | ridge monitor --replay -")
    before = None
    with open(sys.argv[1], newline="") as file:
        for at, sample in lines(read(file)):
            time = datetime.datetime.fromtimestamp(at, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
            gpus = [{"uuid": gpu, "values": values} for gpu, values in sample.items()]
            print(json.dumps({"time": time, "interval_s": at - before if before else 0, "gpus": gpus}))
            before = at


main()
