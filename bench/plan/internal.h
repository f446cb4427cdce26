// SPDX-License-Identifier: Apache-2.0
/*
 * What the files of bench/plan share. Layer: bench/plan. A file uses those below it.
 *
 *   plan           `zkherd plan`: a series of all searches, a record for each topology
 *     command_line   the options
 *     demand         what the searches demand at most: --dry-run
 *     answer         what a search has found: a row of answers.csv, findings, the table
 *     turn           one trial of a search: run below the guard, judged, kept, reported
 *       trial_row      a trial that has ended: its row of plan.csv, with the verdict
 *       guard          a bystander beside the trials, and a brake
 *       probe          what a trial is of, and when it has measured enough
 *         question       what is asked, and what a size means: sessions, locks
 */
#ifndef BENCH_PLAN_INTERNAL_H
#define BENCH_PLAN_INTERNAL_H

#include "bench/output/series.h"
#include "bench/plan/guard.h"
#include "bench/plan/question.h"
#include "bench/plan/trial_row.h"
#include "measure/table.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ------------------------------------------------------------------ options */

struct plan_options {
    bool asks; /* --slo is given */
    struct plan_question question;
    struct plan_guard_options guard;
    bool dry_run;
    const struct recipe *recipes[OPTIONS_RECIPES_MAX];
    size_t recipe_count;
    struct target_options target;
    struct output_options output;
};

/* Returns ARGUMENTS_GO (bench/cli/arguments.h), with *options for target_options_deinit and the
 * question completed; or the exit status. */
int plan_command_line_parse(int argc, char **argv, struct plan_options *options);

/* --dry-run: prints what the searches take at most. No server is asked. */
void plan_dry_run(const struct plan_options *options);

/* Prints the same in a line, before the first trial on servers that somebody else may use. */
void plan_demand_print(const struct plan_options *options, const struct connect_string *servers);

/* ------------------------------------------------------------------ answer */

/* Why searches ended before their own end. */
enum plan_cut {
    PLAN_CUT_NOT,
    PLAN_CUT_BY_TIME,  /* --max-time is over */
    PLAN_CUT_BY_NOISE, /* other programs disturbed one attempt after the other */
    PLAN_CUT_SHORT,    /* an error, or a signal */
};

/* The state of a search and its trials. */
struct plan_answer {
    const struct plan_question *question;
    const struct recipe *recipe;
    const struct search *search;
    const struct table *rows; /* of plan.csv: those of other recipes are passed over */
    enum plan_cut cut;
    struct search_answer found; /* of search_answer */
};

/* The answers of all searches of a record. */
struct plan_results {
    struct table answers; /* answers.csv */
    struct table sizes;   /* that the answers are about: the table on the terminal */
};

/* Adds the answer of a search to the results, and its findings. No size that is undecided is said
 * to meet the objective, or not to. */
void plan_answer_add(const struct plan_answer *answer, const struct series_record *record,
                     struct plan_results *results, struct table *findings);

/* A row of answers.csv for --json, with the sentences of its findings: a new object. */
json_t *plan_answer_json(const struct table_value *row, const struct table *findings);

/* Prints the table of the sizes for a terminal of `width` columns. */
void plan_sizes_print(const struct plan_question *question, const struct table *sizes, size_t width,
                      FILE *stream);

/* ------------------------------------------------------------------ turn
 *
 * The searches take turns, a trial each, so that a drift of the machine affects all of them alike.
 * A trial is reported to its search only when the files have it; one that --max-time or an error
 * has ended is neither kept nor reported. */

/* The search for one recipe on one topology. */
struct plan_search {
    struct search search;
    const struct recipe *recipe;
    size_t topology;
    uint64_t took_ns; /* its last trial, as a short one */
};

/* All searches: for each topology one for each recipe, in the order of the options. */
struct plan_searches {
    struct plan_options *options; /* the caller's */
    struct series series;
    struct plan_search *list;
    size_t count;
    size_t trials; /* begun, warm-ups included: no two have the same root */
    struct plan_guard guard;
    enum plan_cut cut;
    uint64_t took_ns;  /* the trials so far, from the first znode to the last */
    size_t took_short; /* that many short trials would have taken as long */
    struct plan_results results[OPTIONS_TOPOLOGIES_MAX];
};

/* Runs the next trial of a search, again if other programs have disturbed it. *ran becomes true,
 * and is unchanged if this search has ended, or all have, as searches->cut then says. */
MUST_CHECK enum error_kind plan_turn_run(struct plan_searches *searches, struct plan_search *search,
                                         bool *ran, struct error *error);

/* Runs a trial of the least size that is not kept: a JVM's first requests are slow. */
MUST_CHECK enum error_kind plan_turn_warm_up(struct plan_searches *searches,
                                             struct plan_search *search, struct error *error);

/* Adds the time of a trial, from which the time left is estimated. */
void plan_turn_learn(struct plan_searches *searches, bool longer, uint64_t took_ns);

/* How many trials all searches have still to run, and how long these take, both estimates: a long
 * trial takes PLAN_LONG times as long as a short one. */
size_t plan_turn_foresee(const struct plan_searches *searches, uint64_t *left_ns);

#endif
