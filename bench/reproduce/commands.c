// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"
#include "bench/cli/machine.h"
#include "bench/cli/progress.h"
#include "bench/reproduce/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

TABLE_DEFINE(command_row, "commands.csv", COMMAND_COLUMNS)

#define TICK_MS      100
#define TICKS_A_LOOK 10 /* memory and disk are looked at each second */
#define NOT_EXECUTED 127
#define SAID         "output.txt"

void commands_machine(char *cpu, size_t size, uint64_t *cores)
{
    char host[256];
    machine_names(host, sizeof host, cpu, size);
    *cores = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
}

char *const *commands_of(const struct commands *commands, const struct part *part, size_t *count)
{
    *count = commands->quick ? part->quick_count : part->run_count;
    return commands->quick ? part->quick : part->run;
}

const struct table_value *commands_row(const struct table *table, const char *part,
                                       const char *command)
{
    for (size_t i = 0; i < table->rows; i++) {
        const struct table_value *row = table_row(table, i);
        if (strcmp(row[command_row_part].text, part) == 0 &&
            strcmp(row[command_row_command].text, command) == 0)
            return row;
    }
    return NULL;
}

/* ------------------------------------------------------------------ commands.csv */

static void write_done(FILE *stream, const void *context)
{
    const struct table *done = context;
    struct csv csv = {.stream = stream};
    table_write_header(&command_row_table, &csv);
    for (size_t i = 0; i < done->rows; i++)
        table_write_row(&command_row_table, table_row(done, i), &csv);
}

/* A part that runs in another way than before has none of its results of before. */
static void forget_others(struct commands *commands, const struct part *part)
{
    struct table kept = {.type = &command_row_table};
    size_t count;
    char *const *list = commands_of(commands, part, &count);
    for (size_t i = 0; i < commands->done.rows; i++) {
        const struct table_value *row = table_row(&commands->done, i);
        bool keep = strcmp(row[command_row_part].text, part->name) != 0;
        for (size_t k = 0; !keep && k < count; k++)
            keep = strcmp(row[command_row_command].text, list[k]) == 0;
        struct table_value *copy = keep ? table_add(&kept) : NULL;
        for (size_t column = 0; keep && column < command_row_columns_count; column++)
            copy[column] =
                row[column].kind == TABLE_TEXT ? table_text(row[column].text) : row[column];
    }
    table_deinit(&commands->done);
    commands->done = kept;
}

/* ------------------------------------------------------------------ a command */

/* A command line as it is executed. */
struct line {
    char **words; /* the program's name first; with room for it */
    char **list;
    const char *prints; /* the file that keeps what it prints; NULL: output.txt does */
    const char *makes;  /* its -o; NULL: none */
};

static struct line prepare(const struct commands *commands, const char *command)
{
    static char name[] = "zkherd";
    struct line line = {0};
    size_t count;
    line.list = list_words(command, '\'', &count);
    line.words = memory_new(count + 2, sizeof *line.words);
    line.words[0] = name;
    for (size_t i = 0, to = 1; i < count; i++) {
        if (strcmp(line.list[i], ">") == 0) {
            line.prints = line.list[i + 1];
            break;
        }
        if (strcmp(line.list[i], "-o") == 0)
            line.makes = line.list[i + 1];
        bool homes = strcmp(line.list[i], "$ZOOKEEPERS") == 0;
        line.words[to++] = homes ? memory_text(commands->zookeepers) : line.list[i];
    }
    return line;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status, (void)type, (void)place;
    return remove(path);
}

/* Runs in the child; what it says is kept. */
static void execute(const struct commands *commands, const struct line *line, const char *folder)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    char *said = memory_format("%s/" SAID, commands->folder);
    int log = open(said, O_WRONLY | O_CREAT | O_APPEND, 0666);
    int nothing = open("/dev/null", O_RDONLY);
    if (chdir(folder) != 0 || log < 0)
        _exit(NOT_EXECUTED);
    int out = line->prints != NULL ? open(line->prints, O_WRONLY | O_CREAT | O_TRUNC, 0666) : log;
    dup2(nothing, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    execv(commands->program, line->words);
    _exit(NOT_EXECUTED);
}

/* Waits for the child, and looks at it each second. False: a signal has come; the child has been
 * told, and has ended. */
static bool watch(const struct commands *commands, pid_t child, int *status, double *memory,
                  double *disk)
{
    struct pollfd polled = {.fd = commands->interrupts, .events = POLLIN};
    for (unsigned tick = 0; waitpid(child, status, WNOHANG) == 0; tick++) {
        if (tick % TICKS_A_LOOK == 0)
            usage_look(child, commands->folder, memory, disk);
        if (poll(&polled, 1, TICK_MS) > 0) {
            kill(child, SIGTERM);
            waitpid(child, status, 0);
            return false;
        }
    }
    return true;
}

