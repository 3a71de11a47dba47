/* What tests of registries and tables share: a fault with its text, and texts of one line. */
#ifndef COP_PLUGINS_FIXTURE_H
#define COP_PLUGINS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "exp/sections.h"

#define COMPLAIN(...)                                                                              \
    do {                                                                                           \
        print_error(__VA_ARGS__);                                                                  \
        fail();                                                                                    \
    } while (0)

static inline bool one_line(const char *text)
{
    size_t n = text ? strlen(text) : 0;
    return n > 0 && strchr(text, '\n') == NULL && strchr(text, '\t') == NULL && text[0] != ' ' &&
           text[n - 1] != ' ';
}

#endif
