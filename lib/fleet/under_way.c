// SPDX-License-Identifier: Apache-2.0
#include "fleet/under_way.h"

/* How long a server that is behind is left alone before it is asked again. */
#define FOLLOW_NS NS_PER_MS

/* How often it is looked whether notifications have come, and for how long after the last that
 * came. */
#define ARRIVAL_NS      NS_PER_MS
#define ARRIVAL_MOST_NS (2 * NS_PER_S)

/* ------------------------------------------------------------------ servers that are behind */

enum error_kind under_way_follow(struct watchdog *watchdog, uint64_t *mark, bool *reached)
{
    uint64_t longest_ns;
    enum error_kind kind =
        server_counters_follow(watchdog->counters, mark, reached, &longest_ns, watchdog->error);
    if (kind == ERROR_NONE && watchdog->kind->asked != NULL)
        watchdog->kind->asked(watchdog->context, longest_ns);
    return kind;
}

enum fleet_end under_way_catch_up(struct watchdog *watchdog)
{
    uint64_t mark = 0;
    bool reached = watchdog->workers->fleet.shared->plan->servers->count == 1;
    enum fleet_end end = END_DONE;
    while (end == END_DONE && !reached) {
        end = fleet_end_of(under_way_follow(watchdog, &mark, &reached));
        if (end == END_DONE && !reached)
            end = watchdog_wait(watchdog, FOLLOW_NS);
    }
    return end;
}

/* ------------------------------------------------------------------ notifications */

/* As long as any come. */
static enum fleet_end await_arrivals(struct watchdog *watchdog, uint64_t sent)
{
    uint64_t count = watchdog->kind->received(watchdog->context);
    uint64_t moved_ns = loop_now_ns(watchdog->loop);
    while (count < sent && loop_now_ns(watchdog->loop) - moved_ns < ARRIVAL_MOST_NS) {
        uint64_t before = count;
        watchdog_rest(watchdog);
        enum fleet_end end = watchdog_wait(watchdog, ARRIVAL_NS);
        if (end != END_DONE)
            return end;
        count = watchdog->kind->received(watchdog->context);
        if (count != before)
            moved_ns = loop_now_ns(watchdog->loop);
    }
    return END_DONE;
}

enum fleet_end under_way_receive(struct watchdog *watchdog,
                                 const struct server_counters_reading *at_start)
{
    struct server_counters_reading reading;
    uint32_t sessions = watchdog->workers->fleet.shared->plan->sessions;
    if (!at_start->known || server_counters_is_shared(at_start, sessions))
        return END_DONE;
    enum fleet_end end = under_way_catch_up(watchdog);
    if (end != END_DONE)
        return end;
    if (server_counters_read(watchdog->counters, &reading, watchdog->error) != ERROR_NONE)
        return END_ERROR;
    return await_arrivals(watchdog, reading.notifications - at_start->notifications);
}
