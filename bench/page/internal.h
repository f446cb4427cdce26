// SPDX-License-Identifier: Apache-2.0
/*
 * internal: what the files of bench/page share: folders of results that have been read, elements of
 * HTML, and the sections of the page. Layer: bench/page.
 *
 * Invariants: a text that comes from a file is shown as it is, and never becomes markup; its
 * characters that cannot be seen are shown as in base/text.h. The output is also well-formed
 * XML: every element is closed. Errors stay in the stream.
 */
#ifndef BENCH_PAGE_INTERNAL_H
#define BENCH_PAGE_INTERNAL_H

#include "base/error.h"
#include "bench/output/findings.h"
#include "bench/output/folder.h"
#include "measure/csv.h"

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* ------------------------------------------------------------------ folders (sources.c) */

#define PAGE_SOURCES_MAX 16

/* The CSV files that were asked for, each read once; its pointer stays. A file that a folder lacks
 * has no row. */
struct page_files {
    struct page_file {
        char *path;
        struct csv_reader reader;
    } * *list;
    size_t count;
    struct error error; /* the first of reading them, and the manifests */
};

/* A folder of results: it has rows in the file that decides its kind. */
struct page_source {
    char folder[PATH_MAX]; /* as it was named, without slashes at the end */
    char path[PATH_MAX];   /* without links and dots */
    const char *label;     /* one of the two, or its end: distinguishes it from the other sources */
    const struct result_kind *kind;
    struct page_files *files;
    size_t record_count; /* at least 1 */
    size_t findings;     /* rows in all its records */
    bool has_summary;    /* the first record has all findings */
};

/* The manifest and the findings of a source, or of a folder in it, one for each topology. */
struct page_record {
    const struct page_source *source;
    char name[NAME_MAX + 1];             /* of that folder; "": of the source itself */
    char label[PATH_MAX + NAME_MAX + 2]; /* of the source, and this name behind a slash */
    json_t *manifest;                    /* NULL: there is none, as of an autopsy */
    const struct csv_reader *findings;
};

/* All zero bytes: an empty list. Must not be moved once it has a source. */
struct page_sources {
    struct page_source list[PAGE_SOURCES_MAX];
    size_t count;
    bool has_namesakes;          /* the last names of two paths are the same */
    struct page_record *records; /* source by source */
    size_t record_count;
    struct page_files files; /* of all sources: their error is looked at before the page is kept */
};

/* Reads folders of results; a parent without results of its own means all in it, in the order of
 * their names. ERROR_NOT_A_RUN if there are none; ERROR_USAGE for a folder that is named twice, and
 * more than PAGE_SOURCES_MAX. On an error the list is for page_sources_deinit. */
MUST_CHECK enum error_kind page_sources_read(struct page_sources *sources,
                                             const char *const *folders, size_t count,
                                             struct error *error);
void page_sources_deinit(struct page_sources *sources);

/* A CSV file of a source by its name. */
const struct csv_reader *page_file(const struct page_source *source, const char *name);

/* A field, "" if the file has no such row or column; a decimal number, NaN of any other text; and a
 * field as a number. */
const char *page_text(const struct csv_reader *file, size_t row, const char *column);
double page_parse_number(const char *text);
double page_number(const struct csv_reader *file, size_t row, const char *column);

/* A member of an object of a manifest; NULL, and "", if there is none. */
json_t *page_json(const struct page_record *record, const char *object, const char *key);
const char *page_json_text(const json_t *text);

/* ------------------------------------------------------------------ HTML (html.c) */

/* A sign that means something in a form, and what stands for it there. */
struct page_sign {
    const char *sign, *instead;
};

/* Writes a text, which may be foreign; sign: NULL behind the last. */
void page_escape(FILE *stream, const char *text, const struct page_sign *signs);

/* Writes a text, which may be foreign; also good between double quotes. */
void html_text(FILE *stream, const char *text);

