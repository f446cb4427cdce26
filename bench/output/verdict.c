// SPDX-License-Identifier: Apache-2.0
#include "bench/output/verdict.h"

const char *verdict_word(enum verdict verdict)
{
    static const char *const words[] = {
        [VERDICT_HOLDS] = "holds",
        [VERDICT_FAILS] = "fails",
        [VERDICT_UNDETERMINED] = "undetermined",
    };
    return words[verdict];
}

enum verdict verdict_of_status(int status)
{
    return status == 0 ? VERDICT_HOLDS : status == 1 ? VERDICT_FAILS : VERDICT_UNDETERMINED;
}

/* A comparison with NaN is false: without an interval neither is. */
enum verdict verdict_rises(const struct interval *ratio)
{
    if (ratio->low > 1)
        return VERDICT_HOLDS;
    return ratio->high < 1 ? VERDICT_FAILS : VERDICT_UNDETERMINED;
}

enum verdict verdict_falls(const struct interval *ratio)
{
    if (ratio->high < 1)
        return VERDICT_HOLDS;
    return ratio->low > 1 ? VERDICT_FAILS : VERDICT_UNDETERMINED;
}

enum verdict verdict_lies(const struct interval *value, double least, double most)
{
    if (value->low >= least && value->high <= most)
        return VERDICT_HOLDS;
    return value->high < least || value->low > most ? VERDICT_FAILS : VERDICT_UNDETERMINED;
}
