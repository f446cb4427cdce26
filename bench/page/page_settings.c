// SPDX-License-Identifier: Apache-2.0
/* What the manifests of results say: what was measured, how, and what a reader has to be careful
 * about. */
#include "base/memory.h"
#include "bench/page/internal.h"
#include "measure/statistics.h"

#include <stdlib.h>
#include <string.h>

#define DATE_LENGTH 10 /* of 2026-11-22T12:00:11Z */

/* Trials that are not valid, and are told one by one; the table has all. */
#define TOLD_MAX 10

_Static_assert(STATISTICS_TRIALS_MIN == 5, "tell_manifest says so");

static long long count_of(const struct page_manifest *manifest, const char *key)
{
    return json_integer_value(json_object_get(manifest->json, key));
}

static const char *text_of(const json_t *object, const char *key)
{
    return page_json_text(json_object_get(object, key));
}

static bool is_simulated(const struct page_manifest *manifest)
{
    return strcmp(page_json_text(page_json(manifest, "driver", "driver")), "simulated") == 0;
}

/* Before item i of a list: "a, b and c". */
static const char *comma(size_t i, size_t count)
{
    return i == 0 ? "" : i + 1 < count ? ", " : " and ";
}

/* ------------------------------------------------------------------ what was measured, and where
 */

static void put_subject(FILE *stream, const struct page_source *source)
{
    static const char *const subjects[PAGE_KINDS] = {
        [PAGE_RUN] = "What clients pay for ",
        [PAGE_LOAD] = "How many requests a second the servers answer, and in what time.",
        [PAGE_PAPER] = ("An experiment of the ZooKeeper paper (Hunt et al., USENIX ATC 2010), made "
                        "again on other machines, and its shape compared with the paper's."),
        [PAGE_PLAN] = "How many ",
        [PAGE_TAP] = "What the clients of a program send to ZooKeeper, and what that causes."};
    const struct page_manifest *manifest = &source->manifests[0];
    const json_t *recipes = page_json(manifest, "plan", "recipes");
    size_t count = json_array_size(recipes);
    html_text(stream, subjects[source->kind]);
    if (source->kind == PAGE_PLAN)
        html_format(stream, "%s meet the objective %s, with ",
                    page_unit(page_json_text(page_json(manifest, "plan", "unknown"))),
                    page_json_text(page_json(manifest, "plan", "objective")));
    if (source->kind == PAGE_LOAD || source->kind == PAGE_PAPER || source->kind == PAGE_TAP)
        return;
    html_text(stream, count == 1 ? "the recipe " : "the recipes ");
    for (size_t i = 0; i < count; i++)
        html_format(stream, "%s%s", comma(i, count), page_json_text(json_array_get(recipes, i)));
    html_text(stream, source->kind == PAGE_PLAN
                          ? ": a search."
                          : ": requests, bytes and times, against the number of clients.");
}

static void put_circumstances(FILE *stream, const struct page_source *source)
{
    long long trials = 0;
    for (size_t i = 0; i < source->manifest_count; i++)
        trials += count_of(&source->manifests[i], "trials_finished");
    html_format(stream, " %lld trial%s on ", trials, trials == 1 ? "" : "s");
    for (size_t i = 0; i < source->manifest_count; i++) {
        const json_t *servers = json_object_get(source->manifests[i].json, "servers");
        size_t count = json_array_size(servers);
        bool simulated = is_simulated(&source->manifests[i]);
        html_format(stream, "%s%zu %sserver%s%s%s", comma(i, source->manifest_count), count,
                    simulated ? "simulated " : "", count == 1 ? "" : "s",
                    simulated ? "" : " of ZooKeeper ",
                    simulated ? "" : text_of(json_array_get(servers, 0), "version"));
    }
    html_format(stream, ", %.*s.", DATE_LENGTH, text_of(source->manifests[0].json, "started"));
}

void page_lead_write(FILE *stream, const struct page_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        fputs("<p>", stream);
        if (sources->count > 1)
            html_format(stream, "%s: ", sources->list[i].label);
        put_subject(stream, &sources->list[i]);
        put_circumstances(stream, &sources->list[i]);
        fputs("</p>\n", stream);
    }
}

/* ------------------------------------------------------------------ the command and the settings
 */

