# SPDX-License-Identifier: Apache-2.0
# zkherd: `make demo` shows the herd effect, `make check` runs the tests, `make help` lists all targets.
# Wildcards find the files: a new .c file in a folder of lib/, bench/ or tests/ needs no edit here.

PREFIX  ?= /usr/local
DESTDIR ?=
BUILD   ?= build

# The only place of the release's number. A build says the commit, too, unless it is of the release's tag; without git,
# as `make dist` has written it.
RELEASE := 2.0.0
COMMIT  := $(shell test -e VERSION || git describe --tags --match v$(RELEASE) --always --dirty 2>/dev/null || \
    echo unknown)
VERSION := $(or $(shell cat VERSION 2>/dev/null),$\
    $(patsubst $(RELEASE)-v$(RELEASE)%,$(RELEASE)%,$(RELEASE)-$(COMMIT)))

WARNINGS := -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
            -Wpointer-arith -Wcast-qual -Wwrite-strings -Wformat=2 -Wundef -Wvla -Werror
CFLAGS   ?= -O2 -g
# SANITIZE=address,undefined (or thread) builds everything with those sanitizers; set BUILD= to another folder.
SANITIZE ?=
ifneq ($(SANITIZE),)
SANITIZE_FLAGS := -fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all
endif
ALL_CFLAGS := -std=c11 -D_GNU_SOURCE -Ilib -I. $(WARNINGS) $(CPPFLAGS) $(CFLAGS) $(SANITIZE_FLAGS) -MMD -MP
LIBS := -ldl -pthread -ljansson -lunistring -lz -lgsl -lgslcblas -lpcap -lm

# What the program shows to a recipe from a file of its own (lib/recipes/own.h), and the headers that one is compiled
# with.
EXPORTS := -Wl,--dynamic-list=lib/recipes/interface.list
INTERFACE_HEADERS := base/error.h base/sha256.h client/client.h measure/tally.h recipes/queue.h \
    recipes/recipe.h wire/wire.h

LIB_OBJECTS   := $(patsubst %.c,$(BUILD)/%.o,$(wildcard lib/*/*.c))
BENCH_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard bench/*.c bench/*/*.c))
BENCH_OBJECTS += $(BUILD)/bench/texts.o
COST_OBJECTS  := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/cost/*.c))
UNIT_TESTS    := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c))
LIVE_TESTS    := $(patsubst tests/live/%.c,$(BUILD)/tests/%,$(sort $(wildcard tests/live/test_*.c)))
TEST_SUPPORT  := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/support/*.c))
EXAMPLES      := $(patsubst %.c,$(BUILD)/%.o,$(wildcard docs/examples/*.c))

# The scenarios of tests/golden: with servers, and without.
LIVE_SCENARIOS := $(patsubst tests/golden/%,tests/golden.sh:%,$(sort $(shell grep -l '^\# Live$$' tests/golden/*)))
SCENARIOS      := $(filter-out $(LIVE_SCENARIOS),$(patsubst tests/golden/%,tests/golden.sh:%,$(sort $(wildcard tests/golden/*))))

# Of the tests with servers those that prove the counts, in `make check`: drains on one server and on three, in threads,
# processes and events, loads, deaths, cut connections, broken locks, simulations beside real servers.
PROOFS := $(filter $(LIVE_TESTS),$(addprefix $(BUILD)/tests/test_,law counted three_servers broken \
    deaths cuts client client_faults load_trial load_watch simulated_beside_real)) \
    tests/golden.sh:live-runs tests/golden.sh:live-tap

# `make V=1` shows the commands in full.
ifndef V
say = @echo '  $(1)' '$(patsubst $(BUILD)/%,%,$@)';
endif

all: $(BUILD)/zkherd

$(BUILD)/zkherd: $(BENCH_OBJECTS) $(BUILD)/libzkherd.a lib/recipes/interface.list
	$(call say,link)$(CC) $(ALL_CFLAGS) $(LDFLAGS) $(EXPORTS) -o $@ $(BENCH_OBJECTS) $(BUILD)/libzkherd.a $(LIBS)

$(BUILD)/libzkherd.a: $(LIB_OBJECTS)
	@rm -f $@
	$(call say,library)$(AR) rcs $@ $^

# The program without its main function, for the unit tests of its modules.
$(BUILD)/libbench.a: $(filter-out %/main.o,$(BENCH_OBJECTS))
	@rm -f $@
	$(call say,library)$(AR) rcs $@ $^

# What test programs share.
$(BUILD)/libtestsupport.a: $(TEST_SUPPORT)
	@rm -f $@
	$(call say,library)$(AR) rcs $@ $^

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,compile)$(CC) $(ALL_CFLAGS) -c -o $@ $<

# The recipe to begin with, what completes command lines, and the frame, the style, the script and the words of report.html,
# as texts of C: page.css is page_css; and of a script its hash, by which the page's Content-Security-Policy knows it.
TEXTS := $(wildcard bench/*/*.txt bench/*/*.bash bench/page/*.html bench/page/*.css bench/page/*.csv bench/page/*.js) docs/files.md
$(BUILD)/bench/texts.c: $(TEXTS)
	@mkdir -p $(@D)
	$(call say,texts)set -e; { for header in page/internal recipes/internal; do \
	    echo "#include \"bench/$$header.h\""; done; for file in $^; do \
	    name=$$(basename $$file | tr . _); echo "const char $$name[] ="; \
	    sed 's/["\\?]/\\&/g; s/.*/    "&\\n"/' $$file; echo ';'; \
	    case $$file in *.js) \
	        hash=$$(sha256sum < $$file | cut -c 1-64 | tr a-f A-F | basenc --base16 -d | base64); \
	        test $${#hash} = 44; \
	        echo "const char $${name}_hash[] = \"sha256-$$hash\";" ;; \
	    esac; done; } > $@.new && mv $@.new $@
