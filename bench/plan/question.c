// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "bench/plan/internal.h"

const char *const plan_question_unknowns[] = {
#define X(name, word) [PLAN_##name] = word,
    PLAN_UNKNOWN_LIST(X)
#undef X
        NULL};

/* The largest size with at most so many sessions. */
static uint64_t size_with(const struct plan_question *question, uint64_t sessions)
{
    switch (question->unknown) {
    case PLAN_WAITERS:
        return sessions > 0 ? sessions - 1 : 0;
    case PLAN_LOCKS:
        return sessions / question->clients;
    case PLAN_RATE:
        return PLAN_RATE_MOST;
    default:
        return sessions;
    }
}

void plan_question_complete(struct plan_question *question, uint64_t max_clients)
{
    bool is_rate = question->unknown == PLAN_RATE;
    bool by_clients = max_clients < PLAN_SESSIONS_MOST && !is_rate;
    if ((is_rate || question->unknown == PLAN_LOCKS) && question->clients == 0)
        question->clients = PLAN_CLIENTS_DEFAULT;
    if (question->least == 0 && is_rate)
        question->least = question->most > 0 && question->most < PLAN_RATE_LEAST ? question->most
                                                                                 : PLAN_RATE_LEAST;
    else if (question->least == 0)
        question->least = question->unknown == PLAN_SESSIONS ? 2 * (uint64_t)question->locks : 1;
    if (question->most == 0) {
        uint64_t most = size_with(question, by_clients ? max_clients : PLAN_SESSIONS_MOST);
        question->most = most > question->least ? most : question->least;
        question->most_by = by_clients ? "--max-clients allows no more sessions"
                            : is_rate
                                ? "without --at-most a search has at most 100,000 requests a second"
                                : "without --at-most a search has at most 1,001 sessions";
    }
    if (question->trial_samples > 0 || question->trial_ns > 0)
        return;
    if (objective_is_rate(&question->objective)) {
        question->trial_ns = PLAN_TRIAL_NS;
        return;
    }
    uint64_t needed = judge_samples_needed(&question->objective, PLAN_OVER_DEFAULT);
    question->trial_samples = needed > PLAN_SAMPLES_LEAST ? needed : PLAN_SAMPLES_LEAST;
    if (question->objective.metric == OBJECTIVE_BACKGROUND)
        question->trial_least_ns = PLAN_TRIAL_LEAST_NS;
}

void plan_question_fit(struct plan_question *question, uint64_t most_sessions)
{
    uint64_t most = size_with(question, most_sessions);
    if (question->unknown == PLAN_RATE || most >= question->most)
        return;
    question->most = most > question->least ? most : question->least;
    question->most_by = "the servers accept no more connections from this host (maxClientCnxns)";
}

uint64_t plan_question_sessions(const struct plan_question *question, uint64_t size)
{
    switch (question->unknown) {
    case PLAN_WAITERS:
        return size + 1;
    case PLAN_LOCKS:
        return size * question->clients;
    case PLAN_RATE:
        return question->clients * question->locks;
    default:
        return size;
    }
}

uint64_t plan_question_locks(const struct plan_question *question, uint64_t size)
{
    switch (question->unknown) {
    case PLAN_WAITERS:
        return 1;
    case PLAN_LOCKS:
        return size;
    default:
        return question->locks;
    }
}

uint64_t plan_question_rate(const struct plan_question *question, uint64_t size)
{
    return question->unknown == PLAN_RATE ? size : question->background.rate_per_s;
}

struct search_plan plan_question_search(const struct plan_question *question)
{
    return (struct search_plan){
        .least = question->least,
        .most = question->most,
        .votes = PLAN_VOTES,
        .fresh = PLAN_FRESH,
        .resolution_percent = question->resolution_percent,
        .look_above = true,
        .trials_most = PLAN_TRIALS_MOST,
    };
}

const char *plan_question_format(const struct plan_question *question, uint64_t number, char *text,
                                 size_t size)
{
    static const char *const nouns[] = {[PLAN_WAITERS] = "waiter",
                                        [PLAN_LOCKS] = "hot lock",
                                        [PLAN_SESSIONS] = "session",
                                        [PLAN_RATE] = "request"};
    char count[32];
    snprintf(text, size, "%s %s%s%s", text_format_count(number, count, sizeof count),
             nouns[question->unknown], number == 1 ? "" : "s",
             question->unknown == PLAN_RATE ? " a second" : "");
    return text;
}
