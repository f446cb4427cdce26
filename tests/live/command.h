// SPDX-License-Identifier: Apache-2.0
/*
 * command: the program run as a user runs it, and a look at what it leaves behind.
 *
 * Every test has a nest: a folder of its own in /tmp, with the commands' working directory (work)
 * and their TMPDIR (tmp) in it. A process whose environment has that TMPDIR is one of ours, however
 * far it has moved from its parents. The program is $ZKHERD, or build/zkherd.
 */
#ifndef TESTS_COMMAND_H
#define TESTS_COMMAND_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "trial/steward.h"
#include "zk/admin.h"
#include "zk/ensemble.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COMMAND_TEXT_SIZE  (64 * 1024)
#define COMMAND_LIMIT_NS   (120 * NS_PER_S)
#define COMMAND_PROCESSES  64
#define COMMAND_PATH_SIZE  4096
#define COMMAND_PATIENCE_S 3

/* The arguments of a command, argv[0] included. */
#define COMMAND(...) ((const char *const[]){"zkherd", __VA_ARGS__, NULL})

/* A setting in which the program finds no other: no Java, and no gnuplot, whose plots take their
 * time. */
#define NO_PROGRAMS "PATH=/nonexistent"

/* What a command is to find, and what came of it. Lies in static storage: it is large. */
struct command {
    const char *const *settings; /* NAME=value to set, NAME to unset, then NULL; or NULL */
    void (*prepare)(void);       /* runs in the child before the program; or NULL */
    pid_t pid;
    int out_descriptor, err_descriptor;
    uint64_t started_ns, took_ns;
    int status; /* of the exit; 128 and more: the signal that ended it */
    char out[COMMAND_TEXT_SIZE], err[COMMAND_TEXT_SIZE];
};

static char command_program[COMMAND_PATH_SIZE];
static char nest[64], nest_work[80], nest_temporary[80];

static inline void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* ------------------------------------------------------------------ our processes */

static inline bool is_ours(pid_t pid)
{
    static char environment[256 * 1024];
    char path[64], mark[128];
    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    snprintf(mark, sizeof mark, "TMPDIR=%s", nest_temporary);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    size_t length = fread(environment, 1, sizeof environment, file);
    fclose(file);
    return memmem(environment, length, mark, strlen(mark) + 1) != NULL;
}

/* Processes of the nest's commands that still run; those that have ended are none of them. */
static inline size_t list_ours(pid_t *pids)
{
    size_t count = 0;
    DIR *directory = opendir("/proc");
    assert_non_null(directory);
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        pid_t pid = (pid_t)atoi(entry->d_name);
        if (pid > 0 && count < COMMAND_PROCESSES && is_ours(pid))
            pids[count++] = pid;
    }
    closedir(directory);
    return count;
}

static inline void read_name(pid_t pid, char *name, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    FILE *file = fopen(path, "re");
    name[0] = '\0';
    if (file == NULL)
        return;
    if (fgets(name, (int)size, file) != NULL)
        name[strcspn(name, "\n")] = '\0';
    fclose(file);
}

/* One of ours that goes by this name and is not `but`; 0 if there is none. */
static inline pid_t find_ours(const char *name, pid_t but)
{
    pid_t pids[COMMAND_PROCESSES];
    size_t count = list_ours(pids);
    for (size_t i = 0; i < count; i++) {
        char its_name[32];
        read_name(pids[i], its_name, sizeof its_name);
        if (pids[i] != but && strcmp(its_name, name) == 0)
            return pids[i];
    }
    return 0;
}

/* ------------------------------------------------------------------ the nest */

static inline void find_program(void)
{
    const char *program = getenv("ZKHERD");
    if (program == NULL || *program == '\0')
        program = "build/zkherd";
    if (command_program[0] == '\0' && realpath(program, command_program) == NULL)
        fail_msg("%s: %s; make it first, or set ZKHERD", program, strerror(errno));
}

static inline int nest_make(void **state)
{
    (void)state;
    find_program();
    strcpy(nest, "/tmp/zkherd-cli-XXXXXX");
    if (mkdtemp(nest) == NULL)
        return -1;
    snprintf(nest_work, sizeof nest_work, "%s/work", nest);
    snprintf(nest_temporary, sizeof nest_temporary, "%s/tmp", nest);
    return mkdir(nest_work, 0755) != 0 || mkdir(nest_temporary, 0755) != 0;
}

static inline int remove_entry(const char *path, const struct stat *status, int type,
                               struct FTW *place)
{
    (void)status, (void)type, (void)place;
    return remove(path);
}

/* Also after a test that failed: nothing of it goes on. */
static inline int nest_remove(void **state)
{
    (void)state;
    pid_t pids[COMMAND_PROCESSES];
    for (size_t count = list_ours(pids); count > 0; count = list_ours(pids)) {
        while (count > 0)
            kill(pids[--count], SIGKILL);
        pause_ms(20);
    }
    return nftw(nest, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

#define COMMAND_TEST(test) cmocka_unit_test_setup_teardown(test, nest_make, nest_remove)

/* A path inside the working directory; the caller's until the eighth call after this one. */
__attribute__((format(printf, 1, 2))) static inline const char *in_work(const char *format, ...)
{
    static char paths[8][COMMAND_PATH_SIZE];
    static size_t turn;
    char *path = paths[turn++ % 8];
    va_list arguments;
    va_start(arguments, format);
    int length = snprintf(path, COMMAND_PATH_SIZE, "%s/", nest_work);
    vsnprintf(path + length, COMMAND_PATH_SIZE - (size_t)length, format, arguments);
    va_end(arguments);
    return path;
}

static inline size_t count_entries(const char *folder)
{
    size_t count = 0;
    DIR *directory = opendir(folder);
    if (directory == NULL)
        fail_msg("%s: %s", folder, strerror(errno));
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory))
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

/* ------------------------------------------------------------------ a command */

static inline void apply_settings(const char *const *settings)
{
    for (; settings != NULL && *settings != NULL; settings++) {
        char name[64] = "";
        size_t length = strcspn(*settings, "=");
        memcpy(name, *settings, length);
        if ((*settings)[length] == '\0')
            unsetenv(name);
        else
            setenv(name, *settings + length + 1, 1);
    }
}

_Noreturn static inline void become_program(const struct command *command,
                                            const char *const arguments[])
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
    dup2(command->out_descriptor, 1);
    dup2(command->err_descriptor, 2);
    setenv("TMPDIR", nest_temporary, 1);
    apply_settings(command->settings);
    if (chdir(nest_work) != 0)
        _exit(126);
    if (command->prepare != NULL)
        command->prepare();
    execv(command_program, (char *const *)(uintptr_t)arguments);
    _exit(127);
}

static inline void command_start(struct command *command, const char *const arguments[])
{
    command->out_descriptor = memfd_create("out", MFD_CLOEXEC);
    command->err_descriptor = memfd_create("err", MFD_CLOEXEC);
    command->started_ns = clock_now_ns();
    command->pid = fork();
    assert_true(command->pid >= 0);
    if (command->pid == 0)
        become_program(command, arguments);
    setpgid(command->pid, command->pid);
}

