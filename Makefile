# SPDX-License-Identifier: GPL-2.0
# The front door: `make demo` and `make check` install what they need and do all the
# rest; `make help` lists the other targets. New source files need no change here.

include config.mk

# A flavour is one way to compile everything: default, asan, clang, fuzz.
# Objects live in build/FLAVOUR/obj, programs in build/ (default) or build/FLAVOUR/.
# BUILD is another place for all of it, so that two builds do not meet.
FLAVOUR ?= default
BUILD   ?= build

OBJ := $(BUILD)/$(FLAVOUR)/obj
BIN := $(if $(filter default,$(FLAVOUR)),$(BUILD),$(BUILD)/$(FLAVOUR))

SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=all \
              -fno-omit-frame-pointer

ifeq ($(FLAVOUR),default)
  COMPILER := $(GCC)
else ifeq ($(FLAVOUR),asan)
  COMPILER := $(GCC)
  FLAVOUR_FLAGS := $(SANITIZERS)
else ifeq ($(FLAVOUR),clang)
  COMPILER := $(CLANG)
else ifeq ($(FLAVOUR),fuzz)
  COMPILER := $(CLANG)
  FLAVOUR_FLAGS := $(SANITIZERS) -fsanitize=fuzzer-no-link
else
  $(error FLAVOUR is '$(FLAVOUR)'; it can be default, asan, clang or fuzz)
endif

# The targets that install first, or need no library, must not ask for the libraries.
NO_LIBS := demo check clean help format check-format check-includes vm-check bench
NEEDS_LIBS := $(filter-out $(NO_LIBS),$(or $(MAKECMDGOALS),all))

ifneq ($(NEEDS_LIBS),)
  LIBS_ERROR := $(shell $(PKG_CONFIG) --exists --print-errors --errors-to-stdout \
                        '$(PKGS)' 2>&1 || echo '- run: scripts/setup build')
  ifneq ($(LIBS_ERROR),)
    $(error $(LIBS_ERROR))
  endif
  PKG_CFLAGS  := $(shell $(PKG_CONFIG) --cflags '$(PKGS)')
  PKG_LIBS    := $(shell $(PKG_CONFIG) --libs '$(PKGS)')
endif
TEST_CFLAGS = $(shell $(PKG_CONFIG) --cflags '$(TEST_PKGS)')
TEST_LIBS   = $(shell $(PKG_CONFIG) --libs '$(TEST_PKGS)')

CFLAGS   ?= -g
ALL_CFLAGS = -std=gnu11 $(OPTIMIZE) $(WARNINGS) -fno-common -pthread \
             $(FLAVOUR_FLAGS) $(CFLAGS)
ALL_CPPFLAGS = -I. -Iinclude -D_GNU_SOURCE= -DCTXSW_VERSION='"$(VERSION)"' $(PKG_CFLAGS) $(CPPFLAGS)
ALL_LDFLAGS = -pthread $(FLAVOUR_FLAGS) $(LDFLAGS)