$(BUILD)/bench/texts.o: $(BUILD)/bench/texts.c
	$(call say,compile)$(CC) $(ALL_CFLAGS) -c -o $@ $<

# Only this file contains the version; it is compiled again when the version changes.
$(BUILD)/bench/cli/version.o: ALL_CFLAGS += -DZKHERD_VERSION='"$(VERSION)"'
$(BUILD)/bench/cli/version.o: $(BUILD)/version.stamp
$(BUILD)/version.stamp: FORCE
	@mkdir -p $(@D)
	@echo '$(VERSION)' | cmp -s - $@ || echo '$(VERSION)' > $@

$(BUILD)/tests/%: tests/unit/%.c $(BUILD)/libtestsupport.a $(BUILD)/libbench.a $(BUILD)/libzkherd.a
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $< $(filter %.o,$^) $(filter %.a,$^) -lcmocka \
	    $(LIBS)

$(BUILD)/tests/%: tests/live/%.c $(BUILD)/libtestsupport.a $(BUILD)/libzkherd.a
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $< $(filter %.o,$^) $(filter %.a,$^) -lcmocka \
	    $(LIBS)

# test_plan_guard links the program; test_claims_status links it with the test's own list
# of claims.
$(BUILD)/tests/test_plan_guard: $(filter-out %/main.o,$(BENCH_OBJECTS))
$(BUILD)/tests/test_claims_status: $(filter-out %/main.o %/claims/catalogue.o,$(BENCH_OBJECTS))

# These tests run the recipes that docs/recipes.md shows, which are not part of the program.
$(addprefix $(BUILD)/tests/test_,law laws schedules wrong_laws): $(EXAMPLES)

# This test loads recipes.
$(BUILD)/tests/test_own: LIBS += $(EXPORTS)

# This test refuses memory.
$(BUILD)/tests/test_base: LIBS += -Wl,--wrap=calloc

# These tests count what is allocated.
$(BUILD)/tests/test_steady_load: LIBS += -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc

# These tests have a library of their own.
$(addprefix $(BUILD)/tests/test_,event_loop thread_sessions): LIBS += -Wl,--wrap=library_load

# These tests set the clock.
$(BUILD)/tests/test_timers: LIBS += -Wl,--wrap=clock_now_ns,--wrap=timerfd_settime

# ---------------------------------------------------------------- packages of Debian and Ubuntu

