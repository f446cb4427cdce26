// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/plan_command_line.h"

#include "base/clock.h"
#include "base/text.h"
#include "bench/background/background.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/rows.h"
#include "bench/model/costs_file.h"
#include "bench/plan/plan_demand.h"
#include "bench/target/target_conflicts.h"

#include <stdio.h>
#include <stdlib.h>

#define SIZE_MAX_GIVEN    1000000
#define TRIAL_SAMPLES_MAX 1000000
#define TRIAL_LEAST_NS    NS_PER_S
#define TRIAL_MOST_NS     (3600 * NS_PER_S)

static const char usage[] =
    "Usage: zkherd plan --slo OBJECTIVE [OPTION]...\n"
    "       zkherd plan --limits|--predict|--validate ...  (each has its own --help)\n"
    "Find how many clients may wait for a lock (or locks be hot, sessions contend,\n"
    "other requests be sent) so that an objective is met, by trials on real servers.\n"
    "OBJECTIVE is handoff|acquire|background pN < DURATION, or handoffs > N/s.\n"
    "\n";

static const char notes[] =
    "\n"
    "Exit status: 0 done; 1 failed verdict; 2 usage; 3 environment; 4 no answer.\n"
    "\n"
    "Examples:\n"
    "  zkherd plan --slo 'handoff p99 < 50ms' -r scalable,nonscalable\n"
    "  zkherd plan --slo 'background p99 < 10ms' --background get=80,set=20@500\n";

/* ------------------------------------------------------------------ parsers */

static bool parse_recipes(struct option_given *given)
{
    struct plan_options *options = given->options;
    return rows_recipes(given, options->recipes, &options->recipe_count);
}

static bool parse_slo(struct option_given *given)
{
    struct plan_question *question = option_row_place(given);
    option_row_note(given);
    return objective_parse(given->value, &question->objective, given->why, sizeof given->why);
}

/* A number of samples, or a duration. */
static bool parse_trial(struct option_given *given)
{
    struct plan_question *question = option_row_place(given);
    question->trial_samples = question->trial_ns = 0;
    if (text_parse_number(given->value, 1, TRIAL_SAMPLES_MAX, &question->trial_samples))
        return true;
    return (text_parse_duration(given->value, &question->trial_ns) &&
            question->trial_ns >= TRIAL_LEAST_NS && question->trial_ns <= TRIAL_MOST_NS) ||
           option_row_refuse(given, "expected a number of samples, such as 1000, or a duration "
                                    "from 1s to 1h");
}

/* ------------------------------------------------------------------ the rows */

