// SPDX-License-Identifier: Apache-2.0
/* The clients of a tap, those of its command or any others, between two readings of the servers'
 * counters. A command is a process group of its own, of which nothing runs after its end. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/random.h"
#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
#include "bench/tap/internal.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DESCRIPTORS_MOST 40000
#define TICK_NS          (50 * NS_PER_MS)
#define PROGRESS_NS      (500 * NS_PER_MS) /* between two lines of progress */
/* Longest time for connections to close after the command has ended: the servers answer the close
 * of a session with a write. */
#define CLOSING_NS (2 * NS_PER_S)

#define VARIABLE    "ZKHERD_CONNECT"
#define VARIABLE_N  "ZKHERD_N"
#define SCRIPT_MOST 65536
#define PIPE_BYTES  (1 << 20)
#define PATIENCE_NS (2 * NS_PER_S) /* between SIGTERM and SIGKILL */
#define POLL_NS     (10 * NS_PER_MS)

/* ------------------------------------------------------------------ the command */

/* The text with `value` in place of every `sign`. Takes the text; the new one is the caller's to
 * free. */
static char *fill_in(char *text, const char *sign, const char *value)
{
    struct growing_text filled = {0};
    const char *rest = text;
    for (const char *at; (at = strstr(rest, sign)) != NULL; rest = at + strlen(sign))
        growing_text_add(&filled, "%.*s%s", (int)(at - rest), rest, value);
    growing_text_add(&filled, "%s", rest);
    free(text);
    return filled.text;
}

bool tap_command_knows_n(char *const *words)
{
    bool found = false;
    char *script = memory_new(SCRIPT_MOST, 1);
    for (; *words != NULL && !found; words++)
        found = strstr(*words, "{n}") != NULL || strstr(*words, VARIABLE_N) != NULL ||
                (text_read(*words, script, SCRIPT_MOST) && strstr(script, VARIABLE_N) != NULL);
    free(script);
    return found;
}

/* ERROR_USAGE if the command cannot be executed. */
static enum error_kind command_start(struct tap_command *command, char *const *words,
                                     const char *connect, const char *n, struct error *error)
{
    int output[2];
    size_t count = 0;
    if (pipe2(output, O_CLOEXEC) != 0)
        return error_from_errno(error, errno, words[0], "while starting the command");
    (void)fcntl(output[0], F_SETPIPE_SZ, PIPE_BYTES);
    (void)fcntl(output[0], F_SETFL, O_NONBLOCK);
    while (words[count] != NULL)
        count++;
    char **filled = memory_new(count + 1, sizeof *filled);
    for (size_t i = 0; i < count; i++) {
        char *word = memory_text(words[i]);
        word = n != NULL ? fill_in(word, "{n}", n) : word;
        filled[i] = fill_in(fill_in(word, "{connect}", connect), "{}", connect);
    }
    setenv(VARIABLE, connect, 1);
    if (n != NULL)
        setenv(VARIABLE_N, n, 1);
    *command = (struct tap_command){.output = output[0]};
    const int os_error = process_start(filled, NULL, output[1], true, &command->pid);
    close(output[1]);
    while (count > 0)
        free(filled[--count]);
    free(filled);
    if (os_error == 0)
        return ERROR_NONE;
    close(output[0]);
    command->pid = 0;
    return error_raise(error, ERROR_USAGE, os_error, words[0], "the command cannot be executed");
}

/* Adds a character to the line that is being printed; its end makes that the last one. */
static void keep(struct tap_command *command, char one)
{
    if (one != '\n' && command->length < sizeof command->line - 1)
        command->line[command->length++] = (char)(iscntrl((unsigned char)one) ? ' ' : one);
    if (one != '\n' || command->length == 0)
        return;
    snprintf(command->last, sizeof command->last, "%.*s", (int)command->length, command->line);
    command->length = 0;
}

/* Passes on what the command has printed, and keeps its last line. */
static void pass_output(struct tap_command *command)
{
    char bytes[4096];
    ssize_t count;
    while ((count = read(command->output, bytes, sizeof bytes)) > 0) {
        (void)!write(STDERR_FILENO, bytes, (size_t)count);
        for (ssize_t i = 0; i < count; i++)
            keep(command, bytes[i]);
    }
}

