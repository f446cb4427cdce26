// SPDX-License-Identifier: Apache-2.0
#include "bench/page/page_cautions.h"

#include "bench/page/html.h"

#include <string.h>

/* Trials that are not valid, and are told one by one; the table has all. */
#define TOLD_MAX 10

/* Fewer have no interval. */
#define TRIALS_FOR_INTERVAL 5

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
                     "Servers and clients shared one machine of %lld cores: the times are those of "
                     "this machine, and larger machines have others.",
                     (long long)json_integer_value(json_object_get(host, "cores")));
    else
        html_element(stream, "li",
                     "The servers are not zkherd's own: what others sent to them is in the times.");
    if (json_is_false(json_object_get(json_object_get(json, "data"), "fsync")))
        html_element(stream, "li",
                     "Writes did not wait for the disk, as they do on servers that "
                     "keep their data.");
}

static void tell_trials(FILE *stream, const json_t *json)
{
    const json_t *plan = json_object_get(json, "plan");
    json_int_t trials = json_integer_value(json_object_get(plan, "trials"));
    if (trials > 0 && trials < TRIALS_FOR_INTERVAL)
        html_element(stream, "li",
                     "Only %lld trial%s of each cell: with fewer than %d most figures have no "
                     "interval.",
                     (long long)trials, trials == 1 ? "" : "s", TRIALS_FOR_INTERVAL);
    if (json_array_size(json_object_get(plan, "clients_left_out")) > 0)
        html_element(stream, "li",
                     "Some numbers of clients were left out, because the servers or "
                     "--max-clients did not allow them.");
}

static void tell_manifest(FILE *stream, const struct page_manifest *manifest)
{
    const json_t *json = manifest->json;
    const json_t *warnings = json_object_get(json, "warnings");
    const char *cut = json_string_value(json_object_get(json, "cut_short"));
    if (cut != NULL)
        html_element(stream, "li", "%s was cut short: %s. What is shown is of the trials before.",
                     manifest->name, cut);
    for (size_t i = 0; i < json_array_size(warnings); i++) {
        const char *warning = json_string_value(json_array_get(warnings, i));
        html_element(stream, "li", "%s", warning != NULL ? warning : "");
    }
    tell_times(stream, json);
    tell_trials(stream, json);
}

/* ------------------------------------------------------------------ trials that are not valid */

static const struct csv_reader *trials_of(const struct page_source *source)
{
    static const char *const files[] = {"trials.csv", "load.csv", "barriers.csv", "figure8.csv"};
    const struct csv_reader *file = page_source_file(source, files[0]);
    for (size_t i = 0; file->rows == 0 && i < sizeof files / sizeof files[0]; i++)
        file = page_source_file(source, files[i]);
    return file;
}

static void tell_trial(FILE *stream, const struct csv_reader *file, size_t row)
{
    const char *recipe = page_source_text(file, row, "recipe");
    const char *mix = page_source_text(file, row, "mix");
    const char *clients = page_source_text(file, row, "clients");
    const char *sessions = page_source_text(file, row, "sessions");
    html_element(stream, "li", "%s%s, %s clients, trial %s: %s.", recipe, mix,
                 clients[0] != '\0' ? clients : sessions, page_source_text(file, row, "trial"),
                 page_source_text(file, row, "reason"));
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
    html_format(stream, "Of %zu trials %zu do not count in medians and fits:", file->rows, invalid);
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
    for (size_t i = 0; i < source->manifest_count; i++)
        tell_manifest(stream, &source->manifests[i]);
    tell_invalid(stream, source);
    if (source->kind == PAGE_PAPER)
        html_element(stream, "li",
                     "The shape is judged, the figures are not: they are those of "
                     "two machines.");
    fputs("</ul>\n", stream);
}
