// SPDX-License-Identifier: Apache-2.0
#include "bench/output/interruption.h"

#include "base/text.h"

void interruption_reword(struct error *error, const char *subcommand, const char *piece,
                         size_t kept, size_t planned)
{
    char of[32], whole[32];
    if (error->kind != ERROR_INTERRUPTED)
        return;
    if (kept == 0)
        error_raise(error, ERROR_INTERRUPTED, 0, subcommand, "before a %s ended: nothing is kept",
                    piece);
    else
        error_raise(error, ERROR_INTERRUPTED, 0, subcommand, "%s of %s %ss %s kept",
                    text_format_count(kept, of, sizeof of),
                    text_format_count(planned, whole, sizeof whole), piece,
                    kept == 1 ? "is" : "are");
}
