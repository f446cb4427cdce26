// SPDX-License-Identifier: Apache-2.0
#include "bench/page/svg.h"

#include "bench/page/html.h"

#include <ctype.h>
#include <string.h>

#define DEPTH_MAX 32

/* A reader of a picture; stream NULL: only looks whether it can be written. */
struct scan {
    const char *at;
    FILE *stream;
    const char *prefix;
    struct {
        const char *name;
        size_t length;
    } open[DEPTH_MAX]; /* the elements around */
    size_t depth;
};

static void put(const struct scan *scan, const char *text, size_t length)
{
    if (scan->stream != NULL)
        fwrite(text, 1, length, scan->stream);
}

static void put_text(const struct scan *scan, const char *text)
{
    put(scan, text, strlen(text));
}

static bool is_word(const char *name, size_t length, const char *const *words)
{
    for (size_t i = 0; words[i] != NULL; i++) {
        if (strlen(words[i]) == length && memcmp(words[i], name, length) == 0)
            return true;
    }
    return false;
}

static bool is_drawing(const char *name, size_t length)
{
    static const char *const names[] = {
        "g",       "path",     "use",     "text",   "tspan",   "rect",        "circle", "defs",
        "polygon", "polyline", "ellipse", "filter", "feFlood", "feComposite", "line",   NULL};
    return is_word(name, length, names);
}

static bool is_for_programs(const char *name, size_t length)
{
    static const char *const names[] = {"title", "desc", NULL};
    return is_word(name, length, names);
}

static void skip_blanks(struct scan *scan)
{
    while (isspace((unsigned char)*scan->at))
        scan->at++;
}

/* ------------------------------------------------------------------ attributes */

static void put_attribute(const struct scan *scan, const char *name, const char *value,
                          size_t length)
{
    put_text(scan, " ");
    put_text(scan, name);
    put_text(scan, "=\"");
    put(scan, value, length);
    put_text(scan, "\"");
}

static void put_named(const struct scan *scan, const char *before, const char *id, size_t length)
{
    put_text(scan, before);
    put_text(scan, scan->prefix);
    put_text(scan, "-");
    put(scan, id, length);
    put_text(scan, "\"");
}

/* Such as fill="url(#pattern)". */
static bool put_reference(const struct scan *scan, const char *name, const char *value,
                          size_t length)
{
    static const char beginning[] = "url(#";
    size_t before = sizeof beginning - 1;
    if (length <= before || memcmp(value, beginning, before) != 0)
        return false;
    put_text(scan, " ");
    put_text(scan, name);
    put_named(scan, "=\"url(#", value + before, length - before);
    return true;
}

static bool has(const char *value, size_t length, const char *part)
{
    size_t size = strlen(part);
    for (size_t i = 0; i + size <= length; i++) {
        if (memcmp(value + i, part, size) == 0)
            return true;
    }
    return false;
}

static bool put_value(const struct scan *scan, const char *name, const char *value, size_t length)
{
    if (has(value, length, "<") || has(value, length, "\""))
        return false;
    if (strcmp(name, "id") == 0) {
        put_named(scan, " id=\"", value, length);
        return true;
    }
    if (strcmp(name, "xlink:href") == 0 || strcmp(name, "href") == 0) {
        if (length < 2 || value[0] != '#')
            return false;
        put_named(scan, " href=\"#", value + 1, length - 1);
        return true;
    }
    if (has(value, length, "url("))
        return put_reference(scan, name, value, length);
    put_attribute(scan, name, value, length);
    return true;
}

/* Its opening quote, behind the equals sign; NULL if there is none. */
static const char *find_value(struct scan *scan)
{
    skip_blanks(scan);
    if (*scan->at != '=')
        return NULL;
    scan->at++;
    skip_blanks(scan);
    return *scan->at == '"' || *scan->at == '\'' ? scan->at : NULL;
}

static bool write_attribute(struct scan *scan)
{
    char name[32];
    size_t length = strcspn(scan->at, "= \t\r\n/<>\"'");
    if (length == 0 || length >= sizeof name)
        return false;
    memcpy(name, scan->at, length);
    name[length] = '\0';
    scan->at += length;
    const char *value = find_value(scan);
    if (value == NULL)
        return false;
    const char *end = strchr(value + 1, value[0]);
    /* gnuplot has no styles, and nothing that happens. */
    if (end == NULL || strncmp(name, "on", 2) == 0 || strcmp(name, "style") == 0)
        return false;
    scan->at = end + 1;
    return put_value(scan, name, value + 1, (size_t)(end - value - 1));
}

