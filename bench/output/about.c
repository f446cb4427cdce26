// SPDX-License-Identifier: Apache-2.0
#include "bench/output/about.h"

#include "base/memory.h"
#include "base/text.h"
#include "bench/output/findings.h"
#include "bench/output/folder.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMED_MAX     4   /* a list with more texts has its first and its last */
#define WORD_SIZE     120 /* longer ones are cut */
#define SENTENCE_SIZE 500
#define LINES_SIZE    4096
#define DAY_LENGTH    10 /* of 2026-11-22T12:00:11Z */

/* The members of a plan that are shown, each a value or a list, with what stands around it. */
static const struct {
    const char *key, *before, *behind;
} facts[] = {
    {"recipes", "", "; "},           {"mixes", "", "; "},
    {"objective", "", "; "},         {"clients", "n = ", "; "},
    {"sessions", "", " sessions; "}, {"rates_per_s", "", "/s offered; "},
    {"barriers", "", " barriers; "}, {"server_cpu_percent", "servers with ", " % of a core; "},
    {"background", "beside ", "; "},
};

static const char *text_of(const json_t *text, char word[WORD_SIZE])
{
    return printable_text(json_is_string(text) ? json_string_value(text) : "", word, WORD_SIZE);
}

/* Texts, or numbers, of which the plan has the least first: "10 to 1,000". */
static void add_list(struct growing_text *text, const json_t *list)
{
    size_t count = json_array_size(list);
    bool is_number = json_is_integer(json_array_get(list, 0)),
         is_cut = count > 1 && (is_number || count > NAMED_MAX);
    const char *between = is_number ? " to " : is_cut ? " … " : ", ";
    char word[WORD_SIZE];
    for (size_t i = 0; i < count; i += is_cut && i == 0 ? count - 1 : 1) {
        const json_t *value = json_array_get(list, i);
        growing_text_add(
            text, "%s%s", i > 0 ? between : "",
            is_number ? text_format_count((uint64_t)json_integer_value(value), word, sizeof word)
                      : text_of(value, word));
    }
}

char *about_manifest(const json_t *manifest)
{
    const json_t *servers = json_object_get(manifest, "servers"),
                 *host = json_object_get(manifest, "host");
    const char *driver =
        json_string_value(json_object_get(json_object_get(manifest, "driver"), "driver"));
    bool is_simulated = driver != NULL && strcmp(driver, "simulated") == 0;
    json_int_t cores = json_integer_value(json_object_get(host, "cores"));
    struct growing_text text = {0};
    char word[WORD_SIZE];
    growing_text_add(&text, "%s", is_simulated ? "Simulated: the times come from a model. " : "");
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        json_t *value = json_object_get(json_object_get(manifest, "plan"), facts[i].key),
               *list = json_is_array(value) ? json_incref(value) : json_pack("[O?]", value);
        const json_t *first = json_array_get(list, 0);
        if (json_is_string(first) ? strcmp(json_string_value(first), "none") != 0
                                  : json_integer_value(first) > 0) {
            growing_text_add(&text, "%s", facts[i].before);
            add_list(&text, list);
            growing_text_add(&text, "%s", facts[i].behind);
        }
        json_decref(list);
    }
    growing_text_add(&text, "%zu server%s", json_array_size(servers),
                     text_plural(json_array_size(servers)));
    if (!is_simulated) /* private servers share the machine with the clients */
        growing_text_add(&text, " of ZooKeeper %s; %s on %lld core%s",
                         text_of(json_object_get(json_array_get(servers, 0), "version"), word),
                         json_is_object(json_object_get(manifest, "data")) ? "all" : "clients",
                         (long long)cores, text_plural((uint64_t)cores));
    growing_text_add(&text, "; %.*s", DAY_LENGTH,
                     text_of(json_object_get(manifest, "started"), word));
    growing_text_add(&text, "; zkherd %s", text_of(json_object_get(manifest, "version"), word));
    return text.text;
}

/* ------------------------------------------------------------------ a folder */

struct about {
    struct growing_text lines;
    bool with_verdicts; /* of the folders in it, for it has none of its own */
    char *rest;         /* the last line without its number of servers; NULL: there is none */
};

static void add_verdict(struct growing_text *lines, const char *folder)
{
    char *verdict = findings_summary(folder), shown[SENTENCE_SIZE];
    if (verdict[0] != '\0')
        growing_text_add(lines, "verdict: %s\n", printable_text(verdict, shown, sizeof shown));
    free(verdict);
}

/* Adds the line of a manifest; after one that differs in the number of servers alone, that number.
 */
static void add_line(struct about *about, const json_t *manifest)
{
    size_t count = json_array_size(json_object_get(manifest, "servers"));
    char *line = about_manifest(manifest),
         *servers = memory_format("; %zu server%s", count, text_plural(count));
    const char *at = strstr(line, servers);
    char *rest = at != NULL ? memory_format("%.*s%s", (int)(at - line), line, at + strlen(servers))
                            : memory_text(line);
    bool is_same = about->rest != NULL && strcmp(rest, about->rest) == 0;
    growing_text_add(&about->lines, "%s%s\n", is_same ? "the same with" : line,
                     is_same ? servers + 1 : "");
    free(about->rest);
    about->rest = rest;
    free(servers);
    free(line);
}

/* A manifest that cannot be read is left out: a picture is none the worse. */
static enum error_kind add_folder(void *context, const char *folder, struct error *error)
{
    struct about *about = context;
    json_t *manifest = folder_manifest(folder, error);
    if (json_is_object(manifest)) {
        add_line(about, manifest);
        if (about->with_verdicts)
            add_verdict(&about->lines, folder);
    }
    json_decref(manifest);
    return ERROR_NONE;
}

char *about_folder(const char *folder)
{
    struct about about = {.lines = {.text = memory_text("")}};
    struct error error;
    char text[LINES_SIZE];
    (void)!add_folder(&about, folder, &error);
    about.with_verdicts = !folder_has(folder, finding_table.file);
    if (about.lines.length == 0)
        (void)!folder_each(folder, add_folder, &about, &error);
    if (about.lines.length == 0) {
        (void)text_read(text, sizeof text, "%s/" ABOUT_FILE, folder);
        growing_text_add(&about.lines, "%s", text);
    }
    add_verdict(&about.lines, folder);
    free(about.rest);
    return about.lines.text;
}
