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
#define NAMED_MAX     4   /* a list with more texts has its first and its last */
#define WORD_SIZE     120 /* longer ones are cut */
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

/* The members of a plan that are shown. Numbers are those from the least to the most. */
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
    bool cut = count > NAMED_MAX;
    for (size_t i = 0; i < count; i += cut && i == 0 ? count - 1 : 1)
        growing_text_add(text, "%s%s",
                         i == 0 ? ""
                         : cut  ? " … "
                                : ", ",
                         text_of(json_array_get(list, i), word));
}

static void add_numbers(struct growing_text *text, const json_t *list)
{
    json_int_t least = json_integer_value(json_array_get(list, 0)), most = least;
    char number[32];
    for (size_t i = 1; i < json_array_size(list); i++) {
        json_int_t other = json_integer_value(json_array_get(list, i));
        least = other < least ? other : least;
        most = other > most ? other : most;
    }
    growing_text_add(text, "%s", text_format_count((uint64_t)least, number, sizeof number));
    if (most > least)
        growing_text_add(text, " to %s", text_format_count((uint64_t)most, number, sizeof number));
}

char *about_plan(const json_t *manifest)
{
    struct growing_text text = {.text = memory_text("")};
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        json_t *value = member(manifest, "plan", facts[i].key),
               *list = json_is_array(value) ? json_incref(value) : json_pack("[O?]", value);
        const json_t *first = json_array_get(list, 0);
        bool is_text = json_is_string(first);
        if (is_text ? strcmp(json_string_value(first), "none") != 0 : json_is_integer(first)) {
            growing_text_add(&text, "%s%s", text.length > 0 ? "; " : "", facts[i].before);
            (is_text ? add_texts : add_numbers)(&text, list);
            growing_text_add(&text, "%s", facts[i].behind);
        }
        json_decref(list);
    }
    return text.text;
}

/* ------------------------------------------------------------------ the place */

static size_t servers_of(const json_t *manifest)
{
    return json_array_size(json_object_get(manifest, "servers"));
}

static const json_t *version_of(const json_t *manifest)
{
    return json_object_get(json_array_get(json_object_get(manifest, "servers"), 0), "version");
}

const char *about_simulation(const json_t *manifest)
{
    const char *driver = json_string_value(member(manifest, "driver", "driver"));
    return driver != NULL && strcmp(driver, "simulated") == 0
               ? "Simulated: the times come from a model. "
               : "";
}

char *about_place(json_t *const manifests[], size_t count)
{
    const json_t *first = manifests[0];
    json_int_t cores = json_integer_value(member(first, "host", "cores")),
               percent = json_integer_value(member(first, "plan", "server_cpu_percent"));
    bool simulated = about_simulation(first)[0] != '\0';
    char word[WORD_SIZE];
    struct growing_text text = {0};
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || servers_of(manifests[i]) != servers_of(manifests[i - 1]))
            growing_text_add(&text, "%s%zu", i > 0 ? ", " : "", servers_of(manifests[i]));
    }
    growing_text_add(&text, " server%s", text_plural(servers_of(manifests[count - 1])));
    for (size_t i = 0; i < count && !simulated; i++) {
        if (i == 0 || !json_equal(version_of(manifests[i]), version_of(manifests[i - 1])))
            growing_text_add(&text, "%s%s", i > 0 ? ", " : " of ZooKeeper ",
                             text_of(version_of(manifests[i]), word));
    }
    if (!simulated && percent > 0)
        growing_text_add(&text, ", %.2f cores each", (double)percent / 100);
    if (!simulated) /* private servers share the machine with the clients */
        growing_text_add(&text, "; %s on %lld core%s",
                         json_is_object(json_object_get(first, "data")) ? "all" : "clients",
                         (long long)cores, text_plural((uint64_t)cores));
    growing_text_add(&text, "; %.*s", DAY_LENGTH, text_of(json_object_get(first, "started"), word));
    growing_text_add(&text, "; zkherd %s", text_of(json_object_get(first, "version"), word));
    return text.text;
}

/* ------------------------------------------------------------------ a folder */

struct manifests {
    json_t *list[MANIFESTS_MAX]; /* in the order of their numbers of servers */
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

/* Those that cannot be read are left out: a picture is none the worse. */
static enum error_kind add_manifest(void *context, const char *folder, struct error *error)
{
    struct manifests *manifests = context;
    json_t *manifest = folder_manifest(folder, error);
    if (manifests->count == MANIFESTS_MAX || !json_is_object(manifest)) {
        json_decref(manifest);
        return ERROR_NONE;
    }
    size_t at = manifests->count++;
    for (; at > 0 && servers_of(manifests->list[at - 1]) > servers_of(manifest); at--)
        manifests->list[at] = manifests->list[at - 1];
    manifests->list[at] = manifest;
    add_verdict(&manifests->verdicts, folder);
    return ERROR_NONE;
}

char *about_folder(const char *folder, json_t *manifest)
{
    struct manifests manifests = {{json_incref(manifest)}, manifest != NULL, {0}};
    struct growing_text lines = {0};
    struct error error;
    char path[FOLDER_FILE_SIZE], text[LINES_SIZE];
    if (manifest == NULL)
        (void)!add_manifest(&manifests, folder, &error);
    if (manifests.count == 0)
        (void)!folder_each(folder, add_manifest, &manifests, &error);
    if (manifests.count > 0) {
        char *plan = about_plan(manifests.list[0]),
             *place = about_place(manifests.list, manifests.count);
        growing_text_add(&lines, "%s%s%s%s\n", about_simulation(manifests.list[0]), plan,
                         plan[0] != '\0' ? "; " : "", place);
        free(plan);
        free(place);
    } else {
        snprintf(path, sizeof path, "%s/" ABOUT_FILE, folder);
        (void)text_read(path, text, sizeof text);
        growing_text_add(&lines, "%s", text);
    }
    size_t before = lines.length;
    add_verdict(&lines, folder); /* its own outweighs those of the folders in it */
    if (lines.length == before && manifests.verdicts.length > 0)
        growing_text_add(&lines, "%s", manifests.verdicts.text);
    for (size_t i = 0; i < manifests.count; i++)
        json_decref(manifests.list[i]);
    free(manifests.verdicts.text);
    return lines.text;
}
