// SPDX-License-Identifier: Apache-2.0
#include "trial/stage.h"

#include "base/clock.h"

uint64_t stage_now_ns(const struct stage *stage)
{
    return stage->simulated != NULL ? simulated_now_ns(stage->simulated) : clock_now_ns();
}

enum fault_kind stage_turn(const struct stage *stage, uint64_t until_ns, struct fault *fault)
{
    if (stage->simulated == NULL)
        return events_poll(stage->events, until_ns, fault);
    if (simulated_next_ns(stage->simulated) <= until_ns)
        simulated_step(stage->simulated);
    else
        simulated_advance(stage->simulated, until_ns);
    return FAULT_NONE;
}
