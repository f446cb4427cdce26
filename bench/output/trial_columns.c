// SPDX-License-Identifier: Apache-2.0
#include "bench/output/trial_columns.h"

#include <math.h>

TABLE_DEFINE(trial_row, "trials.csv", TRIAL_ROW_COLUMNS)
TABLE_DEFINE(handoff_row, "handoffs.csv", HANDOFF_ROW_COLUMNS)
TABLE_DEFINE(trace_row, "trace.csv", TRACE_ROW_COLUMNS)

void handoff_row_fill(struct table_value *row, const struct handoff_facts *facts)
{
    row[handoff_row_lock] = table_count(facts->lock);
    row[handoff_row_handoff] = table_count(facts->handoff);
    row[handoff_row_waiters] = table_count(facts->waiters);
    row[handoff_row_holder] = table_count_if(facts->holder != 0, facts->holder - 1);
    row[handoff_row_granted] = table_count(facts->granted);
    row[handoff_row_died] = table_count_if(facts->died != 0, facts->died - 1);
    row[handoff_row_rpcs] = table_count(tally_rpcs(facts->tally));
    row[handoff_row_handoff_us] =
        table_real(facts->handoff_ns > 0 ? (double)facts->handoff_ns / 1e3 : NAN);
#define X(name, column) row[handoff_row_##column] = table_count(facts->tally->of[TALLY_##name]);
    TALLY_LIST(X)
#undef X
}
