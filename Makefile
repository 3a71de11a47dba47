# Coppice. `make demo` and `make test` are all a newcomer needs; `make help` lists the rest.
VERSION := 0.1.0
# Raised when a program that was linked with the library no longer runs with it.
SOVERSION := 0
BUILD ?= build

# Where things go, by the names of the GNU coding standards; PREFIX is the same as prefix.
PREFIX ?= /usr/local
prefix ?= $(PREFIX)
exec_prefix ?= $(prefix)
bindir ?= $(exec_prefix)/bin
libdir ?= $(exec_prefix)/lib
includedir ?= $(prefix)/include
datarootdir ?= $(prefix)/share
datadir ?= $(datarootdir)
mandir ?= $(datarootdir)/man
pkgconfigdir ?= $(libdir)/pkgconfig
DESTDIR ?=

ifneq ($(words $(CURDIR) $(BUILD)),2)
$(error the path of the sources or of BUILD has a space, and make cannot work there)
endif

# All cores by default, without -j; JOBS=1 for one.
JOBS ?= $(shell nproc)
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(JOBS)
endif

# -- tools; CC, AR, CFLAGS, CPPFLAGS, LDFLAGS and LDLIBS are the user's --

# gcc makes the quicker program; any other compiler is asked for with CC=.
ifeq ($(origin CC),default)
CC := gcc
endif
# VARIABLE = $(call once,VARIABLE,command): asked at the first use and kept. Not asked before, because
# `make deps` may have to install what answers.
once = $(eval $(1) := $(shell $(2)))$($(1))
COMPILER = $(call once,COMPILER,$(CC) --version 2>/dev/null | grep -qi clang && echo clang || echo gcc)
ifeq ($(origin AR),default)
AR = $(call once,AR,[ $(COMPILER) = gcc ] && command -v gcc-ar || echo ar)
endif
OBJCOPY ?= objcopy
PKG_CONFIG ?= pkg-config

# What the library needs, and what the program needs besides. Lua has as many names as packagers.
LIB_MODULES := yaml-0.1 sqlite3 zlib libprotobuf-c
LUA_MODULE = $(call once,LUA_MODULE,for m in lua5.4 lua-5.4 lua54; do \
    $(PKG_CONFIG) --exists $$m && echo $$m && break; done)
MODULES = $(LIB_MODULES) jansson libwebsockets $(LUA_MODULE)
# -isystem: our warnings are not for other people's headers.
MODULE_FLAGS = $(call once,MODULE_FLAGS,$(PKG_CONFIG) --cflags $(MODULES))
MODULE_CFLAGS = $(patsubst -I%,-isystem %,$(MODULE_FLAGS))
MODULE_LIBS = $(call once,MODULE_LIBS,$(PKG_CONFIG) --libs $(MODULES))
LIB_MODULE_LIBS = $(call once,LIB_MODULE_LIBS,$(PKG_CONFIG) --libs $(LIB_MODULES))
LIBS = $(MODULE_LIBS) -lm
LIB_LIBS = $(LIB_MODULE_LIBS) -lm
TEST_LIBS = $(call once,TEST_LIBS,$(PKG_CONFIG) --libs cmocka)

# A warning is an error to us (CI, WERROR=1), not to users with newer compilers.
WARN := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla \
    $(if $(or $(CI),$(filter 1,$(WERROR))),-Werror)
LTO = $(if $(filter gcc,$(COMPILER)),-flto=auto -ffat-lto-objects)
OPT ?= -O3 -DNDEBUG $(LTO)
# Hidden: what leaves the library is coppice.h and what plug-ins may call (COP_OUTSIDE_BEGIN), and no
# program can replace one of these functions by its own. A build with assertions is for tests, which
# call any function: there all names are visible and the tests are linked to one shared library.
VISIBILITY ?= $(if $(filter -DNDEBUG,$(OPT) $(CPPFLAGS) $(CFLAGS)),hidden,default)
# -ffp-contract=off: the same rounding on every machine.
BASE = -std=gnu11 -D_GNU_SOURCE -DCOP_VERSION='"$(VERSION)"' -ffp-contract=off -fPIC \
    -fvisibility=$(VISIBILITY) -fno-semantic-interposition -Isrc -Iinclude $(MODULE_CFLAGS) -Itests/support
