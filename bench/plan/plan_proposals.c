// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/plan_proposals.h"

#include "bench/cli/terminal.h"

#include <stdlib.h>
#include <string.h>

enum error_kind plan_proposals_read(struct plan_options *options, struct costs_file **costs,
                                    struct error *error)
{
    struct target_options *target = &options->target;
    *costs = NULL;
    if (target->costs == NULL || target->driver == DRIVER_SIMULATED)
        return ERROR_NONE;
    struct costs_file *made = calloc(1, sizeof *made);
    if (made == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "--costs", "%s", "");
    enum error_kind kind = costs_file_read(target->costs, made, error);
    if (kind != ERROR_NONE) {
        free(made);
        return kind;
    }
    if (!target->servers_given && !target->connect &&
        strcmp(made->holds_for.servers, "private") == 0)
        target->server_counts[0] = made->holds_for.server_count;
    *costs = made;
    return ERROR_NONE;
}

enum error_kind plan_proposals_check(const struct costs_file *costs,
                                     const struct plan_options *options,
                                     const struct target *target, struct error *error)
{
    const struct costs_record record =
        costs_file_record(&options->target, target, options->question.processes);
    return costs_file_check_holds(costs, options->target.costs, &record, error);
}

enum error_kind plan_proposals_make(const struct costs_file *costs, struct plan_options *options,
                                    const struct progress *progress, int interrupts,
                                    struct error *error)
{
    const struct plan_proposal_basis basis = {
        .question = &options->question,
        .simulation = costs_file_simulation(costs, costs->holds_for.server_count),
        .time_ns = PLAN_PROPOSAL_NS,
        .interrupts = interrupts,
    };
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < options->recipe_count; i++) {
        char text[96];
        snprintf(text, sizeof text, "simulating the search for %s", options->recipes[i]->name);
        progress_say(progress, text);
        kind = plan_proposal_make(&basis, options->recipes[i], &options->proposals[i], error);
    }
    progress_clear(progress);
    return kind;
}

uint64_t plan_proposals_size(const struct plan_options *options, const struct recipe *recipe)
{
    for (size_t i = 0; i < options->recipe_count; i++) {
        if (options->recipes[i] == recipe)
            return options->proposals[i].size;
    }
    return 0;
}

static void write_one(const struct plan_options *options, size_t recipe, FILE *stream)
{
    const struct plan_proposal *proposal = &options->proposals[recipe];
    const char *name = options->recipes[recipe]->name;
    uint64_t first = proposal->size > 0 ? proposal->size : options->question.least;
    char size[64];
    plan_question_format(&options->question, first, size, sizeof size);
    if (proposal->size > 0)
        wrap_sentence(stream, "%s: first trial with %s, proposed by the simulation.", name, size);
    else if (proposal->why != NULL)
        wrap_sentence(stream, "%s: first trial with %s; the simulation proposes none: %s.", name,
                      size, proposal->why);
}

void plan_proposals_write(const struct plan_options *options, FILE *stream)
{
    for (size_t i = 0; i < options->recipe_count; i++)
        write_one(options, i, stream);
}
