// SPDX-License-Identifier: Apache-2.0
/* How results were made, as their manifests say: the command, and all settings. */
#include "base/memory.h"
#include "bench/page/internal.h"

#include <stdlib.h>
#include <string.h>

/* As a shell reads it. */
static void write_argument(FILE *stream, const char *argument)
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

static void write_command(FILE *stream, const json_t *manifest)
{
    const json_t *command = json_object_get(manifest, "command");
    html_element(stream, "p",
                 "The command, to be repeated with another folder for -o; --seed %lld repeats its "
                 "random choices:",
                 (long long)json_integer_value(json_object_get(manifest, "seed")));
    fputs("<pre><code>", stream);
    for (size_t i = 0; i < json_array_size(command); i++) {
        fputs(i > 0 ? " " : "", stream);
        write_argument(stream, page_json_text(json_array_get(command, i)));
    }
    fputs("</code></pre>\n", stream);
    html_element(stream, "p", "zkherd %s; from %s to %s.",
                 page_json_text(json_object_get(manifest, "version")),
                 page_json_text(json_object_get(manifest, "started")),
                 page_json_text(json_object_get(manifest, "ended")));
}

/* A text keeps its lines; no value is none. */
static void write_scalar(FILE *stream, const json_t *value)
{
    char *text = json_is_string(value)
                     ? memory_text(json_string_value(value))
                     : json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
    char *rest = text, *line;
    while (!json_is_null(value) && (line = strsep(&rest, "\n")) != NULL) {
        fputs(line == text ? "" : "<br/>", stream);
        html_text(stream, line);
    }
    html_text(stream, json_is_null(value) ? "none" : "");
    free(text);
}

static void write_row(FILE *stream, const char *name, json_t *value)
{
    size_t i;
    json_t *item;
    fputs("<tr>", stream);
    html_element(stream, "th scope=\"row\"", "%s", name);
    fputs("<td>", stream);
    json_array_foreach(value, i, item)
    {
        fputs(i > 0 ? ", " : "", stream);
        write_scalar(stream, item);
    }
    if (json_array_size(value) == 0)
        write_scalar(stream, json_is_array(value) ? json_null() : value);
    fputs("</td></tr>\n", stream);
}

/* A row for each value in a member: "host.cores", "servers.1.version". */
static void write_member(FILE *stream, const char *name, json_t *value)
{
    const char *key;
    size_t i;
    json_t *inner;
    if (!json_is_object(value) && !json_is_object(json_array_get(value, 0)))
        write_row(stream, name, value);
    json_object_foreach(value, key, inner)
    {
        char *path = memory_format("%s.%s", name, key);
        write_member(stream, path, inner);
        free(path);
    }
    for (i = 0; json_is_object(json_array_get(value, i)); i++) {
        char *path = memory_format("%s.%zu", name, i + 1);
        write_member(stream, path, json_array_get(value, i));
        free(path);
    }
}

/* The members that a reader looks for first, or the others. */
static void write_table(FILE *stream, json_t *manifest, bool first, const char *what,
                        const char *label)
{
    static const char *const firsts[] = {"host", "driver", "data", "plan"};
    char *caption = memory_format("%s of %s", what, label);
    const char *key;
    json_t *value;
    html_table_begin(stream, caption);
    html_element(stream, "th scope=\"col\"", "name");
    html_element(stream, "th scope=\"col\"", "value");
    html_table_rows(stream);
    json_object_foreach(manifest, key, value)
    {
        bool is_first = false;
        for (size_t i = 0; i < sizeof firsts / sizeof firsts[0]; i++)
            is_first = is_first || strcmp(key, firsts[i]) == 0;
        if (is_first == first)
            write_member(stream, key, value);
    }
    html_table_end(stream);
    free(caption);
}

void page_settings_write(FILE *stream, const struct page_sources *sources)
{
    for (size_t at = 0; at < sources->count * PAGE_RECORDS_MAX; at++) {
        const struct page_source *source = &sources->list[at / PAGE_RECORDS_MAX];
        size_t record = at % PAGE_RECORDS_MAX;
        json_t *manifest = source->records[record].manifest;
        char label[PAGE_LABEL_SIZE];
        if (manifest == NULL)
            continue;
        html_element(stream, "h3", "%s", page_record_label(source, record, label));
        write_command(stream, manifest);
        write_table(stream, manifest, true, "The machine and the settings", label);
        fputs("<details class=\"long\">\n", stream);
        html_element(stream, "summary", "The servers, and all else in the manifest of %s", label);
        write_table(stream, manifest, false, "The manifest", label);
        fputs("</details>\n", stream);
    }
}