static inline void read_output(int descriptor, char *text)
{
    ssize_t length = pread(descriptor, text, COMMAND_TEXT_SIZE - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    close(descriptor);
}

/* Waits for a started command to end by itself within this time from now. */
static inline void command_finish(struct command *command, uint64_t limit_ns)
{
    uint64_t until_ns = clock_now_ns() + limit_ns;
    int status = 0;
    bool in_time = true;
    while (waitpid(command->pid, &status, WNOHANG) == 0) {
        if (in_time && clock_now_ns() > until_ns) {
            in_time = false;
            kill(command->pid, SIGKILL);
        }
        pause_ms(2);
    }
    command->took_ns = clock_now_ns() - command->started_ns;
    command->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    read_output(command->out_descriptor, command->out);
    read_output(command->err_descriptor, command->err);
    if (!in_time)
        fail_msg("it did not end within %.1f s\n%s", (double)limit_ns / 1e9, command->err);
}

static inline void command_run(struct command *command, const char *const arguments[])
{
    command_start(command, arguments);
    command_finish(command, COMMAND_LIMIT_NS);
}

/* Whether a started command still runs; does not take its status. */
static inline bool command_runs(const struct command *command)
{
    siginfo_t end = {0};
    return waitid(P_PID, (id_t)command->pid, &end, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           end.si_pid == 0;
}

/* ------------------------------------------------------------------ what it should have done */

static inline void assert_has(const char *text, const char *words)
{
    if (strstr(text, words) == NULL)
        fail_msg("'%s' lacks '%s'", text, words);
}

static inline void assert_status(const struct command *command, int status)
{
    if (command->status != status)
        fail_msg("exit status %d, not %d\n%s%s", command->status, status, command->out,
                 command->err);
}

/* One line "zkherd: what: why; what to do", with these words in it. */
static inline void assert_complaint(const char *err, const char *words)
{
    const char *why = strstr(err, ": ");
    why = why == NULL ? NULL : strstr(why + 2, ": ");
    const char *end = strchr(err, '\n');
    if (strncmp(err, "zkherd: ", 8) != 0 || why == NULL || strstr(why, "; ") == NULL ||
        end == NULL || end[1] != '\0' || end[-1] == ' ')
        fail_msg("'%s' is not one line 'zkherd: what: why; what to do'", err);
    assert_has(err, words);
}

/* It refused: one line on stderr, nothing on stdout. */
static inline void assert_refused(const struct command *command, int status, const char *words)
{
    assert_status(command, status);
    assert_string_equal(command->out, "");
    assert_complaint(command->err, words);
}

/* No process and no temporary folder, now or within a moment. */
static inline void assert_nothing_runs(void)
{
    pid_t pids[COMMAND_PROCESSES];
    uint64_t until_ns = clock_now_ns() + COMMAND_PATIENCE_S * NS_PER_S;
    while (list_ours(pids) > 0 || count_entries(nest_temporary) > 0) {
        char name[32];
        size_t count = list_ours(pids);
        if (clock_now_ns() < until_ns) {
            pause_ms(10);
            continue;
        }
        read_name(count > 0 ? pids[0] : 0, name, sizeof name);
        fail_msg("left behind: %zu processes (%s), %zu temporary folders", count, name,
                 count_entries(nest_temporary));
    }
}

/* As above, and so many entries in the working directory. */
static inline void assert_left(size_t entries)
{
    assert_nothing_runs();
    if (count_entries(nest_work) != entries)
        fail_msg("%zu entries in the working directory, not %zu", count_entries(nest_work),
                 entries);
}

/* ------------------------------------------------------------------ its files */

/* Waits until a file that the command is writing has so many lines below its header's. */
static inline void command_await_rows(struct command *command, const char *name, size_t wanted)
{
    uint64_t until_ns = clock_now_ns() + COMMAND_LIMIT_NS;
    for (size_t rows = 0; rows <= wanted; pause_ms(5)) {
        FILE *file = fopen(in_work("%s", name), "re");
        rows = 0;
        for (int byte = file == NULL ? EOF : getc(file); byte != EOF; byte = getc(file))
            rows += byte == '\n';
        if (file != NULL)
            fclose(file);
        if (!command_runs(command) || clock_now_ns() > until_ns) {
            command_finish(command, 0);
            fail_msg("it does not run as it should: %s", command->err);
        }
    }
}

/* A file's text, for the caller to free. */
static inline char *read_text(const char *path)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        fail_msg("%s: %s", path, strerror(errno));
    char *text = NULL;
    size_t size = 0;
    if (getdelim(&text, &size, '\0', file) < 0) {
        fclose(file);
        free(text);
        fail_msg("%s is empty", path);
    }
    fclose(file);
    return text;
}

/* A CSV file, taken apart; row 0 is the first below the names of the columns. */
struct table {
    char *text;
    char **fields; /* columns of them for each row, the names first */
    size_t columns, rows;
};

/* Ends the field at *at, takes its quotes off, and moves behind the comma or the end of the row;
 * *last turns true at the end of the row. */
static inline char *next_field(char **at, bool *last)
{
    bool quoted = **at == '"';
    char *field = *at + quoted, *from = field, *to = field;
    while (quoted ? from[0] != '"' || from[1] == '"' : *from != ',' && *from != '\n') {
        assert_true(*from != '\0');
        from += quoted && *from == '"';
        *to++ = *from++;
    }
    from += quoted;
    assert_true(*from == ',' || *from == '\n');
    *last = *from == '\n';
    *at = from + 1;
    *to = '\0';
    return field;
}

/* Reads a CSV file, and fails unless every row is whole. For the caller to table_deinit. */
static inline struct table table_read(const char *path)
{
    struct table table = {.text = read_text(path)};
    size_t count = 0, in_row = 0;
    if (table.text[strlen(table.text) - 1] != '\n')
        fail_msg("%s does not end with the end of a row", path);
    table.fields = calloc(strlen(table.text) + 1, sizeof *table.fields);
    for (char *at = table.text; *at != '\0';) {
        bool last;
        table.fields[count++] = next_field(&at, &last);
        in_row++;
        if (!last)
            continue;
        if (table.columns == 0)
            table.columns = in_row;
        if (in_row != table.columns)
            fail_msg("%s: %zu fields instead of %zu", path, in_row, table.columns);
        in_row = 0;
    }
    table.rows = count / table.columns - 1;
    return table;
}

static inline void table_deinit(struct table *table)
{
    free(table->fields);
    free(table->text);
}

static inline bool table_has(const struct table *table, const char *column)
{
    for (size_t i = 0; i < table->columns; i++) {
        if (strcmp(table->fields[i], column) == 0)
            return true;
    }
    return false;
}

static inline const char *table_text(const struct table *table, size_t row, const char *column)
{
    for (size_t i = 0; i < table->columns; i++) {
        if (strcmp(table->fields[i], column) == 0)
            return table->fields[(row + 1) * table->columns + i];
    }
    fail_msg("there is no column %s", column);
    return "";
}

static inline double table_real(const struct table *table, size_t row, const char *column)
{
    const char *text = table_text(table, row, column);
    char *end;
    double value = strtod(text, &end);
    if (*text == '\0' || *end != '\0')
        fail_msg("column %s is '%s'", column, text);
    return value;
}

static inline uint64_t table_count(const struct table *table, size_t row, const char *column)
{
    const char *text = table_text(table, row, column);
    char *end;
    uint64_t value = strtoull(text, &end, 10);
    if (*text == '\0' || *end != '\0')
        fail_msg("column %s is '%s'", column, text);
    return value;
}

/* Whether two rows are of the same trial. */
static inline bool same_trial(const struct table *a, size_t row, const struct table *b,
                              size_t other)
{
    static const char *const key[] = {"run", "recipe", "clients", "trial"};
    for (size_t i = 0; i < sizeof key / sizeof key[0]; i++) {
        if (strcmp(table_text(a, row, key[i]), table_text(b, other, key[i])) != 0)
            return false;
    }
    return true;
}

/* The files of a run that grow trial by trial. */
struct run_files {
    struct table trials, handoffs, sessions, latency;
};

static inline void run_files_deinit(struct run_files *files)
{
    table_deinit(&files->trials);
    table_deinit(&files->handoffs);
    table_deinit(&files->sessions);
    table_deinit(&files->latency);
}

/* Every column that both files have adds up, trial by trial, and no row is of another trial. */
static inline void assert_ledger_adds_up(const struct run_files *files)
{
    static const char *const columns[] = {
        "creates", "exists",        "gets",         "get_children", "sets",          "deletes",
        "multis",  "notifications", "names_listed", "bytes_sent",   "bytes_received"};
    size_t rows = 0;
    for (size_t trial = 0; trial < files->trials.rows; trial++) {
        uint64_t sums[sizeof columns / sizeof columns[0]] = {0}, rpcs = 0;
        for (size_t row = 0; row < files->handoffs.rows; row++) {
            if (!same_trial(&files->trials, trial, &files->handoffs, row))
                continue;
            rows++;
            rpcs += table_count(&files->handoffs, row, "rpcs");
            for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
                sums[i] += table_count(&files->handoffs, row, columns[i]);
        }
        assert_int_equal(rpcs, table_count(&files->trials, trial, "rpcs"));
        for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
            if (sums[i] != table_count(&files->trials, trial, columns[i]))
                fail_msg("%s: %s in trials.csv, but %llu in handoffs.csv", columns[i],
                         table_text(&files->trials, trial, columns[i]),
                         (unsigned long long)sums[i]);
        }
    }
    assert_int_equal(rows, files->handoffs.rows);
}

