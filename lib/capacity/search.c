// SPDX-License-Identifier: Apache-2.0
#include "capacity/search.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define X(name, word) word,
const char *const search_stage_words[] = {SEARCH_STAGE_LIST(X)};
const char *const search_reason_words[] = {SEARCH_REASON_LIST(X)};
const char *const search_end_lacks[] = {SEARCH_END_LIST(X)};
#undef X

/* ---------------------------------------------------------------- what is known about sizes */

#define NONE UINT64_MAX

/* The place of a size among those that were decided; NULL if it was not. */
static struct search_size *find_size(const struct search *search, uint64_t size)
{
    for (size_t i = 0; i < search->size_count; i++) {
        if (search->sizes[i].size == size)
            return &search->sizes[i];
    }
    return NULL;
}

#define STATE(state) (1u << SEARCH_##state)
#define ENDS         (STATE(FAILED) | STATE(STOPPED)) /* what ends the interval */
#define NOT_MET      (ENDS | STATE(UNDECIDED))

/* The smallest size in one of these states; NONE if there is none. */
static uint64_t smallest_size(const struct search *search, unsigned states)
{
    uint64_t smallest = NONE;
    for (size_t i = 0; i < search->size_count; i++) {
        const struct search_size *size = &search->sizes[i];
        if ((states >> size->state & 1) != 0 && size->size < smallest)
            smallest = size->size;
    }
    return smallest;
}

/* The largest size in one of these states, below a bound; 0 if there is none. */
static uint64_t largest_size(const struct search *search, unsigned states, uint64_t bound)
{
    uint64_t largest = 0;
    for (size_t i = 0; i < search->size_count; i++) {
        const struct search_size *size = &search->sizes[i];
        if ((states >> size->state & 1) != 0 && size->size < bound && size->size > largest)
            largest = size->size;
    }
    return largest;
}

/* The largest size that passed above one that failed (NONE: none did), but below all that the brake
 * has stopped; 0 if there is none. */
static uint64_t size_passed_above(const struct search *search, uint64_t failed)
{
    uint64_t largest = largest_size(search, STATE(PASSED), smallest_size(search, STATE(STOPPED)));
    return largest > failed ? largest : 0;
}

/* Whether fresh trials have decided, after which the search has not moved. */
static bool is_confirmed(const struct search *search, const struct search_size *size)
{
    return size->fresh && size->decided_at >= search->moved_at;
}

/* ---------------------------------------------------------------- the next ballot */

static void open_ballot(struct search *search, uint64_t size, enum search_stage stage)
{
    bool fresh = stage == SEARCH_CONFIRM;
    search->ballot = (struct search_ballot){
        .probe = {.size = size, .longer = fresh && !search->settles, .stage = stage},
        .votes = fresh ? search->plan.fresh : search->plan.votes,
    };
}

/* Twice a size, at most the most. */
static uint64_t twice(const struct search *search, uint64_t size)
{
    uint64_t most = search->plan.most;
    return size > most / 2 ? most : 2 * size;
}

/* The next size between `good` and `bad`, or above `good`; 0: none, or the interval is as narrow as
 * the plan wants it. `good`: a size that met the objective, or 0: the least did not; `bad`: NONE,
 * or a larger one that did not. */
static uint64_t next_size(const struct search *search, uint64_t good, uint64_t bad)
{
    uint64_t width = bad - good;
    if (bad == NONE)
        return good < search->plan.most ? twice(search, good) : 0;
    bool is_narrow =
        width == 1 || (double)width * 100 <= (double)good * search->plan.resolution_percent;
    return good == 0 || is_narrow ? 0 : good + width / 2;
}

/* Sizes between those that pass and those that fail may stay undecided: the next size to find out
 * where failure begins, above `undecided`, the smallest; 0: none. Where no size has failed, twice
 * that one is tried: if so large a size stays undecided, too, larger ones would as well. */
static uint64_t next_above(const struct search *search, uint64_t undecided)
{
    uint64_t failed = smallest_size(search, ENDS), above = twice(search, undecided);
    uint64_t top = largest_size(search, STATE(PASSED) | STATE(UNDECIDED), failed);
    if (failed == NONE)
        return top < above ? above : 0;
    return next_size(search, top, failed);
}

/* Whether a size is in this state, and fresh trials are to confirm that. */
static bool needs_fresh(const struct search *search, uint64_t size, enum search_state state)
{
    const struct search_size *known = find_size(search, size);
    return known != NULL && known->state == state && !is_confirmed(search, known);
}