/* As a shell takes it. */
static void put_argument(FILE *stream, const char *argument)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./:,=@%+";
    bool is_plain = argument[0] != '\0' && argument[strspn(argument, plain)] == '\0';
    html_text(stream, is_plain ? argument : "'");
    while (!is_plain && *argument != '\0') {
        size_t length = strcspn(argument, "'");
        html_format(stream, "%.*s%s", (int)length, argument,
                    argument[length] != '\0' ? "'\\''" : "");
        argument += length + (argument[length] != '\0');
    }
    html_text(stream, is_plain ? "" : "'");
}

static void put_lines(FILE *stream, const char *text)
{
    fputs("<pre>", stream);
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        html_format(stream, "%.*s", (int)length, text);
        fputc('\n', stream);
        text += length + (text[length] == '\n');
    }
    fputs("</pre>\n", stream);
}

static void put_json(FILE *stream, const json_t *value)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
    html_text(stream, json_is_string(value) ? json_string_value(value) : text != NULL ? text : "");
    free(text);
}

/* The elements of a list with commas between; no value, and no element, is none. */
static void put_value(FILE *stream, const char *name, const json_t *value)
{
    size_t count = json_array_size(value);
    fputs("<tr>", stream);
    html_element(stream, "th scope=\"row\"", "%s", name);
    fputs("<td>", stream);
    for (size_t i = 0; i < count; i++) {
        html_text(stream, i > 0 ? ", " : "");
        put_json(stream, json_array_get(value, i));
    }
    if (json_is_null(value) || (json_is_array(value) && count == 0))
        html_text(stream, "none");
    else if (!json_is_array(value))
        put_json(stream, value);
    fputs("</td></tr>\n", stream);
}

/* The members of an object, without those that have members of their own. What an earlier manifest
 * of the source says too, is named. */
static void put_object(FILE *stream, const struct page_source *source, size_t index,
                       const char *member, const char *what, const char *label)
{
    json_t *object = json_object_get(source->manifests[index].json, member);
    const char *name;
    json_t *value;
    if (json_object_size(object) == 0)
        return;
    for (size_t i = 0; i < index; i++) {
        if (json_equal(json_object_get(source->manifests[i].json, member), object)) {
            html_element(stream, "p", "%s: as of %s.", what, source->manifests[i].name);
            return;
        }
    }
    html_table_begin(stream, memory_format("%s of %s", what, label));
    html_element(stream, "th scope=\"col\"", "name");
    html_element(stream, "th scope=\"col\"", "value");
    html_table_rows(stream);
    json_object_foreach(object, name, value)
    {
        if (!json_is_object(value))
            put_value(stream, name, value);
    }
    html_table_end(stream);
}

static void put_server(FILE *stream, const json_t *server)
{
    const char *configuration = text_of(server, "configuration");
    html_element(stream, "p", "%s: ZooKeeper %s, %s %s", text_of(server, "endpoint"),
                 text_of(server, "version"), text_of(server, "mode"), text_of(server, "jvm"));
    fputs("<details class=\"long\">\n", stream);
    html_element(stream, "summary", "The configuration of %s", text_of(server, "endpoint"));
    put_lines(stream, configuration[0] != '\0' ? configuration : text_of(server, "settings"));
    put_lines(stream, text_of(server, "jvm_command"));
    fputs("</details>\n", stream);
}

/* Each of several manifests in a source has its own name. */
static void put_manifest(FILE *stream, const struct page_source *source, size_t index)
{
    static const char *const objects[][2] = {{"host", "The machine"},
                                             {"driver", "The driver of the clients"},
                                             {"data", "The data of the servers"},
                                             {"plan", "The settings"}};
    const struct page_manifest *manifest = &source->manifests[index];
    const json_t *command = json_object_get(manifest->json, "command");
    const json_t *servers = json_object_get(manifest->json, "servers");
    bool alone = source->manifest_count == 1;
    char *label =
        memory_format("%s%s%s", source->label, alone ? "" : "/", alone ? "" : manifest->name);
    html_element(stream, "h3", "%s", label);
    html_element(stream, "p",
                 "The command, to be repeated with another folder for -o; --seed %lld repeats its "
                 "random choices:",
                 count_of(manifest, "seed"));
    fputs("<pre><code>", stream);
    for (size_t i = 0; i < json_array_size(command); i++) {
        fputs(i > 0 ? " " : "", stream);
        put_argument(stream, page_json_text(json_array_get(command, i)));
    }
    fputs("</code></pre>\n", stream);
    html_element(stream, "p", "zkherd %s; from %s to %s.", text_of(manifest->json, "version"),
                 text_of(manifest->json, "started"), text_of(manifest->json, "ended"));
    for (size_t i = 0; i < sizeof objects / sizeof objects[0]; i++)
        put_object(stream, source, index, objects[i][0], objects[i][1], label);
    for (size_t i = 0; i < json_array_size(servers); i++)
        put_server(stream, json_array_get(servers, i));
    free(label);
}

