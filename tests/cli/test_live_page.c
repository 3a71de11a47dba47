/* The live view in a browser: tests/web/live.mjs drives a headless Chromium once, and each test here reads its
 * line of the answer. */
#include "program.h"

#include <sys/wait.h>

static char *answer;

static int look(void **state)
{
    char script[512], program[512], command[2048];
    (void)state;
    const char *path = getenv("COPPICE");
    char *there = realpath(path ? path : "build/coppice", NULL);
    char *drive = realpath("tests/web/live.mjs", NULL);
    if (there == NULL || drive == NULL)
        return -1;
    snprintf(program, sizeof(program), "%s", there);
    snprintf(script, sizeof(script), "%s", drive);
    cop_free_foreign(there);
    cop_free_foreign(drive);
    if (prog_enter(state) != 0)
        return -1;
    snprintf(command, sizeof(command), "timeout 7200 node '%s' '%s' '%s' 2>&1", script, program,
             prog_folder());
    FILE *f = popen(command, "r");
    answer = cop_alloc(65536);
    answer[f ? fread(answer, 1, 65535, f) : 0] = '\0';
    return f == NULL ? -1 : (pclose(f), 0);
}

static int leave(void **state)
{
    cop_free(answer);
    return prog_leave(state);
}

static void in_browser(const char *name)
{
    char good[64];
    snprintf(good, sizeof(good), "pass %s\n", name);
    const char *at = strstr(answer, good);
    if (at == NULL || (at != answer && at[-1] != '\n'))
        fail_msg("%s did not pass:\n%s", name, answer);
}

#define IN_BROWSER(name)                                                                           \
    static void browser_##name(void **state)                                                       \
    {                                                                                              \
        (void)state;                                                                               \
        in_browser(#name);                                                                         \
    }
IN_BROWSER(live_opens)
IN_BROWSER(live_frames)
IN_BROWSER(live_pause)
IN_BROWSER(live_look_back)
IN_BROWSER(live_browser_gone)
IN_BROWSER(live_goes_on)
IN_BROWSER(view_plays)
IN_BROWSER(view_chooses)
IN_BROWSER(view_two)
IN_BROWSER(view_survives_nonsense)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(browser_live_opens),
        cmocka_unit_test(browser_live_frames),
        cmocka_unit_test(browser_live_pause),
        cmocka_unit_test(browser_live_look_back),
        cmocka_unit_test(browser_live_browser_gone),
        cmocka_unit_test(browser_live_goes_on),
        cmocka_unit_test(browser_view_plays),
        cmocka_unit_test(browser_view_chooses),
        cmocka_unit_test(browser_view_two),
        cmocka_unit_test(browser_view_survives_nonsense),
    };
    return cmocka_run_group_tests_name("live page", tests, look, leave);
}
