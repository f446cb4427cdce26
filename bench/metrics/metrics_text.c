// SPDX-License-Identifier: Apache-2.0
#include "bench/metrics/metrics_text.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>

void metrics_text_family(FILE *stream, const char *name, const char *type, const char *help)
{
    fprintf(stream, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void write_label(FILE *stream, char before, const char *name, const char *value)
{
    fprintf(stream, "%c%s=\"", before, name);
    for (const char *at = value; *at != '\0'; at++) {
        if (*at == '\n')
            fputs("\\n", stream);
        else
            fprintf(stream, *at == '\\' || *at == '"' ? "\\%c" : "%c", *at);
    }
    fputc('"', stream);
}

/* What stands in front of the number. */
static void write_name(FILE *stream, const char *name, const char *suffix,
                       const struct metrics_labels *labels, const char *le)
{
    char before = '{';
    fprintf(stream, "%s%s", name, suffix);
    for (size_t i = 0; i < METRICS_LABELS_MAX && labels->of[i].name != NULL; i++) {
        write_label(stream, before, labels->of[i].name, labels->of[i].value);
        before = ',';
    }
    if (le != NULL)
        write_label(stream, before, "le", le);
    fputs(before == ',' || le != NULL ? "} " : " ", stream);
}

static void write_real(FILE *stream, double value)
{
    if (isinf(value))
        fputs(value > 0 ? "+Inf\n" : "-Inf\n", stream);
    else if (isnan(value))
        fputs("NaN\n", stream);
    else
        fprintf(stream, "%.9g\n", value);
}

void metrics_text_count(FILE *stream, const char *name, uint64_t value,
                        const struct metrics_labels *labels)
{
    metrics_text_part(stream, name, "", value, labels, NULL);
}

void metrics_text_real(FILE *stream, const char *name, double value,
                       const struct metrics_labels *labels)
{
    write_name(stream, name, "", labels, NULL);
    write_real(stream, value);
}

void metrics_text_part(FILE *stream, const char *name, const char *suffix, uint64_t value,
                       const struct metrics_labels *labels, const char *le)
{
    write_name(stream, name, suffix, labels, le);
    fprintf(stream, "%" PRIu64 "\n", value);
}

void metrics_text_sum(FILE *stream, const char *name, double value,
                      const struct metrics_labels *labels)
{
    write_name(stream, name, "_sum", labels, NULL);
    write_real(stream, value);
}
