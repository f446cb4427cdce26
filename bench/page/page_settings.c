// SPDX-License-Identifier: Apache-2.0
#include "bench/page/page_settings.h"

#include "bench/page/html.h"
#include "bench/page/page_table.h"

#include <stdlib.h>
#include <string.h>

#define CAPTION_SIZE 512

/* ------------------------------------------------------------------ the command */

static bool is_plain(const char *text)
{
    return text[0] != '\0' &&
           text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                             "-_./:,=@%+")] == '\0';
}

/* As a shell takes it. */
static void put_argument(FILE *stream, const char *argument)
{
    if (is_plain(argument)) {
        html_text(stream, argument);
        return;
    }
    html_text(stream, "'");
    for (const char *at = argument; *at != '\0';) {
        size_t length = strcspn(at, "'");
        char *part = strndup(at, length);
        html_text(stream, part != NULL ? part : "");
        free(part);
        at += length;
        if (*at == '\'')
            html_text(stream, "'\\''"), at++;
    }
    html_text(stream, "'");
}

static void put_command(FILE *stream, const json_t *command)
{
    fputs("<pre><code>", stream);
    for (size_t i = 0; i < json_array_size(command); i++) {
        const char *argument = json_string_value(json_array_get(command, i));
        fputs(i > 0 ? " " : "", stream);
        put_argument(stream, argument != NULL ? argument : "");
    }
    fputs("</code></pre>\n", stream);
}

/* ------------------------------------------------------------------ names and values */

static void put_text(FILE *stream, const json_t *value)
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
        put_text(stream, json_array_get(value, i));
    }
    if (json_is_null(value) || (json_is_array(value) && count == 0))
        html_text(stream, "none");
    else if (!json_is_array(value))
        put_text(stream, value);
    fputs("</td></tr>\n", stream);
}

/* All members of an object, or those without members of their own. */
static void put_members(FILE *stream, json_t *object)
{
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        if (!json_is_object(value))
            put_value(stream, name, value);
    }
}

/* The name of the first manifest before this one that has the same member; NULL if none has. */
static const char *find_same(const struct page_source *source, size_t index, const char *member)
{
    const json_t *object = json_object_get(source->manifests[index].json, member);
    for (size_t i = 0; i < index; i++) {
        if (json_equal(json_object_get(source->manifests[i].json, member), object))
            return source->manifests[i].name;
    }
    return NULL;
}

static void put_table(FILE *stream, const struct page_source *source, size_t index,
                      const char *member, const char *what, const char *label)
{
    char caption[CAPTION_SIZE];
    json_t *object = json_object_get(source->manifests[index].json, member);
    const char *same = find_same(source, index, member);
    if (json_object_size(object) == 0)
        return;
    if (same != NULL) {
        html_element(stream, "p", "%s: as of %s.", what, same);
        return;
    }
    snprintf(caption, sizeof caption, "%s of %.400s", what, label);
    page_table_begin(stream, caption);
    fputs("<thead>\n<tr>\n", stream);
    page_table_heading(stream, "name");
    page_table_heading(stream, "value");
    fputs("</tr>\n</thead>\n<tbody>\n", stream);
    put_members(stream, object);
    page_table_end(stream);
}

/* ------------------------------------------------------------------ servers */

static void put_lines(FILE *stream, const char *text)
{
    fputs("<pre>", stream);
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        char *line = strndup(text, length);
        html_text(stream, line != NULL ? line : "");
        free(line);
        fputc('\n', stream);
        text += length + (text[length] == '\n');
    }
    fputs("</pre>\n", stream);
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
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

static void put_manifest(FILE *stream, const struct page_source *source, size_t index,
                         const char *label)
{
    const json_t *json = source->manifests[index].json;
    html_element(stream, "h3", "%s", label);
    html_element(stream, "p",
                 "The command, to be repeated with another folder for -o; --seed %lld repeats its "
                 "random choices:",
                 (long long)json_integer_value(json_object_get(json, "seed")));
    put_command(stream, json_object_get(json, "command"));
    html_element(stream, "p", "zkherd %s; from %s to %s.", text_of(json, "version"),
                 text_of(json, "started"), text_of(json, "ended"));
    put_table(stream, source, index, "host", "The machine", label);
    put_table(stream, source, index, "driver", "The driver of the clients", label);
    put_table(stream, source, index, "data", "The data of the servers", label);
    put_table(stream, source, index, "plan", "The settings", label);
    const json_t *servers = json_object_get(json, "servers");
    for (size_t i = 0; i < json_array_size(servers); i++)
        put_server(stream, json_array_get(servers, i));
}

/* Of several manifests in a source each has its own name. */
void page_settings_write(FILE *stream, const struct page_source *source)
{
    for (size_t i = 0; i < source->manifest_count; i++) {
        char label[PATH_MAX + NAME_MAX + 2];
        snprintf(label, sizeof label, "%s%s%s", source->label,
                 source->manifest_count > 1 ? "/" : "",
                 source->manifest_count > 1 ? source->manifests[i].name : "");
        put_manifest(stream, source, i, label);
    }
}