# FILE=PACKAGE or COMMAND=PACKAGE: the package is installed only when the file or the command is missing.
NEEDED_TO_BUILD := $(CC)=gcc /usr/include/stdio.h=libc6-dev \
    zookeeper/zookeeper.h=libzookeeper-st-dev jansson.h=libjansson-dev zlib.h=zlib1g-dev \
    gsl/gsl_cdf.h=libgsl-dev uniwidth.h=libunistring-dev \
    pcap/pcap.h=libpcap-dev
NEEDED_TO_RUN   := libzookeeper_st.so.2=libzookeeper-st2 libzookeeper_mt.so.2=libzookeeper-mt2 \
    java=default-jre-headless /usr/share/java/zookeeper.jar=libzookeeper-java \
    gnuplot=gnuplot-nox
NEEDED_TO_TEST  := /usr/lib/python3/dist-packages/kazoo/__init__.py=python3-kazoo cmocka.h=libcmocka-dev /usr/share/java/hdrhistogram.jar=libhdrhistogram-java \
    tcpdump=tcpdump help2man=help2man
NEEDED_TO_MEASURE_CLIENTS := javac=default-jdk-headless /usr/share/java/curator-recipes.jar=libcurator-recipes-java \
    /usr/share/java/curator-framework.jar=libcurator-framework-java
NEEDED_TO_TEST_UNITS := cmocka.h=libcmocka-dev
NEEDED_TO_PACKAGE := /usr/share/build-essential/list=build-essential dpkg-buildpackage=dpkg-dev fakeroot=fakeroot \
    dh=debhelper lintian=lintian help2man=help2man
NEEDED_TO_COMPOSE := dockerd=docker.io docker-compose=docker-compose mmdebstrap=mmdebstrap
NEEDED_TO_FETCH_ZOOKEEPERS := zip=zip unzip=unzip $\
    /usr/share/keyrings/debian-archive-keyring.gpg=debian-archive-keyring
NEEDED_TO_REPORT := chromium=chromium node=nodejs npm=npm
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
	    { echo "no apt-get: install the contents of these Debian packages:$$missing" >&2; exit 1; }; \
	root=; test "$$(id -u)" = 0 || root=sudo; \
	test -z "$$root" || command -v sudo >/dev/null || \
	    { echo "only root may install packages, and there is no sudo; as root:" >&2; \
	      echo "apt-get update && apt-get install --no-install-recommends$$missing" >&2; exit 1; }; \
	export DEBIAN_FRONTEND=noninteractive; log=$$(mktemp); \
	{ $$root apt-get update; \
	  $$root apt-get install -y --no-install-recommends $$missing; } >"$$log" 2>&1 || \
	    { tail -n 20 "$$log" >&2; rm -f "$$log"; echo "the packages could not be installed" >&2; exit 1; }; \
	rm -f "$$log"
endef

install-to-run:
	$(call install,$(NEEDED_TO_BUILD) $(NEEDED_TO_RUN))

install-to-test: install-to-run
	$(call install,$(NEEDED_TO_TEST))

install-to-test-units:
	$(call install,$(NEEDED_TO_BUILD) $(NEEDED_TO_TEST_UNITS))

install-to-measure-clients: install-to-test
	$(call install,$(NEEDED_TO_MEASURE_CLIENTS))

install-to-package: install-to-test-units
	$(call install,$(NEEDED_TO_PACKAGE))

install-to-lint: install-to-test
	$(call install,$(NEEDED_TO_LINT))

install-to-report: install-to-run
	$(call install,$(NEEDED_TO_REPORT))

# Installs nothing if a daemon and compose are available, whatever their origin.
install-to-compose:
	@{ docker info && { docker compose version || docker-compose version; }; } >/dev/null 2>&1 || \
	    $(MAKE) --no-print-directory install-docker

install-docker:
	$(call install,$(NEEDED_TO_COMPOSE))

# ---------------------------------------------------------------- targets for users

JOBS := $(shell nproc 2>/dev/null || echo 2)

