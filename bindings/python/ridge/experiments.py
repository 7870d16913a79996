# SPDX-License-Identifier: Apache-2.0
"""Experiments, run by the program `ridge`; what its JSON says, as plain objects."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from . import _library as lib


def program() -> str:
    """The program: $RIDGE, the one built in this tree, or the first on the PATH."""
    built = lib._SOURCE_TREE / "build" / "ridge"
    found = os.environ.get("RIDGE") or (str(built) if built.exists() else shutil.which("ridge"))
    if not found:
        raise lib.SystemTrouble("the program 'ridge' was not found: install it, or set RIDGE to its path")
    return found


@dataclass(frozen=True)
class Finding:
    bottleneck: str  # the class: "bandwidth", "latency", …
    title: str
    fix: str
    file: Optional[str]
    line: Optional[int]
    expected_time_ns: Optional[float]


@dataclass(frozen=True)
class VariantResult:
    """A variant on a case. `json` is all that ridge says of it (docs/api.md: schema 1)."""
    variant: str
    case: Dict[str, Any]
    status: str                      # "ok", "skipped", …
    verified: Optional[bool]
    error: Optional[str]
    time_ns: Optional[float]         # the median
    provenance: Optional[str]        # "measured" or "modelled"
    speedup: Optional[float]         # against `base`
    base: Optional[str]
    verdict: Optional[str]
    limiter: Optional[str]
    findings: List[Finding] = field(default_factory=list)
    json: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def counter(self, name: str) -> Optional[float]:
        """A counter's value; its provenance is in json["counters"]. None = it is absent."""
        found = (self.json.get("counters") or {}).get(name)
        return found.get("value") if found else None

    def row(self) -> Dict[str, Any]:
        """A flat dict: parameters, time, verdict, and every counter by its name."""
        flat: Dict[str, Any] = {"variant": self.variant, **self.case, "status": self.status,
                                "verified": self.verified, "time_ns": self.time_ns,
                                "provenance": self.provenance, "speedup": self.speedup,
                                "base": self.base, "verdict": self.verdict, "limiter": self.limiter}
        for name, counter in (self.json.get("counters") or {}).items():
            flat[name] = counter.get("value") if counter else None
        return flat


@dataclass(frozen=True)
class Run:
    id: Optional[int]
    experiment: str
    device: str
    passed: bool                     # False: a check failed; results say which
    results: List[VariantResult]
    json: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def rows(self) -> List[Dict[str, Any]]:
        """A flat dict per result: pandas.DataFrame(run.rows())."""
        return [r.row() for r in self.results]

    def __getitem__(self, variant: str) -> VariantResult:
        """The variant's result on the first case that has it."""
        for r in self.results:
            if r.variant == variant:
                return r
        raise KeyError(variant)


def _result(r: Mapping[str, Any]) -> VariantResult:
    time, speedup = r.get("time_ns") or {}, r.get("speedup") or {}
    return VariantResult(r["variant"], dict(r.get("case") or {}), r.get("status") or "", r.get("verified"),
                         r.get("error"), time.get("median"), time.get("provenance"), speedup.get("ratio"),
                         speedup.get("vs"), speedup.get("verdict"), r.get("limiter"),
                         [Finding(f["class"], f["title"], f["fix"], f.get("file"), f.get("line"),
                                  f.get("expected_time_ns")) for f in r.get("findings") or []], r)


def parse(text: Union[str, bytes], passed: bool = True) -> Run:
    """A run from the JSON of `ridge run --json` or `ridge show --json`."""
    d = json.loads(text)
    if d.get("schema") != 1:
        raise lib.InputError(f"schema {d.get('schema')!r} of ridge's JSON is not known here: this module reads 1")
    return Run(d.get("run"), d.get("experiment") or "", (d.get("device") or {}).get("id") or "", passed,
               [_result(r) for r in d.get("results") or []], d)


def _command(command: str, experiment: Union[str, "os.PathLike[str]"], device: str,
             params: Optional[Mapping[str, Any]], variants: Iterable[str], options: Sequence[str]) -> Run:
    words = [program(), command, os.fspath(experiment), "--json", "--quiet", "--device", device]
    for name, value in (params or {}).items():
        values = value if isinstance(value, (list, tuple)) else [value]
        words += ["--param", f"{name}=" + ",".join(str(v) for v in values)]
    for variant in variants:
        words += ["--variant", variant]
    done = subprocess.run(words + list(options), stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode in (0, 1) and done.stdout.strip():
        return parse(done.stdout, done.returncode == 0)
    message = done.stderr.decode("utf-8", "replace").strip() or f"`{' '.join(words)}` ended with {done.returncode}"
    raise lib.STATUS_ERRORS.get(done.returncode, lib.Error)(message)


def run(experiment: Union[str, "os.PathLike[str]"], *, device: str = "auto",
        params: Optional[Mapping[str, Any]] = None, variants: Iterable[str] = (),
        journal: Optional[str] = None, options: Sequence[str] = ()) -> Run:
    """The whole loop, as `ridge run`. params: {"N": 1024} or {"N": [1024, 4096]}; options: further ones
    of `ridge run --help`. A wrong result is no exception: Run.passed is False. Input that ridge refuses
    raises InputError, a missing device SystemTrouble."""
    where = ["--journal", journal] if journal else []
    return _command("run", experiment, device, params, variants, [*where, *options])
