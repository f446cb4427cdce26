// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/plan_searches.h"

#include "bench/answer/plan_knee.h"

#include <stdlib.h>

size_t plan_searches_topology(const struct plan_searches *searches, size_t index)
{
    return index / searches->options->recipe_count;
}

const struct recipe *plan_searches_recipe(const struct plan_searches *searches, size_t index)
{
    return searches->options->recipes[index % searches->options->recipe_count];
}

const struct plan_samples *plan_searches_samples(const struct plan_searches *searches, size_t index)
{
    return &searches->records[plan_searches_topology(searches, index)].samples;
}

enum error_kind plan_searches_begin(struct plan_searches *searches, struct error *error)
{
    const struct plan_options *options = searches->options;
    size_t count = options->target.topology_count * options->recipe_count;
    searches->list = calloc(count, sizeof *searches->list);
    while (searches->list != NULL && searches->count < count) {
        size_t recipe = searches->count % options->recipe_count;
        const struct search_plan plan =
            plan_question_search(&options->question, options->proposals[recipe].size);
        if (!search_init(&searches->list[searches->count], &plan))
            break;
        searches->count++;
    }
    return searches->count == count ? ERROR_NONE
                                    : error_raise(error, ERROR_NO_MEMORY, 0, "searches", "%s", "");
}

void plan_searches_deinit(struct plan_searches *searches)
{
    for (size_t i = 0; i < OPTIONS_TOPOLOGIES_MAX; i++)
        plan_record_free(&searches->records[i]);
    for (size_t i = 0; i < searches->count; i++)
        search_deinit(&searches->list[i]);
    free(searches->list);
    series_deinit(&searches->series);
}

/* ------------------------------------------------------------------ what remains */

/* How long a trial takes that is long or short; 0: unknown. */
static uint64_t expected_ns(const struct plan_searches *searches, bool longer)
{
    const struct plan_experience *same = &searches->experience[longer],
                                 *other = &searches->experience[!longer];
    if (same->trials > 0)
        return same->took_ns / same->trials;
    if (other->trials == 0)
        return 0;
    uint64_t took_ns = other->took_ns / other->trials;
    return longer ? took_ns * PLAN_LONG : took_ns / PLAN_LONG;
}

size_t plan_searches_kept(const struct plan_searches *searches, size_t index)
{
    const struct plan_samples *samples = plan_searches_samples(searches, index);
    size_t count = 0;
    for (size_t i = 0; i < samples->count; i++)
        count += samples->list[i].recipe == plan_searches_recipe(searches, index);
    return count;
}

struct search_forecast plan_searches_foresee(const struct plan_searches *searches, size_t index)
{
    struct search_forecast left, knee = {0};
    if (!search_foresee(&searches->list[index], &left))
        return (struct search_forecast){0};
    if (plan_knee_has_trials(searches->options))
        knee =
            plan_knee_missing(&searches->options->question, plan_searches_samples(searches, index),
                              plan_searches_recipe(searches, index));
    left.short_trials += knee.short_trials;
    left.long_trials += knee.long_trials;
    return left;
}

void plan_searches_progress(struct plan_searches *searches)
{
    struct search_forecast left = {0};
    size_t kept = 0;
    for (size_t i = 0; i < searches->count; i++) {
        const struct search_forecast one = plan_searches_foresee(searches, i);
        left.short_trials += one.short_trials;
        left.long_trials += one.long_trials;
        kept += plan_searches_kept(searches, i);
    }
    searches->series.planned = kept + left.short_trials + left.long_trials;
    searches->series.progress.count = searches->series.planned;
    progress_begin(&searches->series.progress, kept,
                   left.short_trials * expected_ns(searches, false) +
                       left.long_trials * expected_ns(searches, true));
}