# Shows the herd effect on a private server, in less than two minutes from a fresh machine on. What is shown are counts,
# which other programs do not change: a trial that they disturb is kept.
demo: install-to-run
	@$(MAKE) --no-print-directory -j$(JOBS) $(BUILD)/zkherd
	$(BUILD)/zkherd run --clients 8..128x2 --noise report
	@echo
	@echo 'to look at:   report.html in that folder: all results on one page'
	@echo 'the plots:    in plots/ there, as SVG and PNG'
	@echo 'the program:  $(BUILD)/zkherd; try: $(BUILD)/zkherd run --help'
	@echo 'to install:   sudo make install; then: zkherd run --help, man zkherd'

# Runs the commands of the results that documents show again, and compares the new results with results/reference; and
# puts new ones in their place, with what scenarios keep of them. Both take most of an hour;
# NAMES="claims recipes" are these alone.
NAMES ?=
reproduced reference: install-to-run client-programs
	$(call install,haproxy)
	@$(MAKE) --no-print-directory -j$(JOBS) $(BUILD)/zkherd $(BUILD)/cost
	rm -rf $(BUILD)/reproduced
	ZKHERD=$(BUILD)/zkherd COST=$(BUILD)/cost CLIENTS=$(CLIENTS) \
	    results/reproduce $(if $(filter reference,$@),--keep,$(BUILD)/reproduced) $(NAMES)
	$(if $(filter reference,$@),ZKHERD=$(BUILD)/zkherd tests/golden.sh --write compare-reference report-reference)

# Homes of releases for --zookeeper, from Debian's archive: no other release is in a package. Half a minute. Each package
# must be that of packaging/zookeepers.sums, which PIN=write writes.
ZOOKEEPER_SUITES ?= bullseye bookworm trixie
ZOOKEEPERS := $(BUILD)/zookeepers
zookeepers: install-to-run
	$(call install,$(NEEDED_TO_FETCH_ZOOKEEPERS))
	packaging/zookeepers $(ZOOKEEPERS) $(ZOOKEEPER_SUITES)

# What unchanged clients of the field send: the law of each recipe, found with the programs in docs/examples/clients.
# Ten minutes.
CLIENTS := $(BUILD)/clients
CLIENT_JARS := $(subst $() ,:,$(patsubst %,/usr/share/java/%.jar,curator-recipes curator-framework curator-client zookeeper \
    zookeeper-recipes-lock))
clients: client-programs
	rm -rf $(CLIENTS)/measured
	ZKHERD=$(BUILD)/zkherd CLIENTS=$(CLIENTS) tests/clients.sh measure $(CLIENTS)/measured

# Do the clients still obey the laws of the reference? A minute.
check-clients: client-programs
	rm -rf $(CLIENTS)/checked
	@printf '%s\n' curator kazoo zookeeper | ZKHERD=$(BUILD)/zkherd CLIENTS=$(CLIENTS) \
	    xargs -P $(JOBS) -n 1 tests/clients.sh check $(CLIENTS)/checked

client-programs: install-to-measure-clients
	@$(MAKE) --no-print-directory -j$(JOBS) $(BUILD)/zkherd $(CLIENTS)/CuratorRecipes.class $(CLIENTS)/JavaWriteLock.class \
	    $(CLIENTS)/zoo_lock
$(CLIENTS)/%.class: docs/examples/clients/%.java
	@mkdir -p $(@D)
	$(call say,compile)javac -Xlint:all,-path -Werror -implicit:none -d $(@D) -cp $(CLIENT_JARS) $<
$(CLIENTS)/zoo_lock: docs/examples/clients/zoo_lock_clients.c
	packaging/zoo_lock $(CLIENTS)/sources
	$(call say,link)$(CC) -O2 -g -DTHREADED -D_GNU_SOURCE -I/usr/include/zookeeper -I$(CLIENTS)/sources -o $@ $< \
	    $(CLIENTS)/sources/zoo_lock.c -l:libzookeeper_mt.so.2 -pthread

# No test measures how fast a server is: the JVM's second compiler would take a third of the machine, and its parallel
# collector a part of what is left. Only in sanitized tests, which take long in any case, servers have a pool of threads
# that read and write, as they have by default.
check check-all check-threads: export JAVA_TOOL_OPTIONS := -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
check check-all: export JAVA_TOOL_OPTIONS += $(if $(SANITIZE),,-Dzookeeper.nio.numWorkerThreads=0)