/* Twice the size that failed, unless so large a size is known or the brake forbids it; 0: none. */
static uint64_t size_above(const struct search *search, uint64_t failed)
{
    uint64_t above = twice(search, failed);
    if (!search->plan.look_above || smallest_size(search, STATE(STOPPED)) != NONE)
        return 0;
    return above > largest_size(search, NOT_MET | STATE(PASSED), NONE) ? above : 0;
}

static void choose(struct search *search)
{
    uint64_t bad = smallest_size(search, NOT_MET);
    uint64_t good = largest_size(search, STATE(PASSED), bad);
    uint64_t failed = smallest_size(search, ENDS);
    uint64_t size = next_size(search, good, bad);
    if (size == 0 && good > 0 && bad != NONE)
        size = next_above(search, bad);
    bool has_larger = size > 0;
    if (size > 0 && !search->settles)
        open_ballot(search, size, SEARCH_LOCATE);
    else if (needs_fresh(search, good, SEARCH_PASSED))
        open_ballot(search, good, SEARCH_CONFIRM);
    else if (needs_fresh(search, failed, SEARCH_FAILED))
        open_ballot(search, failed, SEARCH_CONFIRM);
    else if (failed != NONE && (size = size_above(search, failed)) > 0)
        open_ballot(search, size, SEARCH_ABOVE);
    else if (needs_fresh(search, size = size_passed_above(search, failed), SEARCH_PASSED))
        open_ballot(search, size, SEARCH_CONFIRM);
    else {
        search->ended = true;
        search->concluded = !has_larger || failed != NONE;
    }
}

/* ---------------------------------------------------------------- one ballot */

static bool has_trial(const struct search_ballot *ballot)
{
    static const uint32_t none[JUDGE_VERDICTS];
    return memcmp(ballot->of, none, sizeof none) != 0;
}

/* False: another trial is needed. Fresh trials pass a size only when all votes are cast, so that
 * there are as many of the answer. */
static bool is_decided(const struct search_ballot *ballot, enum search_state *state)
{
    const uint32_t *of = ballot->of;
    uint32_t majority = ballot->votes / 2 + 1;
    bool is_full = of[JUDGE_PASS] + of[JUDGE_FAIL] == ballot->votes;
    if (of[JUDGE_BRAKED] > 0)
        *state = SEARCH_STOPPED;
    else if (of[JUDGE_FAIL] == majority)
        *state = SEARCH_FAILED;
    else if (of[JUDGE_PASS] >= majority && (is_full || ballot->probe.stage != SEARCH_CONFIRM))
        *state = SEARCH_PASSED;
    else if (of[JUDGE_UNDETERMINED] + of[JUDGE_NOT_VALID] > ballot->votes)
        *state = SEARCH_UNDECIDED;
    else
        return false;
    return true;
}

static void decide(struct search *search, enum search_state state)
{
    const struct search_probe *probe = &search->ballot.probe;
    struct search_size *size = find_size(search, probe->size);
    if (size == NULL) {
        size = &search->sizes[search->size_count++];
        *size = (struct search_size){.size = probe->size, .state = state};
    }
    size->lost = state == SEARCH_FAILED && (size->lost || size->state == SEARCH_PASSED);
    size->state = state;
    size->fresh = probe->stage == SEARCH_CONFIRM;
    size->decided_at = search->step_count;
    /* A size above that passes afresh casts doubt on the failure below. */
    if (probe->stage == SEARCH_LOCATE ||
        (size->fresh && state == SEARCH_PASSED && size->size > smallest_size(search, ENDS)))
        search->moved_at = search->step_count;
}

/* ---------------------------------------------------------------- what others call */

void search_init(struct search *search, const struct search_plan *plan)
{
    assert(plan->least > 0 && plan->least <= plan->most && plan->most < NONE);
    assert(plan->trials_most > 0);
    assert(plan->votes % 2 == 1 && plan->fresh % 2 == 1);
    *search = (struct search){.plan = *plan,
                              .sizes = memory_new(plan->trials_most, sizeof *search->sizes)};
    open_ballot(search, plan->least, SEARCH_LOCATE);
}

void search_deinit(struct search *search)
{
    free(search->sizes);
    *search = (struct search){0};
}

bool search_next(const struct search *search, struct search_probe *probe)
{
    if (search->ended || search->step_count == search->plan.trials_most)
        return false;
    *probe = search->ballot.probe;
    return true;
}

