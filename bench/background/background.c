// SPDX-License-Identifier: Apache-2.0
#include "bench/background/background.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>

/* With fewer requests, one that is late is no driver's limit. */
#define LATE_LEAST 100

/* ------------------------------------------------------------------ the trial's callbacks */

/* Whether the load and the caller's own company go on. */
static bool goes_on(void *context)
{
    const struct background *background = context;
    const struct fleet_host *host = background->host;
    return load_background_goes_on(background->load) &&
           (host->has_company == NULL || host->has_company(host->company));
}

static void begin_contention(void *context)
{
    load_background_begin_contention(((struct background *)context)->load);
}

static void end_contention(void *context)
{
    load_background_end_contention(((struct background *)context)->load);
}

/* ------------------------------------------------------------------ while the load goes on */

struct background_counts background_counts(const struct background *background)
{
    const struct load_shared *load = background->is_open && background->load != NULL
                                         ? background->load->load
                                         : NULL; /* NULL also while its sessions are being opened */
    struct background_counts counts = {.sent = background->sent, .losses = background->losses};
    if (load == NULL)
        return counts;
    load_shared_contended(load, &counts.replied, &counts.over);
    counts.sent = load_shared_sent(load);
    counts.losses = atomic_load(&load->shared->losses);
    return counts;
}

/* ------------------------------------------------------------------ the figures */

/* What was never sent counts as slower than all others. */
static double percentile_us(const struct load_window *window, double percent)
{
    return histogram_percentile_of_more_us(&window->response[ROLES][LOAD_KINDS], window->unsent,
                                           percent);
}

static double p99_us(const struct load_window *window)
{
    uint64_t count = histogram_recorded(&window->response[ROLES][LOAD_KINDS]) + window->unsent;
    return histogram_has_percentile(count, 99) ? percentile_us(window, 99) : NAN;
}

struct background_figures background_figures_of(const struct background_plan *plan,
                                                const struct load_result *result)
{
    const struct load_window *alone = result->measured, *beside = result->contended;
    const struct histogram *contended = &beside->response[ROLES][LOAD_KINDS];
    uint64_t unanswered = beside->failed + beside->unsent;
    struct background_figures figures = {
        .measured = true,
        .alone_p50_us = percentile_us(alone, 50),
        .alone_p99_us = p99_us(alone),
        .contended_p50_us = percentile_us(beside, 50),
        .contended_p99_us = p99_us(beside),
        .contended_max_us = histogram_percentile_us(contended, 100),
        .contended_at_us = plan->percent > 0 ? percentile_us(beside, plan->percent) : NAN,
        .requests = histogram_recorded(contended),
        .judged = histogram_recorded(contended) + unanswered,
        .over = beside->over + unanswered,
        .contended_per_s = (double)beside->answered / ((double)result->contended_ns / 1e9),
        .errors = alone->errors + beside->errors,
        .unsent = alone->unsent + beside->unsent,
        .sent = histogram_recorded(&alone->lag),
        .sent_late = histogram_above(&alone->lag, BACKGROUND_LATE_NS),
        .contended_sent = histogram_recorded(&beside->lag),
        .contended_sent_late = histogram_above(&beside->lag, BACKGROUND_LATE_NS),
        .rpcs = tally_rpcs(&result->total),
        .absent_ns = result->absent_ns,
        .losses = result->losses,
    };
    snprintf(figures.ended, sizeof figures.ended, "%s", result->reason);
    return figures;
}

/* ------------------------------------------------------------------ whether they are valid */

