/* Bytes into the reader of compressed files: behind the first two bytes of gzip. */
#include "trace_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t magic[] = {0x1f, 0x8b};
    return fuzz_trace("t", magic, sizeof(magic), data, size);
}
