// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/rows.h"
#include "bench/plan/internal.h"

#define SIZE_MAX_GIVEN    1000000
#define TRIAL_SAMPLES_MAX 1000000
#define TRIAL_LEAST_NS    NS_PER_S
#define TRIAL_MOST_NS     (3600 * NS_PER_S)

static const char usage[] =
    "Usage: zkherd plan --slo OBJECTIVE [OPTION]...\n"
    "Find how many clients may wait for a lock, or locks be hot, so that an objective\n"
    "is met, by trials on real servers.\n"
    "OBJECTIVE is handoff|acquire|background pN < DURATION.\n"
    "\n";

static const char notes[] =
    "\n"
    "Options of private servers: zkherd help servers.\n"
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
    return objective_parse(given->value, &question->objective) ||
           option_row_refuse(given, "%s", OBJECTIVE_GRAMMAR);
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
                 "expected waiters or locks"),
     .value = "waiters",
     .help = "      --unknown WHAT       waiters or locks [waiters]\n"},
    {.name = "--clients",
     .letter = 'n',
     OPTION_NUMBER(struct plan_options, question.clients, 1, SIZE_MAX_GIVEN),
     .help = "  -n, --clients N          clients of each lock, with --unknown locks [2]\n"},
    {.name = "--background",
     .parse = rows_background,
     .member = OPTION_MEMBER(struct plan_options, question.background),
     .help = "      --background MIX@RATE  other requests meanwhile: get=80,set=20@1000\n"},
    {.name = "--at-least",
     OPTION_NUMBER(struct plan_options, question.least, 1, SIZE_MAX_GIVEN),
     .help = "      --at-least N         no number below it is tried [1]\n"},
    {.name = "--at-most",
     OPTION_NUMBER(struct plan_options, question.most, 1, SIZE_MAX_GIVEN),
     .help = "      --at-most N          none above it [1,001 sessions]\n"},
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
    ROW_CONNECT(struct plan_options),
    ROWS_IDENTITY(struct plan_options),
    ROW_PLACEMENT(struct plan_options),
    {.name = "--max-clients",
     OPTION_NUMBER(struct plan_options, target.max_clients, 1, SIZE_MAX_GIVEN),
     .help = "      --max-clients N      no trial has more sessions of the locks\n"},
    {.name = "--max-rate",
     OPTION_NUMBER(struct plan_options, guard.max_rate, 1, 1000000000),
     .help = "      --max-rate R         end a probe with more than R requests a second\n"},
    {.name = "--max-time",
     OPTION_DURATION(struct plan_options, guard.max_time_ns, NS_PER_S),
     .help = "      --max-time D         end the search after D\n"},
    {.name = "--brake",
     OPTION_DURATION(struct plan_options, guard.brake_ns, NS_PER_MS),
     .help = "      --brake D            end a probe if 1 in 4 of a bystander's reads takes D\n"},
    {.name = "--dry-run",
     OPTION_FLAG(struct plan_options, dry_run),
     .help = "      --dry-run            print what the searches demand at most; run nothing\n"},
    ROW_SESSION_TIMEOUT(struct plan_options, question.session_timeout_ns),
    ROW_TIMEOUT(struct plan_options, question.timeout_ns),
    ROW_SEED(struct plan_options, question.seed),
    ROWS_NOISE(struct plan_options),
    ROW_OUT(struct plan_options),
    ROW_PLOTS(struct plan_options),
    ROW_BRIEF(struct plan_options),
    ROW_JSON(struct plan_options),
    ROW_QUIET(struct plan_options),
    OPTION_ROW_HELP("  -h, --help               print this help\n"),
    ROWS_PRIVATE(struct plan_options),
    {0},
};

/* ------------------------------------------------------------------ what excludes what */

/* A number as it was given, until the end of the block. */
#define NUMBER(number) format_number((number), (char[24]){0}, 24)

static const char *format_number(uint64_t number, char *text, size_t size)
{
    snprintf(text, size, "%llu", (unsigned long long)number);
    return text;
}

static bool recipe_conflicts(const struct recipe *recipe)
{
    const struct conflict conflicts[] = {
        {recipe->broken, "--recipes", recipe->name,
         "it is broken on purpose, so its capacity means nothing: leave it out"},
        {recipe->death.how != DEATH_NONE, "--recipes", recipe->name,
         "a client dies in each of its trials, which is no steady state: leave it out"},
        {recipe->shares != NULL, "--recipes", recipe->name,
         "its clients share the lock, so the number that waits at a release is not the "
         "number that is searched for: leave it out"},
    };
    return complain_conflict("plan", conflicts, sizeof conflicts / sizeof conflicts[0]);
}

/* Numbers that contradict the question, objectives on a load that is not sent, and trials that
 * cannot meet the objective. */
static bool question_conflicts(const struct plan_options *options)
{
    const struct plan_question *question = &options->question;
    const struct objective *objective = &question->objective;
    const struct background_options *load = &question->background;
    uint64_t max_rate = options->guard.max_rate, clients = question->clients,
             longest = question->hold.exponential ? HOLD_LONGEST_MEANS : 1,
             samples = question->trial_samples, needed = judge_samples_needed(objective, 0);
    char slo[OBJECTIVE_TEXT_SIZE], few[160];
    snprintf(few, sizeof few,
             "too few for p%g: expected at least %llu, with which a trial passes "
             "if none is over the limit",
             objective_percent(objective), (unsigned long long)needed);
    const struct conflict conflicts[] = {
        {clients > 0 && question->unknown != PLAN_LOCKS, "--clients", NUMBER(clients),
         "the clients of a lock are given only with --unknown locks"},
        {clients == 1, "--clients", "1", "no client would wait: expected at least 2 of each lock"},
        {load->given && options->target.driver == DRIVER_SIMULATED, "--background",
         "with --driver simulated", "a simulation runs the lock alone: give real servers"},
        {max_rate > 0 && load->rate_per_s >= max_rate, "--max-rate", NUMBER(max_rate),
         "not above the rate of --background: each trial would be ended"},
        {question->most > 0 && question->most < question->least, "--at-most",
         NUMBER(question->most), "below --at-least"},
        {options->guard.brake_ns != 0 && !options->target.connect, "--brake", "without --connect",
         "no other client uses private servers, so no bystander is there: leave it out"},
        {objective->metric == OBJECTIVE_BACKGROUND && !load->given, "--slo",
         objective_format(objective, slo, sizeof slo),
         "no load is sent beside the lock: add --background, such as --background "
         "get=80,set=20@1000"},
        {samples > 0 && samples < needed, "--trial-time", NUMBER(samples), few},
        {question->hold.mean_ns * longest >= question->timeout_ns, "--hold", "with --timeout",
         "nothing moves while a lock is held: give a --timeout that is longer than the "
         "hold (for exp:, longer than 20 means)"},
    };
    return complain_conflict("plan", conflicts, sizeof conflicts / sizeof conflicts[0]);
}

/* Whether the completed question has more sessions than there can be. */
static bool sessions_conflict(const struct plan_options *options)
{
    const struct plan_question *question = &options->question;
    uint64_t sessions = plan_question_sessions(question, question->most),
             max_clients = options->target.max_clients;
    const struct conflict conflicts[] = {
        {sessions > SIZE_MAX_GIVEN, "--at-most", NUMBER(question->most),
         "more than 1,000,000 sessions: give a smaller one, or a smaller -n"},
        {sessions > max_clients, "--max-clients", NUMBER(max_clients),
         "below the sessions of the largest size: give a smaller --at-most"},
    };
    return complain_conflict("plan", conflicts, sizeof conflicts / sizeof conflicts[0]);
}

/* Completes the question unless options exclude each other. */
static bool options_conflict(struct plan_options *options)
{
    struct plan_question *question = &options->question;
    for (size_t i = 0; i < options->recipe_count; i++) {
        if (recipe_conflicts(options->recipes[i]))
            return true;
    }
    if (question_conflicts(options))
        return true;
    plan_question_complete(question, options->target.max_clients);
    return sessions_conflict(options) ||
           target_conflicts("plan", &options->target, question->processes);
}

int plan_command_line_parse(int argc, char **argv, struct plan_options *options)
{
    static const struct arguments arguments = {"plan", usage, rows, notes, NULL};
    *options =
        (struct plan_options){.target.max_clients = UINT64_MAX, .question.seed = clock_utc_ns()};
    int status = arguments_parse(&arguments, argc, argv, options, NULL);
    if (status == ARGUMENTS_GO && !options->asks)
        status = complain_usage("plan", "plan", "--slo is required");
    if (status == ARGUMENTS_GO && options_conflict(options))
        status = error_exit_status(ERROR_USAGE);
    options->target.companions = options->question.background.given ? BACKGROUND_SESSIONS : 0;
    if (status != ARGUMENTS_GO)
        target_options_deinit(&options->target);
    return status;
}
