// SPDX-License-Identifier: Apache-2.0
/* columns: those of compare.csv. Layer: bench/compare. */
#ifndef BENCH_COMPARE_COLUMNS_H
#define BENCH_COMPARE_COLUMNS_H

#include "measure/table.h"

#define RATIO_COLUMNS(X, T)                                                                        \
    X(T, recipe, TEXT, "", 0, KEY, "the group: a recipe, or a mix, or the name of the file")       \
    X(T, clients, COUNT, "", 0, KEY, "the size: clients, or sessions, or another number")          \
    X(T, metric, TEXT, "", 0, KEY, "the compared quantity")                                        \
    X(T, pair, TEXT, "", 0, KEY, "`B/A`, `C/A`, …; the second is called a in the columns below")   \
    X(T, label_a, TEXT, "", 0, NONE, "label of the second side of the pair")                       \
    X(T, label_b, TEXT, "", 0, NONE, "label of the first")                                         \
    X(T, a, REAL, "", 3, NONE, "the geometric mean over its trials; exact counts: the smallest")   \
    X(T, a_low, REAL, "", 3, NONE, "its 95 % interval; exact counts: the range")                   \
    X(T, a_high, REAL, "", 3, NONE, "upper end")                                                   \
    X(T, b, REAL, "", 3, NONE, "the same of the first side")                                       \
    X(T, b_low, REAL, "", 3, NONE, "lower end")                                                    \
    X(T, b_high, REAL, "", 3, NONE, "upper end")                                                   \
    X(T, ratio, REAL, "", 4, NONE, "b by a")                                                       \
    X(T, ratio_low, REAL, "", 4, NONE, "lower end of its 95 % interval")                           \
    X(T, ratio_high, REAL, "", 4, NONE, "upper end")                                               \
    X(T, trials_a, COUNT, "", 0, NONE, "trials that were used")                                    \
    X(T, trials_b, COUNT, "", 0, NONE, "trials that were used")                                    \
    X(T, marked, FLAG, "", 0, NONE, "whether the ratio differs from 1, or exact counts do")        \
    X(T, at, TEXT, "", 0, KEY, "other sizes that vary, such as `depth 4`")
TABLE_DECLARE(ratio, RATIO_COLUMNS);

#endif
