/* Expressions of a study from a fuzzer, without the YAML around them: evaluated in a rehearsal as a
 * number, a list, a row of texts and a run. Whatever they are, each must end soon and within its
 * memory, leave the next one as it was, and give the same answer when it is asked again. */
#include "study/eval.h"
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static cop_let lets[] = {
    {"t", {"{1, 2, {3}}", "let"}},
    {"u", {"'text'", "let"}},
    {"f", {"function(n) t[1] = n return t[1] + t[2] end", "let"}},
};

static enum cop_eval_status ask(cop_eval *e, const char *text, double *v)
{
    cop_expr x = {text, "here"};
    return cop_eval_number(e, &x, v);
}

static void must_be(cop_eval *e, const char *text, double wanted)
{
    double v = NAN;
    if (ask(e, text, &v) != COP_EVAL_OK || v != wanted) {
        fprintf(stderr, "%s is %g: %s\n", text, v, cop_eval_why(e));
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = cop_alloc(size + 1);
    memcpy(text, data, size);
    int64_t seed = 1;
    cop_block block = {.name = "all"};
    cop_study s = {.name = "e", .scale = "full", .seed = &seed, .n_seeds = 1};
    s.block = &block;
    s.n_blocks = 1;
    s.let = lets;
    s.n_lets = COP_LEN(lets);
    cop_point point = {.block = &block, .seed = 1, .label = "all"};
    uint32_t place = 0;
    cop_plan plan = {.study = &s, .point = &point, .n_points = 1, .per_seed = 1, .place = &place};
    cop_eval *e = cop_eval_open(&plan, NULL);
    COP_CHECK(cop_eval_seed(e, 0) == COP_EVAL_OK);
    double first = NAN, again = NAN, *list;
    cop_bin_width width;
    char why[600];
    enum cop_eval_status st = ask(e, text, &first);
    snprintf(why, sizeof(why), "%s", cop_eval_why(e));
    /* Not asked again if it took all there is: what is left for both is then not the same. */
    bool dear = strstr(why, "too long") || strstr(why, "took more") || strstr(why, "overflow") ||
                strstr(why, "memory");
    if (!dear) {
        COP_CHECK(ask(e, text, &again) == st);
        COP_CHECK(st != COP_EVAL_OK || memcmp(&first, &again, sizeof(first)) == 0 ||
                  (isnan(first) && isnan(again)));
        cop_arena a = {0};
        const char **cells;
        size_t n;
        const cop_result *r;
        cop_expr x = {text, "here"};
        (void)cop_eval_list(e, &x, &a, &list, &n, &width);
        (void)cop_eval_texts(e, &x, &a, &cells, &n);
        (void)cop_eval_run(e, &x, &r);
        cop_arena_free(&a);
    }
    must_be(e, "t[1] + t[2] + t[3][1] + #t", 9);
    must_be(e, "f(5) + #u", 11);
    must_be(e, "mean{1, 3} + math.max(1, 2) + #('%d'):format(5)", 5);
    cop_eval_close(e);
    cop_free(text);
    return 0;
}
