// SPDX-License-Identifier: Apache-2.0
/* Forms of a table: on the page, and as people take it into a text of their own. */
#include "base/memory.h"
#include "bench/page/internal.h"
#include "bench/page/page.h"
#include "measure/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ HTML */

static void write_html_cell(FILE *stream, size_t place, bool is_number, const char *text)
{
    fputs(place == 0 ? "<tr>" : "", stream);
    fputs(is_number ? "<td class=\"number\">" : "<td>", stream);
    html_text(stream, text);
    fputs("</td>", stream);
}

static const char *begin_html(FILE *stream, const char *name, const char *title,
                              const struct page_heading *headings, size_t count)
{
    html_table_begin(stream, name, title, headings, count);
    return HTML_TABLE_END;
}

const struct page_form page_form_html = {begin_html, write_html_cell, "</tr>\n", false};

/* ------------------------------------------------------------------ LaTeX */

#define LATEX_ROW_END " \\\\\n"
#define LATEX_END     "\\bottomrule\n\\end{tabular}\n\\end{table"

/* The class article on a page with two columns, the narrowest of usual ones, in points. */
#define COLUMN_POINTS 229
#define PAGE_POINTS   469
#define GAP_POINTS    6

/* The first sign is one in a number alone. */
static void write_latex(FILE *stream, bool is_number, const char *text)
{
    static const struct page_sign signs[] = {{"-", "$-$"},
                                             {"\\", "\\textbackslash{}"},
                                             {"~", "\\textasciitilde{}"},
                                             {"^2", "$^2$"},
                                             {"^3", "$^3$"},
                                             {"^", "\\textasciicircum{}"},
                                             {"²", "$^2$"},
                                             {"³", "$^3$"},
                                             {"<", "\\textless{}"},
                                             {"–", "--"},
                                             {"−", "$-$"},
                                             {">", "\\textgreater{}"},
                                             {"·", "$\\cdot$"},
                                             {"≥", "$\\ge$"},
                                             {"µ", "$\\mu$"},
                                             {"&", "\\&"},
                                             {"%", "\\%"},
                                             {"$", "\\$"},
                                             {"#", "\\#"},
                                             {"_", "\\_"},
                                             {"{", "\\{"},
                                             {"}", "\\}"},
                                             {NULL, NULL}};
    page_escape(stream, text, is_number ? signs : signs + 1);
}

static void write_latex_cell(FILE *stream, size_t place, bool is_number, const char *text)
{
    fputs(place == 0 ? "" : " & ", stream);
    write_latex(stream, is_number, text);
}

/* The points of a text column that has more than its share of a table that is wider than the page:
 * what the other columns leave; 0: as wide as its text. */
static double share_points(const struct page_heading *headings, size_t count, size_t column,
                           double sum)
{
    bool is_widest = sum > PAGE_POINTS && !headings[column].is_numeric;
    for (size_t i = 0; i < count; i++)
        is_widest = is_widest && (headings[i].is_numeric || i == column ||
                                  headings[i].points < headings[column].points);
    double rest = PAGE_POINTS - (sum - headings[column].points);
    return is_widest ? fmax(rest, PAGE_POINTS / 5.0) : 0;
}

/* Small type and little space, for a column of a page that has two, or for both. */
static const char *begin_latex(FILE *stream, const char *name, const char *title,
                               const struct page_heading *headings, size_t count)
{
    double sum = GAP_POINTS * (double)(count - 1), share;
    for (size_t i = 0; i < count; i++)
        sum += headings[i].points;
    bool is_wide = sum > COLUMN_POINTS;
    fprintf(stream, "%% \\usepackage{booktabs}\n\\begin{table%s}\n\\centering\n\\caption{",
            is_wide ? "*" : "");
    write_latex(stream, false, title);
    fprintf(stream, "}\n\\label{tab:%s}\n\\footnotesize\n\\setlength{\\tabcolsep}{3pt}\n", name);
    fputs("\\begin{tabular}{@{}", stream);
    for (size_t i = 0; i < count; i++) {
        if ((share = share_points(headings, count, i, sum)) > 0)
            fprintf(stream, "p{%.2f\\textwidth}", share / PAGE_POINTS);
        else
            fputc(headings[i].is_numeric ? 'r' : 'l', stream);
    }
    fputs("@{}}\n\\toprule\n", stream);
    for (size_t i = 0; i < count; i++)
        write_latex_cell(stream, i, false, headings[i].text);
    fputs(LATEX_ROW_END "\\midrule\n", stream);
    return is_wide ? LATEX_END "*}\n" : LATEX_END "}\n";
}

/* ------------------------------------------------------------------ Markdown */

#define MARKDOWN_ROW_END " |\n"

static void write_markdown_cell(FILE *stream, size_t place, bool is_number, const char *text)
{
    static const struct page_sign signs[] = {{"\\", "\\\\"}, {"|", "\\|"},  {"*", "\\*"},
                                             {"_", "\\_"},   {"~", "\\~"},  {"`", "\\`"},
                                             {"&", "&amp;"}, {"<", "&lt;"}, {NULL, NULL}};
    (void)is_number;
    fputs(place == 0 ? "| " : " | ", stream);
    page_escape(stream, text, signs);
}

static const char *begin_markdown(FILE *stream, const char *name, const char *title,
                                  const struct page_heading *headings, size_t count)
{
    (void)name;
    fprintf(stream, "%s:\n\n", title);
    for (size_t i = 0; i < count; i++)
        write_markdown_cell(stream, i, false, headings[i].text);
    fputs(MARKDOWN_ROW_END, stream);
    for (size_t i = 0; i < count; i++)
        fputs(headings[i].is_numeric ? "|--:" : "|---", stream);
    fputs("|\n", stream);
    return "";
}

/* ------------------------------------------------------------------ CSV */

/* Writes a number as programs read it: without the commas of thousands, and nothing for a dash. */
static void write_csv_cell(FILE *stream, size_t place, bool is_number, const char *text)
{
    struct csv csv = {stream, place > 0};
    char *plain = memory_text(text), *end = plain;
    for (const char *at = text; *at != '\0'; at++) {
        if (!is_number || *at != ',')
            *end++ = *at;
    }
    *end = '\0';
    csv_text(&csv, is_number && strcmp(text, "–") == 0 ? NULL : plain);
    free(plain);
}

static const char *begin_csv(FILE *stream, const char *name, const char *title,
                             const struct page_heading *headings, size_t count)
{
    (void)name;
    (void)title;
    for (size_t i = 0; i < count; i++)
        write_csv_cell(stream, i, false, headings[i].text);
    fputc('\n', stream);
    return "";
}

const struct page_form page_forms[] = {
    [PAGE_LATEX] = {begin_latex, write_latex_cell, LATEX_ROW_END, true},
    [PAGE_CSV] = {begin_csv, write_csv_cell, "\n", false},
    [PAGE_MARKDOWN] = {begin_markdown, write_markdown_cell, MARKDOWN_ROW_END, true}};
