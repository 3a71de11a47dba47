/* `coppice report` as its users meet it: the command's exit status and messages, and the page in a
 * browser. The browser is a headless Chromium; tests/web/page.mjs looks at the page once, and each
 * test here reads its line of the answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct scene {
    char dir[64];
    char answer[65536]; /* of page.mjs */
} scene;

/* Run a shell command; its output goes to `buf`. The exit status. */
static int shell(char *buf, size_t size, const char *fmt, ...) COP_PRINTF(3, 4);
static int shell(char *buf, size_t size, const char *fmt, ...)
{
    char command[2048];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(command, sizeof(command), fmt, ap);
    va_end(ap);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    size_t n = fread(buf, 1, size - 1, f);
    buf[n] = '\0';
    int status = pclose(f);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const char *coppice(void)
{
    const char *path = getenv("COPPICE");
    return path ? path : "build/coppice";
}

static int make_scene(void **state)
{
    scene *s = cop_alloc(sizeof(*s));
    char out[8192];
    strcpy(s->dir, "/tmp/cop_report_XXXXXX");
    assert_non_null(mkdtemp(s->dir));
    *state = s;
    if (shell(out, sizeof(out), "python3 tests/web/fixture.py %s %s/study.db 2>&1", coppice(),
              s->dir) != 0 ||
        shell(out, sizeof(out), "%s report %s/study.db -o %s/r.html --csv %s/csv 2>&1", coppice(),
              s->dir, s->dir, s->dir) != 0) {
        print_error("%s\n", out);
        return -1;
    }
    (void)shell(s->answer, sizeof(s->answer),
                "timeout 7200 node tests/web/page.mjs %s/r.html %s/csv 2>&1", s->dir, s->dir);
    return 0;
}

static int remove_scene(void **state)
{
    char out[64];
    int rc = shell(out, sizeof(out), "rm -rf '%s'", ((scene *)*state)->dir);
    cop_free(*state);
    return rc;
}

/* -- in the browser -- */

static void in_browser(void **state, const char *name)
{
    const scene *s = *state;
    char good[64];
    snprintf(good, sizeof(good), "pass %s\n", name);
    const char *at = strstr(s->answer, good);
    if (at == NULL || (at != s->answer && at[-1] != '\n'))
        fail_msg("%s did not pass:\n%s", name, s->answer);
}

#define IN_BROWSER(name)                                                                           \
    static void browser_##name(void **state)                                                       \
    {                                                                                              \
        in_browser(state, #name);                                                                  \
    }
IN_BROWSER(lazy)
IN_BROWSER(desktop)
IN_BROWSER(text_stays_text)
IN_BROWSER(anchors)
IN_BROWSER(legend)
IN_BROWSER(hover)
IN_BROWSER(zoom)
IN_BROWSER(filter)
IN_BROWSER(narrow)
IN_BROWSER(first_screen)
IN_BROWSER(runs_compared)
IN_BROWSER(curves_added_up)
IN_BROWSER(steady_or_not)
IN_BROWSER(unsteady_values)
IN_BROWSER(one_spelling)
IN_BROWSER(trees_compared)
IN_BROWSER(ranking)
IN_BROWSER(player)
IN_BROWSER(ranks)
IN_BROWSER(labels)
IN_BROWSER(csv)
IN_BROWSER(toggle)
IN_BROWSER(dark)
IN_BROWSER(phone)
IN_BROWSER(phone_open)
IN_BROWSER(paper)

/* -- the command -- */

#define REPORT(fmt, ...) shell(out, sizeof(out), "%s report " fmt " 2>&1", coppice(), __VA_ARGS__)

static void one_line(const char *out, const char *word)
{
    const char *end = strchr(out, '\n');
    if (end == NULL || end[1] != '\0' || strstr(out, word) == NULL)
        fail_msg("`%s` is not one line with `%s`", out, word);
}

static void command_faults(void **state)
{
    const char *dir = ((scene *)*state)->dir;
    char out[8192];
    assert_int_equal(REPORT("%s/none.db -o %s/n.html", dir, dir), 2);
    one_line(out, "none.db: No such file");
    assert_int_equal(REPORT("README.md -o %s/n.html", dir), 2);
    one_line(out, "is not an SQLite database");
    assert_int_equal(REPORT("%s/study.db -o %s/no/n.html", dir, dir), 2);
    one_line(out, "no/n.html: cannot be written");
    assert_int_equal(REPORT("%s/study.db -o /dev/full", dir), 2);
    one_line(out, "No space left");
    assert_int_equal(REPORT("%s/study.db -o - > /dev/full", dir), 2);
    assert_int_equal(REPORT("%s/study.db --csv %s/study.db", dir, dir), 2);
    one_line(out, "is not a folder");
    assert_int_equal(REPORT("%s/study.db --text -o -", dir), 2);
    one_line(out, "both want standard output");
    assert_int_equal(REPORT("%s/study.db extra.db", dir), 2);
    one_line(out, "one database");
    assert_int_equal(REPORT("%s", ""), 2);
    one_line(out, "no database given");
    assert_int_equal(REPORT("%s --tetx", dir), 2);
    one_line(out, "did you mean `--text`");
    assert_int_equal(shell(out, sizeof(out), "ls %s | grep -v 'study.db\\|csv\\|r.html'", dir), 1);
}

static void command_outputs(void **state)
{
    const char *dir = ((scene *)*state)->dir;
    char out[65536];
    assert_int_equal(REPORT("%s/study.db --text", dir), 0);
    assert_null(strchr(out, '\x1b')); /* a pipe is no terminal */
    assert_non_null(strstr(out, "gran1-2   fail"));
    char *program = realpath(coppice(), NULL);
    assert_non_null(program);
    assert_int_equal(shell(out, sizeof(out),
                           "cd %s && '%s' report study.db 2>/dev/null && cmp report.html r.html",
                           dir, program),
                     0);
    free(program);
    assert_int_equal(shell(out, sizeof(out), "%s report %s/study.db -o - | cmp - %s/r.html",
                           coppice(), dir, dir),
                     0);
    assert_int_equal(shell(out, sizeof(out), "rm %s/report.html", dir), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(command_faults),
        cmocka_unit_test(command_outputs),
        cmocka_unit_test(browser_lazy),
        cmocka_unit_test(browser_desktop),
        cmocka_unit_test(browser_text_stays_text),
        cmocka_unit_test(browser_anchors),
        cmocka_unit_test(browser_legend),
        cmocka_unit_test(browser_hover),
        cmocka_unit_test(browser_zoom),
        cmocka_unit_test(browser_filter),
        cmocka_unit_test(browser_narrow),
        cmocka_unit_test(browser_first_screen),
        cmocka_unit_test(browser_runs_compared),
        cmocka_unit_test(browser_curves_added_up),
        cmocka_unit_test(browser_steady_or_not),
        cmocka_unit_test(browser_unsteady_values),
        cmocka_unit_test(browser_one_spelling),
        cmocka_unit_test(browser_trees_compared),
        cmocka_unit_test(browser_player),
        cmocka_unit_test(browser_ranks),
        cmocka_unit_test(browser_labels),
        cmocka_unit_test(browser_ranking),
        cmocka_unit_test(browser_csv),
        cmocka_unit_test(browser_toggle),
        cmocka_unit_test(browser_dark),
        cmocka_unit_test(browser_phone),
        cmocka_unit_test(browser_phone_open),
        cmocka_unit_test(browser_paper),
    };
    return cmocka_run_group_tests(tests, make_scene, remove_scene);
}
