// SPDX-License-Identifier: Apache-2.0
/*
 * load_options: the options of a load: its target, its output, and the plan of its trials. Layer:
 * bench/cli.
 *
 * Every list and word that is a pointer belongs to struct load_options or points into argv.
 */
#ifndef BENCH_CLI_LOAD_OPTIONS_H
#define BENCH_CLI_LOAD_OPTIONS_H

#include "bench/cli/options.h"
#include "load/mix.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Values of an option, ascending, each of which makes cells of its own. */
struct load_levels {
    uint64_t *list;
    size_t count;
};

struct load_options {
    struct target_options target;
    struct output_options output;
    bool mix_given; /* on the command line: --mix */
    struct mix mix;
    struct load_levels reads; /* instead of the mix: percent get, the rest set; count 0: none */
    struct client_counts sessions;
    struct load_levels rates; /* operations a second; count 0: a closed loop */
    bool arrivals_given;      /* on the command line: --arrivals */
    bool poisson;
    uint32_t depth;
    uint32_t value_bytes;
    uint32_t znodes; /* 0: one for each session */
    uint32_t watch_percent;
    uint32_t trials;
    bool rehearses; /* a round of trials before the first, which are not kept */
    uint32_t processes;
    uint64_t warm_up_ns;
    uint64_t duration_ns;
    uint64_t session_timeout_ns;
    uint64_t timeout_ns;
    uint64_t seed;
};

/* Frees the lists. */
void load_options_deinit(struct load_options *options);

/* The words of --arrivals, by whether the times are random; NULL behind the last. */
extern const char *const load_options_arrivals[];

/* How many mixes the plan has: one, or as many as values of --reads; and the mix of an index below
 * that. */
size_t load_options_mixes(const struct load_options *options);
struct mix load_options_mix(const struct load_options *options, size_t index);

/* How many rates: 1 in a closed loop; and the rate of an index, 0 in a closed loop. */
size_t load_options_rates(const struct load_options *options);
uint64_t load_options_rate(const struct load_options *options, size_t index);

/* A list of numbers for a manifest: the caller's to json_decref; NULL without memory. */
json_t *load_options_describe(const uint64_t *list, size_t count);

/* The object "plan" of manifest.json: the caller's to json_decref; NULL without memory. */
json_t *load_options_plan(const struct load_options *options);

#endif
