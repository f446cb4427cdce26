// SPDX-License-Identifier: Apache-2.0
#include "bench/run/background.h"

#include <math.h>
#include <stdio.h>

/* What the trial's callbacks are given: the load, and the context of the run's own callback. */
struct beside {
    struct load_background background;
    const struct trial_watch *watch;
};

static void show(void *context, const struct trial_progress *progress)
{
    const struct beside *beside = context;
    beside->watch->progress(beside->watch->context, progress);
}

static bool has_company(void *context)
{
    return load_background_goes_on(&((const struct beside *)context)->background);
}

static void opened(void *context)
{
    load_background_contend(&((struct beside *)context)->background);
}

static void ended(void *context)
{
    load_background_settle(&((struct beside *)context)->background);
}

static struct load_plan plan_of(const struct options *options, const struct trial_plan *plan,
                                const char *root)
{
    return (struct load_plan){
        .fleet = {.driver = DRIVER_EVENTS,
                  .sessions = BACKGROUND_SESSIONS,
                  .processes = 1,
                  .depth = mix_requests(&options->plan.background.mix, BACKGROUND_DEPTH),
                  .session_timeout_ms = plan->fleet.session_timeout_ms,
                  .timeout_ns = plan->fleet.timeout_ns,
                  .seed = plan->fleet.seed,
                  .servers = plan->fleet.servers},
        .mix = options->plan.background.mix,
        .rate_per_s = options->plan.background.rate_per_s,
        .poisson = true, /* constant distances could beat with the steps of the lock */
        .value_bytes = BACKGROUND_VALUE_BYTES,
        .warm_up_ns = BACKGROUND_WARM_UP_NS,
        .seconds = BACKGROUND_ALONE_S,
        .root = root,
    };
}

static uint64_t count_of(const struct histogram *histogram)
{
    return histogram_count(histogram) + histogram->overflow;
}

static double p99_us(const struct histogram *histogram)
{
    return count_of(histogram) >= BACKGROUND_P99_LEAST ? histogram_percentile_us(histogram, 99)
                                                       : NAN;
}

struct background_figures background_figures_of(const struct load_result *result)
{
    const struct histogram *alone = &result->response[LOAD_KINDS],
                           *contended = result->contended.response;
    struct background_figures figures = {
        .measured = true,
        .alone_p50_us = histogram_percentile_us(alone, 50),
        .alone_p99_us = p99_us(alone),
        .contended_p50_us = histogram_percentile_us(contended, 50),
        .contended_p99_us = p99_us(contended),
        .contended_max_us = histogram_percentile_us(contended, 100),
        .requests = count_of(contended),
        .contended_per_s =
            (double)result->contended.answered / ((double)result->contended.length_ns / 1e9),
        .errors = result->errors + result->contended.errors,
        .unsent = result->unsent + result->contended.unsent,
        .sent = count_of(result->lag),
        .sent_late = histogram_above(result->lag, BACKGROUND_LATE_NS),
        .contended_sent = histogram_count(result->contended.lag) + result->contended.lag->overflow,
        .contended_sent_late = histogram_above(result->contended.lag, BACKGROUND_LATE_NS),
        .absent_ns = result->absent_ns,
        .losses = result->losses,
    };
    snprintf(figures.ended, sizeof figures.ended, "%s", result->reason);
    return figures;
}

static enum error_kind run_trial(struct beside *beside, const struct trial_plan *plan,
                                 const struct trial_host *host, struct trial_result **result,
                                 struct error *error)
{
    struct trial_host company = *host;
    company.companions = BACKGROUND_SESSIONS;
    company.watch = (struct trial_watch){
        .progress = host->watch.progress == NULL ? NULL : show,
        .context = beside,
        .interrupt_descriptor = host->watch.interrupt_descriptor,
        .has_company = has_company,
        .opened = opened,
        .ended = ended,
    };
    return trial_run(plan, &company, result, error);
}

/* Without a load there is no trial: what it would measure is not what was asked for. */
static enum error_kind take_figures(struct beside *beside, struct background_figures *figures,
                                    struct error *error)
{
    struct load_result *result = NULL;
    enum error_kind kind = load_background_end(&beside->background, &result, error);
    if (kind != ERROR_NONE)
        return kind;
    *figures = background_figures_of(result);
    load_result_free(result);
    return ERROR_NONE;
}

enum error_kind background_run(const struct options *options, const struct trial_plan *plan,
                               const struct trial_host *host, struct background_figures *figures,
                               struct trial_result **result, struct error *error)
{
    char root[LOAD_PATH_SIZE];
    snprintf(root, sizeof root, "%sb", plan->root);
    const struct load_plan load = plan_of(options, plan, root);
    const struct load_host load_host = {.setup = host->setup,
                                        .servers = host->servers,
                                        .ensemble = host->ensemble,
                                        .watch.interrupt_descriptor =
                                            host->watch.interrupt_descriptor};
    struct beside beside = {.watch = &host->watch};
    enum error_kind kind = ERROR_NONE;
    struct error why;
    if (load_background_begin(&beside.background, &load, &load_host))
        kind = run_trial(&beside, plan, host, result, error);
    enum error_kind ended = take_figures(&beside, figures, kind == ERROR_NONE ? error : &why);
    if (kind == ERROR_NONE && ended == ERROR_NONE && *result == NULL)
        return error_raise(error, ERROR_SESSION_LOST, 0, "background", "%s", figures->ended);
    if (kind == ERROR_NONE && ended != ERROR_NONE) {
        trial_result_free(*result);
        *result = NULL;
    }
    return kind == ERROR_NONE ? ended : kind;
}
