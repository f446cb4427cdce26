// SPDX-License-Identifier: Apache-2.0
#include "bench/page/page_cautions.h"

#include "bench/page/html.h"
#include "measure/statistics.h"

#include <stdlib.h>
#include <string.h>

/* Trials that are not valid, and are told one by one; the table has all. */
#define TOLD_MAX 10

_Static_assert(STATISTICS_TRIALS_MIN == 5, "tell_trials says so");

static const char *text_at(const json_t *json, const char *object, const char *key)
{
    const char *text = json_string_value(json_object_get(json_object_get(json, object), key));
    return text != NULL ? text : "";
}

static void tell_times(FILE *stream, const json_t *json)
{
    const json_t *host = json_object_get(json, "host");
    if (strcmp(text_at(json, "driver", "driver"), "simulated") == 0)
        html_element(stream, "li",
                     "No server was measured: all times come from the model of a "
                     "simulation. The counts are those of the recipes.");
    else if (json_is_object(json_object_get(json, "data")))
        html_element(stream, "li",
                     "Servers and clients shared the %lld cores of one machine: the times are "
                     "those of this machine.",
                     (long long)json_integer_value(json_object_get(host, "cores")));
    else
        html_element(stream, "li",
                     "The servers are not zkherd's own: if others used them meanwhile, the times "
                     "show it.");
    if (json_is_false(json_object_get(json_object_get(json, "data"), "fsync")))
        html_element(stream, "li",
                     "Writes did not wait for the disk (--fsync no); on servers that must not lose "
                     "data they take longer.");
}

/* The claims about the paper have intervals from fewer trials. */
static void tell_trials(FILE *stream, const json_t *json, bool of_paper)
{
    const json_t *plan = json_object_get(json, "plan");
    json_int_t trials = json_integer_value(json_object_get(plan, "trials"));
    if (trials > 0 && trials < STATISTICS_TRIALS_MIN)
        html_element(stream, "li", "Only %lld trial%s of each cell: %s.", (long long)trials,
                     trials == 1 ? "" : "s",
                     of_paper ? "the intervals are wide" : "most figures need 5 for an interval");
    if (json_array_size(json_object_get(plan, "clients_left_out")) > 0)
        html_element(stream, "li",
                     "Some numbers of clients were left out, because the servers or "
                     "--max-clients did not allow them.");
}

static void tell_manifest(FILE *stream, const struct page_manifest *manifest, bool of_paper)
{
    const json_t *json = manifest->json;
    const json_t *warnings = json_object_get(json, "warnings");
    const char *cut = json_string_value(json_object_get(json, "cut_short"));
    if (cut != NULL)
        html_element(stream, "li", "The trials ended early: %s. Only those before are shown.", cut);
    for (size_t i = 0; i < json_array_size(warnings); i++) {
        const char *warning = json_string_value(json_array_get(warnings, i));
        html_element(stream, "li", "%s", warning != NULL ? warning : "");
    }
    tell_times(stream, json);
    tell_trials(stream, json, of_paper);
}

/* The same in a text of its own; NULL without memory. */
static char *describe_manifest(const struct page_manifest *manifest, bool of_paper)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    if (stream == NULL)
        return NULL;
    tell_manifest(stream, manifest, of_paper);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

/* What several manifests say is told once. */
static void tell_manifests(FILE *stream, const struct page_source *source)
{
    char *told[PAGE_MANIFESTS_MAX];
    for (size_t i = 0; i < source->manifest_count; i++) {
        bool is_new = true;
        told[i] = describe_manifest(&source->manifests[i], source->kind == PAGE_PAPER);
        for (size_t j = 0; told[i] != NULL && j < i; j++)
            is_new = is_new && (told[j] == NULL || strcmp(told[i], told[j]) != 0);
        if (is_new && told[i] != NULL)
            fputs(told[i], stream);
    }
    for (size_t i = 0; i < source->manifest_count; i++)
        free(told[i]);
}

/* ------------------------------------------------------------------ trials that are not valid */

static const struct csv_reader *trials_of(const struct page_source *source)
{
    static const char *const files[] = {"trials.csv", "load.csv", "barriers.csv", "plan.csv"};
    const struct csv_reader *file = page_source_file(source, files[0]);
    for (size_t i = 0; file->rows == 0 && i < sizeof files / sizeof files[0]; i++)
        file = page_source_file(source, files[i]);
    return file;
}

static void tell_trial(FILE *stream, const struct csv_reader *file, size_t row)
{
    static const struct {
        const char *column, *unit;
    } columns[] = {{"recipe", ""},
                   {"mix", ""},
                   {"clients", " clients"},
                   {"sessions", " sessions"},
                   {"rate_per_s", "/s offered"},
                   {"barriers", " barriers"},
                   {"unknown", ""},
                   {"size", ""}};
    fputs("<li>", stream);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        const char *text = page_source_text(file, row, columns[i].column);
        if (text[0] != '\0')
            html_format(stream, "%s%s, ", text, columns[i].unit);
    }
    const char *trial = page_source_text(file, row, "trial");
    html_format(stream, "trial %s: %s.",
                trial[0] != '\0' ? trial : page_source_text(file, row, "step"),
                page_source_text(file, row, "reason"));
    fputs("</li>\n", stream);
}

static void tell_invalid(FILE *stream, const struct page_source *source)
{
    const struct csv_reader *file = trials_of(source);
    size_t invalid = 0;
    for (size_t row = 0; row < file->rows; row++)
        invalid += !page_source_counts(file, row);
    if (invalid == 0)
        return;
    fputs("<li>", stream);
    html_format(stream, "%zu of %zu trials are not valid, or fail; no median has them:", invalid,
                file->rows);
    fputs("\n<ul>\n", stream);
    for (size_t row = 0, told = 0; row < file->rows && told < TOLD_MAX; row++) {
        if (page_source_counts(file, row))
            continue;
        tell_trial(stream, file, row);
        told++;
    }
    if (invalid > TOLD_MAX)
        html_element(stream, "li", "and %zu more, whose reasons are in the CSV file.",
                     invalid - TOLD_MAX);
    fputs("</ul>\n</li>\n", stream);
}

void page_cautions_write(FILE *stream, const struct page_source *source)
{
    fputs("<ul>\n", stream);
    tell_manifests(stream, source);
    tell_invalid(stream, source);
    if (source->kind == PAGE_PAPER)
        html_element(stream, "li",
                     "The shape is judged, the figures are not: those of the paper come from other "
                     "machines.");
    fputs("</ul>\n", stream);
}