/* ------------------------------------------------------------------ elements */

static bool open_element(struct scan *scan, const char *name, size_t length)
{
    if (scan->depth == DEPTH_MAX)
        return false;
    scan->open[scan->depth].name = name;
    scan->open[scan->depth++].length = length;
    put_text(scan, ">");
    scan->at++;
    return true;
}

static bool write_beginning(struct scan *scan)
{
    const char *name = scan->at + 1;
    size_t length = strcspn(name, " \t\r\n/>");
    if (!is_drawing(name, length))
        return false;
    put(scan, scan->at, length + 1);
    scan->at += length + 1;
    for (skip_blanks(scan); *scan->at != '>' && *scan->at != '/'; skip_blanks(scan)) {
        if (!write_attribute(scan))
            return false;
    }
    if (*scan->at == '>')
        return open_element(scan, name, length);
    if (scan->at[1] != '>')
        return false;
    put_text(scan, "/>");
    scan->at += 2;
    return true;
}

static bool write_end(struct scan *scan)
{
    const char *name = scan->at + 2;
    size_t length = strcspn(name, ">");
    if (scan->depth == 0 || name[length] != '>')
        return false;
    scan->depth--;
    if (scan->open[scan->depth].length != length ||
        memcmp(scan->open[scan->depth].name, name, length) != 0)
        return false;
    put(scan, scan->at, length + 3);
    scan->at += length + 3;
    return true;
}

static bool skip_words(struct scan *scan, const char *name, size_t length)
{
    const char *end = strstr(name, "</");
    if (end == NULL || strncmp(end + 2, name, length) != 0 || end[2 + length] != '>')
        return false;
    scan->at = end + length + 3;
    return true;
}

static bool write_tag(struct scan *scan)
{
    const char *name = scan->at + 1;
    size_t length = strcspn(name, " \t\r\n/>");
    if (name[0] == '/')
        return write_end(scan);
    return is_for_programs(name, length) ? skip_words(scan, name, length) : write_beginning(scan);
}

static void write_words(struct scan *scan)
{
    size_t length = strcspn(scan->at, "<");
    put(scan, scan->at, length);
    scan->at += length;
}

/* What is between <svg …> and </svg>. */
static bool write_inside(struct scan *scan)
{
    static const char end[] = "</svg>";
    for (write_words(scan); scan->depth > 0 || strncmp(scan->at, end, sizeof end - 1) != 0;
         write_words(scan)) {
        if (*scan->at == '\0' || !write_tag(scan))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------ the whole */

struct box {
    double x, y, width, height;
};

/* Moves behind <svg …>. */
static bool read_root(struct scan *scan, struct box *box)
{
    static const char key[] = "viewBox=\"";
    const char *root = strstr(scan->at, "<svg");
    const char *end = root != NULL ? strchr(root, '>') : NULL;
    const char *view = root != NULL ? strstr(root, key) : NULL;
    if (end == NULL || view == NULL || view > end ||
        sscanf(view + sizeof key - 1, "%lf %lf %lf %lf", &box->x, &box->y, &box->width,
               &box->height) != 4)
        return false;
    scan->at = end + 1;
    return true;
}

static void write_root(FILE *stream, const struct box *box, const char *prefix,
                       const struct svg_words *words)
{
    char tag[64];
    fprintf(stream,
            "<svg viewBox=\"%g %g %g %g\" width=\"%g\" height=\"%g\" role=\"img\" "
            "aria-labelledby=\"%s-title %s-desc\">\n",
            box->x, box->y, box->width, box->height, box->width, box->height, prefix, prefix);
    snprintf(tag, sizeof tag, "title id=\"%.20s-title\"", prefix);
    html_element(stream, tag, "%s", words->title);
    snprintf(tag, sizeof tag, "desc id=\"%.20s-desc\"", prefix);
    html_element(stream, tag, "%s", words->description);
}

bool svg_write(FILE *stream, const char *picture, const char *prefix, const struct svg_words *words)
{
    struct box box;
    struct scan check = {.at = picture, .prefix = prefix};
    if (!read_root(&check, &box))
        return false;
    struct scan scan = {.at = check.at, .stream = stream, .prefix = prefix};
    if (!write_inside(&check))
        return false;
    write_root(stream, &box, prefix, words);
    (void)write_inside(&scan);
    fputs("</svg>\n", stream);
    return true;
}