static const struct option_row rows[] = {
    {.name = "--slo",
     .parse = parse_slo,
     .member = OPTION_MEMBER(struct plan_options, question),
     .given = OPTION_MEMBER(struct plan_options, asks),
     .help = "      --slo OBJECTIVE      what a load must meet\n"},
    {.name = "--recipes",
     .letter = 'r',
     .parse = parse_recipes,
     .value = ROWS_RECIPES_DEFAULT,
     .help = "  -r, --recipes LIST       see zkherd recipes [" ROWS_RECIPES_DEFAULT "]\n"},
    {.name = "--unknown",
     OPTION_WORD(struct plan_options, question.unknown, plan_question_unknowns,
                 "expected waiters, locks, sessions or rate"),
     .value = "waiters",
     .help = "      --unknown WHAT       waiters: of one lock; locks: with -n clients each;\n"
             "                           sessions: on -k locks; rate: --background's [waiters]\n"},
    {.name = "--clients",
     .letter = 'n',
     OPTION_NUMBER(struct plan_options, clients, 1, SIZE_MAX_GIVEN),
     .help = "  -n, --clients N          clients of each lock, with --unknown locks|rate [2]\n"},
    {.name = "--locks",
     .letter = 'k',
     OPTION_NUMBER(struct plan_options, question.locks, 1, 10000),
     .help = "  -k, --locks M            that the sessions are spread over [1]\n"},
    {.name = "--background",
     .parse = rows_background_open,
     .member = OPTION_MEMBER(struct plan_options, question.background),
     .least = ROWS_BACKGROUND_LEAST_PER_S,
     .most = ROWS_BACKGROUND_MOST_PER_S,
     .help = "      --background MIX[@RATE]  other requests meanwhile: get=80,set=20@1000\n"},
    {.name = "--at-least",
     OPTION_NUMBER(struct plan_options, question.least, 1, SIZE_MAX_GIVEN),
     .help = "      --at-least N         no number below it is tried [1; rate: 100]\n"},
    {.name = "--at-most",
     OPTION_NUMBER(struct plan_options, question.most, 1, SIZE_MAX_GIVEN),
     .help = "      --at-most N          none above it [1,001 sessions; rate: 100,000]\n"},
    {.name = "--costs",
     .parse = option_row_file,
     .member = OPTION_MEMBER(struct plan_options, target.costs),
     .help = "      --costs FILE         begin where a simulation proposes (zkherd calibrate)\n"},
    {.name = "--resolution",
     OPTION_NUMBER(struct plan_options, question.resolution_percent, 0, 100),
     .value = "10",
     .help = "      --resolution PERCENT  end when the interval is that narrow [10]\n"},
    {.name = "--trial-time",
     .parse = parse_trial,
     .member = OPTION_MEMBER(struct plan_options, question),
     .help = "      --trial-time N|D     samples or length of a short trial [1049 for p99]\n"},
    {.name = "--hold",
     .parse = rows_hold,
     .member = OPTION_MEMBER(struct plan_options, question.hold),
     .help = "      --hold D             hold the lock for D; exp:D: exponential, mean D [0]\n"},
    ROW_DRIVER(struct plan_options),
    ROW_PROCESSES(struct plan_options, question.processes),
    ROW_SERVERS(struct plan_options),
    ROW_ZOOKEEPER(struct plan_options),
    ROW_HEAP(struct plan_options),
    ROW_SERVER_CPUS(struct plan_options),
    ROW_FSYNC(struct plan_options),
    ROW_DATA(struct plan_options),
    ROW_CONNECT(struct plan_options),
    ROW_PLACEMENT(struct plan_options),
    {.name = "--max-clients",
     OPTION_NUMBER(struct plan_options, target.max_clients, 1, SIZE_MAX_GIVEN),
     .help = "      --max-clients N      no trial has more sessions of the locks\n"},
    ROW_MAX_RATE(struct plan_options, guard),
    ROW_MAX_TIME(struct plan_options, guard),
    ROW_BRAKE(struct plan_options, guard),
    ROW_DRY_RUN(struct plan_options, dry_run),
    ROW_SESSION_TIMEOUT(struct plan_options, question.session_timeout_ns),
    ROW_TIMEOUT(struct plan_options, question.timeout_ns),
    ROW_SEED(struct plan_options, question.seed),
    ROW_OUT(struct plan_options),
    ROW_PLOTS(struct plan_options),
    ROW_JSON(struct plan_options),
    ROW_QUIET(struct plan_options),
    OPTION_ROW_HELP("  -h, --help               print this help\n"),
    {0},
};

/* ------------------------------------------------------------------ what excludes what */

/* Complains about an option; false, for the functions here to return. */
static bool wrong(const char *option, const char *value, const char *why)
{
    return complain_value("plan", option, value, why);
}

static bool wrong_number(const char *option, uint64_t number, const char *why)
{
    return complain_number("plan", option, number, why);
}

static bool check_recipe(const struct recipe *recipe)
{
    if (recipe->broken)
        return wrong("--recipes", recipe->name,
                     "it is broken on purpose, so its capacity means nothing: leave it out");
    if (recipe->death.how != DEATH_NONE)
        return wrong("--recipes", recipe->name,
                     "a client dies in each of its trials, which is no steady state: leave it out");
    return recipe->shares == NULL ||
           wrong("--recipes", recipe->name,
                 "its clients share the lock, so the number that waits at a release is not the "
                 "number that is searched for: leave it out");
}

static bool check_recipes(const struct plan_options *options)
{
    for (size_t i = 0; i < options->recipe_count; i++) {
        if (!check_recipe(options->recipes[i]))
            return false;
    }
    return true;
}