# Builds and runs tests, more of them at a time than there are cores, because they wait now and then: those that took
# longest in the last run begin first, so that none of them is alone at the end. After a failure no further one begins.
TESTS_AT_ONCE ?= $(shell expr $(JOBS) + 3)
define run_tests
	@$(MAKE) --no-print-directory -j$(JOBS) all $(filter $(BUILD)/%,$(1))
	@rm -f $(BUILD)/failures; touch $(BUILD)/seconds; printf '%s\n' $(1) | awk 'FILENAME != "-" {last[$$2] = $$1; next} \
	    {print $$1 in last ? last[$$1] : 1800, $$1}' $(BUILD)/seconds - | sort -s -rn -k 1,1 | cut -d ' ' -f 2 | \
	    ZKHERD=$(BUILD)/zkherd FAILURES=$(BUILD)/failures SECONDS_OF=$(BUILD)/seconds \
	    xargs -P $(TESTS_AT_ONCE) -n 1 tests/run || { cat $(BUILD)/failures; exit 1; }
endef

# What every change must pass: the tests that prove the counts, those without a server, and what the program prints.
check: install-to-test
	$(call run_tests,$(PROOFS) $(SCENARIOS) $(if $(SANITIZE),,tests/packaging.sh tests/numbers.sh tests/links.sh) $(UNIT_TESTS))

# All other tests with servers.
check-all: install-to-test
	$(call run_tests,$(filter-out $(PROOFS),$(LIVE_TESTS) $(LIVE_SCENARIOS)) tests/hosts.sh)

# The tests that start no server.
check-units: install-to-test-units
	$(call run_tests,$(SCENARIOS) tests/numbers.sh tests/links.sh $(UNIT_TESTS))

# Keeps what the program prints and writes in the scenarios of tests/golden, with which the tests compare.
golden: install-to-test-units
	@$(MAKE) --no-print-directory -j$(JOBS) $(BUILD)/zkherd
	ZKHERD=$(BUILD)/zkherd tests/golden.sh --write
	@git status --short tests/golden 2>/dev/null || true

# Writes the parts of documents anew that the program has as lists.
docs: install-to-test-units
	@$(MAKE) --no-print-directory -j$(JOBS) $(BUILD)/tests/test_documents
	GENERATE=1 $(BUILD)/tests/test_documents
	@git status --short docs 2>/dev/null || true

# The tests of check with the address and undefined-behaviour sanitizers, fewer at a time, because each needs more of the
# machine. Of those with servers only a session's operations and faults, a run and a load: PROOFS= with others tries those.
check-sanitized: PROOFS := $(addprefix $(BUILD)-sanitized/tests/test_,client client_faults counted load_trial)
check-sanitized:
	@$(MAKE) --no-print-directory check BUILD=$(BUILD)-sanitized SANITIZE=address,undefined CFLAGS='-O1 -g' \
	    PROOFS='$(PROOFS)' TESTS_AT_ONCE=$(shell expr $(JOBS) + 1)

# The tests that run threads, under ThreadSanitizer: the operations, the laws, deaths, shared counts, and the recovery
# from lost replies. A worker with a data race writes a report, ends, and fails the test; a worker whose race occurs
# while it closes only writes the report.
TSAN_BUILD := $(BUILD)-threads
TSAN_TESTS := $(addprefix $(TSAN_BUILD)/tests/,test_client test_client_faults test_deaths test_depth \
    test_law test_load_trial test_load_watch test_base test_thread_sessions)
check-threads: install-to-test
	@$(MAKE) --no-print-directory -j$(JOBS) $(TSAN_TESTS) BUILD=$(TSAN_BUILD) SANITIZE=thread CFLAGS='-O1 -g'
	@rm -f $(TSAN_BUILD)/report.*
	export TSAN_OPTIONS='halt_on_error=1 suppressions=tests/tsan.supp log_path=$(TSAN_BUILD)/report'; \
	    printf '%s\n' $(TSAN_TESTS) | xargs -P $(JOBS) -n 1 tests/run || { cat $(TSAN_BUILD)/report.*; exit 1; }
	@if ls $(TSAN_BUILD)/report.* >/dev/null 2>&1; then cat $(TSAN_BUILD)/report.*; exit 1; fi

