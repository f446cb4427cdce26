// SPDX-License-Identifier: Apache-2.0
#include "bench/output/about.h"

#include "base/memory.h"
#include "base/printable.h"
#include "base/text.h"
#include "bench/output/findings.h"
#include "bench/output/folder.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MANIFESTS_MAX 16
#define PATH_SIZE     (PATH_MAX + 32)

/* A list with more texts has its first and its last. */
#define NAMED_MAX     4
#define WORD_SIZE     120 /* longer ones are cut */
#define NUMBER_SIZE   32
#define SENTENCE_SIZE 500
#define LINES_SIZE    4096
#define DAY_LENGTH    10 /* of 2026-11-22T12:00:11Z */

static json_t *member(const json_t *manifest, const char *object, const char *key)
{
    return json_object_get(json_object_get(manifest, object), key);
}

static const char *text_of(const json_t *text, char word[WORD_SIZE])
{
    return printable_text(json_is_string(text) ? json_string_value(text) : "", word, WORD_SIZE);
}

static void begin_fact(struct growing_text *text)
{
    growing_text_add(text, "%s", text->length > 0 ? "; " : "");
}

/* ------------------------------------------------------------------ the plan */

/* The members of a plan that tell what it is of. Numbers are those from the least to the most. */
static const struct {
    const char *key, *before, *behind;
} facts[] = {
    {"recipes", "", ""},           {"mixes", "", ""},
    {"objective", "", ""},         {"clients", "n = ", ""},
    {"sessions", "", " sessions"}, {"rates_per_s", "", "/s offered"},
    {"barriers", "", " barriers"}, {"background", "beside ", ""},
};

static void add_texts(struct growing_text *text, const json_t *list)
{
    char word[WORD_SIZE];
    size_t count = json_array_size(list);
    for (size_t i = 0; i < count; i++) {
        if (count > NAMED_MAX && i > 0)
            i = count - 1;
        growing_text_add(text, "%s%s",
                         i == 0              ? ""
                         : count > NAMED_MAX ? " … "
                                             : ", ",
                         text_of(json_array_get(list, i), word));
    }
}

static void add_numbers(struct growing_text *text, const json_t *list)
{
    json_int_t least = json_integer_value(json_array_get(list, 0)), most = least;
    char number[NUMBER_SIZE];
    size_t i;
    json_t *value;
    json_array_foreach(list, i, value)
    {
        least = json_integer_value(value) < least ? json_integer_value(value) : least;
        most = json_integer_value(value) > most ? json_integer_value(value) : most;
    }
    growing_text_add(text, "%s", text_format_count((uint64_t)least, number, sizeof number));
    if (most > least)
        growing_text_add(text, " to %s", text_format_count((uint64_t)most, number, sizeof number));
}

/* Adds a value of a plan, if it says something. */
static void add_fact(struct growing_text *text, size_t which, json_t *value)
{
    char word[WORD_SIZE];
    json_t *list = json_is_array(value) ? json_incref(value) : json_array();
    if (json_is_integer(value) ||
        (json_is_string(value) && strcmp(text_of(value, word), "none") != 0))
        json_array_append(list, value);
    if (json_array_size(list) > 0) {
        begin_fact(text);
        growing_text_add(text, "%s", facts[which].before);
        if (json_is_string(json_array_get(list, 0)))
            add_texts(text, list);
        else
            add_numbers(text, list);
        growing_text_add(text, "%s", facts[which].behind);
    }
    json_decref(list);
}

char *about_plan(const json_t *manifest)
{
    struct growing_text text = {.text = memory_text("")};
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        add_fact(&text, i, member(manifest, "plan", facts[i].key));
    return text.text;
}

/* ------------------------------------------------------------------ the place */

static size_t servers_of(const json_t *manifest)
{
    return json_array_size(json_object_get(manifest, "servers"));
}

static const json_t *version_of(const json_t *manifest)
{
    const json_t *servers = json_object_get(manifest, "servers");
    return json_object_get(json_array_get(servers, 0), "version");
}

/* "1, 3 and 5 servers of ZooKeeper 3.8.0"; each release once. */
static void add_servers(struct growing_text *text, json_t *const manifests[], size_t count,
                        bool simulated)
{
    char word[WORD_SIZE];
    size_t named = 0;
    begin_fact(text);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || servers_of(manifests[i]) != servers_of(manifests[i - 1]))
            growing_text_add(text, "%s%zu", i > 0 ? ", " : "", servers_of(manifests[i]));
    }
    growing_text_add(text, " server%s", servers_of(manifests[count - 1]) == 1 ? "" : "s");
    for (size_t i = 0; i < count && !simulated; i++) {
        size_t before = 0;
        while (before < i && !json_equal(version_of(manifests[before]), version_of(manifests[i])))
            before++;
        if (before == i)
            growing_text_add(text, "%s%s", named++ == 0 ? " of ZooKeeper " : ", ",
                             text_of(version_of(manifests[i]), word));
    }
}