/* What can be searched for with the objective. docs/capacity.md says why locks cannot. */
static bool check_objective(const struct plan_question *question)
{
    char text[OBJECTIVE_TEXT_SIZE];
    if (question->objective.metric == OBJECTIVE_BACKGROUND && !question->background.given)
        return wrong("--slo", objective_format(&question->objective, text, sizeof text),
                     "no load is sent beside the lock: add --background, such as --background "
                     "get=80,set=20@1000");
    return !objective_is_rate(&question->objective) || question->unknown != PLAN_LOCKS ||
           wrong("--unknown", "locks",
                 "all locks together make more handoffs, the more there are: the objective would "
                 "not be harder to meet; give one on handoff or acquire");
}

static bool check_trial(const struct plan_question *question)
{
    char why[160];
    if (question->trial_samples == 0)
        return true;
    if (objective_is_rate(&question->objective))
        return wrong_number("--trial-time", question->trial_samples,
                            "a rate is measured over a time: expected a duration");
    uint64_t needed = judge_samples_needed(&question->objective, 0);
    if (question->trial_samples >= needed)
        return true;
    snprintf(why, sizeof why,
             "too few for p%g: expected at least %llu, with which a trial passes "
             "if none is over the limit",
             objective_percent(&question->objective), (unsigned long long)needed);
    return wrong_number("--trial-time", question->trial_samples, why);
}

static bool check_hold(const struct plan_question *question)
{
    uint64_t longest = question->hold.exponential ? HOLD_LONGEST_MEANS : 1;
    return question->hold.mean_ns * longest < question->timeout_ns ||
           wrong("--hold", "with --timeout",
                 "nothing moves while a lock is held: give a --timeout that is longer than the "
                 "hold (for exp:, longer than 20 means)");
}

/* Of private servers there is no other user. */
static bool check_brake(const struct plan_options *options)
{
    return options->guard.brake_ns == 0 || options->target.connect ||
           wrong("--brake", "without --connect",
                 "nobody else uses private servers, so no bystander is there: leave it out");
}

/* The rate is given or searched for. */
static bool check_background(const struct plan_options *options)
{
    const struct plan_question *question = &options->question;
    const struct background_options *background = &question->background;
    char text[ROWS_BACKGROUND_TEXT_SIZE];
    rows_background_format(background, text, sizeof text);
    if (!background->given)
        return question->unknown != PLAN_RATE ||
               wrong("--unknown", "rate",
                     "no load is sent beside the lock: add --background with a mix, such as "
                     "--background get=80,set=20");
    if (options->target.driver == DRIVER_SIMULATED)
        return wrong("--background", "with --driver simulated",
                     "a simulation runs the lock alone: give real servers");
    if (options->target.costs != NULL)
        return wrong("--costs", "with --background",
                     "a simulation runs the lock alone: it proposes no size beside a load");
    if (question->unknown == PLAN_RATE)
        return background->rate_per_s == 0 ||
               wrong("--background", text,
                     "the rate is searched for: expected a mix alone, such as get=80,set=20");
    if (background->rate_per_s == 0)
        return wrong("--background", text,
                     ROWS_BACKGROUND_EXPECTED "; to search for the rate, add --unknown rate");
    return options->guard.max_rate == 0 || background->rate_per_s < options->guard.max_rate ||
           wrong_number("--max-rate", options->guard.max_rate,
                        "not above the rate of --background: each trial would be ended");
}

/* What a number of something else would contradict. */
static bool check_unknown(const struct plan_options *options)
{
    const struct plan_question *question = &options->question;
    bool is_rate = question->unknown == PLAN_RATE;
    if (options->clients > 0 && question->unknown != PLAN_LOCKS && !is_rate)
        return wrong_number("--clients", options->clients,
                            "the clients of a lock are given only with --unknown locks or rate");
    if (options->clients == 1)
        return wrong("--clients", "1", "nobody would wait: expected at least 2 of each lock");
    if (question->locks > 0 && question->unknown != PLAN_SESSIONS && !is_rate)
        return wrong_number("--locks", question->locks,
                            "a number of locks is given only with --unknown sessions or rate");
    return true;
}

