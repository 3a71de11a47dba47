/* Bytes into the reader of GOAL text. */
#include "trace_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_trace("t", NULL, 0, data, size);
}
