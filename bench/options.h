// SPDX-License-Identifier: Apache-2.0
/*
 * options: what the command line of `zkherd run` asks for. Layer: bench.
 */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include "recipes/recipe.h"
#include "trial/plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPTIONS_RECIPES_MAX    64
#define OPTIONS_TOPOLOGIES_MAX 4 /* 1, 3, 5 and 7 servers */

/* Which servers the sessions connect to. */
enum placement { PLACEMENT_SPREAD, PLACEMENT_LEADER, PLACEMENT_FOLLOWERS, PLACEMENTS };

struct options {
    const struct recipe *recipes[OPTIONS_RECIPES_MAX];
    uint64_t most_clients[OPTIONS_RECIPES_MAX]; /* of each recipe; UINT64_MAX: all levels */
    size_t recipe_count;
    uint64_t *clients; /* levels, ascending, … */
    size_t level_count;
    size_t left_out_count; /* … and behind them those that are left out (bench/capacity.h) */
    uint64_t max_clients;  /* sessions at a time; UINT64_MAX: as many as the plan has */
    uint64_t max_rate;     /* requests a second; 0: no limit */
    enum workload workload;
    uint64_t handoffs; /* 0: a duration, or the default */
    uint64_t duration_ns;
    enum pace pace;
    enum driver driver;
    struct hold hold;
    uint32_t locks;
    uint32_t trials;
    uint32_t processes;
    bool connect;            /* servers were given: else private ones are started */
    bool servers_given;      /* --servers was */
    uint64_t *server_counts; /* topologies of private servers, ascending */
    size_t topology_count;   /* of them; 1 with --connect */
    bool heap_given;         /* --heap was … */
    bool fsync_given;        /* … and --fsync */
    uint32_t heap_mib;       /* of each private server's JVM */
    bool fsync;
    const char *data; /* where the private servers keep their data; NULL: a temporary folder */
    enum placement placement;
    struct connect_string servers;
    uint64_t session_timeout_ns;
    uint64_t timeout_ns;
    uint64_t seed;
    const char *out; /* NULL: results/<time>-<target> */
    unsigned plots;  /* the formats of the plots (bench/plots.h) */
    bool quiet;
};

/* Frees the lists. */
void options_deinit(struct options *options);

/* The driver's name, as it is typed: a static string. */
const char *options_driver_word(enum driver driver);

/* The placement's name, as it is typed: a static string. */
const char *options_placement_word(enum placement placement);

/* Steady: the grants asked for in a cell of so many clients; 0 when the time decides. */
uint64_t options_handoffs(const struct options *options, uint64_t clients);

#endif
