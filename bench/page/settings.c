// SPDX-License-Identifier: Apache-2.0
/* How results were made, as their manifests say: the command, and all settings. */
#include "base/memory.h"
#include "bench/page/internal.h"

#include <stdlib.h>
#include <string.h>

/* Writes an argument as a shell reads it. */
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

/* Writes a text with its lines, null and an empty list as "none", any other value as JSON; of a
 * list all of its values. */
static void write_value(FILE *stream, const json_t *value)
{
    for (size_t i = 0; i < json_array_size(value); i++) {
        fputs(i > 0 ? ", " : "", stream);
        write_value(stream, json_array_get(value, i));
    }
    if (json_array_size(value) > 0)
        return;
    char *text = json_is_null(value) || json_is_array(value) ? memory_text("none")
                 : json_is_string(value)
                     ? memory_text(json_string_value(value))
                     : json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
    for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;) {
        fputs(line == text ? "" : "<br/>", stream);
        html_text(stream, line);
    }
    free(text);
}

/* Writes a row for each value in a member: "host.cores", "servers.1.version". A list of values is
 * one row. */
static void write_member(FILE *stream, const char *name, json_t *value)
{
    const char *key;
    json_t *inner;
    bool of_objects = json_is_object(json_array_get(value, 0));
    json_object_foreach(value, key, inner)
    {
        char *path = memory_format("%s.%s", name, key);
        write_member(stream, path, inner);
        free(path);
    }
    for (size_t i = 0; of_objects && i < json_array_size(value); i++) {
        char *path = memory_format("%s.%zu", name, i + 1);
        write_member(stream, path, json_array_get(value, i));
        free(path);
    }
    if (json_is_object(value) || of_objects)
        return;
    fputs("<tr>", stream);
    html_element(stream, "th scope=\"row\"", "%s", name);
    fputs("<td>", stream);
    write_value(stream, value);
    fputs("</td></tr>\n", stream);
}

void page_settings_write(FILE *stream, const struct page_sources *sources)
{
    static const struct page_heading headings[] = {{"name", false, 0}, {"value", false, 0}};
    for (size_t i = 0; i < sources->record_count; i++) {
        const struct page_record *record = &sources->records[i];
        const char *key;
        json_t *value;
        char caption[sizeof record->label + 32];
        if (record->manifest == NULL)
            continue;
        snprintf(caption, sizeof caption, "The manifest of %s", record->label);
        html_element(stream, "h3", "%s", record->label);
        write_command(stream, record->manifest);
        fputs("<details class=\"long\">\n", stream);
        html_element(stream, "summary", "%s: machine, plan, servers", caption);
        html_table_begin(stream, "", caption, headings, 2);
        json_object_foreach(record->manifest, key, value)
        {
            write_member(stream, key, value);
        }
        fputs(HTML_TABLE_END, stream);
        fputs("</details>\n", stream);
    }
}
