/* Random scenarios are the same for everybody: the texts of many, as one number. Compilers evaluate the
 * arguments of a call in different orders, so two draws in one expression would show here with another
 * compiler or machine (tools/golden.sh builds it with several; tools/check_order.py reads the code). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/mem.h"
#include "draw.h"

#define SCENARIOS 2000u
/* After a change of the draws, or of the lists they draw from, this is another number. */
#define EXPECTED UINT64_C(0x16ddfb0081d401be)

static uint64_t hash_of(uint64_t h, const char *text)
{
    for (; *text; text++)
        h = (h ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    return h;
}

static void test_texts(void **state)
{
    (void)state;
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    draw *d = cop_alloc(sizeof(*d));
    for (uint32_t i = 0; i < SCENARIOS; i++) {
        draw_scenario(d, i);
        h = hash_of(h, d->text);
    }
    if (h != EXPECTED)
        fail_msg("the first %u scenarios have hash 0x%016" PRIx64
                 "; if what is drawn was changed on purpose, write it at EXPECTED",
                 SCENARIOS, h);
    cop_free(d);
}

/* A scenario follows from its number alone, whatever was drawn before. */
static void test_order_of_numbers(void **state)
{
    (void)state;
    draw *d = cop_alloc(sizeof(*d)), *e = cop_alloc(sizeof(*e));
    for (uint32_t i = 0; i < 50; i++) {
        draw_scenario(d, i);
        draw_scenario(e, i + 1);
        assert_string_not_equal(d->text, e->text);
        draw_scenario(e, i);
        assert_string_equal(d->text, e->text);
    }
    cop_free(d);
    cop_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_texts),
                                       cmocka_unit_test(test_order_of_numbers)};
    return cmocka_run_group_tests_name("draw", tests, NULL, NULL);
}
