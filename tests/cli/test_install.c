/* What `make install` leaves behind is all that a program needs, and `make uninstall` takes exactly
 * that away again. Uses the library that `make test` has built; builds nothing. */
#include "program.h"

#include <libgen.h>
#include <limits.h>

static char root[PATH_MAX], build[PATH_MAX];

/* Run a shell script in the folder of the test, with $root, $make and $prefix. Its output, without
 * the last newline; it must succeed. */
static const char *sh(const char *script)
{
    static const char before[] = "set -eu\n"
                                 "make=\"make -s --no-print-directory -C $root BUILD=$build\"\n"
                                 "prefix=$PWD/usr lib=$PWD/usr/lib/odd\n"
                                 "export PKG_CONFIG_PATH=$lib/pkgconfig\n";
    FILE *f = fopen("script.sh", "w");
    assert_non_null(f);
    fprintf(f, "root='%s' build='%s'\n%s%s", root, build, before, script);
    assert_int_equal(fclose(f), 0);
    int status = system("sh script.sh >out.txt 2>err.txt");
    if (status != 0)
        fail_msg("status %d of:\n%s\n%s%s", status, script, prog_slurp("out.txt"),
                 prog_slurp("err.txt"));
    static char kept[1 << 16];
    snprintf(kept, sizeof(kept), "%s", prog_slurp("out.txt"));
    size_t n = strlen(kept);
    if (n > 0 && kept[n - 1] == '\n')
        kept[n - 1] = '\0';
    return kept;
}

static int enter(void **state)
{
    const char *program = getenv("COPPICE");
    if (getcwd(root, sizeof(root)) == NULL ||
        realpath(program ? program : "build/coppice", build) == NULL)
        return -1;
    dirname(build);
    char lib[PATH_MAX + 32];
    snprintf(lib, sizeof(lib), "%s/lib/libcoppice.a", build);
    if (access(lib, R_OK) != 0) {
        print_error("%s is missing; `make test` builds it, or `make lib`\n", lib);
        return -1;
    }
    return prog_enter(state);
}

static int fresh(void **state)
{
    (void)state;
    prog_empty_folder();
    return 0;
}

static void test_staged(void **state)
{
    (void)state;
    sh("$make install DESTDIR=$PWD/stage prefix=/usr libdir=/usr/lib/here\n"
       "touch stage/usr/lib/here/libother.so stage/usr/share/coppice/examples/mine.yaml\n");
    const char *files = sh("cd stage && find . ! -type d ! -path './usr/share/coppice/*' "
                           "! -path './usr/include/coppice/*' | LC_ALL=C sort");
    assert_string_equal(files, "./usr/bin/coppice\n"
                               "./usr/include/coppice.h\n"
                               "./usr/lib/here/libcoppice.a\n"
                               "./usr/lib/here/libcoppice.so\n"
                               "./usr/lib/here/libcoppice.so.0\n"
                               "./usr/lib/here/libcoppice.so.0.1.0\n"
                               "./usr/lib/here/libother.so\n"
                               "./usr/lib/here/pkgconfig/coppice-plugin.pc\n"
                               "./usr/lib/here/pkgconfig/coppice.pc\n"
                               "./usr/share/man/man1/coppice.1");
    assert_string_equal(sh("cd stage/usr/lib/here && readlink libcoppice.so libcoppice.so.0"),
                        "libcoppice.so.0\nlibcoppice.so.0.1.0");
    /* All data files, each where it was. */
    assert_string_equal(
        sh("cd $root\n"
           "for f in $(git ls-files examples claims experiments traces 2>/dev/null || find "
           "examples "
           "claims experiments traces -type f); do\n"
           "    case $f in claims/*.yaml | examples/* | experiments/* | traces/*.gz) cmp $f "
           "$OLDPWD/stage/usr/share/coppice/$f || echo $f;; esac\n"
           "done\n"),
        "");
    assert_string_equal(sh("grep -h '^prefix\\|dir=' stage/usr/lib/here/pkgconfig/coppice.pc"),
                        "prefix=/usr\nincludedir=${prefix}/include\nlibdir=${prefix}/lib/here");
    /* What is not ours stays. */
    assert_string_equal(sh("$make uninstall DESTDIR=$PWD/stage prefix=/usr libdir=/usr/lib/here "
                           ">uninstall.log\n"
                           "cd stage && find . ! -type d | LC_ALL=C sort"),
                        "./usr/lib/here/libother.so\n./usr/share/coppice/examples/mine.yaml");
    sh("rm stage/usr/share/coppice/examples/mine.yaml\n"
       "$make uninstall DESTDIR=$PWD/stage prefix=/usr libdir=/usr/lib/here\n"
       "[ ! -e stage/usr/share/coppice ]\n");
}

