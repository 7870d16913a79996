# SPDX-License-Identifier: Apache-2.0
# The whole build of ridge; `make help` lists the targets. Files are found by wildcard: a new
# src/<module>/x.c or tests/<module>/x_test.c needs no edit here. Set on the command line:
#   CC CFLAGS CPPFLAGS LDFLAGS   as everywhere (OPT optimises, OPT_SIM the simulator; DEBUG: -g, -g1 for lines alone)
#   PREFIX LIBDIR DESTDIR        give the same PREFIX to `make` and `make install`: it is compiled in
#   BUILD=dir  WERROR=0  V=1     another build folder; warnings stay warnings; show the commands
#   MODULE=ptx                   only that module's tests (check, unit)

VERSION  := 0.1.0
PREFIX   ?= /usr/local
LIBDIR   ?= $(PREFIX)/lib
BUILD    ?= build
OPT      ?= -O2
OPT_SIM  ?= -O3 -falign-functions=64
DEBUG    ?= -g
FUZZ_SECONDS ?= 20
FUZZ_CC  ?= clang
CHECK    ?= check
OBJCOPY  ?= objcopy
SHELL    := /bin/bash

# ---- flags: one list that gcc and clang both accept -------------------------------------------
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wdouble-promotion \
            -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla -Wformat=2 -Wcast-qual \
            -Wwrite-strings -Wimplicit-fallthrough -Wnull-dereference -fno-common
WERROR   ?= 1
ifneq ($(WERROR),0)
WARNINGS += -Werror
endif
# No contraction: a result must not depend on the compiler or the host.
# One set of objects for the program and both libraries; only ridge.h's functions are seen outside.
LANGUAGE := -std=c17 -ffp-contract=off -pthread -fPIC -fvisibility=hidden
DEFINES  := -D_GNU_SOURCE -DRIDGE_VERSION='"$(VERSION)"' -DRIDGE_DATADIR='"$(PREFIX)/share/ridge"'
INCLUDES := -Isrc -Iinclude
PACKAGES := yaml-0.1 sqlite3 jansson libffi libxxhash
PKG_CFLAGS  := $(shell pkg-config --cflags $(PACKAGES) 2>/dev/null)
PKG_LIBS    := $(shell pkg-config --libs $(PACKAGES) 2>/dev/null)
CMOCKA_LIBS := $(shell pkg-config --libs cmocka 2>/dev/null || echo -lcmocka)
LIBS     := $(PKG_LIBS) -lm -ldl -lpthread
# SANITIZE holds instrumentation of any kind (sanitizers, coverage); it goes to the linker too.
COMPILE   = $(CC) $(CPPFLAGS) $(DEFINES) $(INCLUDES) $(PKG_CFLAGS) $(CFLAGS) $(LANGUAGE) \
            $(WARNINGS) $(DEBUG) $(OPT) $(SANITIZE) -MMD -MP
LINK      = $(CC) $(CFLAGS) -pthread $(SANITIZE) $(LDFLAGS)

