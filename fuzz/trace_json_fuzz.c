// Any bytes as AMD's trace in JSON: rocprofv3's results, or Chrome's format: a timeline, or an error with a message.
// SPDX-License-Identifier: Apache-2.0
#include "timeline_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    timeline_of_copy(data, size);
    return 0;
}
