// Any bytes as a NumPy file: what is read lies in it whole; an error has a message.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/experiment.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data;
    struct npy n;
    struct error err = {0};
    if (!npy_parse("x.npy", bytes, size, &n, &err)) {
        require(err.kind == ERROR_INPUT && err.message[0]);
        return 0;
    }
    require(n.data >= bytes && n.data + n.count * element_bytes(n.type) == bytes + size);
    return 0;
}
