// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/internal.h"

#include <math.h>

/* ------------------------------------------------------------------ what there is to tell */

bool plan_knee_is_told(const struct plan_question *question)
{
    bool is_one_size = question->unknown == PLAN_WAITERS || question->unknown == PLAN_LOCKS ||
                       (question->unknown == PLAN_SESSIONS && question->locks == 1);
    return is_one_size && !question->background.given; /* what a handoff costs is not known then */
}

/* The CPU time of others' servers is not known, and a simulation has none. */
static bool is_cpu_time_known(const struct plan_options *options)
{
    return !options->target.connect && options->target.driver != DRIVER_SIMULATED;
}

bool plan_knee_has_trials(const struct plan_options *options)
{
    return options->question.unknown == PLAN_LOCKS && plan_knee_is_told(&options->question) &&
           is_cpu_time_known(options);
}

/* A trial of any kind tells something if it is valid and whole. */
static bool tells(const struct plan_question *question, const struct plan_sample *sample)
{
    return sample->is_explained && sample->verdict != JUDGE_NOT_VALID &&
           sample->verdict != JUDGE_BRAKED &&
           (sample->for_knee || plan_sample_is_whole(question, sample));
}

/* Where locks are searched for, the trials of the search with one lock are its first ones: servers
 * that have just begun are slower. */
static bool is_of_lone_lock(const struct plan_question *question, const struct plan_sample *sample)
{
    return question->unknown != PLAN_LOCKS || (sample->probe.size == 1 && sample->for_knee);
}

static bool tells_handoff(const struct plan_question *question, const struct plan_sample *sample)
{
    return is_of_lone_lock(question, sample) && tells(question, sample);
}

/* Long ones: in a short trial of many locks, a large part of the requests are those of arrivals. */
static bool tells_demand(const struct plan_question *question, const struct plan_sample *sample)
{
    return question->unknown == PLAN_LOCKS && sample->probe.size > 1 && sample->probe.longer &&
           tells(question, sample);
}

/* What a knee lacks that is not known. lone_size: of the trials of a lone lock. */
static enum plan_knee_state find_lack(const struct plan_options *options,
                                      const struct plan_samples *samples, uint64_t lone_size)
{
    bool is_run = false, is_valid = false;
    for (size_t i = 0; i < samples->count; i++) {
        const struct plan_sample *sample = &samples->list[i];
        if (sample->probe.size != lone_size || !is_of_lone_lock(&options->question, sample))
            continue;
        if (tells(&options->question, sample))
            return PLAN_KNEE_NO_CPU_TIME;
        is_run = true;
        is_valid = is_valid || sample->verdict != JUDGE_NOT_VALID;
    }
    return !is_cpu_time_known(options) ? PLAN_KNEE_NO_CPU_TIME
           : !is_run                   ? PLAN_KNEE_NO_TRIAL
           : !is_valid                 ? PLAN_KNEE_NOT_VALID
                                       : PLAN_KNEE_NOT_WHOLE;
}

struct plan_knee plan_knee_find(const struct plan_options *options,
                                const struct plan_samples *samples, uint64_t best)
{
    const struct plan_question *question = &options->question;
    bool are_locks = question->unknown == PLAN_LOCKS;
    uint64_t lone_size = are_locks ? 1 : best, busy_size = 0; /* the most locks that tell */
    struct knee_trials lone = {.count = 0}, busy = {.count = 0};
    for (size_t i = 0; i < samples->count; i++) {
        const struct plan_sample *sample = &samples->list[i];
        if (tells_demand(question, sample) && sample->probe.size > busy_size)
            busy_size = sample->probe.size;
    }
    for (size_t i = 0; plan_knee_is_told(question) && i < samples->count; i++) {
        const struct plan_sample *sample = &samples->list[i];
        if (sample->probe.size == lone_size && tells_handoff(question, sample))
            knee_trials_add(&lone, &sample->figures);
        if (sample->probe.size == busy_size && tells_demand(question, sample))
            knee_trials_add(&busy, &sample->figures);
    }
    struct plan_knee knee = {.found = knee_find(&lone, &busy),
                             .clients = are_locks ? question->clients
                                                  : plan_question_sessions(question, best)};
    if (isnan(knee.found.locks.value))
        knee.state = find_lack(options, samples, lone_size);
    return knee;
}

/* ------------------------------------------------------------------ what is missing */

/* Trials of this size that the knee lacks: of a lone lock, or of the demand among so many. */
static size_t missing_of(const struct plan_question *question, const struct plan_samples *samples,
                         uint64_t size)
{
    size_t told = 0, untold = 0;
    for (size_t i = 0; i < samples->count; i++) {
        const struct plan_sample *sample = &samples->list[i];
        if (sample->probe.size != size)
            continue;
        bool one = size == 1 ? tells_handoff(question, sample) : tells_demand(question, sample);
        told += one;
        untold += !one && sample->for_knee;
    }
    return told >= PLAN_KNEE_TRIALS || untold >= PLAN_KNEE_TRIALS ? 0 : PLAN_KNEE_TRIALS - told;
}

/* Short trials of a lone lock, and long ones of the most locks that the search has tried, below
 * those with which a trial was braked. */
struct search_forecast plan_knee_missing(const struct plan_question *question,
                                         const struct plan_samples *samples, uint64_t *most)
{
    uint64_t braked = UINT64_MAX;
    *most = 0;
    for (size_t i = 0; i < samples->count; i++) {
        const struct plan_sample *sample = &samples->list[i];
        if (sample->verdict != JUDGE_BRAKED)
            continue;
        if (sample->for_knee) /* no other is worth the harm */
            return (struct search_forecast){0};
        if (sample->probe.size < braked)
            braked = sample->probe.size;
    }
    for (size_t i = 0; i < samples->count; i++) {
        uint64_t size = samples->list[i].probe.size;
        if (size < braked && size > *most)
            *most = size;
    }
    return (struct search_forecast){
        .short_trials = missing_of(question, samples, 1),
        .long_trials = *most > 1 ? missing_of(question, samples, *most) : 0,
    };
}

bool plan_knee_next(const struct plan_question *question, const struct plan_samples *samples,
                    struct plan_probe *probe)
{
    uint64_t most;
    const struct search_forecast missing = plan_knee_missing(question, samples, &most);
    if (missing.short_trials + missing.long_trials == 0)
        return false;
    bool is_short = missing.short_trials >= missing.long_trials;
    const struct search_probe asked = {.size = is_short ? 1 : most, .longer = !is_short};
    *probe = plan_probe_of(question, &asked);
    probe->fails_at = UINT64_MAX;
    return true;
}
