"""Writes PTX text that says nothing of the machine it was made on."""
# SPDX-License-Identifier: Apache-2.0
import re


def write(path, made_by, text):
    """Paths of source files lose their folders; DWARF sections, which hold them too, go."""
    text = re.sub(r'(?m)^(\s*\.file\s+\d+\s+)"(?:[^"/]*/)*([^"/]*)"(?:\s+"[^"]*")?.*$', r'\1"\2"', text)
    text = re.sub(r"(?ms)^\s*\.section\s+\.debug_\w+\s*\{.*?^\s*\}\s*?\n", "", text)
    with open(path, "w") as f:
        f.write(f"// {made_by}\n{text}")
