/* Bytes into the reader of htsim's connection matrices, behind their first word. */
#include "trace_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char word[] = "Nodes ";
    return fuzz_trace("t", (const uint8_t *)word, strlen(word), data, size);
}
