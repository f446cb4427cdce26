// SPDX-License-Identifier: Apache-2.0
#include "fleet/loop.h"

#include "base/clock.h"

uint64_t loop_now_ns(const struct loop *loop)
{
    return loop->sim != NULL ? sim_now_ns(loop->sim) : clock_now_ns();
}

enum error_kind loop_turn(const struct loop *loop, uint64_t until_ns, struct error *error)
{
    if (loop->sim == NULL)
        return event_loop_poll(loop->event_loop, until_ns, error);
    if (sim_next_ns(loop->sim) <= until_ns)
        sim_step(loop->sim);
    else
        sim_advance(loop->sim, until_ns);
    return ERROR_NONE;
}
