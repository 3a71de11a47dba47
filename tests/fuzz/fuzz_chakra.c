/* Bytes into the reader of Chakra traces. */
#include "trace_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_trace("x.et", NULL, 0, data, size);
}
