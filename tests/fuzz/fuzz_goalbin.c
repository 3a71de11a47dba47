/* Bytes into the reader of GOAL binary, behind its cookie. */
#include "trace_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t cookie[] = {0x7f, 0x10, 0, 0, 0, 0, 0, 0};
    return fuzz_trace("t", cookie, sizeof(cookie), data, size);
}
