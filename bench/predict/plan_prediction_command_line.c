// SPDX-License-Identifier: Apache-2.0
#include "bench/predict/plan_prediction_command_line.h"

#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/shared_rows.h"
#include "bench/target/target_conflicts.h"

#include <stdlib.h>

static const char usage[] =
    "Usage: zkherd plan --predict --costs FILE [OPTION]...\n"
    "       zkherd plan --validate --costs FILE [OPTION]...\n"
    "Predict how long drains take, from the simulation with measured costs (zkherd\n"
    "calibrate), each with an interval; or predict drains that the costs were not\n"
    "fitted to, measure them, and print both.\n"
    "\n";

static const char notes[] =
    "\n"
    "Exit status: 0 done; 1 --validate: fewer than 8 of 10 intervals cover what was\n"
    "measured; 2 wrong usage, or costs of other servers; 3 the environment; 4 the\n"
    "measurement is not valid.\n"
    "\n"
    "Examples:\n"
    "  zkherd plan --predict --costs costs.json -r scalable -n 100..1600x2\n"
    "  zkherd plan --validate --costs costs.json -n 64,128\n";

static const struct option_row rows[] = {
    {.name = "--predict",
     OPTION_FLAG(struct plan_prediction_options, predict),
     .help = "      --predict            by the simulation; nothing is measured\n"},
    {.name = "--validate",
     OPTION_FLAG(struct plan_prediction_options, validate),
     .help = "      --validate           predict, then measure\n"},
    {.name = "--costs",
     .parse = option_row_file,
     .member = OPTION_MEMBER(struct plan_prediction_options, target.costs),
     .help = "      --costs FILE         of zkherd calibrate\n"},
    DRAIN_ROW_RECIPES(struct plan_prediction_options),
    DRAIN_ROW_CLIENTS(struct plan_prediction_options, 2, "64,128"),
    DRAIN_ROW_LOCKS(struct plan_prediction_options),
    {.name = "--servers",
     .parse = shared_rows_simulated_topologies,
     .member = OPTION_MEMBER(struct plan_prediction_options, target),
     .given = OPTION_MEMBER(struct plan_prediction_options, target.servers_given),
     .least = 1,
     .most = SIM_SERVERS_MAX,
     .value = "1",
     .help = "      --servers LIST       --predict: 1, 3, ... 13; --validate: one number\n"
             "                           [those of the costs]\n"},
    {.name = "--draws",
     OPTION_NUMBER(struct plan_prediction_options, draws, 5, 10000),
     .value = "30",
     .help = "      --draws K            of the costs, for the interval [30]\n"},
    DRAIN_ROW_TRIALS(struct plan_prediction_options, 1, "5"),
    DRAIN_ROW_WARM_UP(struct plan_prediction_options),
    ROW_PROCESSES(struct plan_prediction_options, drains.processes, NULL,
                  .given = OPTION_MEMBER(struct plan_prediction_options, processes_given)),
    ROW_HEAP(struct plan_prediction_options),
    ROW_SERVER_CPUS(struct plan_prediction_options, NULL),
    ROW_FSYNC(struct plan_prediction_options),
    ROW_DATA(struct plan_prediction_options),
    ROW_CONNECT(struct plan_prediction_options),
    ROW_SESSION_TIMEOUT(struct plan_prediction_options, drains.session_timeout_ns, NULL,
                        .given =
                            OPTION_MEMBER(struct plan_prediction_options, session_timeout_given)),
    ROW_TIMEOUT(struct plan_prediction_options, drains.timeout_ns, NULL,
                .given = OPTION_MEMBER(struct plan_prediction_options, timeout_given)),
    ROW_SEED(struct plan_prediction_options, drains.seed),
    {.name = "--out",
     .letter = 'o',
     OPTION_FOLDER(struct plan_prediction_options, output.out),
     .help = "  -o, --out DIR            new folder for the figures [results/TIME-predict, or\n"
             "                           results/TIME-validate]\n"},
    ROW_JSON(struct plan_prediction_options),
    ROW_QUIET(struct plan_prediction_options),
    OPTION_ROW_HELP("  -h, --help               print this help\n"),
    {0},
};

/* The first option that is given and has no meaning for a prediction; NULL: none. */
static const char *find_measurement(const struct plan_prediction_options *options)
{
    const struct target_options *target = &options->target;
    const struct {
        bool given;
        const char *option;
    } list[] = {
        {options->drains.trials_given, "--trials"},
        {options->drains.warm_up_given, "--warm-up"},
        {options->processes_given, "--processes"},
        {target->heap_given, "--heap"},
        {target->cpu_percent > 0, "--server-cpus"},
        {target->fsync_given, "--fsync"},
        {target->data != NULL, "--data"},
        {options->session_timeout_given, "--session-timeout"},
        {options->timeout_given, "--timeout"},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        if (list[i].given)
            return list[i].option;
    }
    return NULL;
}

static bool check_measurement(const struct plan_prediction_options *options)
{
    const char *option = options->predict ? find_measurement(options) : NULL;
    return option == NULL || complain_value("plan", option, "with --predict",
                                            "nothing is measured: the option is one of --validate");
}

static bool check_servers(const struct plan_prediction_options *options)
{
    const struct target_options *target = &options->target;
    struct error error = {0};
    if (options->predict && target->connect)
        return complain_value("plan", "--predict", "with --connect",
                              "nothing is measured: the servers are those of --costs");
    if (options->predict)
        return true;
    if (target->topology_count > 1)
        return complain_value("plan", "--servers", "with --validate",
                              "costs hold for one ensemble: give one number");
    if (!target->connect &&
        ensemble_check_size((unsigned)target->server_counts[0], &error) != ERROR_NONE)
        return complain_value("plan", "--servers", "with --validate", error.detail);
    return true;
}

static bool is_consistent(const struct plan_prediction_options *options)
{
    if (options->predict && options->validate)
        return complain_value("plan", "--validate", "with --predict",
                              "give only one: --validate predicts, too");
    if (options->target.costs == NULL)
        return complain_value("plan", "--costs", "FILE",
                              "the option is missing: zkherd calibrate writes the file");
    return drain_options_fit("plan", &options->drains) && check_servers(options) &&
           check_measurement(options) &&
           !target_conflicts("plan", &options->target, options->drains.processes);
}

int plan_prediction_command_line_parse(int argc, char **argv,
                                       struct plan_prediction_options *options)
{
    static const struct arguments arguments = {"plan", usage, rows, notes, NULL};
    *options = (struct plan_prediction_options){.target.max_clients = UINT64_MAX,
                                                .drains.seed = clock_utc_ns()};
    int status = arguments_take(&arguments, argc, argv, options, NULL);
    if (status == ARGUMENTS_GO && !is_consistent(options))
        status = error_exit_status(ERROR_USAGE);
    if (status != ARGUMENTS_GO)
        plan_prediction_command_line_deinit(options);
    return status;
}

void plan_prediction_command_line_deinit(struct plan_prediction_options *options)
{
    target_options_deinit(&options->target);
    drain_options_deinit(&options->drains);
    *options = (struct plan_prediction_options){0};
}
