// SPDX-License-Identifier: Apache-2.0
/*
 * page/internal: what the files of bench/page share: elements of HTML, folders of results that have
 * been read, and the sections of the page. Layer: bench/page.
 *
 * Invariants: a text that comes from a file is shown as it is, and never becomes markup; its
 * characters that cannot be seen are shown as in base/printable.h. What is written is also
 * well-formed XML: every element is closed. Errors stay in the stream.
 */
#ifndef BENCH_PAGE_INTERNAL_H
#define BENCH_PAGE_INTERNAL_H

#include "base/error.h"
#include "base/memory.h"
#include "measure/csv_reader.h"

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* ------------------------------------------------------------------ folders (page_source.c) */

#define PAGE_SOURCES_MAX   16
#define PAGE_MANIFESTS_MAX 16

enum page_kind { PAGE_RUN, PAGE_LOAD, PAGE_PAPER, PAGE_PLAN, PAGE_TAP, PAGE_KINDS };

struct page_manifest {
    char name[NAME_MAX + 1]; /* of its folder */
    json_t *json;
};

/* A folder of results. It has rows in the file that tells its kind, and a manifest at least: its
 * own, or those of the folders in it, one for each topology. */
struct page_source {
    char folder[PATH_MAX]; /* as it was named, without slashes at the end */
    char path[PATH_MAX];   /* without links and dots */
    char label[PATH_MAX];  /* the last names of the path: enough to tell it from the others */
    enum page_kind kind;
    struct csv_reader *files;
    struct page_manifest manifests[PAGE_MANIFESTS_MAX];
    size_t manifest_count;
};

struct page_sources {
    struct page_source list[PAGE_SOURCES_MAX];
    size_t count;
};

/* Adds a folder of results, and labels all anew; one without results of its own stands for those in
 * it, in the order of their names. All zero bytes are an empty list. ERROR_NOT_A_RUN if there are
 * none; ERROR_MALFORMED; ERROR_USAGE if there are more than PAGE_SOURCES_MAX; errors of reading. On
 * an error the list may have the folder in part, and is still for page_sources_deinit. */
MUST_CHECK enum error_kind page_sources_add(struct page_sources *sources, const char *folder,
                                            struct error *error);
void page_sources_deinit(struct page_sources *sources);

/* A CSV file by its name, without rows if the folder does not have it: that depends on the
 * subcommand, on its options, and on what was kept. */
const struct csv_reader *page_file(const struct page_source *source, const char *name);

/* The file with a row for each trial: the first that has rows. */
const struct csv_reader *page_trials(const struct page_source *source);

/* A field: "", and NaN, if the file has no such row or column, and NaN without a number there. */
const char *page_text(const struct csv_reader *file, size_t row, const char *column);
double page_number(const struct csv_reader *file, size_t row, const char *column);

/* What a figure that is not known is at least, where the file tells it: the lower end of its
 * interval. NaN: the figure is known, or nothing is. */
double page_least(const struct csv_reader *file, size_t row, const char *column);

/* Whether a trial counts, or a row of a file without such columns: it is valid, and no verdict of
 * its own has failed. */
bool page_counts(const struct csv_reader *file, size_t row);

/* A member of an object of a manifest; NULL, and "", if there is none. */
json_t *page_json(const struct page_manifest *manifest, const char *object, const char *key);
const char *page_json_text(const json_t *text);

/* ------------------------------------------------------------------ HTML (html.c) */

/* Writes a text, which may be foreign; also good between double quotes. */
void html_text(FILE *stream, const char *text);

/* The same, and frees it; in an element, whose line ends. tag: its name, with attributes or
 * without: "th scope=\"col\""; no part of it is foreign. */
void html_take(FILE *stream, char *text);
void html_take_element(FILE *stream, const char *tag, char *text);

/* The same, from a format. */
#define html_format(stream, ...)       html_take(stream, memory_format(__VA_ARGS__))
#define html_element(stream, tag, ...) html_take_element(stream, tag, memory_format(__VA_ARGS__))

/* Adds a sentence about a row: {column} becomes its field there, {column:2} a number with two
 * decimals, {column:%} in percent, {column:,} with thousands separated, {column:^} a formula with
 * powers. What stands between brackets is left out if one of its fields is empty. */
void html_fill(struct growing_text *text, const char *sentence, const struct csv_reader *file,
               size_t row);