/* The process stays, so that the number of its group stays its own. */
static void command_poll(struct tap_command *command)
{
    siginfo_t end = {0};
    if (command->pid > 0)
        pass_output(command);
    if (command->pid > 0 && !command->ended)
        command->ended =
            waitid(P_PID, (id_t)command->pid, &end, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            end.si_pid == command->pid;
}

/* Ends the command and all that is left in its process group; nothing if none runs. */
static void command_end(struct tap_command *command)
{
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    if (command->pid == 0)
        return;
    command_poll(command);
    const bool ended_itself = command->ended;
    kill(-command->pid, SIGTERM);
    for (; !command->ended && clock_now_ns() < until_ns; command_poll(command))
        nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
    kill(-command->pid, SIGKILL);
    waitpid(command->pid, &command->status, 0);
    pass_output(command);
    close(command->output);
    command->pid = 0;
    command->ended = ended_itself;
    command->failed = WIFEXITED(command->status) ? WEXITSTATUS(command->status) != 0 : ended_itself;
}

/* ------------------------------------------------------------------ the relay */

static void print_progress(const struct tap *tap, uint64_t begun_ns)
{
    const struct traffic *traffic = &tap->traffic;
    char line[160], run[48] = "";
    if (tap->options->drain)
        snprintf(run, sizeof run, "run %zu of %zu, ", tap->run_at, tap->run_planned + 1);
    snprintf(line, sizeof line,
             "tap: %s%.0f s, %" PRIu64 " requests, %" PRIu64 " notifications, %" PRIu64
             " connections",
             run, (double)(clock_now_ns() - begun_ns) / 1e9, traffic_requests(traffic),
             traffic_notifications(traffic), relay_connections(tap->relay).open);
    progress_show_step(&tap->progress, line);
}

/* Relays until the command, the user or the duration ends it. */
static void relay_messages(struct tap *tap, uint64_t begun_ns)
{
    const uint64_t duration_ns = tap->options->duration_ns,
                   until_ns = duration_ns > 0 ? begun_ns + duration_ns : UINT64_MAX;
    uint64_t progress_ns = begun_ns;
    bool stopped = false;
    while (tap->error.kind == ERROR_NONE && !stopped && !tap->command.ended &&
           clock_now_ns() < until_ns) {
        uint64_t tick_ns = clock_now_ns() + TICK_NS;
        ERROR_FIRST(&tap->error,
                    relay_poll(tap->relay, tap->signals, tick_ns < until_ns ? tick_ns : until_ns,
                               &stopped, &tap->error));
        command_poll(&tap->command);
        if (tap->target.ensemble != NULL)
            ERROR_FIRST(&tap->error, ensemble_check(tap->target.ensemble, &tap->error));
        if (clock_now_ns() >= progress_ns) {
            print_progress(tap, begun_ns);
            progress_ns += PROGRESS_NS;
        }
    }
    progress_clear(&tap->progress);
}

/* Relays while the command runs, if there is one, and until its clients have closed their
 * connections; nothing of the command runs afterwards. n: of the command's {n}; NULL: it has none.
 * Returns whether a command ended well. */
static bool run_clients(struct tap *tap, const char *n)
{
    char *const *words = tap->options->command;
    const uint64_t begun_ns = clock_now_ns();
    bool stopped;
    tap->command = (struct tap_command){0};
    watches_begin(&tap->traffic.watches);
    if (words != NULL)
        ERROR_FIRST(&tap->error, command_start(&tap->command, words, tap->connect, n, &tap->error));
    relay_messages(tap, begun_ns);
    const uint64_t ended_ns = clock_now_ns();
    tap->seconds += (double)(ended_ns - begun_ns) / 1e9;
    command_end(&tap->command);
    for (uint64_t now_ns = ended_ns;
         words != NULL && tap->error.kind == ERROR_NONE && relay_connections(tap->relay).open > 0 &&
         now_ns < ended_ns + CLOSING_NS;
         now_ns = clock_now_ns())
        ERROR_FIRST(&tap->error,
                    relay_poll(tap->relay, -1, now_ns + TICK_NS / 10, &stopped, &tap->error));
    return tap->command.ended && !tap->command.failed;
}

/* A run of --drain, whose counts are its own. */
static bool run_counted(struct tap *tap, struct tap_run *run)
{
    struct tap_run before;
    char n[32];
    snprintf(n, sizeof n, "%" PRIu64, run->n);
    tap->run_at++;
    tap_count(&tap->traffic, &before);
    const bool ended_well = run_clients(tap, n);
    tap_count(&tap->traffic, run);
    for (size_t i = 0; i < TAP_COUNTS; i++)
        run->counts[i] -= before.counts[i];
    return ended_well;
}

/* The command once with the least n, which makes what the clients find made afterwards; then
 * --trials times with each n, in random order. The first run that fails or is cut short is the
 * last, and not among the runs. */
static void run_drain(struct tap *tap)
{
    const struct levels *clients = &tap->options->clients;
    const size_t count = tap->run_planned = clients->count * tap->options->trials;
    struct random random;
    random_init(&random, tap->options->seed);
    tap->runs = memory_new(count, sizeof *tap->runs);
    for (size_t i = 0; i < count; i++)
        tap->runs[i] = (struct tap_run){.n = clients->list[i % clients->count],
                                        .trial = (uint32_t)(i / clients->count + 1)};
    random_shuffle(&random, tap->runs, count, sizeof *tap->runs);
    bool ended_well = run_counted(tap, &(struct tap_run){.n = clients->list[0]});
    while (ended_well && tap->run_count < count) {
        ended_well = run_counted(tap, &tap->runs[tap->run_count]);
        tap->run_count += ended_well;
    }
}

static void run_relay(struct tap *tap)
{
    const struct relay_options relaying = {.servers = &tap->target.servers,
                                           .address = tap->options->listen,
                                           .listener = &traffic_listener,
                                           .ended = traffic_end,
                                           .context = &tap->traffic};
    ERROR_FIRST(&tap->error, relay_new(&relaying, &tap->relay, &tap->error));
    if (tap->error.kind != ERROR_NONE)
        return;
    connect_typed(relay_connect(tap->relay), tap->connect, sizeof tap->connect);
    if (tap->options->command == NULL && tap->options->output.json)
        complain_mildly("clients connect to %s", tap->connect);
    else if (tap->options->command == NULL) /* a command has it in its environment */
        printf("%s\n", tap->connect);
    fflush(stdout);
    tap->begun_ns = clock_now_ns();
    if (tap->options->drain)
        run_drain(tap);
    else
        run_clients(tap, NULL);
    tap->connections = relay_connections(tap->relay);
    relay_free(tap->relay);
}

void tap_relay_clients(struct tap *tap)
{
    const struct target_options *target = &tap->options->target;
    const uint64_t descriptors = machine_descriptors();
    struct server_counters_count before, after;
    ERROR_FIRST(&tap->error,
                machine_allow_descriptors(
                    descriptors < DESCRIPTORS_MOST ? descriptors : DESCRIPTORS_MOST, &tap->error));
    tap->signals = signals_block();
    if (target->connect)
        ERROR_FIRST(&tap->error, target_find(target, 0, tap->signals, &tap->target, &tap->error));
    if (tap->error.kind == ERROR_NONE && tap->target.left_out[0] != '\0')
        complain_mildly("%s", tap->target.left_out);
    ERROR_FIRST(&tap->error, target_start(target, 0, tap->signals, &tap->target, &tap->error));
    struct server_counters counters = {.servers = &tap->target.servers,
                                       .ensemble = tap->target.ensemble};
    ERROR_FIRST(&tap->error, server_counters_read(&counters, &before, &tap->error));
    if (tap->error.kind == ERROR_NONE)
        run_relay(tap);
    ERROR_FIRST(&tap->error, server_counters_read(&counters, &after, &tap->error));
    if (tap->error.kind == ERROR_NONE)
        tap->servers = server_counters_subtract(&before, &after);
    (void)target_find_cause(&tap->target, tap->error.kind, &tap->error);
}
