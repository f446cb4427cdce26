// SPDX-License-Identifier: Apache-2.0
/*
 * main: the program's subcommands. Layer: bench.
 */
#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
#include "bench/cli/subcommands.h"
#include "bench/cli/terminal.h"
#include "bench/output/json_result.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char purpose[] =
    "Measure the cost of handing a ZooKeeper lock to n clients: O(n²) messages if all clients "
    "watch one znode, O(n) if each client watches only its predecessor.";

static const char help_behind[] =
    "\n"
    "  -h, --help     print this help; zkherd SUBCOMMAND --help: that of a subcommand\n"
    "  -V, --version  print the version\n"
    "\n"
    "Examples:\n"
    "  zkherd run                          the herd effect, on a private server\n"
    "  zkherd run -r scalable -n 1000      one recipe, a thousand clients\n"
    "  zkherd claims                       every claim, with its verdict\n";

static int print_help(void)
{
    puts("Usage: zkherd SUBCOMMAND [OPTION]...");
    wrap_write(purpose, 0, stdout);
    putchar('\n');
    for (const struct subcommand *one = subcommands; one->name != NULL; one++)
        printf("  %-12s %s\n", one->name, one->does);
    fputs(help_behind, stdout);
    return 0;
}

static int run_subcommand(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    if (name == NULL) {
        complain_mildly("no subcommand given; see zkherd --help");
        return error_exit_status(ERROR_USAGE);
    }
    bool help_wanted = strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0;
    bool version_wanted = strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0;
    if ((help_wanted || version_wanted) && argc > 2)
        return complain_usage("", argv[2], "%s takes no further argument", name);
    if (help_wanted)
        return print_help();
    if (version_wanted) {
        printf("zkherd %s\n", version_text);
        return 0;
    }
    const struct subcommand *like = NULL;
    for (const struct subcommand *one = subcommands; one->name != NULL; one++) {
        if (strcmp(name, one->name) == 0)
            return one->main(argc - 1, argv + 1);
        if (like == NULL && text_is_like(name, one->name))
            like = one;
    }
    if (like != NULL)
        return complain_usage("", name, "no such subcommand; did you mean '%s'?", like->name);
    return complain_usage("", name[0] != '\0' ? name : "''", "no such subcommand");
}

/* What could not be printed must not pass for done; of a pipe that is closed nothing is said. */
static int check_stdout(int status)
{
    struct error error;
    enum error_kind kind = standard_output_flush(&error);
    if (kind != ERROR_NONE && kind != ERROR_UNREAD)
        complain(&error);
    return status != 0 ? status : error_exit_status(kind);
}

/* The main process, which reports the crash of a worker; its own no other would report. */
static pid_t main_process;

/* The Apache library takes the lengths in a reply for granted, and asserts what it expects. Only
 * calls that are safe in a handler; the signal then ends the process as it would have. */
static void report_crash(int number)
{
    static const char words[] =
        "zkherd: it has crashed, perhaps in the ZooKeeper client library by a reply that\n"
        "    is cut short, damaged or sent twice; see what is between this host and the\n"
        "    servers, and report it with the command\n";
    if (getpid() == main_process)
        (void)!write(STDERR_FILENO, words, sizeof words - 1);
    raise(number);
}

/* A handler that is there already is a sanitizer's. */
static void guard_against_crashes(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT};
    const struct sigaction reporter = {.sa_handler = report_crash,
                                       .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
    struct sigaction before;
    main_process = getpid();
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(signals[i], &reporter, NULL);
    }
}

int main(int argc, char **argv)
{
    guard_against_crashes();
    standard_output_guard();
    /* A file that grows past its limit is to be an error of the write, not the end of the program.
     */
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    /* A parent may have ignored it: then the status of a child, gnuplot's say, would be lost. */
    signal(SIGCHLD, SIG_DFL);
    json_result_start();
    return check_stdout(run_subcommand(argc, argv));
}
