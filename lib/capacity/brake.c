// SPDX-License-Identifier: Apache-2.0
#include "capacity/brake.h"

#include <sys/param.h>

static uint64_t above(uint64_t value, uint64_t base)
{
    return value > base ? value - base : 0;
}

static void note(struct brake *brake, uint64_t now_ns, const struct brake_counts *counts)
{
    brake->samples[brake->sample_count++ % BRAKE_SAMPLES] =
        (struct brake_sample){now_ns, counts->slow, counts->late};
    brake->checked_ns = now_ns;
}

void brake_begin(struct brake *brake, uint64_t now_ns, const struct brake_counts *counts)
{
    *brake = (struct brake){.at_start = *counts};
    note(brake, now_ns, counts);
}

/* The last sample before the window, or the oldest that is known. */
static const struct brake_sample *window_of(const struct brake *brake, uint64_t now_ns)
{
    uint64_t known = brake->sample_count < BRAKE_SAMPLES ? brake->sample_count : BRAKE_SAMPLES;
    const struct brake_sample *found = NULL;
    for (uint64_t ago = 1; ago <= known; ago++) {
        found = &brake->samples[(brake->sample_count - ago) % BRAKE_SAMPLES];
        if (now_ns - found->at_ns >= BRAKE_WINDOW_NS)
            break;
    }
    return found;
}

enum brake_reason brake_check(struct brake *brake, uint64_t now_ns,
                              const struct brake_counts *counts)
{
    const struct brake_sample *from = window_of(brake, now_ns);
    bool paused = now_ns - brake->checked_ns > BRAKE_PAUSE_NS;
    uint64_t overdue = counts->waits && !paused ? above(counts->due, counts->done) : 0;
    /* The reply to a read that was sent late may not have come yet. */
    uint64_t slow = above(counts->slow - from->slow, counts->late - from->late);
    note(brake, now_ns, counts);
    if (counts->losses > brake->at_start.losses)
        return BRAKE_LOST;
    if (counts->errors > brake->at_start.errors)
        return BRAKE_ERRORS;
    if (overdue >= BRAKE_SLOW_READS)
        return BRAKE_SILENT;
    return slow + overdue >= BRAKE_SLOW_READS ? BRAKE_SLOW : BRAKE_NONE;
}

uint64_t brake_bound_ns(uint64_t alone_p99_ns)
{
    uint64_t p99_ns = MIN(alone_p99_ns, BRAKE_BOUND_MOST_NS / BRAKE_TIMES_ALONE);
    return MAX(BRAKE_TIMES_ALONE * p99_ns, BRAKE_BOUND_LEAST_NS);
}
