// Tests of the parts that know no MPI: records, their file, cursors, tags. Prints nothing when all is well.
#include "record.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define WANT(truth)                                                                                \
    do {                                                                                           \
        if (!(truth)) {                                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #truth);                    \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static struct rec_record message(uint64_t bytes)
{
    return (struct rec_record){.kind = REC_SEND, .peer = 3, .tag = 4, .value = bytes};
}

// Three buffers and a half; records are patched in the file and in the buffer, and read twice.
static void spool_keeps_and_patches(void)
{
    struct rec_spool s;
    struct rec_record r;
    uint64_t n = 3 * REC_SPOOL_RECORDS + REC_SPOOL_RECORDS / 2;
    WANT(rec_spool_open(&s, "/tmp") == 0);
    for (uint64_t i = 0; i < n; i++) {
        r = message(i);
        WANT(rec_spool_append(&s, &r));
    }
    uint64_t places[] = {0, REC_SPOOL_RECORDS - 1, REC_SPOOL_RECORDS, n - 1};
    for (int i = 0; i < 4; i++) {
        WANT(rec_spool_get(&s, places[i], &r) && r.value == places[i]);
        r.value += n;
        WANT(rec_spool_patch(&s, places[i], &r));
    }
    for (int round = 0; round < 2; round++) {
        uint64_t i = 0;
        rec_spool_rewind(&s);
        for (; rec_spool_next(&s, &r); i++) {
            bool patched = i == places[0] || i == places[1] || i == places[2] || i == places[3];
            WANT(r.kind == REC_SEND && r.peer == 3 && r.value == i + (patched ? n : 0));
        }
        WANT(i == n);
    }
    rec_spool_reset(&s);
    r = message(7);
    WANT(rec_spool_append(&s, &r) && s.count == 1);
    rec_spool_rewind(&s);
    WANT(rec_spool_next(&s, &r) && r.value == 7 && !rec_spool_next(&s, &r));
    rec_spool_close(&s);
}

// What a full disk took can be read; the recording has ended.
static void a_full_disk_ends_it(void)
{
    struct recording to = {0};
    struct rec_record r;
    struct rlimit old, few;
    uint64_t room = 2 * REC_SPOOL_RECORDS * sizeof r, n = 0;
    WANT(rec_spool_open(&to.spool, "/tmp") == 0);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    few = old;
    few.rlim_cur = room;
    setrlimit(RLIMIT_FSIZE, &few);
    while (rec_emit(&to, &to.main, message(n)).op)
        n++;
    setrlimit(RLIMIT_FSIZE, &old);
    WANT(to.cut && to.spool.fault && n == to.ops);
    WANT(rec_emit(&to, &to.main, message(1)).op == 0);
    rec_spool_rewind(&to.spool);
    uint64_t got = 0, op = 0;
    for (; rec_spool_next(&to.spool, &r); got++)
        if (r.kind == REC_SEND)
            WANT(r.value == op++);
    WANT(got == 2 * REC_SPOOL_RECORDS);
    rec_spool_close(&to.spool);
    rec_cursor_free(&to.main);
}

static void lines(struct recording *to, const char *right)
{
    char text[2048];
    uint64_t op = 0;
    struct rec_tags tags = {1, 10, 1, NULL, 0};
    struct rec_text how = {.tags = &tags, .min_bytes = 1};
    rec_spool_rewind(&to->spool);
    size_t n = rec_text_next(&how, &to->spool, &op, text, sizeof text - 1);
    text[n] = 0;
    if (strcmp(text, right) != 0) {
        fprintf(stderr, "is:\n%sshould be:\n%s", text, right);
        exit(1);
    }
    rec_spool_close(&to->spool);
    rec_cursor_free(&to->main);
}

// The order of posting is kept, the stronger dependency wins, each is written once, a computation is always waited for.
static void dependencies(void)
{
    struct recording to = {0};
    struct rec_record work = {.kind = REC_CALC, .value = 50};
    WANT(rec_spool_open(&to.spool, "/tmp") == 0);
    struct rec_ref a = rec_emit(&to, &to.main, message(0));
    struct rec_ref b = rec_emit(&to, &to.main, message(8));
    rec_want(&to.main, b.op);
    rec_want(&to.main, a.op);
    rec_want(&to.main, b.op);
    rec_want(&to.main, 0);
    rec_emit(&to, &to.main, work);
    rec_emit(&to, &to.main, message(9));
    struct rec_cursor beside;
    rec_want(&to.main, a.op);
    rec_cursor_copy(&beside, &to.main);
    rec_emit(&to, &beside, message(10));
    rec_emit(&to, &to.main, message(11));
    rec_cursor_free(&beside);
    lines(&to, "l1: send 1b to 3 tag 4\nl2: send 8b to 3 tag 4\nl2 irequires l1\nl3: calc 50\nl3 "
               "requires l1\n"
               "l3 requires l2\nl4: send 9b to 3 tag 4\nl4 requires l3\nl5: send 10b to 3 tag "
               "4\nl5 requires l1\n"
               "l5 irequires l4\nl6: send 11b to 3 tag 4\nl6 requires l1\nl6 irequires l4\n");
}

static void the_limit(void)
{
    struct recording to = {.limit = 2};
    WANT(rec_spool_open(&to.spool, "/tmp") == 0);
    WANT(rec_emit(&to, &to.main, message(1)).op == 1 && !to.cut);
    WANT(rec_emit(&to, &to.main, message(2)).op == 2 && !to.cut);
    WANT(rec_emit(&to, &to.main, message(3)).op == 0 && to.cut);
    lines(&to, "l1: send 1b to 3 tag 4\nl2: send 2b to 3 tag 4\nl2 irequires l1\n");
}

static void tags(void)
{
    static const int32_t known[] = {0, 5, 70000};
    struct rec_tags t = {3, 10, 4, NULL, 0};
    struct rec_record r = {.kind = REC_SEND, .tag = 7, .context = 2};
    WANT(rec_tag(&t, &r) == 2 * 14 + 7);
    r.flags = REC_COLLECTIVE; // number 7 of 4
    WANT(rec_tag(&t, &r) == 2 * 14 + 10 + 3);
    t = (struct rec_tags){2, 3, 1, known, 3};
    r = (struct rec_record){.tag = 70000, .context = 1};
    WANT(rec_tag(&t, &r) == 4 + 2);
    r.tag = 0;
    WANT(rec_tag(&t, &r) == 4);
    t = (struct rec_tags){1, 0x7ffffffe, 1, NULL, 0};
    WANT(rec_tags_fit(&t));
    t.contexts = 2;
    WANT(!rec_tags_fit(&t));
    t = (struct rec_tags){1, 0x80000000u, 1, NULL, 0};
    WANT(!rec_tags_fit(&t));
}

int main(void)
{
    spool_keeps_and_patches();
    a_full_disk_ends_it();
    dependencies();
    the_limit();
    tags();
    return 0;
}
