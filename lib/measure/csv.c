// SPDX-License-Identifier: Apache-2.0
#include "measure/csv.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void begin_field(struct csv *csv)
{
    if (csv->in_row)
        putc(',', csv->stream);
    csv->in_row = true;
}

void csv_header(struct csv *csv, const char *names)
{
    size_t length = strlen(names);
    if (length > 0 && names[length - 1] == ',')
        length--;
    begin_field(csv);
    fwrite(names, 1, length, csv->stream);
    csv_end_row(csv);
}

void csv_text(struct csv *csv, const char *text)
{
    begin_field(csv);
    if (text == NULL)
        return;
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, csv->stream);
        return;
    }
    putc('"', csv->stream);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            putc('"', csv->stream);
        putc(*text, csv->stream);
    }
    putc('"', csv->stream);
}

void csv_count(struct csv *csv, uint64_t count)
{
    begin_field(csv);
    fprintf(csv->stream, "%" PRIu64, count);
}

void csv_signed(struct csv *csv, int64_t number)
{
    begin_field(csv);
    fprintf(csv->stream, "%" PRId64, number);
}

void csv_count_if(struct csv *csv, bool known, uint64_t count)
{
    if (known)
        csv_count(csv, count);
    else
        csv_text(csv, NULL);
}

void csv_real(struct csv *csv, double number, int decimals)
{
    begin_field(csv);
    if (isfinite(number))
        fprintf(csv->stream, "%.*f", decimals, number);
}

void csv_end_row(struct csv *csv)
{
    putc('\n', csv->stream);
    csv->in_row = false;
}
