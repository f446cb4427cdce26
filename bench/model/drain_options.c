// SPDX-License-Identifier: Apache-2.0
#include "bench/model/drain_options.h"

#include "bench/cli/complain.h"
#include "bench/cli/recipe_option.h"

#include <stdio.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ parsers */

bool drain_options_recipes(struct option_given *given)
{
    struct drain_options *options = option_row_place(given);
    return recipe_option_take_all(given, options->recipes, &options->recipe_count);
}

bool drain_options_clients(struct option_given *given)
{
    struct client_counts *clients = &((struct drain_options *)option_row_place(given))->clients;
    return option_row_numbers(given, &clients->list, &clients->count);
}

bool drain_options_locks(struct option_given *given)
{
    struct client_counts *locks = &((struct drain_options *)option_row_place(given))->locks;
    return option_row_numbers(given, &locks->list, &locks->count);
}

uint64_t drain_options_warm_up_ns(const struct drain_options *options, size_t servers)
{
    return options->warm_up_given ? options->warm_up_ns : servers * options->warm_up_ns;
}

void drain_options_deinit(struct drain_options *options)
{
    free(options->clients.list);
    free(options->locks.list);
    options->clients = options->locks = (struct client_counts){0};
}

/* ------------------------------------------------------------------ what does not fit */

static size_t combinations(const struct drain_options *options)
{
    size_t locks = options->locks.count > 0 ? options->locks.count : 1;
    return options->recipe_count * options->clients.count * locks;
}

/* Deaths need lockstep, and the clients of a barrier have no handoffs. */
static const char *why_not(const struct recipe *recipe)
{
    if (recipe->broken)
        return "it is broken on purpose";
    if (recipe->death.how != DEATH_NONE)
        return "one of its clients dies, and that takes lockstep";
    if (recipe->barrier)
        return "its clients enter and leave together, and hand nothing over";
    return NULL;
}

/* More than one file of costs can have. */
static bool fits_number(const char *subcommand, const struct drain_options *options)
{
    char value[64];
    if (combinations(options) <= COSTS_FILE_CELLS_MAX)
        return true;
    snprintf(value, sizeof value, "%zu numbers", options->clients.count);
    return complain_value(subcommand, "--clients", value,
                          "too many combinations of recipe, clients and locks: at most 256");
}

static bool fits_locks(const char *subcommand, const struct drain_options *options)
{
    char value[32];
    const struct client_counts *clients = &options->clients, *locks = &options->locks;
    if (locks->count == 0 || locks->list[0] <= clients->list[clients->count - 1])
        return true;
    snprintf(value, sizeof value, "%llu", (unsigned long long)locks->list[0]);
    return complain_value(subcommand, "--locks", value, "more locks than clients");
}

bool drain_options_fit(const char *subcommand, const struct drain_options *options)
{
    for (size_t i = 0; i < options->recipe_count; i++) {
        const char *why = why_not(options->recipes[i]);
        if (why != NULL)
            return complain_value(subcommand, "--recipes", options->recipes[i]->name, why);
    }
    return fits_number(subcommand, options) && fits_locks(subcommand, options);
}

/* ------------------------------------------------------------------ the cells */

static size_t lay_out(const struct drain_options *options, struct drain_cell *cells)
{
    size_t count = 0;
    size_t locks = options->locks.count > 0 ? options->locks.count : 1;
    for (size_t r = 0; r < options->recipe_count; r++) {
        for (size_t n = 0; n < options->clients.count; n++) {
            for (size_t k = 0; k < locks; k++) {
                uint64_t lock_count = options->locks.count > 0 ? options->locks.list[k] : 1;
                if (lock_count <= options->clients.list[n])
                    cells[count++] =
                        (struct drain_cell){options->recipes[r], (uint32_t)options->clients.list[n],
                                            (uint32_t)lock_count};
            }
        }
    }
    return count;
}

enum error_kind drain_options_cells(const struct drain_options *options, struct drain_cell **cells,
                                    size_t *count, struct error *error)
{
    struct drain_cell *list = calloc(combinations(options), sizeof *list);
    if (list == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "cells", "%zu cells", combinations(options));
    *count = lay_out(options, list);
    *cells = list;
    return ERROR_NONE;
}
