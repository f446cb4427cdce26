// SPDX-License-Identifier: Apache-2.0
#include "bench/compare/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Trials of a side, for statistics_contrast. */
struct gathered {
    struct statistics_trial *list;
    size_t count;
};

static void add_trials(struct gathered *gathered, size_t size, const double *values,
                       const size_t *rounds, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        gathered->list = memory_grow(gathered->list, gathered->count, sizeof *gathered->list);
        gathered->list[gathered->count++] =
            (struct statistics_trial){size, rounds[i], log(values[i])};
    }
}

static bool are_positive(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!(values[i] > 0))
            return false;
    }
    return true;
}

/* Adds the trials of a place, if both sides have so many; else it is left out. What is 0, as the
 * notifications of one client, has no ratio. */
static void add_place(const struct comparison *comparison, const struct place *place, size_t least,
                      struct overall *overall, struct gathered sides[2])
{
    const struct side *const pair[] = {overall->side->base, overall->side};
    double *values[2];
    size_t *rounds[2], counts[2];
    bool enough = true;
    for (size_t i = 0; i < 2; i++) {
        values[i] =
            comparison_values(comparison, pair[i], place, overall->metric, &counts[i], &rounds[i]);
        enough = enough && counts[i] >= least && are_positive(values[i], counts[i]);
    }
    if (enough) {
        if (overall->sizes == 0 || counts[0] < overall->trials_a)
            overall->trials_a = counts[0];
        if (overall->sizes == 0 || counts[1] < overall->trials_b)
            overall->trials_b = counts[1];
        overall->only = place->size;
        for (size_t i = 0; i < 2; i++)
            add_trials(&sides[i], overall->sizes, values[i], rounds[i], counts[i]);
        overall->sizes++;
    } else {
        overall->left_out++;
    }
    for (size_t i = 0; i < 2; i++) {
        free(values[i]);
        free(rounds[i]);
    }
}

/* The mean over sizes of the mean logarithm. */
static double mean_of(const struct gathered *side, size_t sizes)
{
    double mean = 0;
    for (size_t i = 0; i < side->count; i++) {
        size_t alike = 0;
        for (size_t j = 0; j < side->count; j++)
            alike += side->list[j].size == side->list[i].size;
        mean += side->list[i].log / (double)alike / (double)sizes;
    }
    return mean;
}

static struct overall over_places(const struct comparison *comparison, struct overall overall,
                                  const uint64_t *size, size_t least)
{
    struct gathered sides[2] = {{0}};
    for (size_t i = 0; i < comparison->place_count; i++) {
        const struct place *place = &comparison->places[i];
        if (strcmp(place->group, overall.group) == 0 && (size == NULL || place->size == *size))
            add_place(comparison, place, least, &overall, sides);
    }
    overall.contrast = statistics_contrast(
        (struct statistics_trials){sides[1].list, sides[1].count},
        (struct statistics_trials){sides[0].list, sides[0].count}, overall.sizes);
    if (overall.sizes > 0 && least >= STATISTICS_TRIALS_MIN)
        overall.ratio = statistics_contrast_interval(&overall.contrast, overall.confidence);
    else if (overall.sizes > 0)
        overall.ratio.value =
            exp(mean_of(&sides[1], overall.sizes) - mean_of(&sides[0], overall.sizes));
    free(sides[0].list);
    free(sides[1].list);
    return overall;
}

struct overall comparison_over(const struct comparison *comparison, const char *group,
                               const struct side *side, size_t metric, const uint64_t *size,
                               double confidence)
{
    struct overall none = {.group = group,
                           .side = side,
                           .metric = metric,
                           .ratio = {NAN, NAN, NAN},
                           .confidence = confidence};
    struct overall overall = over_places(comparison, none, size, STATISTICS_TRIALS_MIN);
    /* Without an interval the ratio is told all the same. */
    return overall.sizes > 0 ? overall : over_places(comparison, none, size, 1);
}