/* The same from a format. */
void html_format(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes an element with a formatted text on a line: html_element(stream, tag, format, ...). tag:
 * its name, with attributes or without: "th scope=\"col\""; no part of it is foreign. */
#define html_element(stream, tag, ...) html_verdict(stream, tag, VERDICTS, __VA_ARGS__)

/* The same; its class and first word are a verdict; what is measured has no word. */
#define html_verdict(stream, tag, verdict, ...)                                                    \
    (html_begin(stream, tag, verdict), html_format(stream, __VA_ARGS__), html_end(stream, tag))

/* verdict: VERDICTS for none. */
void html_begin(FILE *stream, const char *tag, enum verdict verdict);
void html_end(FILE *stream, const char *tag);

/* Writes a frame: {{name}} in it becomes the text of that slot, which is markup, and ends its own
 * lines where the slot has a line for itself. From a line {{if name}} to a line {{else}} or {{end}}
 * all is left out if that slot is empty, from {{else}} on if it is not. */
struct html_slot {
    const char *name; /* NULL: behind the last */
    const char *text;
};
void html_frame(FILE *stream, const char *frame, const struct html_slot *slots);

struct page_heading {
    const char *text;
    bool is_numeric; /* all fields of the column are */
    double points;   /* of its widest text, in LaTeX's small type */
};

/* A table that can be scrolled by keyboard: between the two its rows, each with its cells between
 * <tr> and </tr>. name: as in tables.csv; "": it has none. */
void html_table_begin(FILE *stream, const char *name, const char *title,
                      const struct page_heading *headings, size_t count);
#define HTML_TABLE_END "</tbody>\n</table>\n</section>\n"

/* ------------------------------------------------------------------ tables (tables.c, forms.c) */

/* A form of a table, as what is written of it in this order. begin returns what ends it. */
struct page_form {
    const char *(*begin)(FILE *stream, const char *name, const char *title,
                         const struct page_heading *headings, size_t count);
    void (*cell)(FILE *stream, size_t place, bool is_number, const char *text); /* place: from 0 */
    const char *row_end;
    bool is_narrow; /* columns for a paper alone, figures with intervals, constants in the title */
};

extern const struct page_form page_form_html, page_forms[]; /* by enum page_format */

/* Rows that a table has at most; the file has the others. */
#define PAGE_ROWS_MAX 20000

/* A list of this folder, such as pictures.csv, which is read once. */
const struct csv_reader *page_list(const char *csv, const char *name, struct csv_reader *list);

/* Formats a number: thousands separated, else 4 digits, in a narrow table 3. Returns text. */
#define PAGE_NUMBER_SIZE 96
const char *page_format_number(double number, bool is_narrow, char text[PAGE_NUMBER_SIZE]);

/* The name of the next table of tables.csv that has rows; NULL: there is none. *at begins as 0. */
const char *page_table_next(const struct page_sources *sources, size_t *at);

/* The file of a table, if no source has rows of it; NULL: one has, or there is no such table. */
const char *page_table_lacks(const struct page_sources *sources, const char *name);

/* The table with this name. */
void page_table_write(FILE *stream, const struct page_sources *sources, const char *name,
                      const struct page_form *form);

/* The tables of a section of tables.csv, each with the rows of all sources. */
void page_tables_write(FILE *stream, const struct page_sources *sources, const char *section);

/* The rows of a file with these columns (blanks between), folded away; printed: a short one is
 * there on paper. */
void page_data_write(FILE *stream, const struct page_source *source, const char *title,
                     const char *file, const char *columns, bool printed);

/* ------------------------------------------------------------------ sections of the page */

/* Each writes nothing where there is nothing to show. */
void page_verdict_write(FILE *stream, const struct page_sources *sources); /* and the warnings */
void page_headline_write(FILE *stream, const struct page_sources *sources);
void page_findings_write(FILE *stream, const struct page_sources *sources);
void page_plots_write(FILE *stream, const struct page_sources *sources);
void page_anatomy_write(FILE *stream, const struct page_sources *sources);
void page_settings_write(FILE *stream, const struct page_sources *sources);

/* ------------------------------------------------------------------ texts made by the Makefile */

/* The files of this folder with these names, such as page.html. */
extern const char page_html[], page_css[], pictures_csv[], tables_csv[], anatomy_html[],
    anatomy_css[], anatomy_js[], tables_js[];

/* The scripts as a Content-Security-Policy names it: sha256- and the hash as base64. */
extern const char anatomy_js_hash[], tables_js_hash[];

#endif