CFLAGS_ALL = $(BASE) $(WARN) -g $(OPT) $(CPPFLAGS) $(CFLAGS)
LINK = $(CC) $(CFLAGS_ALL) $(LDFLAGS)

# -- files --

LIB_SRC := $(wildcard src/*/*.c src/*/*/*.c)
WEB_SRC := $(wildcard web/src/*.js web/src/*/*.js)
CLI_SRC := $(wildcard apps/cli/*.c)
SUPPORT_SRC := $(wildcard tests/support/*.c)
TEST_SRC := $(wildcard tests/*/test_*.c tests/net/*/test_*.c)
# More sources for the library of a test build (make mutants).
EXTRA_SRC :=
LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/gen/chakra.pb-c.o $(BUILD)/obj/gen/model_id.o $(BUILD)/obj/gen/metrics_lua.o \
    $(BUILD)/obj/src/report/assets.o $(EXTRA_SRC:%.c=$(BUILD)/obj/%.o)
# What coppice.h reaches: studies and reports are the program's.
CORE_OBJ := $(filter-out $(BUILD)/obj/src/study/% $(BUILD)/obj/src/report/% %/metrics_lua.o,$(LIB_OBJ))
# What decides results; a result remembers the fingerprint of these files.
MODEL_DIRS := base des topo route net host queue cc app traffic stats tree
MODEL_SRC := $(sort $(wildcard $(MODEL_DIRS:%=src/%/*.[ch]) $(MODEL_DIRS:%=src/%/*/*.[ch])))
# What the model does: values of the golden runs. A verdict remembers the fingerprint of this file.
GOLDEN := tests/golden/golden.txt
CLI_OBJ := $(CLI_SRC:%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/gen/build_info.o
SUPPORT_OBJ := $(SUPPORT_SRC:%.c=$(BUILD)/obj/%.o)
TESTS := $(patsubst tests/%.c,$(BUILD)/tests/%,$(TEST_SRC))
SHARED := $(BUILD)/lib/libcoppice.so.$(VERSION)
STATIC := $(BUILD)/lib/libcoppice.a

.PHONY: all deps demo picture test unit check mutants reproduce bench lib install uninstall clean help docs format FORCE

all: deps-build $(BUILD)/coppice

help:
	@echo "make demo       the 648-host experiment without and with control, drawn"
	@echo "make picture    the README's pictures, from what make demo has made"
	@echo "make test       build with assertions, run all tests; ONLY=word: those with the"
	@echo "                word in their path (make test ONLY=evq)"
	@echo "make            build the program; names missing packages, installs none"
	@echo "make deps       install missing packages (Debian)"
	@echo "make reproduce  the published experiments, docs/validation (SCALE=quick|full)"
	@echo "make bench      speed and memory, with instruction counts"
	@echo "make check      sanitizers, fuzzers, lint, thousands of random scenarios"
	@echo "make mutants    how many small faults the tests notice (N=100 SEED=1 ONLY=net"
	@echo "                FILE=... AT=file:line AGAIN=1 MIN=90)"
	@echo "make recorder   the recorder of MPI programs (needs MPI); make recorder-test"
	@echo "make docs       write docs/CONFIG.md from the option tables"
	@echo "make format     clang-format on every C file"
	@echo "make clean      remove $(BUILD)"
	@echo "make install    to prefix=$(prefix) DESTDIR=$(DESTDIR)"
	@echo "make uninstall  remove what install put there"
	@echo "JOBS=1          use one core instead of all"

# -- packages: nothing is compiled before they are there (order-only: it makes nothing older) --

# Only these install packages; every other target names what is missing.
INSTALLING := $(filter demo test deps,$(MAKECMDGOALS))
DEPS := CC="$(CC)" PKG_CONFIG="$(PKG_CONFIG)" tools/deps.sh
missing = $(shell $(DEPS) --name $(1) 2>&1)
complain = $(if $(1),$(error missing: $(1); install them with `make deps` or `sudo apt-get install $(1)`))
packages = $(if $(INSTALLING),@$(DEPS) $(1),$(call complain,$(call missing,$(1)))@:)

.PHONY: deps-build deps-test deps-check
deps-build:
	$(call packages,build)
deps-test: deps-build
	$(call packages,test)
deps-check: deps-test
	$(call packages,check)
deps: deps-check

# -- building --

# $(call say,STAGE,what is done and why): one line when the first recipe of a stage begins; none with -s.
# Long steps say how long they take.
quiet := $(findstring s,$(filter-out --%,$(firstword -$(MAKEFLAGS))))
comma := ,
indent := $(subst ,, )$(subst ,, )
say = $(if $(quiet)$(said-$(1)),,$(eval said-$(1) := 1)$(info $(indent)$(strip $(2))))
# A first build compiles all files, later ones what has changed.
absent = $(filter-out $(wildcard $(BUILD)/obj/*/*.o $(BUILD)/obj/*/*/*.o),$(LIB_OBJ) $(CLI_OBJ))
compiling = compile $(if $(word 100,$(absent)),$(words $(absent)) files,what has changed) \
    ($(filter-out -f% -D%,$(OPT)))$(if $(word 100,$(absent)),: about a minute)

# Other options, other objects; the file keeps its time while they are the same.
$(BUILD)/flags: FORCE | deps-build
	@mkdir -p $(@D)
	@echo '$(subst ','\'',$(CC) $(filter-out -Werror,$(CFLAGS_ALL)))' >$@.$$$$; \
	    if cmp -s $@.$$$$ $@; then rm $@.$$$$; else mv $@.$$$$ $@; fi

$(BUILD)/obj/%.o: %.c $(BUILD)/flags | deps-build
	$(call say,compile,$(compiling))@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) -MMD -MP -c $< -o $@

# The page of `coppice report`: libraries from npm once per lock file, one script for all builds (and with
# it the licences of what it holds).
WEB := build/web
$(WEB)/installed: web/package.json web/package-lock.json tools/web.sh | deps-build
	@tools/web.sh install $(WEB)

$(WEB)/report.js: $(WEB_SRC) $(WEB)/installed tools/web.sh
	@tools/web.sh bundle $(WEB)

$(BUILD)/obj/src/report/assets.o: src/report/assets.S web/page.html web/live.html web/page.css $(WEB)/report.js
	@mkdir -p $(@D)
	@$(CC) -c -Iweb -I$(WEB) -Wa,-Iweb,-I$(WEB) $< -o $@

$(BUILD)/gen/model_id.c: tools/model_id.sh $(GOLDEN) $(MODEL_SRC)
	@mkdir -p $(@D)
	@tools/model_id.sh $(GOLDEN) $(MODEL_SRC) > $@

# What the schema of Chakra traces becomes in C.
$(BUILD)/gen/chakra.pb-c.c: src/app/chakra.proto | deps-build
	@mkdir -p $(@D)
	@protoc-c --proto_path=src/app --c_out=$(@D) $<
$(BUILD)/obj/gen/chakra.pb-c.o: private WARN := -w
$(BUILD)/obj/src/app/chakra_node.o: private BASE += -isystem $(BUILD)/gen
$(BUILD)/obj/src/app/chakra_node.o: $(BUILD)/gen/chakra.pb-c.c

# What `coppice version` says; the script leaves the file alone when nothing has changed.
$(BUILD)/gen/build_info.c: FORCE | deps-build
	@mkdir -p $(@D)
	@tools/build_info.sh $(abspath $@) $(bindir) $(SHARE) $(OPT) $(CPPFLAGS) $(CFLAGS)
$(BUILD)/obj/gen/build_info.o: BASE += -Iapps/cli

# The metrics of study files, one text inside the program; later files use what earlier ones define.
METRICS := $(addprefix src/study/metrics/,arguments.lua numbers.lua traffic.lua trees.lua fabric.lua)
$(BUILD)/gen/metrics_lua.c: $(METRICS)
	@mkdir -p $(@D)
	@{ echo '#include "study/lua_int.h"'; echo 'const char cop_metrics_lua[] ='; \
	   sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/    "/' -e 's/$$/\\n"/' $(METRICS); echo '    ;'; } > $@

$(BUILD)/obj/gen/%.o: $(BUILD)/gen/%.c $(BUILD)/flags | deps-build
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) -c $< -o $@

# Everything, with all names visible: for our own programs and tests, not to be installed.
$(BUILD)/libcoppice.a: $(LIB_OBJ)
	@rm -f $@
	@$(AR) rcs $@ $^

# What is linked has its name only once it is whole: after a kill make would take a half for the program.
# $(call link,how,what,libraries)
link = $(LINK) $(1) $(2) $(3) $(LDLIBS) -o $@.$$$$ && mv -f $@.$$$$ $@

$(BUILD)/coppice: $(CLI_OBJ) $(if $(SHARED_PROGRAM),| $(BUILD)/libcoppice-test.so,$(BUILD)/libcoppice.a)
	$(call say,program,link $@$(if $(findstring -flto,$(OPT)),$(comma) optimised as a whole: about a minute))
	@$(call link,-rdynamic,$^ $(if $(SHARED_PROGRAM),$(WITH_TEST_LIB)),$(LIBS))

# The tests of a build with assertions are linked to this library, which alone is linked again after a
# change of one file; a test finds it two folders up, or where LD_LIBRARY_PATH says (make mutants).
$(BUILD)/libcoppice-test.so: $(LIB_OBJ)
	$(call say,library,link $@$(comma) which all tests use)
	@$(call link,-shared -Wl$(comma)-Bsymbolic-functions,$^,$(LIBS))

WITH_TEST_LIB := -L$(BUILD) -lcoppice-test -Wl,-rpath,'$$ORIGIN/../..:$$ORIGIN/../../..:$$ORIGIN'
ifeq ($(VISIBILITY),default)
TEST_LIB := | $(BUILD)/libcoppice-test.so
$(BUILD)/tests/%: TEST_WITH = $(WITH_TEST_LIB)
else
TEST_LIB := $(BUILD)/libcoppice.a
endif
$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(SUPPORT_OBJ) $(TEST_LIB)
	$(call say,tests,link the tests)@mkdir -p $(@D)
	@$(call link,,$(filter %.o,$^) $(filter %.a,$^) $(TEST_WITH),$(TEST_LIBS) $(LIBS) $(WRAP))

# This one stands between the library and malloc: a link of its own, without LTO, which would look past it.
$(BUILD)/tests/base/test_oom: $(BUILD)/libcoppice.a
$(BUILD)/tests/base/test_oom: TEST_WITH :=
$(BUILD)/tests/base/test_oom: WRAP := -fno-lto \
    $(foreach f,calloc realloc aligned_alloc free,-Wl,--wrap=$(f))

# Every fuzzer, run on its corpus.
FUZZ_OBJ := $(patsubst tests/%.c,$(BUILD)/obj/tests/%.o,$(wildcard tests/fuzz/fuzz_*.c))
$(FUZZ_OBJ): private BASE += -DLLVMFuzzerTestOneInput=$(basename $(notdir $@))
$(BUILD)/tests/base/test_corpus: $(FUZZ_OBJ)

# -- the library that is installed --

lib: deps-build $(SHARED) $(STATIC)

# What users get shows the names of coppice.h alone.
hidden = $(if $(filter default,$(VISIBILITY)),$(error OPT has no -DNDEBUG, which makes a build for tests: its library would \
    show all names; give OPT='... -DNDEBUG' or VISIBILITY=hidden))

# One object with nothing of LTO left in it: who links it waits for no optimiser, and only the names
# of coppice.h can meet his own.
$(BUILD)/lib/coppice.o: $(CORE_OBJ)
	$(hidden)@mkdir -p $(@D)
	@$(CC) -r -nostdlib -fno-lto $(LDFLAGS) $^ -o $@.all
	@$(OBJCOPY) --localize-hidden --remove-section='.gnu.lto_*' --remove-section='.gnu.debuglto_*' $@.all $@.$$$$ && mv -f $@.$$$$ $@
	@rm -f $@.all

$(STATIC): $(BUILD)/lib/coppice.o
	@rm -f $@
	@$(AR) rcs $@ $^

$(SHARED): $(CORE_OBJ)
	$(hidden)$(call say,shared,link $@$(if $(findstring -flto,$(OPT)),: about a minute))@mkdir -p $(@D)
	@$(call link,-shared -Wl$(comma)-soname$(comma)libcoppice.so.$(SOVERSION) -Wl$(comma)-z$(comma)defs$(comma)-Bsymbolic-functions,$^,$(LIB_LIBS))

# -- the two commands --

demo: deps-build $(BUILD)/coppice
	@tools/demo.sh $(BUILD)/coppice

# The README's pictures, from the demo's page; needs Chromium.
picture: deps-test
	@node tools/picture.mjs $(BUILD)/demo.html $(BUILD)/web/node_modules docs/trees.gif docs/demo.png

# Tests run with assertions on, in a build of their own; program and library are tested as they ship.
# ONLY=word: the tests whose path has the word, and of what ships what they need.
TEST_OPT := -O1
ONLY ?=
WANTED := $(if $(ONLY),$(strip $(foreach t,$(TEST_SRC),$(if $(findstring $(ONLY),$(t)),$(t)))),$(TEST_SRC))
shipped = $(if $(ONLY),$(if $(WANTED),,$(error no test program has `$(ONLY)` in its path; see tests)) \
    $(shell grep -lE 'COPPICE"|"(program|sweep|cli_fixture)\.h"' $(WANTED) >/dev/null && echo $(BUILD)/coppice) \
    $(shell grep -l libcoppice\\.a $(WANTED) >/dev/null && echo $(SHARED) $(STATIC)),$(BUILD)/coppice $(SHARED) $(STATIC))
test: deps-test $(if $(filter test,$(MAKECMDGOALS)),$(shipped))
	@$(if $(ONLY),,tools/check.sh $(BUILD) format layers order options docs)
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/debug OPT="$(TEST_OPT)" unit-build
	@COPPICE=$(BUILD)/coppice tools/run_tests.sh $(BUILD)/debug/log $(WANTED:tests/%.c=$(BUILD)/debug/tests/%)

.PHONY: unit-build
unit-build: $(if $(ONLY),,$(BUILD)/coppice) $(WANTED:tests/%.c=$(BUILD)/tests/%)

# -- longer checks --

check: deps-check $(BUILD)/coppice $(SHARED) $(STATIC)
	@tools/check.sh $(BUILD)

# How many small faults the tests notice. The program of these builds uses the tests' library, too, so that a fault
# costs one compilation and one link; the second build notes which lines each test runs.
MUTANTS = $(BUILD)/mutants
MUTANT_OPT := -O1 -g0 -w -fvisibility=default -fno-semantic-interposition
mutants: export MUTANT_CC = $(CC)
mutants: export MUTANT_FLAGS = $(BASE)
mutants: export MUTANT_OPT := $(MUTANT_OPT)
mutants: export MUTANT_LIBS = $(LIBS)
mutants: export MUTANT_METRICS = $(METRICS)
mutants: deps-test
	@$(MAKE) --no-print-directory BUILD=$(MUTANTS)/plain OPT="$(MUTANT_OPT)" ONLY= SHARED_PROGRAM=1 unit-build
	@$(MAKE) --no-print-directory BUILD=$(MUTANTS)/cover OPT="-O1 -g0 -w --coverage" ONLY= SHARED_PROGRAM=1 \
	    EXTRA_SRC=tools/mutants_exit.c LDFLAGS="$(LDFLAGS) -Wl,--wrap=_exit,--wrap=abort" unit-build
	@tools/mutants.py --build "$(MUTANTS)" --jobs "$(JOBS)" --n "$(N)" --seed "$(SEED)" --only "$(ONLY)" \
	    --file "$(FILE)" --at "$(AT)" --min "$(MIN)" --again "$(AGAIN)"

# All published experiments, then docs/validation and the report. SCALE=full for the papers' own sizes.
SCALE ?= quick
reproduce: deps-build $(BUILD)/coppice
	@$(BUILD)/coppice reproduce --all --scale $(SCALE) --db $(BUILD)/reproduce.db \
	    --validation docs/validation || [ $$? -eq 1 ]
	@$(BUILD)/coppice report $(BUILD)/reproduce.db -o $(BUILD)/report.html

bench: deps-test $(BUILD)/coppice
	@$(BUILD)/coppice bench

docs: $(BUILD)/coppice
	@$(BUILD)/coppice list --docs > docs/CONFIG.md

format:
	@clang-format -i $$(git ls-files '*.c' '*.h')

# -- installing --

INSTALL ?= install
SHARE = $(datadir)/coppice
# Data files keep their folders below $(SHARE).
DATA := $(wildcard examples/* claims/*.yaml traces/*.goal.gz traces/README.md) $(filter-out %/,$(wildcard experiments/* experiments/*/*))
DATA := $(foreach f,$(DATA),$(if $(wildcard $(f)/.),,$(f)))
DATA_DIRS := $(patsubst %/,%,$(sort $(dir $(DATA))))
within = $(patsubst $(prefix)/%,$${prefix}/%,$(1))

# Headers for plug-ins from outside: all that exp/plugin.h reaches, in folders as here.
HEADERS = $(call once,HEADERS,$(CC) -MM -Isrc src/exp/plugin.h | tr ' \\' '\n\n' | sed -n 's|^src/||p' | sort -u)
HEADER_DIRS = $(patsubst %/,%,$(sort $(dir $(HEADERS))))
INC = $(includedir)/coppice

install: deps-build $(BUILD)/coppice $(SHARED) $(STATIC)
	$(INSTALL) -d $(DESTDIR)$(bindir) $(DESTDIR)$(libdir) $(DESTDIR)$(includedir) \
	    $(DESTDIR)$(pkgconfigdir) $(DESTDIR)$(mandir)/man1
	$(INSTALL) -m 755 $(BUILD)/coppice $(DESTDIR)$(bindir)/coppice
	$(INSTALL) -m 755 $(SHARED) $(DESTDIR)$(libdir)/libcoppice.so.$(VERSION)
	ln -sf libcoppice.so.$(VERSION) $(DESTDIR)$(libdir)/libcoppice.so.$(SOVERSION)
	ln -sf libcoppice.so.$(SOVERSION) $(DESTDIR)$(libdir)/libcoppice.so
	$(INSTALL) -m 644 $(STATIC) $(DESTDIR)$(libdir)/libcoppice.a
	$(INSTALL) -m 644 include/coppice.h $(DESTDIR)$(includedir)/coppice.h
	$(INSTALL) -m 644 docs/coppice.1 $(DESTDIR)$(mandir)/man1/coppice.1
	sed -e 's|@prefix@|$(prefix)|' -e 's|@libdir@|$(call within,$(libdir))|' \
	    -e 's|@includedir@|$(call within,$(includedir))|' -e 's|@version@|$(VERSION)|' \
	    -e 's|@requires@|$(LIB_MODULES)|' tools/coppice.pc.in >$(DESTDIR)$(pkgconfigdir)/coppice.pc
	sed -e 's|@prefix@|$(prefix)|' -e 's|@includedir@|$(call within,$(includedir))|' -e 's|@version@|$(VERSION)|' \
	    tools/coppice-plugin.pc.in >$(DESTDIR)$(pkgconfigdir)/coppice-plugin.pc
	chmod 644 $(DESTDIR)$(pkgconfigdir)/coppice.pc $(DESTDIR)$(pkgconfigdir)/coppice-plugin.pc
	@set -e; for d in $(HEADER_DIRS); do $(INSTALL) -d $(DESTDIR)$(INC)/$$d; done; \
	    for f in $(HEADERS); do $(INSTALL) -m 644 src/$$f $(DESTDIR)$(INC)/$$f; done
	@set -e; for d in $(DATA_DIRS); do $(INSTALL) -d $(DESTDIR)$(SHARE)/$$d; done; \
	    for f in $(DATA); do $(INSTALL) -m 644 $$f $(DESTDIR)$(SHARE)/$$f; done; \
	    echo "$(words $(DATA)) data files in $(DESTDIR)$(SHARE)"

# Exactly the files that install puts there. Folders go when they are ours and empty.
uninstall:
	rm -f $(DESTDIR)$(bindir)/coppice $(DESTDIR)$(includedir)/coppice.h \
	    $(DESTDIR)$(mandir)/man1/coppice.1 $(DESTDIR)$(pkgconfigdir)/coppice.pc \
	    $(DESTDIR)$(pkgconfigdir)/coppice-plugin.pc $(HEADERS:%=$(DESTDIR)$(INC)/%) \
	    $(foreach f,libcoppice.a libcoppice.so libcoppice.so.$(SOVERSION) libcoppice.so.$(VERSION), \
	        $(DESTDIR)$(libdir)/$(f))
	@rm -f $(DATA:%=$(DESTDIR)$(SHARE)/%)
	@for d in $(HEADER_DIRS) .; do rmdir $(DESTDIR)$(INC)/$$d 2>/dev/null || true; done
	@rmdir $(DESTDIR)$(INC) 2>/dev/null || true
	@for d in $(DATA_DIRS) experiments .; do \
	    rmdir $(DESTDIR)$(SHARE)/$$d 2>/dev/null || true; done
	@rmdir $(DESTDIR)$(SHARE) 2>/dev/null || true

clean:
	rm -rf $(BUILD)

include recorder/recorder.mk

-include $(LIB_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(SUPPORT_OBJ:.o=.d)
-include $(patsubst tests/%.c,$(BUILD)/obj/tests/%.d,$(TEST_SRC))
.SECONDARY:
