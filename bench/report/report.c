// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/subcommands.h"
#include "bench/output/folder.h"
#include "bench/output/json_result.h"
#include "bench/page/page.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static const char usage[] =
    "Usage: zkherd report [OPTION]... FOLDER...\n"
    "Write report.html: the results of a run, a load, an evaluation or a plan on one\n"
    "page, or those of several side by side: verdict, findings, plots with their\n"
    "data, tables, machine and settings. It is one file, which loads nothing.\n"
    "\n"
    "A parent folder, as 'run --servers 1,3' writes it, means all results in it.\n"
    "With --table or --tables, write tables of the page for a text of your own.\n"
    "\n";

static const char notes[] =
    "\n"
    "Exit status: 0 done; 2 wrong usage, a folder without results, a malformed file;\n"
    "3 the environment: no permission, no space.\n"
    "\n"
    "Examples:\n"
    "  zkherd report results/reference/standalone\n"
    "  zkherd report both                              of all runs in the folder\n"
    "  zkherd report before after -o report.html       of two runs, side by side\n"
    "  zkherd report before after --table locks        their medians, for LaTeX\n";

struct report {
    const char *file;   /* NULL: in the folder */
    const char *table;  /* the name of the one to print; NULL: none */
    const char *tables; /* the folder for all; NULL: none */
    enum page_format format;
    bool json, has_format;
};

static const struct option_row rows[] = {
    {.name = "--out",
     .letter = 'o',
     .parse = option_row_file,
     .member = OPTION_MEMBER(struct report, file),
     .help = "  -o, --out FILE       the page, a file that does not exist yet; needed for\n"
             "                       several folders [FOLDER/report.html, replaced]\n"},
    {.name = "--table",
     OPTION_INTO(option_row_text, struct report, table),
     .help = "      --table NAME     print this table instead, such as locks, growth, loads;\n"
             "                       an unknown NAME lists all\n"},
    {.name = "--tables",
     OPTION_FOLDER(struct report, tables),
     .help = "      --tables DIR     write all tables instead, a file for each, into DIR,\n"
             "                       which does not exist yet\n"},
    {.name = "--format",
     OPTION_WORD(struct report, format, page_formats, "expected latex, csv or markdown"),
     .given = OPTION_MEMBER(struct report, has_format),
     .value = "latex",
     .help = "      --format FORMAT  of these tables: latex (for the package booktabs, as wide\n"
             "                       as one of two columns if it fits, else as both), csv\n"
             "                       (all columns), markdown [latex]\n"},
    {.name = "--json",
     OPTION_FLAG(struct report, json),
     .help = "      --json           print JSON in place of the text\n"},
    OPTION_ROW_HELP("  -h, --help           print this help\n"),
    {0},
};

/* Writes the page, and prints where it is. */
static enum error_kind write_report(const struct report *report, const char *const *folders,
                                    size_t count, struct error *error)
{
    char inside[PATH_MAX + sizeof PAGE_FILE], folder[PATH_MAX];
    const char *file = report->file;
    if (file != NULL && access(file, F_OK) == 0)
        return error_raise(error, ERROR_EXISTS, 0, file, "%s", "");
    if (file == NULL) {
        snprintf(folder, sizeof folder, "%s", folders[0]);
        folder_trim(folder);
        snprintf(inside, sizeof inside, "%s/%s", folder, PAGE_FILE);
        file = inside;
    }
    enum error_kind kind = page_write(folders, count, file, error);
    if (kind != ERROR_NONE)
        return kind;
    if (!report->json) {
        printf("report in %s\n", file);
        return ERROR_NONE;
    }
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_text(folders[i]));
    json_result_write(json_pack("{s:o, s:o}", "file", json_text(file), "folders", list), stdout);
    return ERROR_NONE;
}

/* What cannot be with tables in place of the page. */
static bool report_conflicts(const struct report *report)
{
    bool has_tables = report->table != NULL || report->tables != NULL;
    const char *with = report->table != NULL ? "with --table" : "with --tables";
    const struct conflict conflicts[] = {
        {report->table != NULL && report->tables != NULL, "--tables", "with --table",
         "give one of the two"},
        {has_tables && report->file != NULL, "--out", with, "that is the file of a page"},
        {has_tables && report->json, "--json", with, "give --format csv for programs"},
        {!has_tables && report->has_format, "--format", "without --table or --tables",
         "a page has one format"},
    };
    return complain_conflict("report", conflicts, sizeof conflicts / sizeof conflicts[0]);
}

int report_main(int argc, char **argv)
{
    static const struct arguments arguments = {"report", usage, rows, notes, NULL};
    struct report report = {0};
    struct error error = {0};
    int first = argc;
    int status = arguments_parse(&arguments, argc, argv, &report, &first);
    if (status != ARGUMENTS_GO)
        return status;
    size_t count = (size_t)(argc - first);
    bool has_tables = report.table != NULL || report.tables != NULL;
    if (count == 0)
        return complain_usage("report", "folders", "expected a folder with results");
    if (report_conflicts(&report))
        return 2;
    if (count > 1 && report.file == NULL && !has_tables)
        return complain_usage("report", "--out", "several folders need a file for their page");
    const char *const *folders = (const char *const *)(argv + first);
    enum error_kind kind = has_tables ? page_tables_export(folders, count, report.table,
                                                           report.format, report.tables, &error)
                                      : write_report(&report, folders, count, &error);
    if (kind == ERROR_NONE && report.tables != NULL)
        printf("tables in %s\n", report.tables);
    return kind == ERROR_NONE ? 0 : complain_about("report", &error);
}
