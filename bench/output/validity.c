// SPDX-License-Identifier: Apache-2.0
#include "bench/output/validity.h"

#include "base/text.h"

void validity_lose(struct validity *validity, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_append_clause(validity->reason, sizeof validity->reason, format, arguments);
    va_end(arguments);
    validity->lost = true;
}