const char *about_simulation(const json_t *manifest)
{
    const char *driver = json_string_value(member(manifest, "driver", "driver"));
    return driver != NULL && strcmp(driver, "simulated") == 0
               ? "Simulated: the times come from a model. "
               : "";
}

/* Private servers share the machine with the clients. */
static void add_machine(struct growing_text *text, const json_t *manifest)
{
    json_int_t cores = json_integer_value(member(manifest, "host", "cores")),
               percent = json_integer_value(member(manifest, "plan", "server_cpu_percent"));
    if (percent > 0)
        growing_text_add(text, ", %.2f cores each", (double)percent / 100);
    begin_fact(text);
    growing_text_add(text, "%s on %lld core%s",
                     json_is_object(json_object_get(manifest, "data")) ? "all" : "clients",
                     (long long)cores, cores == 1 ? "" : "s");
}

char *about_place(json_t *const manifests[], size_t count)
{
    const json_t *first = manifests[0];
    bool simulated = about_simulation(first)[0] != '\0';
    char word[WORD_SIZE];
    struct growing_text text = {.text = memory_text("")};
    add_servers(&text, manifests, count, simulated);
    if (!simulated)
        add_machine(&text, first);
    begin_fact(&text);
    growing_text_add(&text, "%.*s; zkherd ", DAY_LENGTH,
                     text_of(json_object_get(first, "started"), word));
    growing_text_add(&text, "%s", text_of(json_object_get(first, "version"), word));
    return text.text;
}

/* ------------------------------------------------------------------ a folder */

struct manifests {
    json_t *list[MANIFESTS_MAX];
    size_t count;
    struct growing_text verdicts; /* a line each */
};

static void add_verdict(struct growing_text *lines, const char *folder)
{
    char *verdict = findings_summary(folder), shown[SENTENCE_SIZE];
    if (verdict[0] != '\0')
        growing_text_add(lines, "verdict: %s\n", printable_text(verdict, shown, sizeof shown));
    free(verdict);
}

/* The first of them, and how many follow. */
static void add_warnings(struct growing_text *lines, const json_t *warnings)
{
    const char *first = json_string_value(json_array_get(warnings, 0));
    size_t count = json_array_size(warnings);
    char shown[SENTENCE_SIZE];
    if (first == NULL)
        return;
    growing_text_add(lines, "%s", printable_text(first, shown, sizeof shown));
    if (count > 1)
        growing_text_add(lines, "; %zu more in manifest.json", count - 1);
    growing_text_add(lines, "\n");
}

/* Those that cannot be read are left out: a picture is none the worse. */
static enum error_kind add_manifest(void *context, const char *folder, struct error *error)
{
    struct manifests *manifests = context;
    (void)error;
    json_t *manifest = manifests->count < MANIFESTS_MAX ? folder_manifest(folder) : NULL;
    if (json_is_object(manifest)) {
        size_t at = manifests->count++; /* in the order of their numbers of servers */
        for (; at > 0 && servers_of(manifests->list[at - 1]) > servers_of(manifest); at--)
            manifests->list[at] = manifests->list[at - 1];
        manifests->list[at] = manifest;
        add_verdict(&manifests->verdicts, folder);
    } else {
        json_decref(manifest);
    }
    return ERROR_NONE;
}

static void add_file(struct growing_text *lines, const char *folder)
{
    char path[PATH_SIZE], text[LINES_SIZE];
    snprintf(path, sizeof path, "%s/" ABOUT_FILE, folder);
    (void)text_read(path, text, sizeof text);
    growing_text_add(lines, "%s", text);
}

static void add_origin(struct growing_text *lines, const struct manifests *manifests)
{
    char *plan = about_plan(manifests->list[0]),
         *place = about_place(manifests->list, manifests->count);
    growing_text_add(lines, "%s%s%s%s\n", about_simulation(manifests->list[0]), plan,
                     plan[0] != '\0' ? "; " : "", place);
    free(plan);
    free(place);
}

char *about_folder(const char *folder, json_t *manifest, const json_t *warnings)
{
    struct manifests manifests = {{json_incref(manifest)}, manifest != NULL, {0}};
    struct growing_text lines = {0}, verdict = {0}; /* its own, or those of the folders in it */
    struct error error;
    add_verdict(&verdict, folder);
    if (manifest == NULL)
        (void)!add_manifest(&manifests, folder, &error);
    if (manifests.count == 0)
        (void)!folder_each(folder, add_manifest, &manifests, &error);
    if (verdict.length == 0)
        verdict = manifests.verdicts;
    else
        free(manifests.verdicts.text);
    if (manifests.count > 0)
        add_origin(&lines, &manifests);
    else
        add_file(&lines, folder);
    growing_text_add(&lines, "%s", verdict.length > 0 ? verdict.text : "");
    add_warnings(&lines,
                 warnings != NULL ? warnings : json_object_get(manifests.list[0], "warnings"));
    for (size_t i = 0; i < manifests.count; i++)
        json_decref(manifests.list[i]);
    free(verdict.text);
    return lines.text;
}