void search_report(struct search *search, enum judge_verdict verdict)
{
    struct search_ballot *ballot = &search->ballot;
    enum search_state state;
    assert(!search->ended && search->step_count < search->plan.trials_most);
    if (ballot->probe.stage == SEARCH_CONFIRM && !has_trial(ballot))
        find_size(search, ballot->probe.size)->fresh_from = search->step_count;
    search->step_count++;
    ballot->of[verdict]++;
    if (verdict == JUDGE_UNDETERMINED)
        ballot->probe.longer = true;
    if (is_decided(ballot, &state)) {
        decide(search, state);
        choose(search);
    }
}

void search_settle(struct search *search)
{
    struct search_ballot *ballot = &search->ballot;
    bool is_locating = ballot->probe.stage == SEARCH_LOCATE && search->size_count > 0;
    if (search->settles || search->ended)
        return;
    search->settles = true;
    if (is_locating)
        choose(search);
    else
        ballot->probe.longer = ballot->of[JUDGE_UNDETERMINED] > 0;
}

static enum search_reason reason_of(const struct search *search, const struct search_answer *answer)
{
    if (!search->concluded)
        return SEARCH_BUDGET;
    if (answer->passed_above > 0)
        return SEARCH_NOT_MONOTONE;
    if ((answer->passed == 0 || answer->failed == 0) && answer->undecided > 0 &&
        (answer->failed == 0 || answer->undecided < answer->failed))
        return SEARCH_UNDETERMINED;
    if (answer->passed == 0)
        return SEARCH_NOTHING_MEETS;
    return answer->failed == 0 ? SEARCH_EVERYTHING_MEETS : SEARCH_FOUND;
}

static enum search_end end_of(const struct search *search, uint64_t end)
{
    const struct search_size *size = find_size(search, end);
    const struct search_ballot *ballot = &search->ballot;
    bool is_voting = ballot->probe.stage == SEARCH_CONFIRM && ballot->probe.size == end;
    if (size == NULL)
        return SEARCH_END_NONE;
    if (size->state == SEARCH_STOPPED || is_confirmed(search, size))
        return SEARCH_END_DECIDED;
    if (is_voting && has_trial(ballot))
        return SEARCH_END_UNDER_WAY;
    return size->fresh ? SEARCH_END_OUTDATED : SEARCH_END_NOT_TRIED;
}

struct search_answer search_answer(const struct search *search)
{
    uint64_t failed = smallest_size(search, ENDS);
    uint64_t undecided = smallest_size(search, STATE(UNDECIDED));
    uint64_t passed = largest_size(search, STATE(PASSED), smallest_size(search, NOT_MET));
    uint64_t above = size_passed_above(search, failed);
    struct search_answer answer = {
        .passed = passed,
        .passed_end = end_of(search, passed),
        .failed = failed == NONE ? 0 : failed,
        .failed_end = end_of(search, failed),
        .undecided = undecided == NONE ? 0 : undecided,
        .passed_above = above > 0 && find_size(search, above)->fresh ? above : 0,
    };
    answer.stopped = failed != NONE && find_size(search, failed)->state == SEARCH_STOPPED;
    for (size_t i = 0; i < search->size_count; i++) {
        const struct search_size *size = &search->sizes[i];
        if (size->lost && (answer.lost == 0 || size->size < answer.lost))
            answer.lost = size->size;
        if (size->lost && size->size > answer.lost_most)
            answer.lost_most = size->size;
    }
    answer.reason = reason_of(search, &answer);
    return answer;
}

size_t search_fresh_from(const struct search *search, uint64_t size)
{
    const struct search_size *known = find_size(search, size);
    return known != NULL ? known->fresh_from : 0;
}

/* ---------------------------------------------------------------- what remains */

/* The geometric middle of the interval; one doubling beyond the end that is known. */
static uint64_t supposed_capacity(const struct search *search)
{
    struct search_answer answer = search_answer(search);
    if (answer.passed > 0 && answer.failed > 0)
        return (uint64_t)sqrt((double)answer.passed * (double)answer.failed);
    if (answer.failed > 0)
        return answer.failed / 2;
    return twice(search, answer.passed > 0 ? answer.passed : search->ballot.probe.size);
}

struct search_forecast search_foresee(const struct search *search)
{
    struct search_forecast forecast = {0};
    struct search played = *search;
    struct search_probe probe;
    uint64_t capacity = supposed_capacity(search);
    played.sizes = memory_new(search->plan.trials_most, sizeof *played.sizes);
    memcpy(played.sizes, search->sizes, search->size_count * sizeof *played.sizes);
    while (search_next(&played, &probe)) {
        forecast.short_trials += !probe.longer;
        forecast.long_trials += probe.longer;
        search_report(&played, probe.size <= capacity ? JUDGE_PASS : JUDGE_FAIL);
    }
    search_deinit(&played);
    return forecast;
}