/* Every trial has all of its sessions, once each, and no other; what they acquired are the trial's
 * grants. */
static inline void assert_sessions_add_up(const struct run_files *files)
{
    size_t rows = 0;
    for (size_t trial = 0; trial < files->trials.rows; trial++) {
        uint64_t session = 0, acquisitions = 0;
        for (size_t row = 0; row < files->sessions.rows; row++) {
            if (!same_trial(&files->trials, trial, &files->sessions, row))
                continue;
            rows++;
            assert_int_equal(table_count(&files->sessions, row, "session"), session++);
            acquisitions += table_count(&files->sessions, row, "acquisitions");
        }
        assert_int_equal(session, table_count(&files->trials, trial, "clients"));
        assert_int_equal(acquisitions, table_count(&files->trials, trial, "handoffs"));
    }
    assert_int_equal(rows, files->sessions.rows);
}

static inline bool is_request(const char *kind)
{
    return strcmp(kind, "notification") != 0 && strcmp(kind, "handoff") != 0 &&
           strcmp(kind, "acquire") != 0 && strcmp(kind, "release") != 0;
}

/* A latency for every request of every trial of a drain, and of no other. A steady trial's are
 * those of its steady part. */
static inline void assert_latencies_add_up(const struct run_files *files)
{
    size_t rows = 0;
    for (size_t trial = 0; trial < files->trials.rows; trial++) {
        uint64_t requests = 0;
        for (size_t row = 0; row < files->latency.rows; row++) {
            if (!same_trial(&files->trials, trial, &files->latency, row))
                continue;
            rows++;
            if (is_request(table_text(&files->latency, row, "kind")) &&
                strcmp(table_text(&files->latency, row, "role"), "all") == 0)
                requests += table_count(&files->latency, row, "count");
        }
        uint64_t rpcs = table_count(&files->trials, trial, "rpcs");
        bool drain = strcmp(table_text(&files->trials, trial, "workload"), "drain") == 0;
        assert_true(drain ? requests == rpcs : requests > 0 && requests < rpcs);
    }
    assert_int_equal(rows, files->latency.rows);
}

