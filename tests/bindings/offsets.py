# SPDX-License-Identifier: Apache-2.0
"""Writes a C program that holds include/ridge.h to the structs of bindings/python, offset by offset."""

import ctypes

from ridge import _library as lib

print('#include "ridge.h"\n#include <stdio.h>\n#define HOLD(what, wanted) \\\n'
      '    if ((what) != (wanted)) { printf("%s is %zu, not %d\\n", #what, (size_t)(what), wanted); bad = 1; }\n'
      "int main(void)\n{\n    int bad = 0;")
for struct in lib.STRUCTS:
    print(f"    HOLD(sizeof(struct {struct.c_name}), {ctypes.sizeof(struct)})")
    for name, *_ in struct._fields_:
        print(f"    HOLD(offsetof(struct {struct.c_name}, {name}), {getattr(struct, name).offset})")
for i, name in enumerate(lib.ARGUMENT_TYPES):
    print(f"    HOLD((size_t)RIDGE_{name.upper()}, {i})")
print("    return bad;\n}")
