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
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FILES_MOST  40000 /* open at a time */
#define TICK_NS     (50 * NS_PER_MS)
#define PROGRESS_NS (500 * NS_PER_MS) /* between two lines of progress */
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
        found =
            strstr(*words, "{n}") != NULL || strstr(*words, VARIABLE_N) != NULL ||
            (text_read(script, SCRIPT_MOST, "%s", *words) && strstr(script, VARIABLE_N) != NULL);
    free(script);
    return found;
}

/* A script without #! is one of sh. ERROR_USAGE if the command cannot be executed. */
static enum error_kind command_start(struct tap_command *command, char *const *words,
                                     const char *connect, const char *n, struct error *error)
{
    static char shell[] = "sh";
    int output[2];
    size_t count = 0;
    if (pipe2(output, O_CLOEXEC) != 0)
        return error_from_errno(error, errno, words[0], "while starting the command");
    (void)fcntl(output[0], F_SETPIPE_SZ, PIPE_BYTES);
    (void)fcntl(output[0], F_SETFL, O_NONBLOCK);
    while (words[count] != NULL)
        count++;
    char **filled = memory_new(count + 2, sizeof *filled);
    filled[0] = shell;
    for (size_t i = 0; i < count; i++) {
        char *word = memory_text(words[i]);
        word = n != NULL ? fill_in(word, "{n}", n) : word;
        filled[i + 1] = fill_in(fill_in(word, "{connect}", connect), "{}", connect);
    }
    setenv(VARIABLE, connect, 1);
    if (n != NULL)
        setenv(VARIABLE_N, n, 1);
    *command = (struct tap_command){.output = output[0]};
    int os_error = process_start(filled + 1, NULL, output[1], true, &command->pid);
    if (os_error == ENOEXEC)
        os_error = process_start(filled, NULL, output[1], true, &command->pid);
    close(output[1]);
    while (count > 0)
        free(filled[count--]);
    free(filled);
    if (os_error == 0)
        return ERROR_NONE;
    close(output[0]);
    command->pid = 0;
    return error_raise(error, ERROR_USAGE, os_error, words[0], "the command cannot be executed");
}

/* Passes on what the command has printed, and keeps the last line that is not empty. */
static void pass_output(struct tap_command *command)
{
    char bytes[4096];
    for (ssize_t count; (count = read(command->output, bytes, sizeof bytes)) > 0;) {
        (void)!write(STDERR_FILENO, bytes, (size_t)count);
        for (const char *at = bytes; at < bytes + count; at++) {
            if (*at != '\n' && command->has_ended_line)
                command->length = 0;
            command->has_ended_line = *at == '\n';
            if (*at != '\n' && command->length < sizeof command->last - 1)
                command->last[command->length++] = iscntrl((unsigned char)*at) ? ' ' : *at;
        }
        command->last[command->length] = '\0';
    }
}

/* The process stays, so that the number of its group stays its own. */
static void command_poll(struct tap_command *command)
{
    siginfo_t end = {0};
    if (command->pid == 0 || command->ended)
        return;
    pass_output(command);
    (void)!waitid(P_PID, (id_t)command->pid, &end, WEXITED | WNOHANG | WNOWAIT);
    command->ended = end.si_pid == command->pid;
}

/* Ends the command and all that is left in its process group; nothing if none runs. */
static void command_end(struct tap_command *command)
{
    const uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
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
    char line[160] = "tap: ";
    if (tap->options->drain)
        text_append(line, sizeof line, "run %zu of %zu, ", tap->run_at + 1, tap->run_planned + 1);
    text_append(line, sizeof line,
                "%.0f s, %" PRIu64 " requests, %" PRIu64 " notifications, %" PRIu64 " connections",
                (double)(clock_now_ns() - begun_ns) / 1e9, traffic_requests(&tap->traffic),
                traffic_notifications(&tap->traffic), relay_connections(tap->relay).open);
    progress_show_step(&tap->progress, line);
}

/* Relays until the user, the time, or the command ends it; closing: until the clients have closed
 * their connections. */