/* An interval in the log for each row of latency.csv, and whole lines. */
static inline void assert_log_is_whole(const struct run_files *files, const char *path)
{
    char *text = read_text(path);
    size_t intervals = 0;
    assert_int_equal(text[strlen(text) - 1], '\n');
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1)
        intervals += strncmp(line, "Tag=", 4) == 0;
    assert_int_equal(intervals, files->latency.rows);
    free(text);
}

static inline void assert_no_parts(const char *folder)
{
    DIR *directory = opendir(folder);
    if (directory == NULL)
        fail_msg("%s: %s", folder, strerror(errno));
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        if (strstr(entry->d_name, ".part") != NULL)
            fail_msg("%s is left behind", entry->d_name);
    }
    closedir(directory);
}

/* Reads what a run has left in this folder of the working directory: whole trials, well-formed, and
 * the same ones in each file. For the caller to run_files_deinit. */
static inline struct run_files run_files_read(const char *folder)
{
    assert_no_parts(in_work("%s", folder));
    struct run_files files = {
        .trials = table_read(in_work("%s/trials.csv", folder)),
        .handoffs = table_read(in_work("%s/handoffs.csv", folder)),
        .sessions = table_read(in_work("%s/sessions.csv", folder)),
        .latency = table_read(in_work("%s/latency.csv", folder)),
    };
    assert_ledger_adds_up(&files);
    assert_sessions_add_up(&files);
    assert_latencies_add_up(&files);
    assert_log_is_whole(&files, in_work("%s/latency.hlog", folder));
    return files;
}