void page_settings_write(FILE *stream, const struct page_source *source)
{
    for (size_t i = 0; i < source->manifest_count; i++)
        put_manifest(stream, source, i);
}

/* ------------------------------------------------------------------ cautions */

static void tell_times(FILE *stream, const struct page_manifest *manifest)
{
    if (is_simulated(manifest))
        html_element(stream, "li",
                     "No server was measured: all times come from the model of a simulation. The "
                     "counts are those of the recipes.");
    else if (json_is_object(json_object_get(manifest->json, "data")))
        html_element(stream, "li",
                     "Servers and clients shared the %lld cores of one machine: the times are "
                     "those of this machine.",
                     (long long)json_integer_value(page_json(manifest, "host", "cores")));
    else
        html_element(stream, "li",
                     "The servers are not zkherd's own: if others used them meanwhile, the times "
                     "show it.");
    if (json_is_false(page_json(manifest, "data", "fsync")))
        html_element(stream, "li",
                     "Writes did not wait for the disk (--fsync no); on servers that must not lose "
                     "data they take longer.");
}

/* The claims about the paper have intervals from fewer trials. */
static void tell_manifest(FILE *stream, const struct page_manifest *manifest, bool of_paper)
{
    const json_t *warnings = json_object_get(manifest->json, "warnings");
    const char *cut = text_of(manifest->json, "cut_short");
    long long trials = json_integer_value(page_json(manifest, "plan", "trials"));
    if (cut[0] != '\0')
        html_element(stream, "li", "The trials ended early: %s. Only those before are shown.", cut);
    for (size_t i = 0; i < json_array_size(warnings); i++)
        html_element(stream, "li", "%s", page_json_text(json_array_get(warnings, i)));
    tell_times(stream, manifest);
    if (trials > 0 && trials < STATISTICS_TRIALS_MIN)
        html_element(stream, "li", "Only %lld trial%s of each cell: %s.", trials,
                     trials == 1 ? "" : "s",
                     of_paper ? "the intervals are wide" : "most figures need 5 for an interval");
    if (json_array_size(page_json(manifest, "plan", "clients_left_out")) > 0)
        html_element(stream, "li",
                     "Some numbers of clients were left out, because the servers or --max-clients "
                     "did not allow them.");
}

/* What several manifests say is told once. */
static void tell_manifests(FILE *stream, const struct page_source *source)
{
    char *told[PAGE_MANIFESTS_MAX] = {NULL};
    for (size_t i = 0; i < source->manifest_count; i++) {
        size_t length, j = 0;
        FILE *text = memory_stream(&told[i], &length);
        tell_manifest(text, &source->manifests[i], source->kind == PAGE_PAPER);
        memory_stream_end(text);
        while (j < i && strcmp(told[i], told[j]) != 0)
            j++;
        fputs(j == i ? told[i] : "", stream);
    }
    for (size_t i = 0; i < source->manifest_count; i++)
        free(told[i]);
}

static void tell_invalid(FILE *stream, const struct csv_reader *trials)
{
    size_t invalid = 0;
    for (size_t row = 0; row < trials->rows; row++)
        invalid += !page_counts(trials, row);
    if (invalid == 0)
        return;
    fputs("<li>", stream);
    html_format(stream, "%zu of %zu trials are not valid, or fail, and are in no median:", invalid,
                trials->rows);
    fputs("\n<ul>\n", stream);
    for (size_t row = 0, told = 0; row < trials->rows && told < TOLD_MAX; row++) {
        if (page_counts(trials, row))
            continue;
        told++;
        struct growing_text text = {0};
        html_fill(&text,
                  "[{recipe}, ][{mix}, ][{clients} clients, ][{sessions} sessions, ]"
                  "[{rate_per_s}/s offered, ][{barriers} barriers, ][{unknown}, ][{size}, ]trial ",
                  trials, row);
        html_fill(&text,
                  page_text(trials, row, "trial")[0] != '\0' ? "{trial}: {reason}."
                                                             : "{step}: {reason}.",
                  trials, row);
        html_take_element(stream, "li", text.text);
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
    tell_invalid(stream, page_trials(source));
    if (source->kind == PAGE_PAPER)
        html_element(
            stream, "li",
            "Only the shape is judged: the figures of the paper come from other machines.");
    fputs("</ul>\n", stream);
}
