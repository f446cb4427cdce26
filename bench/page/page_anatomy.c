// SPDX-License-Identifier: Apache-2.0
#include "bench/page/page_anatomy.h"

#include "bench/page/html.h"
#include "bench/page/page_script.h"
#include "bench/page/page_table.h"

#include <stdbool.h>
#include <string.h>

/* As many recipes stand side by side. */
#define PANELS 2

static const char controls[] =
    "<div class=\"controls\">\n"
    "<label>Trial <select></select></label>\n"
    "<label class=\"slide\">Handoff <b></b>\n"
    "<input type=\"range\" min=\"0\" value=\"0\"/></label>\n"
    "<label><input type=\"checkbox\"/> one time scale for all handoffs</label>\n"
    "</div>\n";

static const char panel[] =
    "<figure>\n"
    "<label>Recipe <select></select></label>\n"
    "<p></p>\n"
    "<svg role=\"img\" aria-label=\"\"></svg>\n"
    "<label class=\"slide\">Message <input type=\"range\" min=\"0\" value=\"0\"/></label>\n"
    "<p aria-live=\"polite\"></p>\n"
    "</figure>\n";

/* The glyphs of the pictures, each with the classes that it has there. */
static const struct {
    const char *group, *class, *path;
    const char *words;
} legend[] = {
    {"active", "release", "M8,3h8v8h-8z", "release"},
    {"active", "told", "M12,0V14", "notification, ending in a dot at its session"},
    {"active", "request", "M1,7H23", "request, until its reply"},
    {"active", "refused", "M8,3l8,8m0,-8l-8,8", "reply with an error"},
    {"active", "grant", "M12,2l6,10h-12z", "grant"},
    {"idle", "request", "M1,7H23",
     "of a session that neither released the lock nor was granted it"},
};

static const char *const keys[] = {"recipe", "clients", "trial", "lock", "handoff"};

static bool is_same_handoff(const struct csv_reader *trace, size_t row, size_t other)
{
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(page_source_text(trace, row, keys[i]),
                   page_source_text(trace, other, keys[i])) != 0)
            return false;
    }
    return true;
}

/* The rows of whole handoffs that the table has. */
static size_t count_whole(const struct csv_reader *trace)
{
    size_t rows = trace->rows;
    if (rows <= PAGE_TABLE_ROWS_MAX)
        return rows;
    rows = PAGE_TABLE_ROWS_MAX;
    while (rows > 0 && is_same_handoff(trace, rows - 1, PAGE_TABLE_ROWS_MAX))
        rows--;
    return rows;
}

static void write_legend(FILE *stream)
{
    fputs("<ul class=\"legend\">\n", stream);
    for (size_t i = 0; i < sizeof legend / sizeof legend[0]; i++)
        fprintf(stream,
                "<li><svg width=\"24\" height=\"14\" aria-hidden=\"true\"><g class=\"%s\">"
                "<path class=\"%s\" d=\"%s\"/></g></svg> %s</li>\n",
                legend[i].group, legend[i].class, legend[i].path, legend[i].words);
    fputs(
        "</ul>\n<p>Times are those of the sessions: a line to the server stands where the session "
        "sent or received; when the server did is not recorded.</p>\n",
        stream);
}

void page_anatomy_write(FILE *stream, const struct csv_reader *trace)
{
    size_t rows = count_whole(trace);
    if (rows == 0)
        return;
    fprintf(stream, "<div class=\"anatomy\" hidden=\"hidden\" data-rows=\"%zu\">\n%s", rows,
            controls);
    if (rows < trace->rows)
        html_element(stream, "p",
                     "The first %zu of the %zu rows of trace.csv are drawn; a run that traces "
                     "fewer handoffs has all of them here.",
                     rows, trace->rows);
    fputs("<div class=\"panels\">\n", stream);
    for (size_t i = 0; i < PANELS; i++)
        fputs(panel, stream);
    fputs("</div>\n", stream);
    write_legend(stream);
    fputs("</div>\n", stream);
}

void page_anatomy_write_script(FILE *stream)
{
    fprintf(stream, "<script>%s</script>\n", page_script);
}