/* For the caller to json_decref. */
static inline json_t *read_manifest(const char *folder)
{
    json_error_t error;
    json_t *manifest = json_load_file(in_work("%s/manifest.json", folder), 0, &error);
    if (manifest == NULL)
        fail_msg("%s/manifest.json: %s", folder, error.text);
    return manifest;
}

/* The manifest says that the run was cut short, and by what (words of lib/base/fault.h), and how
 * many trials there are in its files. */
static inline void assert_cut_short(const char *folder, const char *words, size_t trials)
{
    json_t *manifest = read_manifest(folder);
    bool interrupted = json_is_true(json_object_get(manifest, "interrupted"));
    const char *told = json_string_value(json_object_get(manifest, "cut_short"));
    assert_non_null(told);
    assert_string_equal(told, words);
    assert_int_equal(interrupted, strcmp(words, "interrupted") == 0);
    assert_int_equal(json_integer_value(json_object_get(manifest, "trials_finished")), trials);
    assert_true(json_integer_value(json_object_get(manifest, "trials_planned")) >
                (json_int_t)trials);
    json_decref(manifest);
}

/* ------------------------------------------------------------------ a server to connect to */

/* Not the command's own, so none of ours above; for all tests of a file. */
static struct ensemble *outside_server;
static char outside[64]; /* host:port */

static inline int outside_start(void **state)
{
    (void)state;
    struct ensemble_options options = ensemble_options_default();
    struct fault fault = {0};
    options.heap_mib = 256;
    find_program();
    if (ensemble_start(&options, &outside_server, &fault) != FAULT_NONE) {
        print_error("%s: %s: %s\n", fault.subject, fault_words(fault.kind), fault.detail);
        return -1;
    }
    const struct endpoint *endpoint = &ensemble_connect(outside_server)->endpoints[0];
    snprintf(outside, sizeof outside, "%.20s:%u", endpoint->host, endpoint->port);
    return 0;
}

static inline int outside_stop(void **state)
{
    (void)state;
    ensemble_stop(outside_server);
    return 0;
}

/* How many sessions, ephemeral znodes and znodes the server has, and znodes right below its root.
 */
struct outside_view {
    uint64_t sessions, ephemerals, znodes;
    size_t children;
};

static inline struct outside_view look_outside(void)
{
    struct connect_string servers;
    struct steward *steward = NULL;
    struct admin_counters counters;
    struct outside_view view = {0};
    struct fault fault;
    servers = *ensemble_connect(outside_server);
    assert_int_equal(admin_counters(&servers.endpoints[0], 5 * NS_PER_S, &counters, &fault),
                     FAULT_NONE);
    assert_int_equal(steward_new(&servers, 5 * NS_PER_S, &steward, &fault), FAULT_NONE);
    assert_int_equal(steward_count_children(steward, "/", &view.children, &fault), FAULT_NONE);
    steward_free(steward);
    view.sessions = counters.connections - 1; /* the question's own */
    view.ephemerals = counters.ephemerals_count;
    view.znodes = counters.znode_count;
    return view;
}

/* No session, no ephemeral znode, and only the znodes that were there before, now or within a
 * moment. */
static inline void assert_nothing_left_outside(size_t children)
{
    uint64_t until_ns = clock_now_ns() + COMMAND_PATIENCE_S * NS_PER_S;
    for (;;) {
        struct outside_view view = look_outside();
        if (view.sessions == 0 && view.ephemerals == 0 && view.children == children)
            return;
        if (clock_now_ns() >= until_ns)
            fail_msg("left on the server: %llu sessions, %llu ephemeral znodes, %zu znodes, not "
                     "%zu",
                     (unsigned long long)view.sessions, (unsigned long long)view.ephemerals,
                     view.children, children);
        pause_ms(20);
    }
}

#endif
