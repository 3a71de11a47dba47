# libcoppice-mpi.so, the recorder of MPI programs: `make recorder`, `make recorder-test`. Nothing else needs MPI.

# Who packs MPI names its module as he likes.
MPI_MODULE = $(call once,MPI_MODULE,for m in mpi-c ompi-c ompi mpich mpi; do \
    $(PKG_CONFIG) --exists $$m && echo $$m && break; done)
MPI_FLAGS = $(call once,MPI_FLAGS,$(if $(MPI_MODULE),$(PKG_CONFIG) --cflags $(MPI_MODULE)))
MPI_CFLAGS = $(patsubst -I%,-isystem %,$(MPI_FLAGS))
MPI_LIBS = $(call once,MPI_LIBS,$(if $(MPI_MODULE),$(PKG_CONFIG) --libs $(MPI_MODULE)))
RECORDER_FLAGS = -std=gnu11 -D_GNU_SOURCE -fPIC -fvisibility=hidden $(WARN) -g -O2 $(CPPFLAGS) $(CFLAGS) $(LDFLAGS)
RECORDER_SRC := $(sort $(wildcard recorder/*.c))
RECORDER := $(BUILD)/lib/libcoppice-mpi.so
# The part that knows no MPI.
RECORDER_PLAIN := $(addprefix recorder/,record.c spool.c collective.c text.c)

.PHONY: recorder recorder-test deps-recorder install-recorder uninstall-recorder
recorder: deps-recorder $(RECORDER) $(BUILD)/coppice-mpi

# `make deps` leaves these out: Coppice needs no MPI.
deps-recorder:
	$(if $(call missing,recorder),$(error the recorder needs $(call missing,recorder); install with \
	    `sudo apt-get install $(call missing,recorder)`))@:

$(RECORDER): $(RECORDER_SRC) $(wildcard recorder/*.h) recorder/recorder.mk | deps-recorder
	@mkdir -p $(@D)
	@echo "  link $@"
	@$(CC) $(RECORDER_FLAGS) -shared $(MPI_CFLAGS) $(RECORDER_SRC) -Wl,-z,defs $(MPI_LIBS) -lpthread -o $@

$(BUILD)/coppice-mpi: recorder/coppice-mpi.in
	@mkdir -p $(@D)
	@sed 's|@library@|$(abspath $(RECORDER))|' $< >$@
	@chmod +x $@

$(BUILD)/recorder/plain: SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all
$(BUILD)/recorder/%: recorder/tests/%.c $(RECORDER_PLAIN) recorder/record.h recorder/recorder.mk
	@mkdir -p $(@D)
	@$(CC) $(RECORDER_FLAGS) $(SANITIZE) -Irecorder $< $(RECORDER_PLAIN) -o $@

# Some tests need no MPI; those that run programs are skipped where there is none, and say so.
recorder-test: $(BUILD)/recorder/expand $(BUILD)/recorder/plain
	@$(if $(MPI_MODULE),$(MAKE) --no-print-directory recorder)
	@CC="$(CC)" MPI_CFLAGS="$(MPI_CFLAGS)" MPI_LIBS="$(MPI_LIBS)" recorder/tests/run.py $(BUILD)

install-recorder: recorder
	$(INSTALL) -d $(DESTDIR)$(bindir) $(DESTDIR)$(libdir)
	$(INSTALL) -m 755 $(RECORDER) $(DESTDIR)$(libdir)/libcoppice-mpi.so
	sed 's|@library@|$(libdir)/libcoppice-mpi.so|' recorder/coppice-mpi.in >$(DESTDIR)$(bindir)/coppice-mpi
	chmod 755 $(DESTDIR)$(bindir)/coppice-mpi

uninstall-recorder:
	rm -f $(DESTDIR)$(libdir)/libcoppice-mpi.so $(DESTDIR)$(bindir)/coppice-mpi