/* The example, against both libraries, found through pkg-config alone. */
static void test_link(void **state)
{
    (void)state;
    sh("$make install prefix=$prefix libdir=$lib\n"
       "cp $root/examples/embed.c .\n"
       "cc embed.c $(pkg-config --cflags --libs coppice) -o shared\n"
       "cc embed.c $(pkg-config --cflags coppice) $(pkg-config --static --libs coppice | "
       "sed 's/-lcoppice/-l:libcoppice.a/') -o static\n"
       "export LD_LIBRARY_PATH=$lib\n"
       "./shared >shared.txt && ./static >static.txt\n"
       "cmp shared.txt static.txt\n");
    const char *said = sh("cat shared.txt");
    assert_non_null(strstr(said, "victim 3.33 Gbit/s"));
    assert_string_equal(sh("readelf -d shared | grep -c 'NEEDED.*libcoppice.so.0\\]'"), "1");
    assert_string_equal(sh("readelf -d static | grep -c libcoppice || true"), "0");
    /* The installed program finds its own version; the library says the same as the header's file. */
    assert_string_equal(sh("$prefix/bin/coppice version | head -n 1"), "coppice 0.1.0");
    assert_string_equal(sh("pkg-config --modversion coppice"), "0.1.0");
    assert_string_equal(sh("sed -n 's/^version: *//p' $root/CITATION.cff | tr -d '\"'"), "0.1.0");
    sh("$make uninstall prefix=$prefix libdir=$lib\n"
       "[ -z \"$(find usr ! -type d)\" ]\n");
}

/* A mechanism from outside, with what was installed alone: in a shared object for the program, and in a
 * program of one's own for both libraries. */
static void test_plugin(void **state)
{
    (void)state;
    sh("$make install prefix=$prefix libdir=$lib >install.log\n"
       "cp $root/examples/aimd.c $root/examples/two-switch.yaml .\n"
       "[ \"$(pkg-config --modversion coppice-plugin)\" = 0.1.0 ]\n"
       "cc -shared -fPIC -O1 -Wall -Wextra -Werror -std=c11 $(pkg-config --cflags coppice-plugin) "
       "aimd.c -o aimd.so\n"
       "$prefix/bin/coppice run two-switch.yaml --plugin ./aimd.so --set cc.kind=aimd "
       "--set run.duration='20 ms' --set run.warmup='5 ms' --quiet >program.txt\n"
       "cat >mine.c <<'END'\n"
       "#include \"aimd.c\"\n"
       "#include <coppice.h>\n"
       "#include <stdio.h>\n"
       "int main(void)\n"
       "{\n"
       "    coppice_config *c = coppice_open(\"two-switch.yaml\");\n"
       "    if (coppice_plug(c, &coppice_plugin_table) != 0 || coppice_set(c, \"cc.kind=aimd\") != "
       "0 ||\n"
       "        coppice_set(c, \"run.duration=20 ms\") != 0 || coppice_set(c, \"run.warmup=5 ms\") "
       "!= 0)\n"
       "        return 1;\n"
       "    coppice_result *r = coppice_run(c);\n"
       "    if (r == NULL)\n"
       "        fputs(coppice_error(c), stderr);\n"
       "    else\n"
       "        printf(\"run hash     %016llx\\n\", (unsigned long long)coppice_hash(r));\n"
       "    coppice_free(r);\n"
       "    coppice_close(c);\n"
       "    return r == NULL;\n"
       "}\n"
       "END\n"
       "both='coppice coppice-plugin'\n"
       "cc mine.c $(pkg-config --cflags --libs $both) -o shared\n"
       "cc mine.c $(pkg-config --cflags $both) $(pkg-config --static --libs coppice | "
       "sed 's/-lcoppice/-l:libcoppice.a/') -o static\n"
       "export LD_LIBRARY_PATH=$lib\n"
       "grep -o 'run hash .*' program.txt >hash.txt\n"
       "./shared | cmp - hash.txt && ./static | cmp - hash.txt\n");
    assert_non_null(strstr(sh("grep E1-E4 program.txt"), " 10.000 "));
    sh("$make uninstall prefix=$prefix libdir=$lib\n"
       "[ -z \"$(find usr ! -type d)\" ] && [ ! -e usr/include/coppice ]\n");
}

/* The functions of coppice.h and those that plug-ins may call, all of them and nothing else; no code that
 * waits for an optimiser. */
static void test_symbols(void **state)
{
    (void)state;
    const char *of_header =
        "{ sed -n 's/^COPPICE_API.* \\**\\(coppice_[a-z_]*\\)(.*/\\1/p' $root/include/coppice.h\n"
        "for f in $(cd $root && cc -MM -Isrc src/exp/plugin.h | tr ' \\\\' '\\n\\n' | grep ^src/); "
        "do\n"
        "    awk '/^COP_OUTSIDE_BEGIN/ {on = 1} /^COP_OUTSIDE_END/ {on = 0} on && !/^static|^ "
        "|^typedef/' "
        "$root/$f | sed -n -e 's/^[a-z_].*[ *]\\(cop_[a-z0-9_]*\\)(.*/\\1/p' -e 's/^extern .*[ "
        "*]\\(cop_[a-z0-9_]*\\)\\[\\];/\\1/p'\n"
        "done; } | LC_ALL=C sort >header.txt\n";
    char script[1600];
    snprintf(script, sizeof(script),
             "%snm -D --defined-only $build/lib/libcoppice.so.0.1.0 | awk '{print $3}' | "
             "LC_ALL=C sort >so.txt\n"
             "nm -g --defined-only $build/lib/libcoppice.a | awk 'NF == 3 {print $3}' | "
             "LC_ALL=C sort >a.txt\n"
             "diff header.txt so.txt && diff header.txt a.txt && wc -l <header.txt",
             of_header);
    assert_true(atoi(sh(script)) > 40);
    assert_string_equal(sh("readelf -SW $build/lib/libcoppice.a | grep -c gnu.lto || true"), "0");
    assert_string_equal(
        sh("readelf -d $build/lib/libcoppice.so.0.1.0 | grep -c 'SONAME.*libcoppice.so.0\\]'"),
        "1");
}

/* Data may be anywhere: the program is told the way from its own folder when it is linked. */
static void test_data(void **state)
{
    (void)state;
    const char *line = "const char cop_build_data[] = ";
    char script[400], expected[200];
    static const char *const dirs[][3] = {
        {"/usr/bin", "/usr/share/coppice", "../share/coppice"},
        {"/opt/x/bin", "/srv/data/coppice", "../../../srv/data/coppice"},
    };
    for (size_t i = 0; i < COP_LEN(dirs); i++) {
        snprintf(script, sizeof(script),
                 "$root/tools/build_info.sh $PWD/info.c %s %s -O2 && grep data info.c", dirs[i][0],
                 dirs[i][1]);
        snprintf(expected, sizeof(expected), "%s\"%s\";", line, dirs[i][2]);
        assert_string_equal(sh(script), expected);
    }
    /* And it looks there: the installed program lists the experiments from any folder. */
    sh("$make install prefix=$prefix libdir=$lib >install.log\n"
       "cd / && $OLDPWD/usr/bin/coppice list experiments | grep -q gran1-fig7\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_staged, fresh), cmocka_unit_test_setup(test_link, fresh),
        cmocka_unit_test_setup(test_plugin, fresh), cmocka_unit_test_setup(test_symbols, fresh),
        cmocka_unit_test_setup(test_data, fresh),
    };
    return cmocka_run_group_tests_name("install", tests, enter, prog_leave);
}
