// The constants of gfx11's scalar instructions as text, as LLVM's disassembler writes them.
// SPDX-License-Identifier: Apache-2.0
#include "sim/amd/fields.h"
#include "sim/amd/isa.h"

enum { MESSAGE_BITS = 0xff };

static void print_waits(unsigned c, struct text *out)
{
    enum { ALL_VM = 63, ALL_EXP = 7, ALL_LGKM = 63 };
    unsigned exp = bits(c, 0, 3), lgkm = bits(c, 4, 6), vm = bits(c, 10, 6);
    bool all = vm == ALL_VM && exp == ALL_EXP && lgkm == ALL_LGKM;
    if (vm != ALL_VM || all)
        text_printf(out, " vmcnt(%u)", vm);
    if (exp != ALL_EXP || all)
        text_printf(out, " expcnt(%u)", exp);
    if (lgkm != ALL_LGKM || all)
        text_printf(out, " lgkmcnt(%u)", lgkm);
}

static void print_delay(unsigned c, struct text *out)
{
    static const char *const kinds[16] = {NULL,
                                          "VALU_DEP_1",
                                          "VALU_DEP_2",
                                          "VALU_DEP_3",
                                          "VALU_DEP_4",
                                          "TRANS32_DEP_1",
                                          "TRANS32_DEP_2",
                                          "TRANS32_DEP_3",
                                          "FMA_ACCUM_CYCLE_1",
                                          "SALU_CYCLE_1",
                                          "SALU_CYCLE_2",
                                          "SALU_CYCLE_3"};
    static const char *const skips[8] = {NULL, "NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4"};
    const struct {
        const char *what, *name;
        unsigned value;
    } parts[] = {{"instid0", kinds[bits(c, 0, 4)], bits(c, 0, 4)},
                 {"instskip", skips[bits(c, 4, 3)], bits(c, 4, 3)},
                 {"instid1", kinds[bits(c, 7, 4)], bits(c, 7, 4)}};
    const char *between = " ";
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (parts[i].value) {
            text_printf(out, "%s%s(%s)", between, parts[i].what,
                        parts[i].name ? parts[i].name : "/*invalid*/");
            between = " | ";
        }
    if (c == 0)
        text_add(out, " 0");
}

// Fields that wait for something, each with the value that waits for nothing.
static void print_dependency(unsigned c, struct text *out)
{
    static const struct {
        const char *name;
        unsigned low, count;
    } fields[] = {{"hold_cnt", 7, 1}, {"sa_sdst", 0, 1}, {"va_vdst", 12, 4}, {"va_sdst", 9, 3},
                  {"va_ssrc", 8, 1},  {"va_vcc", 1, 1},  {"vm_vsrc", 2, 3}};
    unsigned others = c; // bits of no field
    bool any = false;
    for (size_t i = 0; i < COUNT_OF(fields); i++) {
        unsigned all = (1u << fields[i].count) - 1;
        others &= ~(all << fields[i].low);
        any |= bits(c, fields[i].low, fields[i].count) != all;
    }
    if (others != 0 || !any) {
        text_printf(out, " 0x%x", c);
        return;
    }
    for (size_t i = 0; i < COUNT_OF(fields); i++) {
        unsigned value = bits(c, fields[i].low, fields[i].count);
        if (value != (1u << fields[i].count) - 1)
            text_printf(out, " depctr_%s(%u)", fields[i].name, value);
    }
}

static void print_message(unsigned c, struct text *out)
{
    static const char *const names[] = {
        [1] = "MSG_INTERRUPT",      [2] = "MSG_HS_TESSFACTOR", [3] = "MSG_DEALLOC_VGPRS",
        [5] = "MSG_STALL_WAVE_GEN", [6] = "MSG_HALT_WAVES",    [9] = "MSG_GS_ALLOC_REQ"};
    if (c < COUNT_OF(names) && names[c])
        text_printf(out, " sendmsg(%s)", names[c]);
    else
        text_printf(out, " sendmsg(%u, 0, 0)", c & MESSAGE_BITS);
}

void amd_print_constant(enum amd_type type, unsigned constant, struct text *out)
{
    if (type == TYPE_WAITCNT)
        print_waits(constant, out);
    else if (type == TYPE_DELAY)
        print_delay(constant, out);
    else if (type == TYPE_DEPENDENCY)
        print_dependency(constant, out);
    else if (type == TYPE_MESSAGE)
        print_message(constant, out);
    else if (type != TYPE_NONE)
        text_printf(out, " 0x%x", constant);
}

const char *amd_hardware_register_gfx11(unsigned id)
{
    static const char *const names[] = {[1] = "HW_REG_MODE",
                                        [2] = "HW_REG_STATUS",
                                        [3] = "HW_REG_TRAPSTS",
                                        [5] = "HW_REG_GPR_ALLOC",
                                        [6] = "HW_REG_LDS_ALLOC",
                                        [7] = "HW_REG_IB_STS",
                                        [15] = "HW_REG_SH_MEM_BASES",
                                        [18] = "HW_REG_PERF_SNAPSHOT_PC_LO",
                                        [19] = "HW_REG_PERF_SNAPSHOT_PC_HI",
                                        [20] = "HW_REG_FLAT_SCR_LO",
                                        [21] = "HW_REG_FLAT_SCR_HI",
                                        [23] = "HW_REG_HW_ID1",
                                        [24] = "HW_REG_HW_ID2",
                                        [29] = "HW_REG_SHADER_CYCLES"};
    return id < COUNT_OF(names) ? names[id] : NULL;
}
