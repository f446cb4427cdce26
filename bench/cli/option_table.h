// SPDX-License-Identifier: Apache-2.0
/*
 * option_table: the options of `zkherd run`, a row each, and the keys that the plan of
 * manifest.json has for them. Layer: bench/cli.
 *
 * Invariant: a value that its row's parser has accepted can be run, as far as that value alone
 * decides; bench/run/command_line.c judges values together.
 */
#ifndef BENCH_CLI_OPTION_TABLE_H
#define BENCH_CLI_OPTION_TABLE_H

#include "bench/cli/arguments.h"
#include "bench/cli/options.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A key that the plan of manifest.json has. */
struct plan_key {
    const char *name;
    bool decides;   /* what is measured: runs are compared only if their values are equal */
    json_type type; /* JSON_TRUE stands for both booleans, JSON_NULL for an integer or null */
    struct option_member member;          /* of struct options */
    const char *const *words;             /* of an enumeration; NULL: a number or a boolean */
    uint64_t unit;                        /* the number is divided by it; 0: by 1 */
    uint64_t none;                        /* JSON_NULL: the number that is null */
    json_t *(*print)(const void *member); /* instead; NULL: by type */
};

extern const struct option_row option_table[];

/* The keys of all options, in the order of the rows; NULL behind the last. */
const struct plan_key *option_table_key(size_t index);

/* The object "plan" of manifest.json: the keys of all options. The caller's to json_decref. */
json_t *option_table_plan(const struct options *options);

#endif
