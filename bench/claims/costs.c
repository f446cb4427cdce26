// SPDX-License-Identifier: Apache-2.0
#include "bench/claims/costs.h"

#include "bench/claims/growth.h"
#include "bench/claims/releases.h"

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

/* An exact quadratic takes three of them, and FIT_SPARE_LEVELS more. */
static const uint32_t levels[] = {4, 8, 16, 32, 64};

/* A fit takes six levels, and only where the names outweigh the rest does the exponent show. */
static const uint32_t byte_levels[] = {96, 144, 216, 324, 486, 729};

/* The drain whose handoffs are looked at one by one. */
#define QUEUE_CLIENTS 64

static const struct growth_law triangle = {0, 0.5, 0.5}, herd_rpcs = {0, 1, 1},
                               queue_rpcs = {-2, 5, 0}, one_each_but_the_last = {-1, 1, 0},
                               square = {0, 0, 1}, none = {0, 0, 0};

/* ------------------------------------------------------------------ experiments */

enum error_kind costs_of_the_herd(const struct claim *claim, struct testbed *testbed,
                                  struct finding *finding, struct error *error)
{
    struct growth growth;
    enum error_kind kind =
        growth_measure(testbed, claim->recipes[0], levels, COUNT(levels), &growth, finding, error);
    if (kind != ERROR_NONE)
        return kind;
    growth_check(&growth, "CREATEs", TALLY_CREATE, &triangle, finding);
    growth_check(&growth, "RPCs", GROWTH_RPCS, &herd_rpcs, finding);
    return ERROR_NONE;
}

/* Compares one figure of a recipe's drains with its law. */
static enum error_kind try_figure(const struct recipe *recipe, const char *what, int figure,
                                  const struct growth_law *law, struct testbed *testbed,
                                  struct finding *finding, struct error *error)
{
    struct growth growth;
    enum error_kind kind =
        growth_measure(testbed, recipe, levels, COUNT(levels), &growth, finding, error);
    if (kind == ERROR_NONE)
        growth_check(&growth, what, figure, law, finding);
    return kind;
}

enum error_kind costs_of_the_queue(const struct claim *claim, struct testbed *testbed,
                                   struct finding *finding, struct error *error)
{
    enum error_kind kind =
        try_figure(claim->recipes[0], "RPCs", GROWTH_RPCS, &queue_rpcs, testbed, finding, error);
    if (kind != ERROR_NONE)
        return kind;
    return releases_notify_one(claim->recipes[0], QUEUE_CLIENTS, testbed, finding, error);
}

enum error_kind costs_of_a_watched_list(const struct claim *claim, struct testbed *testbed,
                                        struct finding *finding, struct error *error)
{
    enum error_kind kind = try_figure(claim->recipes[0], "notifications", TALLY_NOTIFICATION,
                                      &one_each_but_the_last, testbed, finding, error);
    if (kind != ERROR_NONE)
        return kind;
    return try_figure(claim->recipes[1], "notifications", TALLY_NOTIFICATION, &square, testbed,
                      finding, error);
}

enum error_kind costs_of_the_counter(const struct claim *claim, struct testbed *testbed,
                                     struct finding *finding, struct error *error)
{
    return try_figure(claim->recipes[0], "attempts (setData)", TALLY_SET, &triangle, testbed,
                      finding, error);
}

enum error_kind costs_in_bytes(const struct claim *claim, struct testbed *testbed,
                               struct finding *finding, struct error *error)
{
    static const struct {
        const struct growth_law *names;
        enum fit_verdict bytes;
    } laws[] = {{&square, FIT_QUADRATIC}, {&none, FIT_LINEAR}};
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < COUNT(laws); i++) {
        struct growth growth;
        kind = growth_measure(testbed, claim->recipes[i], byte_levels, COUNT(byte_levels), &growth,
                              finding, error);
        if (kind != ERROR_NONE)
            return kind;
        growth_check(&growth, "names listed", TALLY_NAMES_LISTED, laws[i].names, finding);
        growth_check_class(&growth, "bytes", GROWTH_BYTES, laws[i].bytes, finding);
    }
    return kind;
}