static void keep(struct commands *commands, const struct part *part, const char *command,
                 double seconds, double memory, double disk, int status)
{
    char cpu[200];
    uint64_t cores;
    struct table_value *row = table_add(&commands->done);
    commands_machine(cpu, sizeof cpu, &cores);
    row[command_row_part] = table_text(part->name);
    row[command_row_command] = table_text(command);
    row[command_row_seconds] = table_real(seconds);
    row[command_row_memory_mib] = table_real(memory);
    row[command_row_disk_mib] = table_real(disk);
    row[command_row_status] = table_count(WIFEXITED(status) ? (uint64_t)WEXITSTATUS(status)
                                                            : 128 + (uint64_t)WTERMSIG(status));
    row[command_row_cpu] = table_text(cpu);
    row[command_row_cores] = table_count(cores);
    row[command_row_version] = table_text(version_text);
}

/* What an interrupted command has left is removed before. */
static enum error_kind run(struct commands *commands, const struct part *part, const char *command,
                           struct error *error)
{
    struct line line = prepare(commands, command);
    char *folder = memory_format("%s/%s", commands->folder, part->in),
         *old = memory_format("%s/%s", folder, line.makes != NULL ? line.makes : ".");
    double memory = 0, disk = 0, disk_before;
    int status = 0;
    bool whole = true;
    if (line.makes != NULL)
        nftw(old, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    mkdir(folder, 0777);
    disk_before = usage_disk_mib(commands->folder);
    uint64_t began_ns = clock_now_ns();
    pid_t child = fork();
    if (child == 0)
        execute(commands, &line, folder);
    if (child > 0)
        whole = watch(commands, child, &status, &memory, &disk);
    disk = disk > disk_before ? disk - disk_before : 0;
    if (child > 0 && whole)
        keep(commands, part, command, (double)(clock_now_ns() - began_ns) / 1e9, memory, disk,
             status);
    free(folder);
    free(old);
    free(line.words);
    free(line.list);
    if (child < 0)
        return error_from_errno(error, errno, command, "cannot be started");
    return whole ? ERROR_NONE : error_raise(error, ERROR_INTERRUPTED, 0, command, "%s", "");
}

/* ------------------------------------------------------------------ all */

bool commands_can_run(const struct commands *commands, const char *command)
{
    return commands->zookeepers != NULL || strstr(command, "$ZOOKEEPERS") == NULL;
}

/* Calls for each command that is wanted, not done, and can be run. */
static enum error_kind each(struct commands *commands, const struct parts *parts,
                            enum error_kind (*call)(void *context, const struct part *part,
                                                    const char *command, struct error *error),
                            void *context, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; i < parts->count; i++) {
        const struct part *part = &parts->list[i];
        size_t count;
        char *const *list = commands_of(commands, part, &count);
        for (size_t k = 0; kind == ERROR_NONE && part->wanted && k < count; k++) {
            if (commands_can_run(commands, list[k]) &&
                commands_row(&commands->done, part->name, list[k]) == NULL)
                kind = call(context, part, list[k], error);
        }
    }
    return kind;
}

struct ahead {
    struct commands *commands;
    size_t count, done;
    double seconds; /* of those that are left, as the reference took */
};

static double seconds_of(const struct commands *commands, const struct part *part,
                         const char *command)
{
    const struct table_value *row = commands_row(&commands->before, part->name, command);
    double seconds = row != NULL ? table_number(&row[command_row_seconds]) : 0;
    return seconds > 0 ? seconds : 0;
}

static enum error_kind count_one(void *context, const struct part *part, const char *command,
                                 struct error *error)
{
    struct ahead *ahead = context;
    (void)error;
    ahead->count++;
    ahead->seconds += seconds_of(ahead->commands, part, command);
    return ERROR_NONE;
}

static enum error_kind run_one(void *context, const struct part *part, const char *command,
                               struct error *error)
{
    struct ahead *ahead = context;
    struct commands *commands = ahead->commands;
    char left[32];
    text_format_duration((uint64_t)(ahead->seconds * 1e9), left, sizeof left);
    char *line =
        memory_format("[%zu/%zu] %s%szkherd %s", ++ahead->done, ahead->count,
                      ahead->seconds > 0 ? left : "", ahead->seconds > 0 ? " left: " : "", command);
    progress_say(commands->progress, line);
    free(line);
    ahead->seconds -= seconds_of(commands, part, command);
    forget_others(commands, part);
    enum error_kind kind = run(commands, part, command, error);
    progress_clear(commands->progress);
    if (kind == ERROR_NONE)
        kind = output_write(commands->folder, command_row_table.file, write_done, &commands->done,
                            error);
    return kind;
}

enum error_kind commands_run(struct commands *commands, const struct parts *parts,
                             struct error *error)
{
    struct ahead ahead = {.commands = commands};
    enum error_kind kind = each(commands, parts, count_one, &ahead, error);
    return kind == ERROR_NONE ? each(commands, parts, run_one, &ahead, error) : kind;
}
