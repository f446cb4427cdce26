// SPDX-License-Identifier: Apache-2.0
/*
 * drain_options: the options of the subcommands that measure or predict drains: cells, trials, and
 * how they are run. Layer: bench/model.
 *
 * Each macro is one row of a table (bench/cli/option_row.h). `type` is the subcommand's own struct,
 * which has a struct drain_options called drains.
 *
 * Invariant: options that drain_options_fit has accepted have at least one cell, and no more than a
 * file of costs can have.
 */
#ifndef BENCH_MODEL_DRAIN_OPTIONS_H
#define BENCH_MODEL_DRAIN_OPTIONS_H

#include "base/clock.h"
#include "bench/cli/option_row.h"
#include "bench/cli/options.h"
#include "bench/model/costs_file.h"
#include "bench/model/drain.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DRAIN_OPTIONS_RECIPES "nonscalable,childwatch,scalable,ticket"
#define DRAIN_OPTIONS_CLIENTS 20000
#define DRAIN_OPTIONS_LOCKS   10000

struct drain_options {
    const struct recipe *recipes[OPTIONS_RECIPES_MAX];
    size_t recipe_count;
    struct client_counts clients;
    struct client_counts locks; /* count 0: one lock */
    uint32_t trials;
    bool trials_given;  /* on the command line: --trials */
    bool warm_up_given; /* on the command line: --warm-up */
    uint32_t processes;
    uint64_t warm_up_ns; /* if it was not given: of each server */
    uint64_t session_timeout_ns;
    uint64_t timeout_ns;
    uint64_t seed;
};

/* Parsers: names of recipes, and numbers, into a struct drain_options. */
bool drain_options_recipes(struct option_given *given);
bool drain_options_clients(struct option_given *given);
bool drain_options_locks(struct option_given *given);

#define DRAIN_ROW_RECIPES(type)                                                                    \
    {                                                                                              \
        .name = "--recipes", .letter = 'r', .parse = drain_options_recipes,                        \
        .member = OPTION_MEMBER(type, drains), .value = DRAIN_OPTIONS_RECIPES,                     \
        .help = "  -r, --recipes LIST       names (see zkherd recipes)\n"                          \
                "                           [nonscalable,childwatch,scalable,ticket]\n"            \
    }

#define DRAIN_ROW_CLIENTS(type, least_, default_)                                                  \
    {                                                                                              \
        .name = "--clients", .letter = 'n', .parse = drain_options_clients,                        \
        .member = OPTION_MEMBER(type, drains), .least = (least_), .most = DRAIN_OPTIONS_CLIENTS,   \
        .expected = "expected whole numbers from " #least_ " to 20000, such as 10,20 or 8..256x2", \
        .value = default_,                                                                         \
        .help =                                                                                    \
            "  -n, --clients LIST       numbers: 10,20 or 8..256x2 or 8..64+8 [" default_ "]\n"    \
    }

#define DRAIN_ROW_LOCKS(type)                                                                      \
    {                                                                                              \
        .name = "--locks", .letter = 'k', .parse = drain_options_locks,                            \
        .member = OPTION_MEMBER(type, drains), .least = 1, .most = DRAIN_OPTIONS_LOCKS,            \
        .expected = "expected whole numbers from 1 to 10000, such as 1,4 or 1..16x2",              \
        .value = "1",                                                                              \
        .help = "  -k, --locks LIST         locks over which the clients are spread [1]\n"         \
    }

#define DRAIN_ROW_TRIALS(type, least_, default_)                                                   \
    {                                                                                              \
        .name = "--trials", .letter = 't', OPTION_NUMBER(type, drains.trials, least_, 1000),       \
        .given = OPTION_MEMBER(type, drains.trials_given), .value = default_,                      \
        .help = "  -t, --trials K           of each cell [" default_ "]\n"                         \
    }

#define DRAIN_ROW_WARM_UP(type)                                                                    \
    {                                                                                              \
        .name = "--warm-up", OPTION_DURATION(type, drains.warm_up_ns, 0),                          \
        .given = OPTION_MEMBER(type, drains.warm_up_given), .value = "30s",                        \
        .help = "      --warm-up D          drains before the trials, not kept [30s a server]\n"   \
    }

/* How long so many servers are warmed up. Where they share the cores of one machine, so do the
 * compilers of their JVMs: each server takes its time. */
uint64_t drain_options_warm_up_ns(const struct drain_options *options, size_t servers);

/* Frees the lists. */
void drain_options_deinit(struct drain_options *options);

/* Lays out the cells: each recipe with each number of clients and of locks, but not with more locks
 * than clients. *cells is the caller's to free. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind drain_options_cells(const struct drain_options *options,
                                               struct drain_cell **cells, size_t *count,
                                               struct error *error);

/* Whether there are cells with these recipes, clients and locks; complains if not. */
bool drain_options_fit(const char *subcommand, const struct drain_options *options);

#endif
