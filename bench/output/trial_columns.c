// SPDX-License-Identifier: Apache-2.0
#include "bench/output/trial_columns.h"

TABLE_DEFINE(trial_row, "trials.csv", TRIAL_ROW_COLUMNS)
TABLE_DEFINE(handoff_row, "handoffs.csv", HANDOFF_ROW_COLUMNS)