/* Costs hold for one ensemble. */
static bool check_costs(const struct plan_options *options)
{
    return options->target.costs == NULL || options->target.driver == DRIVER_SIMULATED ||
           options->target.topology_count == 1 ||
           wrong(options->target.home_count > 1 ? "--zookeeper" : "--servers", "with --costs",
                 "costs hold for one ensemble: give one");
}

/* The bounds of the size, in what was given. */
static bool check_bounds(const struct plan_options *options)
{
    const struct plan_question *question = &options->question;
    uint64_t locks = question->locks > 0 ? question->locks : 1, max_rate = options->guard.max_rate;
    if (question->most > 0 && question->most < question->least)
        return wrong_number("--at-most", question->most, "below --at-least");
    if (question->unknown == PLAN_RATE && question->most == 0 && max_rate > 0 &&
        max_rate < question->least)
        return wrong_number("--max-rate", max_rate,
                            "below --at-least: each trial would be ended; give a smaller "
                            "--at-least");
    if (question->unknown == PLAN_SESSIONS && question->least > 0 && question->least < 2 * locks)
        return wrong_number("--at-least", question->least,
                            "fewer than two sessions on each lock: nobody would wait");
    if (question->unknown == PLAN_SESSIONS && question->most > 0 && question->most < 2 * locks)
        return wrong_number("--at-most", question->most,
                            "fewer than two sessions on each lock: nobody would wait");
    return true;
}

static bool check_search(const struct plan_options *options)
{
    return check_recipes(options) && check_unknown(options) && check_background(options) &&
           check_bounds(options) && check_brake(options) && check_costs(options) &&
           check_objective(&options->question) && check_trial(&options->question) &&
           check_hold(&options->question);
}

static bool complete(struct plan_options *options)
{
    struct plan_question *question = &options->question;
    uint64_t max_rate = options->guard.max_rate;
    question->clients = options->clients;
    if (question->unknown == PLAN_RATE && question->most == 0 && max_rate > 0 &&
        max_rate < PLAN_RATE_MOST) {
        question->most = max_rate;
        question->most_by = PLAN_MOST_BY_MAX_RATE;
    }
    if (question->locks == 0)
        question->locks = 1;
    plan_question_complete(question, options->target.max_clients);
    uint64_t sessions = plan_question_sessions(question, question->most);
    bool is_rate = question->unknown == PLAN_RATE;
    if (sessions > SIZE_MAX_GIVEN)
        return wrong_number(is_rate ? "--clients" : "--at-most",
                            is_rate ? question->clients : question->most,
                            "more than 1,000,000 sessions: give a smaller one, or a smaller -n");
    return sessions <= options->target.max_clients ||
           wrong_number("--max-clients", options->target.max_clients,
                        is_rate ? "below the sessions of all locks: give a smaller -n or -k"
                                : "below the sessions of the largest size: give a smaller "
                                  "--at-most");
}

static int check(struct plan_options *options)
{
    if (!options->asks)
        return complain_usage("plan", "plan",
                              "one of --slo, --limits, --predict and --validate is required");
    return !check_search(options) || !complete(options) ||
                   target_conflicts("plan", &options->target, options->question.processes)
               ? error_exit_status(ERROR_USAGE)
               : ARGUMENTS_GO;
}

int plan_command_line_parse(int argc, char **argv, struct plan_options *options)
{
    static const struct arguments arguments = {"plan", usage, rows, notes, NULL};
    *options =
        (struct plan_options){.target.max_clients = UINT64_MAX, .question.seed = clock_utc_ns()};
    int status = arguments_take(&arguments, argc, argv, options, NULL);
    if (status == ARGUMENTS_GO)
        status = check(options);
    if (status == ARGUMENTS_GO && options->target.driver == DRIVER_SIMULATED)
        status = costs_file_take_option("plan", &options->target, options->output.quiet);
    options->target.companions = options->question.background.given ? BACKGROUND_SESSIONS : 0;
    if (status != ARGUMENTS_GO)
        plan_command_line_deinit(options);
    return status;
}

void plan_command_line_deinit(struct plan_options *options)
{
    target_options_deinit(&options->target);
    *options = (struct plan_options){0};
}