static void judge_load(const struct background_figures *figures, struct validity *validity)
{
    const struct {
        uint64_t sent, late;
        const char *when;
    } parts[] = {{figures->sent, figures->sent_late, "alone"},
                 {figures->contended_sent, figures->contended_sent_late, "beside the lock"}};
    for (size_t i = 0; i < 2; i++) {
        /* One request in a hundred may be late. */
        if (parts[i].sent >= LATE_LEAST && parts[i].late * 100 > parts[i].sent)
            validity_lose(validity,
                          "overloaded: of %llu requests of the load in the background, %s, %llu "
                          "were sent more than 1 ms late; what may help: a lower rate, a quieter "
                          "machine",
                          (unsigned long long)parts[i].sent, parts[i].when,
                          (unsigned long long)parts[i].late);
    }
    if (figures->absent_ns > BACKGROUND_ABSENT_NS)
        validity_lose(validity,
                      "overloaded: the driver of the load in the background did not run for %.1f s",
                      (double)figures->absent_ns / 1e9);
    if (figures->losses > 0)
        validity_lose(validity, "the load in the background lost %u connection%s", figures->losses,
                      text_plural(figures->losses));
}

void background_judge_trial(const struct background_figures *figures,
                            const struct trial_result *result, double cores_allowed,
                            struct validity *validity)
{
    if (figures->ended[0] != '\0')
        validity_lose(validity, "the load in the background ended too early: %s", figures->ended);
    if (result != NULL && result->not_valid[0] != '\0')
        validity_lose(validity, "%s", result->not_valid);
    if (result == NULL || result->end != END_DONE ||
        result->memory->plan->fleet.driver == DRIVER_SIMULATED)
        return;
    validity_judge_trial(result, cores_allowed, validity);
    judge_load(figures, validity);
}

/* ------------------------------------------------------------------ the whole */

static struct load_plan plan_of(const struct background_plan *plan, const struct trial_plan *trial,
                                const char *root)
{
    return (struct load_plan){
        .fleet = {.driver = DRIVER_EVENTS,
                  .sessions = BACKGROUND_SESSIONS,
                  .processes = 1,
                  .depth = mix_requests(&plan->mix, BACKGROUND_DEPTH),
                  .session_timeout_ms = trial->fleet.session_timeout_ms,
                  .timeout_ns = trial->fleet.timeout_ns,
                  .seed = trial->fleet.seed,
                  .servers = trial->fleet.servers},
        .mix = plan->mix,
        .rate_per_s = plan->rate_per_s,
        .poisson = true, /* constant distances could beat with the steps of the lock */
        .value_bytes = BACKGROUND_VALUE_BYTES,
        .warm_up_ns = BACKGROUND_WARM_UP_NS,
        .seconds = plan->alone_s,
        .limit_ns = plan->limit_ns,
        .root = root,
    };
}

static enum error_kind run_trial(struct background *background, const struct trial_plan *trial,
                                 const struct trial_watch *watch, struct trial_result **result,
                                 struct error *error)
{
    struct fleet_host company = *background->host;
    struct trial_watch marked = *watch;
    company.companions += BACKGROUND_SESSIONS;
    company.company = background;
    company.has_company = goes_on;
    marked.opened = background->plan->is_marked ? NULL : begin_contention;
    marked.ended = end_contention;
    return trial_run(trial, &company, &marked, result, error);
}

enum error_kind background_run(struct background *background, const struct background_plan *plan,
                               const struct trial_plan *trial, const struct fleet_host *host,
                               const struct trial_watch *watch, struct background_figures *figures,
                               struct trial_result **result, struct error *error)
{
    char root[LOAD_PATH_SIZE];
    snprintf(root, sizeof root, "%sb", trial->root);
    const struct load_plan load = plan_of(plan, trial, root);
    enum error_kind kind = ERROR_NONE;
    struct load_result *loaded = NULL;
    struct error why;
    *result = NULL;
    background->plan = plan;
    background->host = host;
    background->is_open = true;
    if (load_background_begin(&background->load, &load, host))
        kind = run_trial(background, trial, watch, result, error);
    enum error_kind ended =
        load_background_end(background->load, &loaded, kind == ERROR_NONE ? error : &why);
    background->is_open = false;
    if (ended == ERROR_NONE) {
        *figures = background_figures_of(plan, loaded);
        background->sent = figures->rpcs;
        background->losses = figures->losses;
        load_result_free(loaded);
    } else if (kind == ERROR_NONE) { /* without a load, the trial is not what was asked for */
        trial_result_free(*result);
        *result = NULL;
    }
    return kind == ERROR_NONE ? ended : kind;
}
