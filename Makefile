# Coppice. `make demo` and `make test` are all a newcomer needs; `make help` lists the rest.
VERSION := 0.1.0
BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
CC := gcc
# All cores by default, so that nobody needs to know about -j; JOBS=1 for one.
JOBS ?= $(shell nproc)
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(JOBS)
endif

# Debian's place for it; pkg-config may not be there yet when this line is read.
LUA_CFLAGS := -isystem /usr/include/lua5.4

WARN := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror
# -ffp-contract=off: the same rounding on every machine.
BASE := -std=gnu11 -D_GNU_SOURCE -DCOP_VERSION='"$(VERSION)"' -ffp-contract=off -Isrc -Iinclude $(LUA_CFLAGS) -Itests/support
OPT ?= -O3 -DNDEBUG $(if $(filter gcc,$(CC)),-flto=auto -ffat-lto-objects)
CFLAGS_ALL = $(BASE) $(WARN) -g $(OPT)
LIBS := -lyaml -ljansson -lsqlite3 -llua5.4 -lm

LIB_SRC := $(wildcard src/*/*.c)
WEB_SRC := $(wildcard web/src/*.js)
CLI_SRC := $(wildcard apps/cli/*.c)
SUPPORT_SRC := $(wildcard tests/support/*.c)
TEST_SRC := $(wildcard tests/unit/test_*.c tests/model/test_*.c)
LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/gen/model_id.o $(BUILD)/obj/gen/metrics_lua.o \
    $(BUILD)/obj/src/report/assets.o
# What decides results; a result remembers the fingerprint of these files.
MODEL_DIRS := base des topo route net queue cc traffic stats
MODEL_SRC := $(sort $(wildcard $(MODEL_DIRS:%=src/%/*.[ch])))
CLI_OBJ := $(CLI_SRC:%.c=$(BUILD)/obj/%.o)
SUPPORT_OBJ := $(SUPPORT_SRC:%.c=$(BUILD)/obj/%.o)
TESTS := $(patsubst tests/%.c,$(BUILD)/tests/%,$(TEST_SRC))

.PHONY: all deps demo test unit check mutants reproduce bench install clean help docs format

all: deps-build $(BUILD)/coppice

help:
	@echo "make demo     build, run the 648-host experiment without and with congestion control, draw it"
	@echo "make test     build with assertions, run all tests"
	@echo "make reproduce  run the published experiments, write VALIDATION.md (SCALE=quick|full)"
	@echo "make bench    speed and memory, with instruction counts"
	@echo "make check    sanitizers, fuzzers, format and lint, thousands of random scenarios"
	@echo "make mutants  how many small faults the tests notice (N=100 SEED=1 ONLY=net FILE=... AT=file:line)"
	@echo "make docs     write docs/CONFIG.md from the option tables"
	@echo "make format   clang-format on every C file"
	@echo "make clean    remove $(BUILD)"
	@echo "make install  PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)"

# Nothing is compiled before the packages are there (order-only: it does not make anything older).
.PHONY: deps-build deps-test deps-check
deps-build:
	@tools/deps.sh build
deps-test: deps-build
	@tools/deps.sh test
deps-check: deps-test
	@tools/deps.sh check

$(BUILD)/obj/%.o: %.c | deps-build
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) -MMD -MP -c $< -o $@

# The page of `coppice report`: libraries from npm once per lock file, one script for all builds.
WEB := build/web
$(WEB)/installed: web/package.json web/package-lock.json tools/web.sh | deps-build
	@tools/web.sh install $(WEB)

$(WEB)/report.js: $(WEB_SRC) $(WEB)/installed
	@tools/web.sh bundle $(WEB)

$(BUILD)/obj/src/report/assets.o: src/report/assets.S web/page.html web/page.css $(WEB)/report.js
	@mkdir -p $(@D)
	@$(CC) -c -Iweb -I$(WEB) -Wa,-Iweb,-I$(WEB) $< -o $@

$(BUILD)/gen/model_id.c: tools/model_id.sh $(MODEL_SRC)
	@mkdir -p $(@D)
	@tools/model_id.sh $(MODEL_SRC) > $@

# The metrics of study files, one text inside the program; later files use what earlier ones define.
METRICS := $(addprefix src/study/metrics/,arguments.lua numbers.lua traffic.lua fabric.lua)
$(BUILD)/gen/metrics_lua.c: $(METRICS)
	@mkdir -p $(@D)
	@{ echo '#include "study/lua_int.h"'; echo 'const char cop_metrics_lua[] ='; \
	   sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/    "/' -e 's/$$/\\n"/' $(METRICS); echo '    ;'; } > $@

$(BUILD)/obj/gen/%.o: $(BUILD)/gen/%.c | deps-build
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) -c $< -o $@

$(BUILD)/libcoppice.a: $(LIB_OBJ)
	@rm -f $@
	@$(if $(filter gcc,$(CC)),gcc-ar,ar) rcs $@ $^

$(BUILD)/coppice: $(CLI_OBJ) $(BUILD)/libcoppice.a
	@echo "  link $@"
	@$(CC) $(CFLAGS_ALL) $^ $(LIBS) -o $@

$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(SUPPORT_OBJ) $(BUILD)/libcoppice.a
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) $^ -lcmocka $(LIBS) $(WRAP) -o $@

# This one stands between the library and malloc. A link without LTO, which would look past it.
$(BUILD)/tests/unit/test_oom: WRAP := -fno-lto \
    $(foreach f,calloc realloc aligned_alloc free,-Wl,--wrap=$(f))

# -- the two commands --

demo: deps-build $(BUILD)/coppice
	@tools/demo.sh $(BUILD)/coppice

# Tests run with assertions on, in a build of their own; the command line is tested as it ships.
TEST_OPT := -O1
test: deps-test $(BUILD)/coppice
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/debug OPT="$(TEST_OPT)" unit-build
	@COPPICE=$(BUILD)/coppice tools/run_tests.sh $(BUILD)/debug/log \
	    $(patsubst $(BUILD)/%,$(BUILD)/debug/%,$(TESTS))

.PHONY: unit-build
unit-build: $(TESTS) $(BUILD)/coppice

# -- longer checks --

check: deps-check $(BUILD)/coppice
	@tools/check.sh $(BUILD)

# How many small faults the tests notice. Here the tests are linked to one shared library, so that a fault costs one
# compilation and one link; a second build notes which lines each test runs.
MUTANTS = $(BUILD)/mutants
MUTANT_OPT := -O1 -g0 -w -fPIC -fno-semantic-interposition
mutants: export MUTANT_CC = $(CC)
mutants: export MUTANT_FLAGS = $(BASE)
mutants: export MUTANT_OPT := $(MUTANT_OPT)
mutants: export MUTANT_LIBS = $(LIBS)
mutants: export MUTANT_METRICS = $(METRICS)
mutants: deps-test
	@$(MAKE) --no-print-directory BUILD=$(MUTANTS)/plain OPT="$(MUTANT_OPT)" shared-build
	@$(MAKE) --no-print-directory BUILD=$(MUTANTS)/cover OPT="-O1 -g0 -w -fPIC --coverage" \
	    SHARED_SRC=tools/mutants_exit.c SHARED_FLAGS="--coverage -Wl,--wrap=_exit,--wrap=abort" shared-build
	@tools/mutants.py --build "$(MUTANTS)" --jobs "$(JOBS)" --n "$(N)" --seed "$(SEED)" --only "$(ONLY)" \
	    --file "$(FILE)" --at "$(AT)" --min "$(MIN)" --again "$(AGAIN)"

SHARED_SRC :=
SHARED_FLAGS :=
.PHONY: shared-build
shared-build: $(BUILD)/shared/coppice \
    $(patsubst tests/%.c,$(BUILD)/shared/%,$(filter-out tests/unit/test_oom.c,$(TEST_SRC)))

$(BUILD)/shared/libcoppice.so: $(LIB_OBJ) $(SHARED_SRC:%.c=$(BUILD)/obj/%.o)
	@mkdir -p $(@D)
	@$(CC) -shared $(SHARED_FLAGS) $^ $(LIBS) -o $@

$(BUILD)/shared/coppice: $(CLI_OBJ) | $(BUILD)/shared/libcoppice.so
	@$(CC) $(SHARED_FLAGS) $^ -L$(BUILD)/shared -lcoppice $(LIBS) -o $@

$(BUILD)/shared/%: $(BUILD)/obj/tests/%.o $(SUPPORT_OBJ) | $(BUILD)/shared/libcoppice.so
	@mkdir -p $(@D)
	@$(CC) $(SHARED_FLAGS) $^ -L$(BUILD)/shared -lcoppice -lcmocka $(LIBS) -o $@

# All published experiments, then VALIDATION.md and the report. SCALE=full for the papers' own sizes.
SCALE ?= quick
reproduce: deps-build $(BUILD)/coppice
	@$(BUILD)/coppice reproduce --all --scale $(SCALE) --db $(BUILD)/reproduce.db \
	    --validation VALIDATION.md || [ $$? -eq 1 ]
	@$(BUILD)/coppice report $(BUILD)/reproduce.db -o $(BUILD)/report.html

bench: deps-test $(BUILD)/coppice
	@$(BUILD)/coppice bench

docs: $(BUILD)/coppice
	@$(BUILD)/coppice list --docs > docs/CONFIG.md

format:
	@clang-format -i $$(git ls-files '*.c' '*.h')

install: $(BUILD)/coppice
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/pkgconfig $(DESTDIR)$(PREFIX)/include
	install -d $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/coppice/examples
	install -d $(DESTDIR)$(PREFIX)/share/coppice/claims
	install -m 755 $(BUILD)/coppice $(DESTDIR)$(PREFIX)/bin/coppice
	install -m 644 $(BUILD)/libcoppice.a $(DESTDIR)$(PREFIX)/lib/libcoppice.a
	install -m 644 include/coppice.h $(DESTDIR)$(PREFIX)/include/coppice.h
	install -m 644 docs/coppice.1 $(DESTDIR)$(PREFIX)/share/man/man1/coppice.1
	install -m 644 examples/* $(DESTDIR)$(PREFIX)/share/coppice/examples
	install -m 644 claims/*.yaml $(DESTDIR)$(PREFIX)/share/coppice/claims
	cp -r experiments $(DESTDIR)$(PREFIX)/share/coppice/
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' tools/coppice.pc.in \
	    > $(DESTDIR)$(PREFIX)/lib/pkgconfig/coppice.pc

clean:
	rm -rf $(BUILD)

-include $(LIB_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(SUPPORT_OBJ:.o=.d)
-include $(patsubst tests/%.c,$(BUILD)/obj/tests/%.d,$(TEST_SRC))
.SECONDARY:
