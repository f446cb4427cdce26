// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/rows.h"
#include "bench/plan/internal.h"
#include "bench/target/target.h"

#define SIZE_MAX_GIVEN    1000000
#define TRIAL_SAMPLES_MAX 1000000
#define TRIAL_LEAST_NS    NS_PER_S
#define TRIAL_MOST_NS     (3600 * NS_PER_S)

static const char usage[] =
    "Usage: zkherd plan --slo OBJECTIVE [OPTION]...\n"
    "Find how many clients may wait for a lock (or locks be hot, sessions contend,\n"
    "other requests be sent) so that an objective is met, by trials on real servers.\n"
    "OBJECTIVE is handoff|acquire|background pN < DURATION, or handoffs > N/s.\n"
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
     .help = "      --unknown WHAT       waiters, locks, sessions or rate [waiters]\n"},
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

/* Why an option is refused; a value of NULL: the number. */
struct refusal {
    bool applies;
    const char *option, *value;
    uint64_t number;
    const char *why;
};

/* Complains about the first that applies, if there is one; whether none does. */
static bool complain_of(const struct refusal *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct refusal *one = &list[i];
        if (one->applies)
            return one->value != NULL ? complain_value("plan", one->option, one->value, one->why)
                                      : complain_number("plan", one->option, one->number, one->why);
    }
    return true;
}

static bool check_recipes(const struct plan_options *options)
{
    for (size_t i = 0; i < options->recipe_count; i++) {
        const struct recipe *recipe = options->recipes[i];
        const struct refusal list[] = {
            {recipe->broken, "--recipes", recipe->name, 0,
             "it is broken on purpose, so its capacity means nothing: leave it out"},
            {recipe->death.how != DEATH_NONE, "--recipes", recipe->name, 0,
             "a client dies in each of its trials, which is no steady state: leave it out"},
            {recipe->shares != NULL, "--recipes", recipe->name, 0,
             "its clients share the lock, so the number that waits at a release is not the "
             "number that is searched for: leave it out"},
        };
        if (!complain_of(list, sizeof list / sizeof list[0]))
            return false;
    }
    return true;
}

/* What a number of something else would contradict; a rate is given or searched for. */
static bool check_load(const struct plan_options *options)
{
    const struct plan_question *question = &options->question;
    const struct background_options *load = &question->background;
    bool is_rate = question->unknown == PLAN_RATE;
    char text[ROWS_BACKGROUND_TEXT_SIZE];
    rows_background_format(load, text, sizeof text);
    const struct refusal list[] = {
        {options->clients > 0 && question->unknown != PLAN_LOCKS && !is_rate, "--clients", NULL,
         options->clients, "the clients of a lock are given only with --unknown locks or rate"},
        {options->clients == 1, "--clients", "1", 0,
         "nobody would wait: expected at least 2 of each lock"},
        {question->locks > 0 && question->unknown != PLAN_SESSIONS && !is_rate, "--locks", NULL,
         question->locks, "a number of locks is given only with --unknown sessions or rate"},
        {!load->given && is_rate, "--unknown", "rate", 0,
         "no load is sent beside the lock: add --background with a mix, such as "
         "--background get=80,set=20"},
        {load->given && options->target.driver == DRIVER_SIMULATED, "--background",
         "with --driver simulated", 0, "a simulation runs the lock alone: give real servers"},
        {load->given && is_rate && load->rate_per_s != 0, "--background", text, 0,
         "the rate is searched for: expected a mix alone, such as get=80,set=20"},
        {load->given && !is_rate && load->rate_per_s == 0, "--background", text, 0,
         ROWS_BACKGROUND_EXPECTED "; to search for the rate, add --unknown rate"},
        {load->given && !is_rate && options->guard.max_rate > 0 &&
             load->rate_per_s >= options->guard.max_rate,
         "--max-rate", NULL, options->guard.max_rate,
         "not above the rate of --background: each trial would be ended"},
    };
    return complain_of(list, sizeof list / sizeof list[0]);
}

/* The bounds of the size, in what was given; and what needs other servers. */
static bool check_bounds(const struct plan_options *options)
{
    const struct plan_question *question = &options->question;
    uint64_t locks = question->locks > 0 ? question->locks : 1, max_rate = options->guard.max_rate,
             least = question->least, most = question->most;
    bool are_sessions = question->unknown == PLAN_SESSIONS;
    const struct refusal list[] = {
        {most > 0 && most < least, "--at-most", NULL, most, "below --at-least"},
        {question->unknown == PLAN_RATE && most == 0 && max_rate > 0 && max_rate < least,
         "--max-rate", NULL, max_rate,
         "below --at-least: each trial would be ended; give a smaller --at-least"},
        {are_sessions && least > 0 && least < 2 * locks, "--at-least", NULL, least,
         "fewer than two sessions on each lock: nobody would wait"},
        {are_sessions && most > 0 && most < 2 * locks, "--at-most", NULL, most,
         "fewer than two sessions on each lock: nobody would wait"},
        {options->guard.brake_ns != 0 && !options->target.connect, "--brake", "without --connect",
         0, "nobody else uses private servers, so no bystander is there: leave it out"},
    };
    return complain_of(list, sizeof list / sizeof list[0]);
}

/* What can be searched for with the objective, and a trial that can meet it. docs/capacity.md says
 * why locks cannot be searched for by a rate. */
static bool check_objective(const struct plan_question *question)
{
    const struct objective *objective = &question->objective;
    uint64_t longest = question->hold.exponential ? HOLD_LONGEST_MEANS : 1,
             samples = question->trial_samples;
    bool is_rate = objective_is_rate(objective);
    uint64_t needed = is_rate ? 0 : judge_samples_needed(objective, 0);
    char slo[OBJECTIVE_TEXT_SIZE], few[160];
    snprintf(few, sizeof few,
             "too few for p%g: expected at least %llu, with which a trial passes "
             "if none is over the limit",
             objective_percent(objective), (unsigned long long)needed);
    const struct refusal list[] = {
        {objective->metric == OBJECTIVE_BACKGROUND && !question->background.given, "--slo",
         objective_format(objective, slo, sizeof slo), 0,
         "no load is sent beside the lock: add --background, such as --background "
         "get=80,set=20@1000"},
        {is_rate && question->unknown == PLAN_LOCKS, "--unknown", "locks", 0,
         "all locks together make more handoffs, the more there are: the objective would "
         "not be harder to meet; give one on handoff or acquire"},
        {samples > 0 && is_rate, "--trial-time", NULL, samples,
         "a rate is measured over a time: expected a duration"},
        {samples > 0 && samples < needed, "--trial-time", NULL, samples, few},
        {question->hold.mean_ns * longest >= question->timeout_ns, "--hold", "with --timeout", 0,
         "nothing moves while a lock is held: give a --timeout that is longer than the "
         "hold (for exp:, longer than 20 means)"},
    };
    return complain_of(list, sizeof list / sizeof list[0]);
}

/* Completes the question; false: with more sessions than there can be. */
static bool complete(struct plan_options *options)
{
    struct plan_question *question = &options->question;
    uint64_t max_rate = options->guard.max_rate, max_clients = options->target.max_clients;
    bool is_rate = question->unknown == PLAN_RATE;
    question->clients = options->clients;
    if (is_rate && question->most == 0 && max_rate > 0 && max_rate < PLAN_RATE_MOST) {
        question->most = max_rate;
        question->most_by = "--max-rate allows no more requests";
    }
    if (question->locks == 0)
        question->locks = 1;
    plan_question_complete(question, max_clients);
    uint64_t sessions = plan_question_sessions(question, question->most);
    const struct refusal list[] = {
        {sessions > SIZE_MAX_GIVEN, is_rate ? "--clients" : "--at-most", NULL,
         is_rate ? question->clients : question->most,
         "more than 1,000,000 sessions: give a smaller one, or a smaller -n"},
        {sessions > max_clients, "--max-clients", NULL, max_clients,
         is_rate ? "below the sessions of all locks: give a smaller -n or -k"
                 : "below the sessions of the largest size: give a smaller --at-most"},
    };
    return complain_of(list, sizeof list / sizeof list[0]);
}

int plan_command_line_parse(int argc, char **argv, struct plan_options *options)
{
    static const struct arguments arguments = {"plan", usage, rows, notes, NULL};
    *options =
        (struct plan_options){.target.max_clients = UINT64_MAX, .question.seed = clock_utc_ns()};
    int status = arguments_take(&arguments, argc, argv, options, NULL);
    if (status == ARGUMENTS_GO && !options->asks)
        status = complain_usage("plan", "plan", "--slo is required");
    if (status == ARGUMENTS_GO &&
        (!check_recipes(options) || !check_load(options) || !check_bounds(options) ||
         !check_objective(&options->question) || !complete(options) ||
         target_conflicts("plan", &options->target, options->question.processes)))
        status = error_exit_status(ERROR_USAGE);
    options->target.companions = options->question.background.given ? BACKGROUND_SESSIONS : 0;
    if (status != ARGUMENTS_GO)
        target_options_deinit(&options->target);
    return status;
}
