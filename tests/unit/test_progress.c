// SPDX-License-Identifier: Apache-2.0
/* The line of a trial: what it says, and that a narrow terminal cuts its end. */
#include "bench/cli/progress.h"

#include "base/clock.h"

#include "tests/support/test.h"

static const struct progress progress = {.count = 729, .at = 122};

static const struct progress_name name = {"ensemble3", "nonscalable n=250", 3, 250};

#define LEFT_NS (125 * NS_PER_S)

static const struct trial_progress opening = {.established = 120};
static const struct trial_progress draining = {.arrivals = 250,
                                               .handoffs = 37,
                                               .handoffs_due = 250,
                                               .rpcs = 24000,
                                               .elapsed_ns = 2 * NS_PER_S};

static void assert_line(const struct progress_name *its_name, const struct trial_progress *trial,
                        uint64_t left_ns, unsigned columns, const char *expected)
{
    char line[PROGRESS_LINE_SIZE];
    progress_format(&progress, its_name, trial, left_ns, columns, line);
    assert_string_equal(line, expected);
}

TEST(it_tells_how_far_the_trial_is)
{
    struct trial_progress arriving = draining, passing = draining, stalled = draining,
                          endless = draining;
    const struct progress_name alone = {"", "C2: nonscalable n=64", 0, 64};
    arriving.arrivals = 120;
    arriving.arrivals_due = 250;
    passing.passages = 1234;
    passing.passages_due = 4000;
    stalled.stalled_ns = 12 * NS_PER_S;
    stalled.stalled_at = "127.0.0.1:2182";
    endless.handoffs_due = UINT64_MAX;
#define NAME  "ensemble3 nonscalable n=250 trial 3, "
#define BEGUN "[123/729] about 2 min left: " NAME
    assert_line(&name, &opening, LEFT_NS, 200, "[123/729] " NAME "sessions: 120 of 250");
    assert_line(&name, &arriving, LEFT_NS, 200, BEGUN "arrivals: 120 of 250, 12,000 RPCs/s");
    assert_line(&name, &draining, LEFT_NS, 200, BEGUN "handoffs: 37 of 250, 12,000 RPCs/s");
    assert_line(&name, &passing, LEFT_NS, 200, BEGUN "passages: 1,234 of 4,000, 12,000 RPCs/s");
    assert_line(&name, &stalled, LEFT_NS, 200,
                BEGUN "stalled for 12.0 s: 127.0.0.1:2182 owes an answer, 12,000 RPCs/s");
    stalled.stalled_at = "";
    assert_line(&alone, &stalled, 0, 78,
                "[123/729] C2: nonscalable n=64, stalled for 12.0 s: a server owes an answer...");
    assert_line(&alone, &endless, 0, 200,
                "[123/729] C2: nonscalable n=64, handoffs: 37, 12,000 RPCs/s");
}

TEST(no_line_is_longer_than_the_terminal_is_wide)
{
    const struct progress_name longest = {"a-host.of-a.long-domain.example-12181",
                                          "broken-norecheck-and-more n=1000000", 1000000, 1000000};
    struct trial_progress most = draining;
    most.handoffs = most.handoffs_due = UINT64_MAX - 1;
    most.rpcs = UINT64_MAX;
    for (unsigned columns = 3; columns < 300; columns++) {
        char line[PROGRESS_LINE_SIZE];
        progress_format(&progress, &longest, &most, UINT64_MAX, columns, line);
        assert_true(strlen(line) <= columns);
    }
}
