// SPDX-License-Identifier: Apache-2.0
/*
 * option_table: the options of `zkherd run`, a row each: names, bounds, default, help, the parser
 * of the value, and the keys that the plan of manifest.json has for the option. Layer: bench/cli.
 *
 * Invariant: a value that its row's parser has accepted can be run, as far as that value alone
 * decides; bench/run/contradictions.h judges values together. An option is nowhere else in a list.
 */
#ifndef BENCH_CLI_OPTION_TABLE_H
#define BENCH_CLI_OPTION_TABLE_H

#include "bench/cli/options.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A key of the object "plan" of manifest.json. */
struct plan_key {
    const char *name;                                /* NULL: none */
    json_t *(*print)(const struct options *options); /* the caller's to json_decref */
    bool decides;   /* what is measured: runs are compared only if their values are equal */
    json_type type; /* JSON_TRUE stands for both booleans, JSON_NULL for an integer or null */
};

struct option_row {
    const char *name;  /* with its dashes; NULL behind the last row */
    char letter;       /* '\0': none */
    bool flag;         /* takes no value */
    uint64_t least;    /* number or nanoseconds; 0 for every other kind of value */
    uint64_t most;     /* number or nanoseconds; 0: no limit, or another kind of value */
    const char *value; /* the default, as a user would type it; NULL: zero, or none */
    const char *help;  /* its lines of the help */
    /* Takes a value into *options, in place of the value before; texts go on pointing to `value`,
     * which is NULL for a flag. False if the value is not allowed: the parser has complained about
     * the value, and must not be asked for the option. NULL: --help. */
    bool (*parse)(const struct option_row *row, const char *value, struct options *options);
    struct plan_key keys[2];
};

extern const struct option_row option_table[];

/* The keys of all options, in the order of the rows; NULL behind the last. */
const struct plan_key *option_table_key(size_t index);

#endif
