// SPDX-License-Identifier: Apache-2.0
#include "fleet/pings.h"

#include "base/clock.h"

/* A silence lasts from one request to the next. The next may leave its process later than it was
 * made, by a tenth of the time between two pings at most. */
#define LATE_PART 10

uint64_t pings_most(uint64_t silence_ns, uint32_t timeout_ms)
{
    /* The library divides whole milliseconds, and rounds down the time that has passed. */
    uint64_t third_ms = timeout_ms / 3;
    uint64_t third_ns = third_ms > 1 ? (third_ms - 1) * NS_PER_MS : NS_PER_MS;
    return (silence_ns + third_ns / LATE_PART) / third_ns;
}
