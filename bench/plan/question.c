// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/question.h"

#include "base/text.h"

/* The sessions that a search may have if nothing else is said. */
#define SESSIONS_MOST 1001

/* Votes of a ballot, and of a ballot of fresh trials (capacity/search.h). */
#define VOTES 3
#define FRESH 5

/* Samples over the limit with which a short trial still passes, if --trial-time is not given. */
#define OVER_DEFAULT 5

const char *const plan_question_unknowns[] = {
    [PLAN_WAITERS] = "waiters", [PLAN_LOCKS] = "locks", NULL};

/* ------------------------------------------------------------------ what a size means */

uint64_t plan_question_sessions(const struct plan_question *question, uint64_t size)
{
    return question->unknown == PLAN_WAITERS ? size + 1 : size * question->clients;
}

uint64_t plan_question_locks(const struct plan_question *question, uint64_t size)
{
    return question->unknown == PLAN_WAITERS ? 1 : size;
}

/* The largest size with at most `sessions` sessions. */
static uint64_t size_with(const struct plan_question *question, uint64_t sessions)
{
    if (question->unknown == PLAN_LOCKS)
        return sessions / question->clients;
    return sessions > 0 ? sessions - 1 : 0;
}

const char *plan_question_format(const struct plan_question *question, uint64_t number, char *text,
                                 size_t size)
{
    static const char *const nouns[] = {[PLAN_WAITERS] = "waiter", [PLAN_LOCKS] = "hot lock"};
    char count[32];
    snprintf(text, size, "%s %s%s", text_format_count(number, count, sizeof count),
             nouns[question->unknown], number == 1 ? "" : "s");
    return text;
}

/* ------------------------------------------------------------------ what is not given */

static void complete_bounds(struct plan_question *question, uint64_t max_clients)
{
    bool by_clients = max_clients < SESSIONS_MOST;
    if (question->least == 0)
        question->least = 1;
    if (question->most > 0)
        return;
    uint64_t most = size_with(question, by_clients ? max_clients : SESSIONS_MOST);
    question->most = most > question->least ? most : question->least;
    question->most_by = by_clients ? "--max-clients allows no more sessions"
                                   : "without --at-most a search has at most 1,001 sessions";
}

void plan_question_complete(struct plan_question *question, uint64_t max_clients)
{
    if (question->unknown == PLAN_LOCKS && question->clients == 0)
        question->clients = PLAN_CLIENTS_DEFAULT;
    complete_bounds(question, max_clients);
    if (question->trial_samples > 0 || question->trial_ns > 0)
        return;
    uint64_t needed = judge_samples_needed(&question->objective, OVER_DEFAULT);
    question->trial_samples = needed > PLAN_SAMPLES_LEAST ? needed : PLAN_SAMPLES_LEAST;
    if (question->objective.metric == OBJECTIVE_BACKGROUND)
        question->trial_least_ns = PLAN_TRIAL_LEAST_NS;
}

void plan_question_fit(struct plan_question *question, const struct target *target, char *text,
                       size_t size)
{
    uint64_t sessions = target->limit.sessions, taken = target->servers.count,
             fitting = size_with(question, sessions > taken ? sessions - taken : 0);
    char most[64];
    text[0] = '\0';
    if (sessions == UINT64_MAX || fitting >= question->most)
        return;
    question->most = fitting > question->least ? fitting : question->least;
    question->most_by = "the servers accept no more connections from this host (maxClientCnxns)";
    snprintf(text, size,
             "no more than %s are tried: %.200s takes %llu connections from this host at a time "
             "(maxClientCnxns), %llu of them for zkherd's own use; set maxClientCnxns=0 in the "
             "server's zoo.cfg, or use more servers of its ensemble",
             plan_question_format(question, question->most, most, sizeof most),
             target->limit.server, (unsigned long long)target->limit.room,
             (unsigned long long)target->limit.reserved + 1);
}

struct search_plan plan_question_search(const struct plan_question *question)
{
    return (struct search_plan){
        .least = question->least,
        .most = question->most,
        .votes = VOTES,
        .fresh = FRESH,
        .resolution_percent = question->resolution_percent,
        .look_above = true,
        .trials_most = PLAN_TRIALS_MOST,
    };
}
