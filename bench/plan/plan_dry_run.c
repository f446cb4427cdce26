// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/plan_dry_run.h"

#include "bench/answer/plan_knee.h"
#include "bench/cli/complain.h"
#include "bench/cli/terminal.h"
#include "bench/output/json_sentences.h"
#include "bench/plan/plan_demand.h"
#include "bench/plan/plan_dry_run_json.h"
#include "bench/plan/plan_proposals.h"
#include "bench/probe/plan_probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* zkherd's own. */
#define SETUP_SESSIONS 1

/* Of one request of the load in the background with its reply, at most: the value goes one way. */
#define LOAD_BYTES (BACKGROUND_VALUE_BYTES + 2 * LOAD_PATH_SIZE)

static struct plan_demand_trial trial_of(void *context, const struct recipe *recipe,
                                         const struct search_probe *asked)
{
    const struct plan_options *options = context;
    const struct plan_probe probe = plan_probe_of(&options->question, asked);
    return (struct plan_demand_trial){
        .plan = plan_probe_trial(&probe, recipe, options->target.driver),
        .longest_ns = probe.longest_ns,
        .load_sessions = probe.load_per_s > 0 ? BACKGROUND_SESSIONS : 0,
        .load_per_s = probe.load_per_s,
        .load_bytes = LOAD_BYTES,
        .load_before_ns = BACKGROUND_WARM_UP_NS,
    };
}

static uint64_t proposal_for(void *context, const struct recipe *recipe)
{
    return plan_proposals_size(context, recipe);
}

static enum error_kind propose(struct plan_options *options, struct error *error)
{
    struct progress progress;
    struct costs_file *costs;
    enum error_kind kind = plan_proposals_read(options, &costs, error);
    if (kind != ERROR_NONE || costs == NULL)
        return kind;
    progress_init(&progress, 0, options->output.quiet);
    kind = plan_proposals_make(costs, options, &progress, -1, error);
    free(costs);
    return kind;
}

/* ------------------------------------------------------------------ what is told */

static void write_proposals(const struct plan_options *options, FILE *stream)
{
    if (options->target.costs == NULL || options->target.driver == DRIVER_SIMULATED)
        return;
    plan_proposals_write(options, stream);
    wrap_sentence(stream, "Whether %s holds for the servers was not checked.",
                  options->target.costs);
}

static enum error_kind write_text(const struct plan_options *options,
                                  const struct plan_demand_given *given,
                                  const struct plan_demand_row *rows, size_t count,
                                  struct error *error)
{
    enum error_kind kind = plan_demand_write(given, rows, count, TERMINAL_COLUMNS, stdout, error);
    if (kind != ERROR_NONE)
        return kind;
    if (options->target.topology_count > 1)
        printf("\nThe same for each of the %zu %s.\n", options->target.topology_count,
               options->target.home_count > 1 ? "ensembles" : "numbers of servers");
    if (options->target.costs != NULL && options->target.driver != DRIVER_SIMULATED)
        printf("\n");
    write_proposals(options, stdout);
    printf("\nNothing was run.\n");
    return ERROR_NONE;
}

static enum error_kind write_json(const struct plan_options *options,
                                  const struct plan_demand_row *rows, size_t count,
                                  struct error *error)
{
    struct json_sentences sentences;
    json_sentences_begin(&sentences);
    if (sentences.stream != NULL)
        write_proposals(options, sentences.stream);
    return plan_dry_run_json_write(options, rows, count, json_sentences_end(&sentences), stdout,
                                   error);
}

static enum error_kind tell(struct plan_options *options, struct error *error)
{
    const struct search_plan search = plan_question_search(&options->question, 0);
    uint64_t bystanders = options->target.connect ? options->target.servers.count : 0;
    bool has_knee = plan_knee_has_trials(options);
    const struct plan_demand_given given = {
        .search = &search,
        .proposal = proposal_for,
        .trial = trial_of,
        .context = options,
        .chroot_length = strlen(options->target.servers.chroot),
        .companions = SETUP_SESSIONS + bystanders,
        .max_rate = options->guard.max_rate,
        .max_time_ns = options->guard.max_time_ns,
        .knee_trials = has_knee ? PLAN_KNEE_TRIALS : 0,
        .knee_trials_most = has_knee ? PLAN_KNEE_TRIALS_MOST : 0,
    };
    struct plan_demand_row rows[OPTIONS_RECIPES_MAX + 1];
    size_t count = plan_demand_rows(&given, options->recipes, options->recipe_count, rows, error);
    if (count == 0)
        return error->kind;
    return options->output.json ? write_json(options, rows, count, error)
                                : write_text(options, &given, rows, count, error);
}

int plan_dry_run(struct plan_options *options)
{
    struct error error;
    enum error_kind kind = propose(options, &error);
    if (kind == ERROR_NONE)
        kind = tell(options, &error);
    return kind == ERROR_NONE ? 0 : complain_about("plan", &error);
}