static void relay_messages(struct tap *tap, uint64_t begun_ns, uint64_t until_ns, bool closing)
{
    struct error *error = &tap->error;
    uint64_t progress_ns = begun_ns;
    bool stopped = false;
    while (error->kind == ERROR_NONE && !stopped && clock_now_ns() < until_ns &&
           (closing ? relay_connections(tap->relay).open > 0 : !tap->command.ended)) {
        const uint64_t tick_ns = clock_now_ns() + (closing ? POLL_NS : TICK_NS),
                       wake_ns = tick_ns < until_ns ? tick_ns : until_ns;
        ERROR_FIRST(error,
                    relay_poll(tap->relay, closing ? -1 : tap->signals, wake_ns, &stopped, error));
        command_poll(&tap->command);
        if (tap->target.ensemble != NULL)
            ERROR_FIRST(error, ensemble_check(tap->target.ensemble, error));
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
    const uint64_t begun_ns = clock_now_ns(), duration_ns = tap->options->duration_ns;
    struct error *error = &tap->error;
    tap->command = (struct tap_command){0};
    watches_begin(&tap->traffic.watches);
    if (words != NULL)
        ERROR_FIRST(error, command_start(&tap->command, words, tap->connect, n, error));
    relay_messages(tap, begun_ns, duration_ns > 0 ? begun_ns + duration_ns : UINT64_MAX, false);
    const uint64_t ended_ns = clock_now_ns();
    tap->seconds += (double)(ended_ns - begun_ns) / 1e9;
    command_end(&tap->command);
    if (words != NULL)
        relay_messages(tap, begun_ns, ended_ns + CLOSING_NS, true);
    return tap->command.ended && !tap->command.failed;
}

/* The command once with the least n, which makes what the clients find made afterwards; then
 * --trials times with each n, in random order. The first run that fails or is cut short is the
 * last, and not among the runs. */
static void run_drain(struct tap *tap)
{
    const struct levels *clients = &tap->options->clients;
    const size_t count = tap->run_planned = clients->count * tap->options->trials;
    struct tap_run before, first = {.n = clients->list[0]};
    struct random random;
    bool ended_well = true;
    random_init(&random, tap->options->seed);
    tap->runs = memory_new(count, sizeof *tap->runs);
    for (size_t i = 0; i < count; i++)
        tap->runs[i] = (struct tap_run){.n = clients->list[i % clients->count],
                                        .trial = (uint32_t)(i / clients->count + 1)};
    random_shuffle(&random, tap->runs, count, sizeof *tap->runs);
    for (tap->run_at = 0; tap->run_at <= count && ended_well; tap->run_at++) {
        struct tap_run *run = tap->run_at == 0 ? &first : &tap->runs[tap->run_at - 1];
        char n[32];
        snprintf(n, sizeof n, "%" PRIu64, run->n);
        tap_count(&tap->traffic, &before);
        ended_well = run_clients(tap, n);
        tap_count(&tap->traffic, run);
        for (size_t i = 0; i < TAP_COUNTS; i++)
            run->counts[i] -= before.counts[i];
        tap->run_count += ended_well && run != &first;
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
    const struct target_options *options = &tap->options->target;
    struct target *target = &tap->target;
    struct error *error = &tap->error;
    struct server_counters_count before, after;
    const uint64_t files = machine_descriptors(), most = files < FILES_MOST ? files : FILES_MOST;
    ERROR_FIRST(error, machine_allow_descriptors(most, error));
    tap->signals = signals_block();
    if (options->connect)
        ERROR_FIRST(error, target_find(options, 0, tap->signals, target, error));
    if (error->kind == ERROR_NONE && target->left_out[0] != '\0')
        complain_mildly("%s", target->left_out);
    ERROR_FIRST(error, target_start(options, 0, tap->signals, target, error));
    struct server_counters counters = {.servers = &target->servers, .ensemble = target->ensemble};
    ERROR_FIRST(error, server_counters_read(&counters, &before, error));
    if (error->kind == ERROR_NONE)
        run_relay(tap);
    counters.may_lack = target->ensemble == NULL;
    ERROR_FIRST(error, server_counters_read(&counters, &after, error));
    tap->is_absent = counters.absent.kind != ERROR_NONE;
    if (error->kind == ERROR_NONE)
        tap->servers = server_counters_subtract(&before, &after);
    (void)target_find_cause(target, error->kind, error);
}