# Shows the herd effect with three servers in containers. COMPOSE_PLAN sets other options of zkherd run.
COMPOSE_PLAN ?= -n 8..64x2 -t 3
compose-demo: install-to-compose
	compose/with-docker compose/demo $(COMPOSE_PLAN)

# Tests both set-ups with few clients, and a run whose leader is killed. Where no Docker daemon can run, the test
# says so and is skipped.
check-compose:
	-@$(MAKE) --no-print-directory install-to-compose
	tests/compose.sh

# Feeds what libFuzzer makes of the kept conversations, captures and journals to their readers, under ASan and UBSan,
# each for FUZZ_SECONDS. A line of tests/fuzz/seeds is the name of an input, and its bytes in base64.
FUZZ_SECONDS ?= 60
FUZZED_conversation := tests/fuzz/told.c $(addprefix lib/,relay/conversation.c relay/pattern.c wire/jute.c \
    wire/message.c wire/splitter.c base/memory.c base/error.c)
FUZZED_capture := lib/relay/capture.c $(FUZZED_conversation)
FUZZED_journal := $(wildcard lib/journal/*.c) $(addprefix lib/,wire/jute.c base/memory.c base/error.c base/id_tree.c \
    base/text.c)
define fuzz
	@mkdir -p $(BUILD)/fuzz/$(1)s $(BUILD)/fuzz/seeds/$(1)s
	@grep '^$(1)s/' tests/fuzz/seeds | while read -r name bytes; do \
	    echo $$bytes | base64 -d >$(BUILD)/fuzz/seeds/$$name || exit 1; done
	clang -std=c11 -D_GNU_SOURCE -O1 -g -Ilib -I. -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
	    tests/fuzz/fuzz_$(1).c $(FUZZED_$(1)) -lz -lpcap -lunistring -o $(BUILD)/fuzz/fuzz_$(1)
	$(BUILD)/fuzz/fuzz_$(1) -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -verbosity=0 -print_final_stats=1 \
	    -artifact_prefix=$(BUILD)/fuzz/ $(BUILD)/fuzz/$(1)s $(BUILD)/fuzz/seeds/$(1)s
endef
check-fuzz:
	$(call install,clang=clang pcap/pcap.h=libpcap-dev)
	$(call install,$$(clang -print-resource-dir)/lib/linux/libclang_rt.fuzzer-$$(uname -m).a=libclang-rt-$$(clang \
	    -dumpversion | cut -d. -f1)-dev)
	$(call fuzz,conversation)
	$(call fuzz,capture)
	$(call fuzz,journal)

# Checks pages of zkherd report as HTML, in a browser, and for accessibility; the tools come from npm.
check-report: install-to-report
	@$(MAKE) --no-print-directory -j$(JOBS) $(BUILD)/zkherd
	tests/report.sh $(BUILD)/zkherd $(BUILD)/report

# Draws the figures of docs/citing.md with pandas and with R, out of the reference.
check-figures:
	$(call install,/usr/lib/python3/dist-packages/pandas/__init__.py=python3-pandas $\
	    /usr/lib/python3/dist-packages/matplotlib/__init__.py=python3-matplotlib Rscript=r-base-core)
	@mkdir -p $(BUILD)
	/usr/bin/python3 docs/examples/figure.py $(BUILD)/figure.svg $(addprefix results/reference/,standalone ensemble3)
	Rscript docs/examples/figure.R $(BUILD)/figure.pdf $(addprefix results/reference/,standalone ensemble3)
	grep -q 'nonscalable, 3 servers' $(BUILD)/figure.svg && test -s $(BUILD)/figure.pdf

# Measures the cost of zkherd itself: client CPU time per request, compared with a bare client of the same server, and
# memory per session; and that of a load of reads, compared with the bare calls of the client library.
bench: install-to-run
	@$(MAKE) --no-print-directory -j$(JOBS) $(BUILD)/cost
	$(BUILD)/cost

# Links the program's modules without its main function.
$(BUILD)/cost: $(COST_OBJECTS) $(filter-out %/main.o,$(BENCH_OBJECTS)) $(BUILD)/libzkherd.a
	$(call say,link)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

# The program broken on purpose, mutation by mutation: which does no test notice? SAMPLE=10 tries ten of them, and
# SINCE=HEAD~1 those in files that have changed since that commit, as many at most.
SAMPLE ?= 0
mutate: install-to-test
	tests/mutate tests/mutations $(SAMPLE) $(SINCE)

SOURCES := $(wildcard lib/*/*.c bench/*.c bench/*/*.c docs/examples/*.c tests/*/*.c)
HEADERS := $(wildcard lib/*/*.h bench/*.h bench/*/*.h tests/*/*.h)
SCRIPTS := .ci/run results/reproduce $(addprefix compose/,demo health kill-leader lib.sh server with-docker) tests/arrows \
    tests/run packaging/deb packaging/man packaging/changelog packaging/zookeepers packaging/zoo_lock bench/help/completion.bash \
    $(wildcard packaging/debian/tests/s*) $(wildcard tests/*.sh)

format: install-to-lint
	clang-format -i $(SOURCES) $(HEADERS) docs/examples/clients/*.c

# Checks the includes between folders, the places of the mutations, formatting, the warnings of a second compiler,
# clang-tidy, cppcheck and shellcheck. Clang's analyzer follows fewer paths through a function than by default (225,000
# nodes), which takes a third of the time; cppcheck does not know the heads of sys/queue.h.
lint: install-to-lint
	tests/arrows
	tests/mutate --check tests/mutations
	clang-format --dry-run --Werror $(SOURCES) $(HEADERS) docs/examples/clients/*.c
	@$(MAKE) --no-print-directory -j$(JOBS) CC=clang BUILD=$(BUILD)-clang all $(BUILD)-clang/cost
	@printf '%s\n' $(filter-out tests/%,$(SOURCES)) | xargs -P $(JOBS) -n 4 sh -c 'clang-tidy --quiet \
	    $(patsubst %,--extra-arg=%,-Xclang -analyzer-config -Xclang max-nodes=50000) --warnings-as-errors="*" "$$@" -- -DZKHERD_VERSION="\"\"" -std=c11 -D_GNU_SOURCE -Ilib -I.' clang-tidy
	cppcheck --quiet --std=c11 --error-exitcode=1 --enable=warning,performance,portability \
	    --inline-suppr --suppress=missingIncludeSystem -D_GNU_SOURCE -DZKHERD_VERSION='""' \
	    '-DLIST_HEAD(NAME,TYPE)=struct NAME{struct TYPE *first;}' -Ilib -I. lib bench
	shellcheck -x $(SCRIPTS)
	shellcheck -s sh -e SC1091,SC2034,SC2154 tests/golden.live
	for scenario in tests/golden/*; do \
	    sed '/^-- said --$$/,$$d' $$scenario | shellcheck -s sh -e SC1091,SC2034,SC2154 - || exit 1; done

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/zkherd/plots \
	    $(DESTDIR)$(PREFIX)/share/zkherd/schema \
	    $(DESTDIR)$(PREFIX)/share/doc/zkherd
	install -m 755 $(BUILD)/zkherd $(DESTDIR)$(PREFIX)/bin/zkherd
	for header in $(INTERFACE_HEADERS); do \
	    install -D -m 644 lib/$$header $(DESTDIR)$(PREFIX)/include/zkherd/$$header || exit 1; done
	install -m 644 $(wildcard plots/*.gp) $(DESTDIR)$(PREFIX)/share/zkherd/plots
	install -m 644 $(wildcard docs/schema/*.json) $(DESTDIR)$(PREFIX)/share/zkherd/schema
	install -m 644 $(wildcard docs/*.md docs/*.bib) $(DESTDIR)$(PREFIX)/share/doc/zkherd
	install -d $(DESTDIR)$(PREFIX)/share/doc/zkherd/examples/clients
	install -m 644 $(wildcard docs/examples/clients/*) $(DESTDIR)$(PREFIX)/share/doc/zkherd/examples/clients
	install -m 644 $(wildcard docs/examples/*.c docs/examples/*.sh docs/examples/figure.*) $(DESTDIR)$(PREFIX)/share/doc/zkherd/examples
	install -D -m 644 bench/help/completion.bash \
	    $(DESTDIR)$(PREFIX)/share/bash-completion/completions/zkherd
	@command -v help2man >/dev/null || { echo 'no man pages: help2man is missing' >&2; exit 0; }; \
	    packaging/man $(BUILD)/zkherd $(DESTDIR)$(PREFIX)/share/man/man1

# The sources of the last commit, and their version.
DIST := zkherd-$(VERSION:%-dirty=%)
dist:
	@mkdir -p $(BUILD)
	@echo '$(VERSION:%-dirty=%)' > $(BUILD)/VERSION
	git archive --prefix=$(DIST)/ --add-file=$(BUILD)/VERSION -o $(BUILD)/$(DIST).tar.gz HEAD
	@rm $(BUILD)/VERSION
	@echo 'the sources: $(BUILD)/$(DIST).tar.gz'

# A Debian package of these, checked by lintian up to its pedantic tags.
deb: install-to-package dist
	packaging/deb $(BUILD)/$(DIST).tar.gz $(BUILD)/deb

# For scripts.
version:
	@echo '$(VERSION)'

clean:
	rm -rf $(BUILD) $(BUILD)-clang $(BUILD)-sanitized $(BUILD)-threads

help:
	@echo 'make                      build $(BUILD)/zkherd (make install-to-run installs what it needs)'
	@echo 'make demo                 show the herd effect (installs missing packages)'
	@echo 'make reproduced           run again what README and docs quote, and compare it'
	@echo 'make reference            put new results in the place of those in results/reference'
	@echo 'make zookeepers           fetch three releases of ZooKeeper into $(ZOOKEEPERS)'
	@echo 'make check                run the tests that every change must pass (installs missing packages)'
	@echo 'make check-all            run all other tests with servers'
	@echo 'make check-units          of these, the tests that start no server'
	@echo 'make docs                 write what documents have from lists of the program'
	@echo 'make golden               keep what the program now says in the scenarios of tests/golden'
	@echo 'make check-sanitized      run most tests of check with ASan and UBSan'
	@echo 'make check-threads        test sessions on threads with TSan'
	@echo 'make mutate               apply mutations, list the survivors (SAMPLE=10: a few)'
	@echo 'make compose-demo         show the herd effect with three servers in containers'
	@echo 'make check-compose        test the container set-ups, including a killed leader'
	@echo 'make clients              find the laws of what Curator, kazoo and others send: ten minutes'
	@echo 'make check-clients        compare them with the laws of the reference, with few clients'
	@echo 'make check-fuzz           feed random bytes to readers of messages, packets, logs'
	@echo 'make check-figures        draw the figures of docs/citing.md with pandas and R'
	@echo 'make check-report         check pages of results in a browser (tools from npm)'
	@echo 'make bench                measure the cost of zkherd itself'
	@echo 'make lint                 check formatting and run the static checkers'
	@echo 'make format               format the sources'
	@echo 'make install              install to $$(DESTDIR)$$(PREFIX), by default $(PREFIX)'
	@echo 'make dist                 pack the sources of the last commit'
	@echo 'make deb                  make a Debian package of them, and check it with lintian'
	@echo 'make clean                remove all built files'

FORCE:
.PHONY: all demo docs reproduced reference zookeepers clients check-clients client-programs install-to-measure-clients \
    check check-all check-units golden check-sanitized \
    check-threads mutate compose-demo check-compose check-fuzz check-figures check-report bench format lint install dist deb \
    version clean help install-to-run install-to-test install-to-test-units install-to-package install-to-lint \
    install-to-compose install-to-report install-docker FORCE
.SECONDARY:
-include $(LIB_OBJECTS:.o=.d) $(BENCH_OBJECTS:.o=.d) $(COST_OBJECTS:.o=.d) \
    $(TEST_SUPPORT:.o=.d) $(EXAMPLES:.o=.d) $(UNIT_TESTS:=.d) $(LIVE_TESTS:=.d)
