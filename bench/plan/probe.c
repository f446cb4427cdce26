// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/question.h"

#include <math.h>

/*
 * A trial is in steady state and free pace. It ends when it has its samples, or as many over the
 * limit that it fails whatever the others are, or when it has lasted as long as samples take that
 * meet the objective; if a time is given, by its time. To end a trial early never changes its
 * verdict.
 *
 * Those handoffs count that all other clients of the lock waited for, once each client has been
 * granted: others are of smaller sizes. Of the load beside a trial those requests count that were
 * due from plan_probe_is_steady on, however slow their replies are, until the trial has enough.
 */

/* Even if all samples take no time, sessions may: the trial's end by time is no sooner. */
#define LONGEST_LEAST_NS (2 * NS_PER_S)

/* The least number over the limit with which `samples` samples fail. All of them do, because an
 * objective that is met allows no more than half. */
static uint64_t least_failure(const struct objective *objective, uint64_t samples)
{
    uint64_t passes = 0, fails = samples;
    while (fails - passes > 1) {
        uint64_t middle = passes + (fails - passes) / 2;
        if (judge_percentile(objective, samples, middle) == JUDGE_FAIL)
            fails = middle;
        else
            passes = middle;
    }
    return fails;
}

static bool is_of_background(const struct plan_question *question)
{
    return question->objective.metric == OBJECTIVE_BACKGROUND;
}

/* The samples that are enough for a trial; 0: the time decides. Of the background more than are
 * asked for, if these come due in too short a time. */
static uint64_t samples_of(const struct plan_question *question, const struct search_probe *asked)
{
    uint64_t samples = question->trial_samples, least = 0;
    if (is_of_background(question))
        least = (uint64_t)((double)question->background.rate_per_s *
                           ((double)question->trial_least_ns / 1e9));
    return (asked->longer ? PLAN_LONG : 1) * (samples > least ? samples : least);
}

/* As long as the samples take whose latencies are at the limit. A lock makes one handoff after
 * another, and each is one acquire, of which a client has one at a time. Requests of a load come at
 * random: twice the time in which they come due on average. */
static uint64_t longest_ns(const struct plan_probe *probe)
{
    const struct plan_question *question = probe->question;
    uint64_t each_ns = question->objective.limit_ns;
    if (is_of_background(question)) {
        double due_s = (double)probe->samples / (double)question->background.rate_per_s;
        return PLAN_STEADY_NS + (uint64_t)(2 * due_s * 1e9) + each_ns;
    }
    uint64_t locks = plan_question_locks(question, probe->asked.size),
             clients = plan_question_sessions(question, probe->asked.size) / locks;
    if (question->objective.metric == OBJECTIVE_ACQUIRE)
        each_ns /= clients;
    uint64_t handoffs = clients + probe->samples / locks + 1;
    uint64_t all_ns = handoffs * (each_ns + question->hold.mean_ns);
    return all_ns > LONGEST_LEAST_NS ? all_ns : LONGEST_LEAST_NS;
}

struct plan_probe plan_probe_of(const struct plan_question *question,
                                const struct search_probe *asked)
{
    struct plan_probe made = {
        .question = question, .asked = *asked, .samples = samples_of(question, asked)};
    if (made.samples == 0) {
        made.longest_ns = (asked->longer ? PLAN_LONG : 1) * question->trial_ns;
        return made;
    }
    /* Requests that are outstanding when the trial ends are samples as well. */
    uint64_t more = is_of_background(question) ? BACKGROUND_OUTSTANDING : 0;
    made.fails_at = least_failure(&question->objective, made.samples + more);
    made.longest_ns = longest_ns(&made);
    return made;
}

struct background_plan plan_probe_background(const struct plan_probe *probe)
{
    const struct objective *objective = &probe->question->objective;
    bool is_judged = is_of_background(probe->question);
    return (struct background_plan){
        .mix = probe->question->background.mix,
        .rate_per_s = probe->question->background.rate_per_s,
        .limit_ns = is_judged ? objective->limit_ns : 0,
        .percent = is_judged ? objective_percent(objective) : 0,
        .is_marked = true,
    };
}

