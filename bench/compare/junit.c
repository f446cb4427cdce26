// SPDX-License-Identifier: Apache-2.0
#include "bench/compare/internal.h"

#include "base/clock.h"
#include "base/printable.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* XML has no invisible characters, however they are written: they become visible first. */
static void write_escaped(const char *text, FILE *stream)
{
    size_t size = 10 * strlen(text) + 8;
    char *visible = memory_new(size, 1);
    for (const char *sign = printable_text(text, visible, size); *sign != '\0'; sign++) {
        const char *escape = *sign == '&'    ? "&amp;"
                             : *sign == '<'  ? "&lt;"
                             : *sign == '>'  ? "&gt;"
                             : *sign == '"'  ? "&quot;"
                             : *sign == '\'' ? "&apos;"
                                             : NULL;
        if (escape != NULL)
            fputs(escape, stream);
        else
            putc(*sign, stream);
    }
    free(visible);
}

static void write_attribute(const char *name, const char *value, FILE *stream)
{
    fprintf(stream, " %s=\"", name);
    write_escaped(value, stream);
    putc('"', stream);
}

enum outcome { CASE_PASSED, CASE_FAILED, CASE_ERROR };

/* What is counted beforehand, and written then. */
struct cases {
    FILE *stream; /* NULL: they are counted */
    size_t count, failures, errors;
};

/* name and why: the caller's texts, which are freed. */
static void add_case(struct cases *cases, const char *group, char *name, enum outcome outcome,
                     const char *type, char *why)
{
    FILE *stream = cases->stream;
    cases->count++;
    cases->failures += outcome == CASE_FAILED;
    cases->errors += outcome == CASE_ERROR;
    if (stream != NULL) {
        const char *element = outcome == CASE_FAILED ? "failure" : "error";
        fputs("    <testcase", stream);
        write_attribute("classname", group, stream);
        write_attribute("name", name, stream);
        fputs(" time=\"0\"", stream);
        if (outcome == CASE_PASSED) {
            fputs("/>\n", stream);
        } else {
            fprintf(stream, ">\n      <%s", element);
            write_attribute("type", type, stream);
            write_attribute("message", why, stream);
            fputs("/>\n    </testcase>\n", stream);
        }
    }
    free(name);
    free(why);
}

static void add_gate(const struct comparison *comparison, const struct gate_result *result,
                     struct cases *cases)
{
    static const enum outcome outcomes[] = {[GATE_NO_WORSE] = CASE_PASSED,
                                            [GATE_WORSE] = CASE_FAILED,
                                            [GATE_UNDETERMINED] = CASE_ERROR};
    const struct side *side = result->overall.side;
    struct growing_text why = {0};
    gate_say(comparison, result, &why);
    add_case(cases, result->overall.group,
             memory_format("%s (%s/%s)", result->gate->text, side->letter, side->base->letter),
             outcomes[result->verdict], gate_verdict_word(result->verdict), why.text);
}

static void add_counts(const struct comparison *comparison, const struct ratio_cell *cell,
                       struct cases *cases)
{
    const struct ratio *rpcs = &cell->of[0];
    add_case(cases, cell->place->group,
             memory_format("equal counts at %llu %s (%s/%s)", (unsigned long long)cell->place->size,
                           comparison_size_word(comparison), cell->side->letter,
                           cell->side->base->letter),
             cell->counts_differ ? CASE_FAILED
             : rpcs->is_compared ? CASE_PASSED
                                 : CASE_ERROR,
             cell->counts_differ ? "counts differ" : "undetermined",
             memory_text(cell->counts_differ ? "the counts differ: see compare.csv"
                                             : "no trial can be used on both sides"));
}

static void add_all(const struct comparison *comparison, struct cases *cases)
{
    for (size_t i = 0; i < comparison->side_count; i++) {
        const struct side *side = &comparison->sides[i];
        add_case(cases, "trials",
                 memory_format("own verdicts of %s: %s", side->letter, side->label),
                 side->failed > 0 ? CASE_FAILED : CASE_PASSED, "verdict fails",
                 memory_format("the verdict fails in %zu of %zu trials", side->failed,
                               side->run.trials.rows));
    }
    for (size_t i = 0; comparison->exact && i < comparison->cell_count; i++)
        add_counts(comparison, &comparison->cells[i], cases);
    for (size_t i = 0; i < comparison->result_count; i++)
        add_gate(comparison, &comparison->results[i], cases);
}

static void write_property(const struct side *side, const char *name, const char *value,
                           FILE *stream)
{
    char *named = memory_format("%s.%s", side->letter, name);
    if (value != NULL) {
        fputs("      <property", stream);
        write_attribute("name", named, stream);
        write_attribute("value", value, stream);
        fputs("/>\n", stream);
    }
    free(named);
}

static void write_sums(const struct cases *cases, FILE *stream)
{
    fprintf(stream, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" time=\"0\"", cases->count,
            cases->failures, cases->errors);
}

void comparison_write_junit(FILE *stream, const void *context)
{
    const struct comparison *comparison = context;
    struct cases sums = {0}, cases = {.stream = stream};
    char host[256] = "localhost", time[24];
    gethostname(host, sizeof host - 1);
    clock_format_utc(clock_utc_ns(), 0, time, sizeof time);
    time[strcspn(time, "Z")] = '\0'; /* the schemata know no zone */
    add_all(comparison, &sums);
    /* Without attributes of the root: one of the two schemata that are in use knows none. */
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", stream);
    fputs("  <testsuite id=\"0\" package=\"zkherd\" name=\"compare\"", stream);
    write_sums(&sums, stream);
    write_attribute("hostname", host, stream);
    write_attribute("timestamp", time, stream);
    fputs(">\n    <properties>\n", stream);
    for (size_t i = 0; i < comparison->side_count; i++) {
        const struct side *side = &comparison->sides[i];
        write_property(side, "folder", side->run.folder, stream);
        write_property(side, "zkherd", side->zkherd, stream);
        write_property(side, "zookeeper", side->version, stream);
    }
    fputs("    </properties>\n", stream);
    add_all(comparison, &cases);
    fputs("    <system-out/>\n    <system-err/>\n  </testsuite>\n</testsuites>\n", stream);
}
