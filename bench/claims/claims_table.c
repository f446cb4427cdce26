// SPDX-License-Identifier: Apache-2.0
#include "bench/claims/claims_table.h"

#include "bench/cli/complain.h"
#include "bench/cli/terminal.h"

/* The columns of an id, of a verdict or a part's name, and where the words begin. */
#define ID_WIDTH   4
#define PART_WIDTH 13
#define INDENT     (ID_WIDTH + PART_WIDTH)

static const char *verdict_of(const struct finding *finding)
{
    return verdict_word(finding_verdict(finding));
}

#define COLUMNS(X)                                                                                 \
    X(claim, csv_text(csv, claim->id))                                                             \
    X(source, csv_text(csv, claim->source))                                                        \
    X(statement, csv_text(csv, claim->statement))                                                  \
    X(experiment, csv_text(csv, finding->experiment))                                              \
    X(expected, csv_text(csv, finding->expected))                                                  \
    X(measured, csv_text(csv, finding->measured))                                                  \
    X(verdict, csv_text(csv, verdict_of(finding)))

const char claims_table_columns[] = COLUMNS(CSV_NAME);

void claims_table_write_row(const struct claim *claim, const struct finding *finding,
                            struct csv *csv)
{
    COLUMNS(CSV_WRITE) csv_end_row(csv);
}

/* Of a claim that could not be tried some parts are empty. */
static void write_part(const char *id, const char *part, const char *words, FILE *stream)
{
    if (words[0] == '\0')
        return;
    fprintf(stream, "%-*s%-*s", ID_WIDTH, id, PART_WIDTH, part);
    wrap_write(words, INDENT, stream);
}

void claims_table_write(const struct claim *claim, const struct finding *finding, FILE *stream)
{
    write_part(claim->id, verdict_of(finding), claim->statement, stream);
    write_part("", "source", claim->source, stream);
    write_part("", "experiment", finding->experiment, stream);
    write_part("", "expected", finding->expected, stream);
    write_part("", "measured", finding->measured, stream);
    fputc('\n', stream);
}

void claims_table_complain(const struct claim *claim, const struct finding *finding)
{
    bool expects = finding->expected[0] != '\0';
    if (finding_verdict(finding) != VERDICT_HOLDS)
        complain_plainly("%s %s: %s%s%smeasured %s", claim->id,
                         finding_verdict(finding) == VERDICT_FAILS ? "fails" : "is undetermined",
                         expects ? "expected " : "", finding->expected, expects ? "; " : "",
                         finding->measured);
}