# ---- files ------------------------------------------------------------------------------------
SOURCES  := $(sort $(wildcard src/*/*.c src/*/*/*.c))
MAIN     := src/cli/main.c
# A file *_isa.c is compiled once for each instruction set below; the program picks one at run time.
ISA_SOURCES := $(filter %_isa.c,$(SOURCES))
ifneq ($(filter x86_64% amd64%,$(shell $(CC) -dumpmachine 2>/dev/null || uname -m)),)
ISAS     := baseline avx2 avx512
else
ISAS     := baseline
endif
ISA_FLAGS          := -ffp-contract=off -fno-math-errno -fno-trapping-math
ISA_FLAGS.baseline :=
ISA_FLAGS.avx2     := -mavx2 -mfma -mbmi -mbmi2 -mf16c
ISA_FLAGS.avx512   := -mavx512f -mavx512bw -mavx512dq -mavx512vl $(ISA_FLAGS.avx2) \
                      -mprefer-vector-width=512

object    = $(patsubst src/%.c,$(BUILD)/obj/%.o,$(1))
# What `ridge capture` puts into the program that it watches, and only that: it stands before dlsym and the driver's functions.
RECORDER := $(BUILD)/libridge-capture.so
RECORDER_OBJECTS := $(call object,$(filter src/capture/recorder/%,$(SOURCES)))
LIB_OBJECTS := $(filter-out $(RECORDER_OBJECTS),$(call object,$(filter-out $(MAIN) $(ISA_SOURCES),$(SOURCES)))) \
    $(foreach isa,$(ISAS),$(patsubst src/%.c,$(BUILD)/obj/%.$(isa).o,$(ISA_SOURCES)))
LIBRARY  := $(BUILD)/libridge_core.a
PROGRAM  := $(BUILD)/ridge
# The public library (include/ridge.h): what its own floor stands on.
API_OBJECTS := $(filter-out $(foreach m,agent capture cli replay report import monitor,$(BUILD)/obj/$(m)/%),$(LIB_OBJECTS))
SOVERSION := 0
PUBLIC   := $(BUILD)/libridge.a $(BUILD)/libridge.so

TEST_SOURCES := $(sort $(wildcard tests/$(or $(MODULE),*)/*_test.c))
TEST_SCRIPTS := $(sort $(wildcard tests/$(or $(MODULE),*)/*_test.sh))
# LEAVE: names of programs not to build and run (sim/stall_test)
TESTS    := $(filter-out $(LEAVE:%=$(BUILD)/tests/%),$(TEST_SOURCES:%.c=$(BUILD)/%))
# Linked into every test program, where the folder exists.
TEST_SUPPORT := $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard tests/support/*.c)))
# Each fuzz target twice: with libFuzzer (make fuzz), and replaying its corpus in `make check`.
# fuzz/corpus/import_<format>_… is a target too: import_fuzz.c held to that format.
FUZZ_FORMATS := $(notdir $(sort $(wildcard fuzz/corpus/import_*)))
FUZZ_NAMES := $(patsubst fuzz/%_fuzz.c,%,$(sort $(wildcard fuzz/*_fuzz.c))) $(FUZZ_FORMATS)
FUZZERS  := $(FUZZ_NAMES:%=$(BUILD)/%_fuzz)
REPLAYS  := $(if $(MODULE),,$(FUZZ_NAMES:%=$(BUILD)/tests/fuzz/%_fuzz))
# Programs of benchmarks that test scripts run.
TEST_TOOLS := $(if $(filter sim,$(or $(MODULE),sim)),$(addprefix $(BUILD)/bench/differential/,generate generate_c run_sim lowered scheduled walked)) \
    $(if $(filter fleet,$(or $(MODULE),fleet)),$(BUILD)/bench/scale/model)

# ---- the two contracts, and the everyday targets ----------------------------------------------
all: $(PROGRAM) $(PUBLIC) $(RECORDER) ## build the program and the library (default)

demo: ## install what the build needs, build, optimise a transpose (README's first command)
	scripts/setup build
	$(AGAIN) all
	$(PROGRAM) run experiments/transpose

test: ## install what the tests need, build, run every check (README's second command)
	scripts/setup test
	$(AGAIN) all tests
	scripts/check-layers
	$(AGAIN) check

check: $(PROGRAM) $(PUBLIC) tests ## build and run all tests, installing nothing
	$Q$(RUN_TESTS) $(TESTS) $(REPLAYS) $(TEST_SCRIPTS)

unit: $(PROGRAM) $(RECORDER) $(TESTS) $(BUILD)/share/ridge ## build and run only the test programs
	$Q$(RUN_TESTS) $(TESTS)

tests: $(TESTS) $(REPLAYS) $(TEST_TOOLS) $(RECORDER) $(BUILD)/share/ridge

test-device: ## only the tests that need a GPU
	$(AGAIN) check MODULE=device

check-layers: ## includes go down only; every source names its licence
	scripts/check-layers

check-format: ## fail where clang-format would change something
	scripts/run-format --check

format: ## let clang-format rewrite src tests bench fuzz include
	scripts/run-format

tidy: ## clang-tidy over src, or src/MODULE
	scripts/run-tidy $(filter src/$(if $(MODULE),$(MODULE)/)%,$(SOURCES)) \
	    -- $(DEFINES) $(INCLUDES) $(PKG_CFLAGS) -std=c17 -DSIM_ISA=baseline

# gcc's flow warnings misfire on instrumented code, so these builds do not stop at warnings.
asan: ## the tests under address and undefined-behaviour sanitizers (CHECK=unit: programs)
	$(AGAIN) BUILD=build/asan OPT=-O1 OPT_SIM=-O2 WERROR=0 TEST_TIMEOUT=900 $(CHECK) \
	    SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer'

tsan: ## the same with the thread sanitizer
	$(AGAIN) BUILD=build/tsan OPT=-O1 OPT_SIM=-O1 WERROR=0 TEST_TIMEOUT=900 $(CHECK) \
	    SANITIZE='-fsanitize=thread -fno-omit-frame-pointer'

coverage: ## run the tests instrumented, print line coverage by module
	@find . -path './build/coverage/*' -name '*.gcda' -delete
	$(AGAIN) BUILD=build/coverage OPT=-O1 OPT_SIM=-O1 WERROR=0 TEST_TIMEOUT=900 $(CHECK) \
	    SANITIZE='--coverage -fprofile-update=atomic'
	scripts/coverage build/coverage/obj

fuzz: ## fuzz each target for FUZZ_SECONDS (needs clang with libFuzzer)
	$(AGAIN) BUILD=build/fuzz CC=$(FUZZ_CC) OPT=-O1 OPT_SIM=-O1 WERROR=0 fuzz-run \
	    SANITIZE='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all'

fuzz-run: $(FUZZERS) $(BUILD)/share/ridge
	$Qscripts/run-fuzz $(FUZZ_SECONDS) $(FUZZERS)

peers: $(BUILD)/share/ridge ## build the plug-ins of bench/peers (needs nvcc)
	bench/peers/build.sh $(BUILD)/share/ridge/peers

golden: $(PROGRAM) $(BUILD)/share/ridge ## write the golden runs of tests/shipped anew; PTX where sources changed (NVRTC 13.0)
	scripts/golden ptx
	scripts/golden write

bench: $(PROGRAM) $(BUILD)/share/ridge ## run the benchmarks that this machine can run
	scripts/run-bench $(PROGRAM)

examples: $(BUILD)/region $(BUILD)/select ## build what examples/ has for plain C, as its reader would

$(BUILD)/region $(BUILD)/select: $(BUILD)/%: examples/%/main.c include/ridge.h $(PUBLIC)
	$(call say,LINK,$@)
	$Q$(CC) -Iinclude $< -L$(BUILD) -lridge -Wl,-rpath,'$$ORIGIN' -o $@

clean: ## remove build/
	rm -rf $(BUILD)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-13s %s\n", $$1, $$2 }' Makefile

# A build of a variant, or after set-up changed what pkg-config knows: this Makefile once more, on
# all processors unless the caller chose -j.
AGAIN = +@$(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))
RUN_TESTS = RIDGE='$(abspath $(PROGRAM))' BUILD='$(BUILD)' TEST_TIMEOUT=$(TEST_TIMEOUT) \
            scripts/run-tests
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-5s %s\n' $(1) '$(2)')

# ---- rules ------------------------------------------------------------------------------------
$(PROGRAM): $(call object,$(MAIN)) $(LIBRARY) | $(BUILD)/share/ridge
	$(call say,LINK,$@)
	$Q$(LINK) -o $@ $^ $(LIBS)

$(LIBRARY): $(LIB_OBJECTS) $(BUILD)/sources
	$(call say,AR,$@)
	$Qrm -f $@ && $(AR) rcs $@ $(LIB_OBJECTS)

# One object, of which only the public functions are seen: nothing of ours meets a name of the caller's.
$(BUILD)/libridge.o: $(API_OBJECTS) $(BUILD)/sources
	$Q$(CC) $(filter -m%,$(CFLAGS)) -nostdlib -r -o $@ $(API_OBJECTS)
	$Q$(OBJCOPY) --localize-hidden $@

$(BUILD)/libridge.a: $(BUILD)/libridge.o
	$(call say,AR,$@)
	$Qrm -f $@ && $(AR) rcs $@ $<

$(BUILD)/libridge.so: $(BUILD)/libridge.o
	$(call say,LINK,$@)
	$Q$(LINK) -shared -Wl,-soname,libridge.so.$(SOVERSION) -o $@.$(SOVERSION) $< $(LIBS)
	$Qln -sf $(@F).$(SOVERSION) $@

# Needs the C library alone: it is loaded into programs of others.
$(RECORDER): $(RECORDER_OBJECTS) $(LIBRARY)
	$(call say,LINK,$@)
	$Q$(LINK) -shared -Wl,-soname,$(@F) $(if $(SANITIZE),,-Wl,--no-undefined) -o $@ $^ -ldl

# Private: the stamp of flags, a prerequisite, must not see it.
$(BUILD)/obj/sim/%.o: private OPT = $(OPT_SIM)
# Where `make install` puts the recorder.
$(BUILD)/obj/capture/program.o: private DEFINES += -DRIDGE_LIBDIR='"$(LIBDIR)"'
# Loops over whole buffers: fills and comparisons.
HOT := base/random experiment/compare experiment/element experiment/fill
$(HOT:%=$(BUILD)/obj/%.o): private OPT = $(OPT_SIM) -fno-math-errno -fno-trapping-math

$(BUILD)/obj/%.o: src/%.c $(BUILD)/flags
	$(call say,CC,$<)
	$Qmkdir -p $(@D) && $(COMPILE) -c -o $@ $<

define isa_rule
$(BUILD)/obj/%.$(1).o: src/%.c $(BUILD)/flags
	$$(call say,CC,$$< ($(1)))
	$$Qmkdir -p $$(@D) && $$(COMPILE) $(ISA_FLAGS) $(ISA_FLAGS.$(1)) -DSIM_ISA=$(1) -c -o $$@ $$<
endef
$(foreach isa,$(ISAS),$(eval $(call isa_rule,$(isa))))

$(BUILD)/tests/%.o: tests/%.c $(BUILD)/flags
	$(call say,CC,$<)
	$Qmkdir -p $(@D) && $(COMPILE) -Itests -c -o $@ $<

# Tests see src/ and tests/; cmocka hands every test a state that most do not use.
$(TESTS): $(BUILD)/%: %.c $(TEST_SUPPORT) $(LIBRARY) $(BUILD)/flags
	$(call say,TEST,$<)
	$Qmkdir -p $(@D) && $(COMPILE) -Itests -Wno-unused-parameter -Wno-missing-field-initializers \
	    -Wno-null-dereference $(LDFLAGS) -MF $@.d \
	    -o $@ $< $(TEST_SUPPORT) $(LIBRARY) $(CMOCKA_LIBS) $(LIBS)

define fuzz_rule
$(BUILD)/tests/fuzz/$(1)_fuzz: $(2) fuzz/standalone_main.c $(LIBRARY) $(BUILD)/flags
	$$(call say,TEST,$(1)_fuzz)
	$$Qmkdir -p $$(@D) && $$(COMPILE) -DFUZZ_NAME='"$(1)"' $$(LDFLAGS) -MF $$@.d \
	    -Wno-missing-prototypes -o $$@ $(2) fuzz/standalone_main.c $$(LIBRARY) $$(LIBS)

$(BUILD)/$(1)_fuzz: $(2) $(LIBRARY) $(BUILD)/flags
	$$(call say,FUZZ,$(1)_fuzz)
	$$Qmkdir -p $$(@D) && $$(COMPILE) -DFUZZ_NAME='"$(1)"' -fsanitize=fuzzer $$(LDFLAGS) -MF $$@.d \
	    -Wno-missing-prototypes -o $$@ $(2) $$(LIBRARY) $$(LIBS)
endef
$(foreach name,$(FUZZ_NAMES),$(eval $(call \
    fuzz_rule,$(name),fuzz/$(if $(filter $(name),$(FUZZ_FORMATS)),import,$(name))_fuzz.c)))

# A benchmark's own program: bench/NAME/PROGRAM.c over the library.
$(BUILD)/bench/%: bench/%.c $(LIBRARY) $(BUILD)/flags
	$(call say,BENCH,$<)
	$Qmkdir -p $(@D) && $(COMPILE) $(LDFLAGS) -MF $@.d -o $@ $< $(LIBRARY) $(LIBS)

# What the program reads at run time, laid out as installed: share/ridge beside it.
ASSETS := $(wildcard assets/*) docs/experiment.md
$(BUILD)/share/ridge: $(BUILD)/flags Makefile assets
	$Qmkdir -p $@ && ln -sfn $(CURDIR)/gpus $@/gpus && ln -sfn $(CURDIR)/experiments $@/experiments
	$Qln -sf $(ASSETS:%=$(CURDIR)/%) $@ && touch $@

# Both are rewritten only when their text changes: other flags or another compiler rebuild
# everything, and a source that went away leaves the library.
$(BUILD)/flags: export text = $(COMPILE) $(OPT_SIM) $(LDFLAGS)
$(BUILD)/sources: export text = $(LIB_OBJECTS)
$(BUILD)/flags $(BUILD)/sources: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' "$$text" | cmp -s - $@ || { $(have_packages) && printf '%s\n' "$$text" >$@; }
# One sentence where the machine or the C library is none that ridge can run on.
platform_fits = { said=$$($(CC) $(CPPFLAGS) $(CFLAGS) -E -x c src/base/platform.h 2>&1 >/dev/null | \
    sed -nE 's/.*error: (\#error )?"(.*)".*/\2/p' | head -n 1); \
    [ -z "$$said" ] || { echo "$$said" >&2; exit 1; }; }
have_packages = $(platform_fits) && { pkg-config --print-errors --exists $(PACKAGES) || { \
    echo "libraries are missing: scripts/setup installs them" >&2; exit 1; }; }

# ---- installing -------------------------------------------------------------------------------
ROOT      = $(DESTDIR)$(PREFIX)
LIBROOT   = $(DESTDIR)$(LIBDIR)
ZSHDIR   ?= zsh/site-functions
COMPLETIONS := bash-completion/completions/ridge $(ZSHDIR)/_ridge \
               fish/vendor_completions.d/ridge.fish
GENERATED := $(BUILD)/ridge.1 $(BUILD)/ridge.bash $(BUILD)/ridge.zsh $(BUILD)/ridge.fish

install: $(PROGRAM) $(PUBLIC) $(RECORDER) $(GENERATED) ## install under $(DESTDIR)$(PREFIX), default /usr/local
	install -D -m 755 $(PROGRAM) $(ROOT)/bin/ridge
	install -m 755 -d $(ROOT)/share/ridge
	install -m 644 $(ASSETS) $(ROOT)/share/ridge
	find gpus experiments -type f -exec install -D -m 644 '{}' '$(ROOT)/share/ridge/{}' \;
	install -D -m 644 $(BUILD)/ridge.1 $(ROOT)/share/man/man1/ridge.1
	install -D -m 644 $(BUILD)/ridge.bash $(ROOT)/share/$(word 1,$(COMPLETIONS))
	install -D -m 644 $(BUILD)/ridge.zsh $(ROOT)/share/$(word 2,$(COMPLETIONS))
	install -D -m 644 $(BUILD)/ridge.fish $(ROOT)/share/$(word 3,$(COMPLETIONS))
	install -d $(LIBROOT)/pkgconfig
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' ridge.pc.in \
	    >$(LIBROOT)/pkgconfig/ridge.pc
	install -D -m 644 include/ridge.h $(ROOT)/include/ridge.h
	install -m 644 $(BUILD)/libridge.a $(LIBROOT)/libridge.a
	install -m 755 $(BUILD)/libridge.so.$(SOVERSION) $(LIBROOT)/libridge.so.$(SOVERSION)
	ln -sf libridge.so.$(SOVERSION) $(LIBROOT)/libridge.so
	install -D -m 755 $(RECORDER) $(LIBROOT)/ridge/$(notdir $(RECORDER))
	install -D -m 644 include/ridge_peer.h $(ROOT)/include/ridge_peer.h
	for f in $(wildcard $(BUILD)/share/ridge/peers/*.so); do \
	    install -D -m 755 $$f $(ROOT)/share/ridge/peers/$${f##*/}; done

DIST := build/ridge-$(VERSION).tar.gz
dist: ## a source archive of the newest commit: build/ridge-VERSION.tar.gz
	@git rev-parse --git-dir >/dev/null 2>&1 || { echo "make dist: this is no git clone" >&2; exit 3; }
	@mkdir -p $(@D) $(dir $(DIST))
	git archive --format=tar --prefix=ridge-$(VERSION)/ HEAD | gzip -9n >$(DIST)

deb: dist ## Debian packages in build/deb: built, checked by lintian, tested where they are unpacked
	scripts/make-deb $(VERSION) $(DIST)

matrix: ## build and test with every compiler that is packaged here, for arm64, under sanitizers
	scripts/build-matrix

uninstall: ## remove what install put there
	rm -rf $(ROOT)/share/ridge $(LIBROOT)/ridge
	rm -f $(ROOT)/bin/ridge $(ROOT)/share/man/man1/ridge.1 $(LIBROOT)/pkgconfig/ridge.pc \
	    $(ROOT)/include/ridge.h $(ROOT)/include/ridge_peer.h $(COMPLETIONS:%=$(ROOT)/share/%) \
	    $(addprefix $(LIBROOT)/,libridge.a libridge.so libridge.so.$(SOVERSION))

$(BUILD)/ridge.1: $(PROGRAM)
	$Q$(PROGRAM) --man >$@
$(BUILD)/ridge.bash $(BUILD)/ridge.zsh $(BUILD)/ridge.fish: $(BUILD)/ridge.%: $(PROGRAM)
	$Q$(PROGRAM) --completion $* >$@

.PHONY: all demo test check unit tests peers test-device check-layers check-format format tidy asan tsan \
        coverage fuzz fuzz-run golden bench examples clean help install uninstall dist deb \
        matrix FORCE
.DELETE_ON_ERROR:
.SUFFIXES:
-include $(patsubst %.o,%.d,$(call object,$(MAIN)) $(LIB_OBJECTS) $(RECORDER_OBJECTS) $(TEST_SUPPORT)) \
         $(addsuffix .d,$(TESTS) $(REPLAYS) $(FUZZERS))
