// SPDX-License-Identifier: Apache-2.0
/*
 * arguments: the command line of a subcommand, taken option by option as a table of rows says, in
 * the order of the help. A new option is a row, and a member of the subcommand's own struct. Layer:
 * bench/cli.
 *
 * Invariant: a mistake is reported once, before the work begins.
 */
#ifndef BENCH_CLI_ARGUMENTS_H
#define BENCH_CLI_ARGUMENTS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ------------------------------------------------------------------ an option */

/* An option, as it is given on the command line or by its row's default. */
struct option_given {
    const struct option_row *row;
    const char *value;  /* NULL: a flag */
    void *options;      /* the subcommand's own struct */
    char why[512];      /* why the value is not allowed; no shorter than the detail of an error */
    struct error error; /* instead of `why`, where it is not the value that is wrong */
};

/* A member of the subcommand's own struct; size 0: none. */
struct option_member {
    size_t offset, size;
};

/* Takes a value into the options, in place of the value before; texts go on pointing to the value.
 * False if the value is not allowed: `why` (or `error`) has the reason, and the options must not be
 * asked for this one. */
typedef bool option_parser(struct option_given *given);

struct option_row {
    const char *name;            /* with its dashes; NULL behind the last row */
    char letter;                 /* '\0': none */
    option_parser *parse;        /* option_row_flag: the option has no value. NULL: --help */
    struct option_member member; /* where the parsers below put the value */
    struct option_member given;  /* a bool, set if the option is on the command line */
    uint64_t least;              /* number or nanoseconds; 0 for every other kind of value */
    uint64_t most;               /* number or nanoseconds; 0: no limit, or another kind */
    const char *const *words;    /* by value, NULL behind the last; NULL: another kind */
    const char *expected;        /* the reason for refusing a word, or a number; NULL: its own */
    const char *value;           /* the default, as a user would type it; NULL: zero, or none */
    const char *help;            /* its lines of the help */
};

/* Parsers, into a */
option_parser option_row_flag;   /* bool */
option_parser option_row_number; /* unsigned integer, from least to most */
option_parser option_row_levels; /* struct levels: a list of such numbers */
option_parser option_row_cpus;   /* uint32_t: cores, as percent of one, from least to all of them */
option_parser option_row_duration; /* uint64_t, from least to most */
option_parser option_row_word;     /* number: the index of one of the words */
option_parser option_row_text;     /* const char *, not empty if the row has an `expected` */
option_parser option_row_folder;   /* const char * */
option_parser option_row_file;     /* const char * */
option_parser option_row_servers;  /* struct connect_string */
option_parser option_row_plots;    /* uint32_t: a bit for each of plot_formats */
option_parser option_row_never;    /* nothing: a flag that is refused, ERROR_NO_TLS */

/* Values of an option, ascending. */
struct levels {
    uint64_t *list; /* the options' own; `count` that run, then `left_out` that do not
                       (bench/target/target.h) */
    size_t count;
    size_t left_out;
};

/* The words of an option that is yes or no, into a bool. */
extern const char *const option_row_no_yes[];

/* The format of each bit of plots, as a user types it and as a file's name ends. */
#define PLOT_FORMATS 4
extern const char *const plot_formats[PLOT_FORMATS];

/* A row, for a macro that stands for one; its parser below, with what belongs to that. */
#define OPTION_ROW(...)                                                                            \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

#define OPTION_MEMBER(type, member)                                                                \
    {                                                                                              \
        offsetof(type, member), sizeof(((type *)NULL)->member)                                     \
    }

#define OPTION_INTO(parser, type, member_) .parse = (parser), .member = OPTION_MEMBER(type, member_)
#define OPTION_FLAG(type, member_)         OPTION_INTO(option_row_flag, type, member_)
#define OPTION_FOLDER(type, member_)       OPTION_INTO(option_row_folder, type, member_)
#define OPTION_SERVERS(type, member_)      OPTION_INTO(option_row_servers, type, member_)
#define OPTION_PLOTS(type, member_)        OPTION_INTO(option_row_plots, type, member_)
#define OPTION_NUMBER(type, member_, least_, most_)                                                \
    OPTION_INTO(option_row_number, type, member_), .least = (least_), .most = (most_)
#define OPTION_DURATION(type, member_, least_)                                                     \
    OPTION_INTO(option_row_duration, type, member_), .least = (least_)
#define OPTION_WORD(type, member_, words_, expected_)                                              \
    OPTION_INTO(option_row_word, type, member_), .words = (words_), .expected = (expected_)

/* The last row of the help, if its options are not shown elsewhere. */
#define OPTION_ROW_HELP(text) OPTION_ROW(.name = "--help", .letter = 'h', .help = (text))

/* For parsers: sets the reason and returns false; the row's member; sets the bool of row->given. */
bool option_row_refuse(struct option_given *given, const char *why, ...)
    __attribute__((format(printf, 2, 3)));
void *option_row_place(const struct option_given *given);
void option_row_note(const struct option_given *given);

/* ------------------------------------------------------------------ a subcommand's */

#define ARGUMENTS_GO (-1) /* no exit status: the work can begin */

/* The command line of a subcommand; constant. */
struct arguments {
    const char *subcommand;
    const char *usage;              /* the help before the options */
    const struct option_row *rows;  /* fewer than 64; those behind --help are not in the help */
    const char *notes;              /* the help behind the options */
    const struct option_row *shown; /* the options of the help; NULL: these rows */
};

/* Puts the defaults of all rows into *options, the subcommand's own struct, then takes all options
 * of argv[1] … in their order. Returns ARGUMENTS_GO, or the exit status after the help or a
 * mistake. Moves the operands behind the options; *first is the index of the first one. With first
 * NULL no operand is allowed. */
int arguments_parse(const struct arguments *arguments, int argc, char **argv, void *options,
                    int *first);

void arguments_write_help(const struct arguments *arguments);

#endif