LIB_SRC    := $(wildcard analysis/*.c)
USER_SRC   := $(filter-out user/main.c,$(wildcard user/*.c user/*/*.c))
TEST_SRC   := $(wildcard tests/*/test_*.c)
HELPER_SRC := $(filter-out $(TEST_SRC),$(wildcard tests/unit/*.c tests/support/*.c))
FUZZ_SRC   := $(wildcard tests/fuzz/fuzz_*.c)
TOOL_SRC   := $(wildcard tests/tools/*.c)

LIB_OBJ    := $(LIB_SRC:%.c=$(OBJ)/%.o)
USER_OBJ   := $(USER_SRC:%.c=$(OBJ)/%.o)
HELPER_OBJ := $(HELPER_SRC:%.c=$(OBJ)/%.o)

LIB     := $(BIN)/libctxsw.a
USERLIB := $(OBJ)/libuser.a
TESTS   := $(TEST_SRC:%.c=$(BIN)/%)
TOOLS   := $(TOOL_SRC:%.c=$(BIN)/%)
FUZZERS := $(FUZZ_SRC:%.c=$(BIN)/%)

.PHONY: all tests fuzzers demo check sanitize fuzz vm-check bench kmod module-check \
        bench-hooks install uninstall clean format check-format check-includes help FORCE
# One short line for each file; V=1 shows the commands.
silent := $(findstring s,$(firstword -$(MAKEFLAGS)))
say = $(if $(V),,@$(if $(silent),,printf '  %-4s  %s\n' $(1) $@;))

.DELETE_ON_ERROR:
.SECONDARY:

all: $(LIB) $(if $(wildcard user/main.c),$(BIN)/ctxsw)

tests: all fuzzers $(TESTS) $(TOOLS)

fuzzers: $(FUZZERS)

# ---- compile and link -------------------------------------------------------------

$(OBJ)/%.o: %.c Makefile config.mk
	@mkdir -p $(@D)
	$(call say,CC) $(COMPILER) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(OBJ)/tests/%.o: ALL_CPPFLAGS += $(TEST_CFLAGS)

# The list of members changes when a file is added or removed, and only then.
$(OBJ)/%.list: FORCE
	@mkdir -p $(@D)
	@echo '$(MEMBERS)' | cmp -s - $@ || echo '$(MEMBERS)' > $@

$(OBJ)/lib.list: MEMBERS = $(LIB_OBJ)
$(OBJ)/user.list: MEMBERS = $(USER_OBJ)

$(LIB): $(LIB_OBJ) $(OBJ)/lib.list
	@rm -f $@
	$(call say,AR) $(AR) rcs $@ $(LIB_OBJ)

$(USERLIB): $(USER_OBJ) $(OBJ)/user.list
	@rm -f $@
	$(call say,AR) $(AR) rcs $@ $(USER_OBJ)

$(BIN)/ctxsw: $(OBJ)/user/main.o $(USER_OBJ) $(OBJ)/user.list $(LIB)
	$(call say,LINK) $(COMPILER) $(ALL_LDFLAGS) -o $@ $(OBJ)/user/main.o $(USER_OBJ) $(LIB) $(PKG_LIBS) -lm

$(TESTS): $(BIN)/%: $(OBJ)/%.o $(HELPER_OBJ) $(USERLIB) $(LIB)
	@mkdir -p $(@D)
	$(call say,LINK) $(COMPILER) $(ALL_LDFLAGS) -o $@ $< $(HELPER_OBJ) $(USERLIB) $(LIB) \
		$(PKG_LIBS) $(TEST_LIBS) -lm

$(TOOLS): $(BIN)/%: $(OBJ)/%.o $(USERLIB) $(LIB)
	@mkdir -p $(@D)
	$(call say,LINK) $(COMPILER) $(ALL_LDFLAGS) -o $@ $< $(USERLIB) $(LIB) $(PKG_LIBS) -lm

# A harness is a fuzzer in the flavour fuzz; in the others it replays stored cases.
$(FUZZERS): FUZZ_MAIN = $(if $(filter fuzz,$(FLAVOUR)),-fsanitize=fuzzer,$(OBJ)/tests/fuzz/replay.o)
$(FUZZERS): $(BIN)/%: $(OBJ)/%.o $(OBJ)/tests/fuzz/replay.o $(USERLIB) $(LIB)
	@mkdir -p $(@D)
	$(call say,LINK) $(COMPILER) $(ALL_LDFLAGS) -o $@ $< $(FUZZ_MAIN) $(USERLIB) $(LIB) $(PKG_LIBS) -lm

-include $(wildcard $(OBJ)/*/*.d $(OBJ)/*/*/*.d)

# ---- the two commands of the README -------------------------------------------------

demo:
	scripts/setup build demo
	$(MAKE) all
	scripts/demo

check:
	scripts/setup build test vm
	scripts/run-tests

# ---- parts of them -------------------------------------------------------------------

sanitize:
	scripts/run-tests sanitize

fuzz:
	scripts/run-tests fuzz

vm-check: all
	tests/vm/run

bench: all
	scripts/bench

kmod:
	scripts/setup build vm
	scripts/kmod-build

module-check:
	scripts/setup build vm
	tests/vm/module-check.sh

bench-hooks:
	scripts/setup build vm
	scripts/bench-hooks

install: all
	install -d $(DESTDIR)$(BINDIR)
	install -m 755 $(BIN)/ctxsw $(DESTDIR)$(BINDIR)/ctxsw
	set -e; for page in $(wildcard doc/man/*.[1-8]); do \
		dir=$(DESTDIR)$(MANDIR)/man$${page##*.}; \
		install -d $$dir; install -m 644 $$page $$dir/; done

uninstall:
	rm -f $(DESTDIR)$(BINDIR)/ctxsw
	set -e; for page in $(notdir $(wildcard doc/man/*.[1-8])); do \
		rm -f $(DESTDIR)$(MANDIR)/man$${page##*.}/$$page; done

SOURCES = $(shell find analysis user include tests -name '*.[ch]' 2>/dev/null)

format:
	$(CLANG_FORMAT) -i $(SOURCES)

check-format:
	scripts/check-format

check-includes:
	scripts/check-includes

clean:
	rm -rf $(BUILD)

help:
	@echo 'make               build the tool: build/ctxsw'
	@echo 'make demo          install what it needs, record a real workload, show the report'
	@echo 'make check         install what it needs, run every test'
	@echo 'make install       install below PREFIX ($(PREFIX)); DESTDIR is honoured'
	@echo 'make sanitize      unit and command tests under ASan and UBSan'
	@echo 'make fuzz          replay the stored cases, then fuzz for FUZZ_SECONDS ($(FUZZ_SECONDS))'
	@echo 'make vm-check      tests in guests with stock Debian kernels'
	@echo 'make kmod          build the module for Debian kernels: build/kmod/KERNEL/ctxsw.ko'
	@echo 'make module-check  the module in guests: counts, locks, tracers beside it, unloading'
	@echo 'make bench-hooks   instructions that each kind of tracing adds to a switch'
	@echo 'make bench         compare speed and memory with trace-cmd and perf'
	@echo 'make format        reformat the sources; check-format only looks'
	@echo 'make check-includes  who may include whom'
	@echo 'make clean         remove build/'
	@echo 'FLAVOUR=asan|clang|fuzz builds in build/FLAVOUR/ instead; V=1 shows commands'
