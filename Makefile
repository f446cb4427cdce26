# SPDX-License-Identifier: Apache-2.0
# zkherd: `make demo` shows what it is for, `make check` passes the tests, `make help` lists the rest.
# Files are found by wildcard: a new .c in a folder of lib/, bench/ or tests/ needs no edit here.

PREFIX  ?= /usr/local
DESTDIR ?=
BUILD   ?= build

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)

WARNINGS := -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
            -Wpointer-arith -Wcast-qual -Wwrite-strings -Wformat=2 -Wundef -Wvla -Werror
CFLAGS   ?= -O2 -g
# SANITIZE=address,undefined (or thread) builds everything with those sanitizers; give BUILD= another folder.
SANITIZE ?=
ifneq ($(SANITIZE),)
SANITIZE_FLAGS := -fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all
endif
ALL_CFLAGS := -std=c11 -D_GNU_SOURCE -Ilib -I. $(WARNINGS) $(CFLAGS) $(SANITIZE_FLAGS) -MMD -MP
LIBS := -ldl -pthread -ljansson -lz -lgsl -lgslcblas -lm

LIB_OBJECTS   := $(patsubst %.c,$(BUILD)/%.o,$(wildcard lib/*/*.c))
BENCH_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard bench/*.c bench/claims/*.c))
COST_OBJECTS  := $(patsubst %.c,$(BUILD)/%.o,$(wildcard bench/cost/*.c))
UNIT_TESTS    := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c))
LIVE_TESTS    := $(patsubst tests/live/%.c,$(BUILD)/tests/%,$(wildcard tests/live/test_*.c))

# `make V=1` shows the commands in full.
ifndef V
say = @echo '  $(1)' '$(patsubst $(BUILD)/%,%,$@)';
endif

all: $(BUILD)/zkherd

$(BUILD)/zkherd: $(BENCH_OBJECTS) $(BUILD)/libzkherd.a
	$(call say,link)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/libzkherd.a: $(LIB_OBJECTS)
	@rm -f $@
	$(call say,library)$(AR) rcs $@ $^

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,compile)$(CC) $(ALL_CFLAGS) -c -o $@ $<

# Only this file knows the version; it is compiled again when the version changes.
$(BUILD)/bench/version.o: ALL_CFLAGS += -DZKHERD_VERSION='"$(VERSION)"'
$(BUILD)/bench/version.o: $(BUILD)/version.stamp
$(BUILD)/version.stamp: FORCE
	@mkdir -p $(@D)
	@echo '$(VERSION)' | cmp -s - $@ || echo '$(VERSION)' > $@

$(BUILD)/tests/%: tests/unit/%.c $(BUILD)/libzkherd.a
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $< $(BUILD)/libzkherd.a -lcmocka $(LIBS)

$(BUILD)/tests/%: tests/live/%.c $(BUILD)/libzkherd.a
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $< $(filter %.o,$^) $(BUILD)/libzkherd.a -lcmocka $(LIBS)

# The experiments themselves; and the program with a list of claims of the test's own.
$(BUILD)/tests/test_claims: $(filter $(BUILD)/bench/claims/%,$(BENCH_OBJECTS))
$(BUILD)/tests/test_claims_status: $(filter-out %/main.o %/claims/claim.o,$(BENCH_OBJECTS))

# A session of its own, beside the program's. By the library's file: either -dev package will do for the header.
$(BUILD)/tests/test_cli_strangers: LIBS += -l:libzookeeper_st.so.2

# ---------------------------------------------------------------- what a fresh Debian or Ubuntu machine lacks

# what-to-look-for=package: a path, or a command. Installed only when it is not there.
NEEDED_TO_BUILD := $(CC)=gcc /usr/include/stdio.h=libc6-dev \
    zookeeper/zookeeper.h=libzookeeper-st-dev jansson.h=libjansson-dev zlib.h=zlib1g-dev \
    gsl/gsl_cdf.h=libgsl-dev
NEEDED_TO_RUN   := libzookeeper_st.so.2=libzookeeper-st2 libzookeeper_mt.so.2=libzookeeper-mt2 \
    java=default-jre-headless /usr/share/java/zookeeper.jar=libzookeeper-java \
    gnuplot=gnuplot-nox
NEEDED_TO_TEST  := cmocka.h=libcmocka-dev /usr/share/java/hdrhistogram.jar=libhdrhistogram-java
NEEDED_TO_COMPOSE := dockerd=docker.io docker-compose=docker-compose mmdebstrap=mmdebstrap
NEEDED_TO_LINT  := clang=clang clang-format=clang-format clang-tidy=clang-tidy cppcheck=cppcheck \
    shellcheck=shellcheck

define install
	@missing=; for pair in $(1); do \
	    thing=$${pair%%=*}; package=$${pair##*=}; \
	    case $$thing in \
	        /*) test -e $$thing ;; \
	        *.h) test -e /usr/include/$$thing ;; \
	        *.so|*.so.*) ls /usr/lib/*/$$thing >/dev/null 2>&1 ;; \
	        *) command -v $$thing >/dev/null ;; \
	    esac || missing="$$missing $$package"; done; \
	test -z "$$missing" && exit 0; echo "installing:$$missing"; \
	command -v apt-get >/dev/null || \
	    { echo "no apt-get here: install what these Debian packages hold:$$missing" >&2; exit 1; }; \
	root=; test "$$(id -u)" = 0 || root=sudo; \
	export DEBIAN_FRONTEND=noninteractive; log=$$(mktemp); \
	{ $$root apt-get update; \
	  $$root apt-get install -y --no-install-recommends $$missing; } >$$log 2>&1 || \
	    { tail -n 20 $$log >&2; rm -f $$log; echo "the packages could not be installed" >&2; exit 1; }; \
	rm -f $$log
endef

install-to-run:
	$(call install,$(NEEDED_TO_BUILD) $(NEEDED_TO_RUN))

install-to-test: install-to-run
	$(call install,$(NEEDED_TO_TEST))

install-to-lint: install-to-test
	$(call install,$(NEEDED_TO_LINT))

# Nothing where a daemon and compose are at hand, whoever made them.
install-to-compose:
	@{ docker info && { docker compose version || docker-compose version; }; } >/dev/null 2>&1 || \
	    $(MAKE) --no-print-directory install-docker

install-docker:
	$(call install,$(NEEDED_TO_COMPOSE))

# ---------------------------------------------------------------- what people ask for

JOBS := $(shell nproc 2>/dev/null || echo 2)

# The main job: the herd effect on a private server, in about two minutes after the installation.
demo: install-to-run
	@$(MAKE) --no-print-directory -j$(JOBS) $(BUILD)/zkherd
	$(BUILD)/zkherd run

# The claims at full size, into results/reference: up to 1,000 clients on a standalone server and on an
# ensemble of three, turn about in one plan, and the two compared; then every recipe, small, for its law; and
# the barrier as the paper's Table 3 has it, at full speed.
# childwatch stops at 250: the lists of a drain of 1,000 hold two thirds of 10^9 names, 13 GB. What is large
# or can be had from the rest is not kept.
REPRODUCE_PLAN ?= -r nonscalable,childwatch:250,scalable,ticket -n 10,25,50,100,250,500,1000 -t 5
REPRODUCE_RECIPES ?= nonscalable,nonscalable-get,childwatch,scalable,scalable-get,scalable-listwatch,$\
scalable-guid,writelock,zoolock,walkback,reentrant,election,ticket,ready,softlock,rwlock,rwlock-curator,$\
counter,barrier
REPRODUCE_BARRIER := -r barrier -p free -n 50,100,200 -t 10 --servers 3
REFERENCE := results/reference
reproduce: install-to-run
	@$(MAKE) --no-print-directory -j$(JOBS) $(BUILD)/zkherd
	@echo '$(REPRODUCE_PLAN): about half an hour on two cores; keep the machine quiet'
	rm -rf $(REFERENCE).new
	$(BUILD)/zkherd run $(REPRODUCE_PLAN) --servers 1,3 -o $(REFERENCE).new
	$(BUILD)/zkherd run -r $(REPRODUCE_RECIPES) -n 4..64x2 -t 3 -o $(REFERENCE).new/recipes
	$(BUILD)/zkherd run $(REPRODUCE_BARRIER) -o $(REFERENCE).new/barrier
	rm -rf $(REFERENCE).new/recipes/plots $(REFERENCE).new/barrier/plots
	rm -f $(REFERENCE).new/*/plots/*.png $(REFERENCE).new/*/latency.hlog $(REFERENCE).new/*/handoffs.csv \
	    $(REFERENCE).new/*/sessions.csv
	rm -rf $(addprefix $(REFERENCE)/,standalone ensemble3 compare compare.txt recipes barrier)
	mv $(REFERENCE).new/* $(REFERENCE)
	rmdir $(REFERENCE).new
	$(BUILD)/zkherd compare -o $(REFERENCE)/compare $(REFERENCE)/standalone $(REFERENCE)/ensemble3 \
	    > $(REFERENCE)/compare.txt
	rm -f $(REFERENCE)/compare/plots/*.png
	cat $(REFERENCE)/compare.txt

# As far as a simulation goes: the non-scalable lock with 10,000 clients, the queues with 100,000.
REPRODUCE_SIMULATED := $(REFERENCE)/simulated
reproduce-simulated: install-to-run
	@$(MAKE) --no-print-directory -j$(JOBS) $(BUILD)/zkherd
	rm -rf $(REPRODUCE_SIMULATED)
	mkdir $(REPRODUCE_SIMULATED)
	$(BUILD)/zkherd run -d simulated -r nonscalable -n 10000 -t 1 -o $(REPRODUCE_SIMULATED)/nonscalable-10000
	$(BUILD)/zkherd run -d simulated -r ticket,scalable -n 3125..100000x2 -t 1 \
	    -o $(REPRODUCE_SIMULATED)/queues-100000
	find $(REPRODUCE_SIMULATED) -type f ! -name manifest.json ! -name trials.csv ! -name fits.csv \
	    ! -name bytes.svg -delete
	rm -r $(addprefix $(REPRODUCE_SIMULATED)/nonscalable-10000/,plots fits.csv)

# No test asks how fast a server is: its second compiler would take a third of the machine.
check check-sanitized check-threads: export JAVA_TOOL_OPTIONS := -XX:TieredStopAtLevel=1

# All tests, more beside each other than there are cores: they wait most of the time. The first that fails is
# the last that begins.
TESTS_AT_ONCE ?= $(shell expr $(JOBS) + 2)
check: install-to-test
	@$(MAKE) --no-print-directory -j$(JOBS) all $(UNIT_TESTS) $(LIVE_TESTS)
	@printf '%s\n' $(UNIT_TESTS) $(LIVE_TESTS) | ZKHERD=$(BUILD)/zkherd xargs -P $(TESTS_AT_ONCE) -n 1 tests/run

# The whole suite again with the address and undefined-behaviour sanitizers, which leave less room for others.
check-sanitized:
	@$(MAKE) --no-print-directory check BUILD=$(BUILD)-sanitized SANITIZE=address,undefined CFLAGS='-O1 -g' \
	    TESTS_AT_ONCE=1

# What runs sessions on threads of their own, under ThreadSanitizer: the operations, the laws and the
# recovery from lost replies. A worker that it finds fault with leaves a report, ends, and fails the test;
# one that it finds fault with while it closes leaves the report only.
TSAN_BUILD := $(BUILD)-threads
TSAN_TESTS := $(addprefix $(TSAN_BUILD)/tests/,test_client test_client_faults test_labelled test_law test_recovery)
check-threads: install-to-test
	@$(MAKE) --no-print-directory -j$(JOBS) $(TSAN_TESTS) BUILD=$(TSAN_BUILD) SANITIZE=thread CFLAGS='-O1 -g'
	@rm -f $(TSAN_BUILD)/report.*
	export TSAN_OPTIONS='halt_on_error=1 suppressions=tests/tsan.supp log_path=$(TSAN_BUILD)/report'; \
	    for test in $(TSAN_TESTS); do timeout 900 $$test || { cat $(TSAN_BUILD)/report.*; exit 1; }; done
	@if ls $(TSAN_BUILD)/report.* >/dev/null 2>&1; then cat $(TSAN_BUILD)/report.*; exit 1; fi

# The herd effect against three servers in containers. COMPOSE_PLAN: other options of zkherd run.
COMPOSE_PLAN ?= -n 8..64x2 -t 3
compose-demo: install-to-compose
	compose/with-docker compose/demo $(COMPOSE_PLAN)

# Both set-ups, small, and a run whose leader is killed; skipped, and said so, where no Docker daemon can run.
check-compose:
	-@$(MAKE) --no-print-directory install-to-compose
	tests/compose.sh

# What zkherd itself costs: client CPU a request against a bare epoll ping-pong, memory a session.
bench: install-to-run
	@$(MAKE) --no-print-directory -j$(JOBS) $(BUILD)/cost
	$(BUILD)/cost

# It shares the program's modules, but for its main.
$(BUILD)/cost: $(COST_OBJECTS) $(filter-out %/main.o,$(BENCH_OBJECTS)) $(BUILD)/libzkherd.a
	$(call say,link)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

SOURCES := $(wildcard lib/*/*.c bench/*.c bench/*/*.c tests/*/*.c)
HEADERS := $(wildcard lib/*/*.h bench/*.h bench/*/*.h tests/*/*.h)
SCRIPTS := .ci/run $(addprefix compose/,demo health kill-leader lib.sh server with-docker) tests/run \
    $(wildcard tests/*.sh)

format: install-to-lint
	clang-format -i $(SOURCES) $(HEADERS)

# Formatting, a second compiler with its warnings, clang-tidy, cppcheck and shellcheck.
lint: install-to-lint
	clang-format --dry-run --Werror $(SOURCES) $(HEADERS)
	@$(MAKE) --no-print-directory -j$(JOBS) CC=clang BUILD=$(BUILD)-clang all $(BUILD)-clang/cost
	@printf '%s\n' $(filter-out tests/%,$(SOURCES)) | xargs -P $(JOBS) -n 4 sh -c 'clang-tidy --quiet \
	    --warnings-as-errors="*" "$$@" -- -DZKHERD_VERSION="\"\"" -std=c11 -D_GNU_SOURCE -Ilib -I.' clang-tidy
	cppcheck --quiet --std=c11 --error-exitcode=1 --enable=warning,performance,portability \
	    --inline-suppr --suppress=missingIncludeSystem -D_GNU_SOURCE -DZKHERD_VERSION='""' \
	    -Ilib -I. lib bench
	shellcheck -x $(SCRIPTS)

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/zkherd/plots \
	    $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 755 $(BUILD)/zkherd $(DESTDIR)$(PREFIX)/bin/zkherd
	install -m 644 $(wildcard plots/*.gp) $(DESTDIR)$(PREFIX)/share/zkherd/plots
	install -m 644 $(wildcard docs/*.1) $(DESTDIR)$(PREFIX)/share/man/man1

clean:
	rm -rf $(BUILD) $(BUILD)-clang $(BUILD)-sanitized $(BUILD)-threads

help:
	@echo 'make                      build $(BUILD)/zkherd'
	@echo 'make demo                 show the herd effect on a private server (installs what is missing)'
	@echo 'make reproduce            standalone against three servers, to 1,000 clients: about half an hour'
	@echo 'make reproduce-simulated  ten thousand and a hundred thousand clients in memory: about eight minutes'
	@echo 'make check                all tests (installs what is missing)'
	@echo 'make check-sanitized      all tests under AddressSanitizer and UndefinedBehaviorSanitizer'
	@echo 'make check-threads        sessions with a thread each under ThreadSanitizer'
	@echo 'make compose-demo         the herd effect against three servers in containers'
	@echo 'make check-compose        the container set-ups, a killed leader included'
	@echo 'make bench                what zkherd itself costs'
	@echo 'make lint                 formatting, clang, clang-tidy, cppcheck, shellcheck'
	@echo 'make format               format the sources'
	@echo 'make install              to $$(DESTDIR)$$(PREFIX), $(PREFIX) unless set'
	@echo 'make clean                remove what was built'

FORCE:
.PHONY: all demo reproduce reproduce-simulated check check-sanitized check-threads compose-demo check-compose bench format lint install \
    clean help install-to-run install-to-test install-to-lint install-to-compose install-docker FORCE
.SECONDARY:
-include $(LIB_OBJECTS:.o=.d) $(BENCH_OBJECTS:.o=.d) $(COST_OBJECTS:.o=.d) $(UNIT_TESTS:=.d) $(LIVE_TESTS:=.d)
