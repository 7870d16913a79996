// The opcode table says of every opcode what it does, in words of its own.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"
#include "ptx/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *const semantics[] = {
#define OPCODE(id, name, class, decoder, operands, semantics) semantics,
#include "ptx/opcodes.def"
#undef OPCODE
};

static void every_opcode_has_semantics_of_its_own(void **state)
{
    (void)state;
    struct table seen = {0};
    for (size_t i = 0; i < COUNT_OF(semantics); i++) {
        const char *name = ptx_opcode_name((enum ptx_opcode)i);
        if (strlen(semantics[i]) < strlen("d = -a"))
            fail_msg("%s says nothing", name);
        if (table_has(&seen, semantics[i]))
            fail_msg("%s says what another opcode says: %s", name, semantics[i]);
        table_set(&seen, semantics[i], NULL);
    }
    table_release(&seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_opcode_has_semantics_of_its_own)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