/* Writes a frame, one of the texts below: {{name}} in it becomes the text of that slot, which is
 * markup, and ends its own lines where the slot has a line for itself. From a line {{if name}} to a
 * line {{else}} or {{end}} all is left out if that slot is empty, from {{else}} on if it is not. */
struct html_slot {
    const char *name; /* NULL: behind the last */
    const char *text;
};
void html_frame(FILE *stream, const char *frame, const struct html_slot *slots);

/* A table that can be scrolled by keyboard: its caption, which is freed, then elements "th
 * scope=\"col\"" as the headings of its columns, and its rows between html_table_rows and
 * html_table_end, each with its cells between <tr> and </tr>. */
void html_table_begin(FILE *stream, char *caption);
void html_table_rows(FILE *stream);
void html_table_end(FILE *stream);
void html_cell(FILE *stream, bool is_number, const char *text);

/* Where nothing is claimed. */
#define HTML_MEASURED "measured"

/* A sentence, which is freed, with its verdict before it, as an item of a list. The verdict must be
 * a word of bench/output/verdict.h or HTML_MEASURED; any other is written as "undetermined". */
void html_take_sentence(FILE *stream, const char *verdict, char *text);
#define html_sentence(stream, verdict, ...)                                                        \
    html_take_sentence(stream, verdict, memory_format(__VA_ARGS__))

/* The same of a row, as html_fill. */
void html_sentence_row(FILE *stream, const char *verdict, const char *sentence,
                       const struct csv_reader *file, size_t row);

/* ------------------------------------------------------------------ sections of the page */

/* Each writes nothing where there is nothing to tell. Those of one source: */
void page_verdicts_write(FILE *stream, const struct page_source *source); /* a sentence each */
void page_settings_write(FILE *stream, const struct page_source *source); /* how it was made */
void page_cautions_write(FILE *stream, const struct page_source *source);

/* Those of all sources, side by side. */
void page_lead_write(FILE *stream, const struct page_sources *sources); /* what was measured */
void page_plots_write(FILE *stream, const struct page_sources *sources);
void page_anatomy_write(FILE *stream, const struct page_sources *sources);
void page_figures_write(FILE *stream, const struct page_sources *sources); /* medians of cells */
void page_laws_write(FILE *stream, const struct page_sources *sources);    /* beside the counts */

/* ------------------------------------------------------------------ the headline
 * (page_headline.c) */

/* What is most: three figures at most, of the first source, or of the first two runs. */
void page_headline_write(FILE *stream, const struct page_sources *sources);

/* The requests of the drains of recipes, with the most clients that all of them have; only drains
 * have equally many handoffs. least: 0 without such drains. */
struct page_price {
    double clients, least, most;
    const char *cheap, *dear; /* recipes; the same if there is one */
};
struct page_price page_price(const struct page_source *run);

/* ------------------------------------------------------------------ what files share */

/* Whether the requests and notifications of a trial equal its law. */
bool page_is_lawful(const struct csv_reader *trials, size_t row);

/* A number as people read it, in `text`: thousands separated, else four digits. */
#define PAGE_NUMBER_SIZE 96
const char *page_write_number(double number, char text[PAGE_NUMBER_SIZE]);

/* A time of a column in µs, written in ms: "0.5169 ms"; "≥ 120 ms" of page_least; or "not known".
 */
const char *page_write_us(const struct csv_reader *file, size_t row, const char *column,
                          char text[PAGE_NUMBER_SIZE]);

/* What the sizes of a plan count, by its unknown: "waiters", "requests a second". */
const char *page_unit(const char *unknown);

/* ------------------------------------------------------------------ pictures (page_pictures.c) */

/* What is said about the pictures of the scripts in plots/: pictures.csv. A picture is a row. */
const struct csv_reader *page_pictures(void);
bool page_has_picture(const struct page_source *source, size_t picture);

/* Rows that a table has at most; the file has the others. */
#define PAGE_ROWS_MAX 20000

/* ------------------------------------------------------------------ texts made by the Makefile */

/* The files of this folder with these names, such as page.html. */
extern const char page_html[], page_css[], pictures_csv[], anatomy_html[], anatomy_css[],
    anatomy_js[], tables_js[];

/* The scripts as a Content-Security-Policy names it: sha256- and the hash as base64. */
extern const char anatomy_js_hash[], tables_js_hash[];

#endif
