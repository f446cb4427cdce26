// SPDX-License-Identifier: Apache-2.0
/* Warnings of a series: on stderr, and in the manifest of their record. */
#include "bench/output/series.h"

#include "bench/cli/complain.h"

#include <stdarg.h>
#include <stdio.h>

void series_warn(const struct series *series, struct series_record *record, const char *format, ...)
{
    char warning[800];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(warning, sizeof warning, format, arguments);
    va_end(arguments);
    if (!series->options.output->quiet)
        complain_mildly("%s", warning);
    manifest_warn(&record->manifest, warning);
}

const char *series_where(const struct series *series, const struct series_record *record,
                         char where[100])
{
    bool several = series->options.target->topology_count > 1;
    snprintf(where, 100, "%s%s", several ? record->target : "", several ? ": " : "");
    return where;
}

void series_keep(const struct series *series, struct series_record *record,
                 const struct shared *fleet, const char *not_reconciled)
{
    char where[100];
    manifest_sessions(&record->manifest, fleet);
    if (not_reconciled[0] != '\0' && !record->warned)
        series_warn(series, record, "%scannot cross-check against the servers' counters: %s",
                    series_where(series, record, where), not_reconciled);
    record->warned = record->warned || not_reconciled[0] != '\0';
}