struct trial_plan plan_probe_trial(const struct plan_probe *probe, const struct recipe *recipe,
                                   enum driver driver)
{
    const struct plan_question *question = probe->question;
    uint64_t sessions = plan_question_sessions(question, probe->asked.size),
             locks = plan_question_locks(question, probe->asked.size);
    /* How many handoffs there are follows from their samples: not if the time decides, or the load.
     * There is room for the samples even if half of the handoffs are none. */
    bool by_handoffs = probe->samples > 0 && !is_of_background(question);
    return (struct trial_plan){
        .fleet = {.driver = driver,
                  .sessions = (uint32_t)sessions,
                  .processes = question->processes,
                  .session_timeout_ms = (uint32_t)(question->session_timeout_ns / NS_PER_MS),
                  .timeout_ns = question->timeout_ns},
        .recipe = recipe,
        .workload = WORKLOAD_STEADY,
        .pace = PACE_FREE,
        .hold = question->hold,
        .locks = (uint32_t)locks,
        .handoffs = by_handoffs ? 2 * (sessions + probe->samples + locks) : 0,
        .duration_ns = by_handoffs ? 0 : probe->longest_ns,
    };
}

/* ------------------------------------------------------------------ what counts */

/* The next handoff of a lock that counts, from *at on: all others waited when the lock was
 * released. NULL: none is left. */
static const struct ledger_row *next_handoff(const struct trial_memory *memory, uint32_t lock,
                                             size_t *at)
{
    uint32_t clients = plan_clients_of(memory->plan, lock);
    size_t used = trial_memory_rows_used(memory, lock);
    for (*at = *at > clients ? *at : clients; *at < used;) {
        const struct ledger_row *row = ledger_row(&memory->ledger, lock, (*at)++);
        if (atomic_load(&row->handoff_ns) > 0 && row->waiters == clients - 1)
            return row;
    }
    return NULL;
}

struct plan_count plan_probe_count_handoffs(const struct objective *objective,
                                            const struct trial_memory *memory,
                                            struct histogram *latency)
{
    struct plan_count count = {0};
    const struct ledger_row *row;
    for (uint32_t lock = 0; lock < memory->plan->locks; lock++) {
        for (size_t at = 0; (row = next_handoff(memory, lock, &at)) != NULL;) {
            uint64_t handoff_ns = atomic_load(&row->handoff_ns);
            count.samples++;
            count.over += handoff_ns >= objective->limit_ns;
            if (latency != NULL)
                histogram_record(latency, handoff_ns);
        }
    }
    return count;
}

double plan_probe_handoffs_per_s(const struct trial_memory *memory)
{
    const struct ledger_row *row;
    uint64_t from_ns = 0, until_ns = UINT64_MAX, releases = 0;
    for (uint32_t lock = 0; lock < memory->plan->locks; lock++) {
        uint64_t first_ns = UINT64_MAX, last_ns = 0;
        for (size_t at = 0; (row = next_handoff(memory, lock, &at)) != NULL;) {
            first_ns = first_ns == UINT64_MAX ? row->released_ns : first_ns;
            last_ns = row->released_ns;
        }
        from_ns = first_ns > from_ns ? first_ns : from_ns;
        until_ns = last_ns < until_ns ? last_ns : until_ns;
    }
    if (from_ns >= until_ns)
        return NAN;
    for (uint32_t lock = 0; lock < memory->plan->locks; lock++) {
        for (size_t i = 1; i < trial_memory_rows_used(memory, lock); i++) {
            uint64_t released_ns = ledger_row(&memory->ledger, lock, i)->released_ns;
            releases += released_ns >= from_ns && released_ns < until_ns;
        }
    }
    return (double)releases / ((double)(until_ns - from_ns) / 1e9);
}

/* ------------------------------------------------------------------ the end of a trial */

static uint64_t count_acquires(const struct trial_memory *memory)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < memory->plan->fleet.processes; i++) {
        for (int role = 0; role < ROLES; role++)
            sum += histogram_recorded(&memory->workers[i].latency[role][METER_ACQUIRE]);
    }
    return sum;
}

bool plan_probe_is_steady(const struct trial_memory *memory, uint64_t elapsed_ns)
{
    for (uint32_t lock = 0; lock < memory->plan->locks; lock++) {
        if (trial_memory_rows_used(memory, lock) <= plan_clients_of(memory->plan, lock))
            return elapsed_ns >= PLAN_STEADY_NS;
    }
    return true;
}

bool plan_probe_has_enough(const struct plan_probe *probe, const struct trial_memory *memory,
                           const struct plan_count *beside, uint64_t elapsed_ns)
{
    const struct objective *objective = &probe->question->objective;
    if (probe->samples == 0 || elapsed_ns >= probe->longest_ns)
        return elapsed_ns >= probe->longest_ns;
    if (objective->metric == OBJECTIVE_ACQUIRE)
        return count_acquires(memory) >= probe->samples;
    const struct plan_count count = is_of_background(probe->question)
                                        ? *beside
                                        : plan_probe_count_handoffs(objective, memory, NULL);
    return count.samples >= probe->samples || count.over >= probe->fails_at;
}
