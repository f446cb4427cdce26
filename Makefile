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
LIBS := -lzookeeper_st -ljansson -lz -lgsl -lgslcblas -lm

LIB_OBJECTS   := $(patsubst %.c,$(BUILD)/%.o,$(wildcard lib/*/*.c))
BENCH_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard bench/*.c))
COST_OBJECTS  := $(patsubst %.c,$(BUILD)/%.o,$(wildcard bench/cost/*.c))
UNIT_TESTS    := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c))
LIVE_TESTS    := $(patsubst tests/live/%.c,$(BUILD)/tests/%,$(wildcard tests/live/test_*.c))

all: $(BUILD)/zkherd

$(BUILD)/zkherd: $(BENCH_OBJECTS) $(BUILD)/libzkherd.a
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/libzkherd.a: $(LIB_OBJECTS)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

# Only this file knows the version; it is compiled again when the version changes.
$(BUILD)/bench/version.o: ALL_CFLAGS += -DZKHERD_VERSION='"$(VERSION)"'
$(BUILD)/bench/version.o: $(BUILD)/version.stamp
$(BUILD)/version.stamp: FORCE
	@mkdir -p $(@D)
	@echo '$(VERSION)' | cmp -s - $@ || echo '$(VERSION)' > $@

$(BUILD)/tests/%: tests/unit/%.c $(BUILD)/libzkherd.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $< $(BUILD)/libzkherd.a -lcmocka $(LIBS)

$(BUILD)/tests/%: tests/live/%.c $(BUILD)/libzkherd.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $< $(BUILD)/libzkherd.a -lcmocka $(LIBS)

clean:
	rm -rf $(BUILD)

FORCE:
.PHONY: all clean FORCE
.SECONDARY:
-include $(LIB_OBJECTS:.o=.d) $(BENCH_OBJECTS:.o=.d) $(COST_OBJECTS:.o=.d) $(UNIT_TESTS:=.d) $(LIVE_TESTS:=.d)
