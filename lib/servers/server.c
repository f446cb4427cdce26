// SPDX-License-Identifier: Apache-2.0
#include "servers/server.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/process.h"
#include "servers/four_letter.h"
#include "servers/install.h"
#include "servers/internal.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LOG_NAME   "server.log"
#define MAIN_CLASS "org.apache.zookeeper.server.quorum.QuorumPeerMain"
#define CONF_SIZE  8192
#define KILL_MS    10000

#define LOG_ENDS "its log ends: "

/* ------------------------------------------------------------------ its log */

const char *server_log_tail(const char *path, char *text, size_t size)
{
    text[0] = '\0';
    FILE *log = fopen(path, "re");
    if (log == NULL)
        return text;
    fseek(log, 0, SEEK_END);
    long length = ftell(log);
    /* One byte more than fits shows whether the first line is whole. */
    long start = length >= (long)size ? length - (long)size : 0;
    fseek(log, start, SEEK_SET);
    if (length >= (long)size)
        while (!feof(log) && fgetc(log) != '\n')
            ;
    text[fread(text, 1, size - 1, log)] = '\0';
    fclose(log);
    return text;
}

void server_log_summarize(const char *path, char *text, size_t size)
{
    char tail[16384], joined[2 * sizeof tail] = "";
    size_t length = 0;
    char *rest = tail;
    server_log_tail(path, tail, sizeof tail);
    for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
        if (*line != '\0' && *line != '\t')
            length += (size_t)snprintf(joined + length, sizeof joined - length, "%s%s",
                                       length > 0 ? "; " : "", line);
    }
    const char *end = joined;
    if (length >= size) {
        end = joined + length - (size - 1);
        const char *boundary = strstr(end, "; ");
        end = boundary == NULL ? end : boundary + 2;
    }
    snprintf(text, size, "%s", end);
}

/* -showversion writes a line at the log's beginning: openjdk version "17.0.15" 2025-04-15. */
void server_log_find_java_version(const char *path, char *text, size_t size)
{
    FILE *log = fopen(path, "re");
    char line[256];
    while (log != NULL && fgets(line, sizeof line, log) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strstr(line, " version \"") == NULL)
            continue;
        snprintf(text, size, "%s", line);
        break;
    }
    if (log != NULL)
        fclose(log);
}

/* ------------------------------------------------------------------ its process */

struct server {
    struct supervisor *supervisor;
    pid_t pid;
    struct endpoint endpoint;
    char subject[sizeof((struct error *)NULL)->subject];
    char folder[16]; /* below the supervisor's folder */
    char java[PATH_MAX];
    char class_path[INSTALL_CLASS_PATH_SIZE];
    char log[PATH_MAX];
    struct server_options options;
    struct server_start start;
    bool killed;         /* on purpose, and not started again */
    uint64_t earlier_ns; /* CPU time of the JVMs that were killed */
};

static void join_arguments(const char *const arguments[], char *text, size_t size)
{
    size_t length = 0;
    for (size_t i = 0; arguments[i] != NULL && length < size; i++)
        length +=
            (size_t)snprintf(text + length, size - length, "%s%s", i > 0 ? " " : "", arguments[i]);
}

/* For the first time, or in the place of the JVM that was killed. */
static enum error_kind run_java(struct server *server, struct error *error)
{
    const struct server_options *options = &server->options;
    char heap_first[32], heap_most[32], maxbuffer[48], log[64], config[64], temporary[64],
        logback[96], log4j[96];
    snprintf(heap_first, sizeof heap_first, "-Xms%um", options->heap_mib);
    snprintf(heap_most, sizeof heap_most, "-Xmx%um", options->heap_mib);
    snprintf(maxbuffer, sizeof maxbuffer, "-Djute.maxbuffer=%u", options->jute_maxbuffer_bytes);
    snprintf(log, sizeof log, "%s/" LOG_NAME, server->folder);
    snprintf(config, sizeof config, "./%s/" SERVER_CONFIG_ZOO, server->folder);
    snprintf(temporary, sizeof temporary, "-Djava.io.tmpdir=./%s", server->folder);
    snprintf(logback, sizeof logback, "-Dlogback.configurationFile=%s/" SERVER_CONFIG_LOGBACK,
             server->folder);
    snprintf(log4j, sizeof log4j, "-Dlog4j.configuration=file:%s/" SERVER_CONFIG_LOG4J,
             server->folder);
    const char *const arguments[] = {
        server->java,
        heap_first,
        heap_most,
        /* Bounds for memory besides the heap, far above what a server needs. Each thread that
         * writes keeps a buffer of its longest reply, but none beyond 256 KiB (10,000 names). */
        "-Xss512k",
        "-XX:MaxMetaspaceSize=64m",
        "-XX:ReservedCodeCacheSize=64m",
        "-XX:MaxDirectMemorySize=64m",
        "-Djdk.nio.maxCachedBufferSize=262144",
        maxbuffer,
        "-showversion",
        /* Performance data is a file in /tmp, which would outlive a JVM that is killed. */
        "-XX:-UsePerfData",
        /* A server without memory would run on, very slowly. */
        "-XX:+ExitOnOutOfMemoryError",
        temporary,
        "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
        "-Dorg.slf4j.simpleLogger.showDateTime=true",
        "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
        logback,
        log4j,
        "-Dzookeeper.jmx.log4j.disable=true",
        "-cp",
        server->class_path,
        MAIN_CLASS,
        config,
        NULL,
    };
    join_arguments(arguments, server->start.command_line, sizeof server->start.command_line);
    return server->killed
               ? supervisor_replace(server->supervisor, arguments, log, &server->pid, error)
               : supervisor_run(server->supervisor, arguments, log, options->cpu_percent,
                                &server->pid, error);
}

/* Which of several, and of which release if one was asked for. */
static void name_in_errors(struct server *server, const struct server_place *place)
{
    const char *home = server->options.home;
    char which[64];
    if (place->count == 1)
        snprintf(which, sizeof which, "127.0.0.1:%u", server->endpoint.port);
    else
        snprintf(which, sizeof which, "server %u of %u (127.0.0.1:%u)", place->index + 1,
                 place->count, server->endpoint.port);
    snprintf(server->subject, sizeof server->subject, "%s%s%.150s", which,
             home != NULL ? ", ZooKeeper of " : "", home != NULL ? home : "");
}

static void take_place(struct server *server, const struct server_place *place)
{
    strcpy(server->endpoint.host, "127.0.0.1");
    server->endpoint.port = place->ports[place->index].client;
    snprintf(server->folder, sizeof server->folder, "server.%u", place->index + 1);
    snprintf(server->log, sizeof server->log, "%s/%s/" LOG_NAME,
             supervisor_folder(place->supervisor), server->folder);
    name_in_errors(server, place);
}

static enum error_kind find_programs(struct server *server, struct error *error)
{
    struct install install;
    enum error_kind kind = install_find_java(server->java, sizeof server->java, error);
    if (kind == ERROR_NONE)
        kind = install_find_zookeeper(server->options.home, &install, error);
    if (kind != ERROR_NONE)
        return kind;
    strcpy(server->class_path, install.class_path);
    strcpy(server->start.home, install.home);
    return ERROR_NONE;
}

enum error_kind server_launch(const struct server_options *options,
                              const struct server_place *place, struct server **server,
                              struct error *error)
{
    struct server *made = memory_new(1, sizeof *made);
    made->supervisor = place->supervisor;
    made->options = *options;
    take_place(made, place);
    enum error_kind kind = find_programs(made, error);
    if (kind == ERROR_NONE)
        kind = server_config_write(options, place, made->folder, made->start.settings, error);
    if (kind == ERROR_NONE)
        kind = run_java(made, error);
    if (kind == ERROR_NONE)
        *server = made;
    else
        free(made);
    return kind;
}

void server_free(struct server *server)
{
    free(server);
}

bool server_lacks_port(const struct server *server)
{
    char tail[16384];
    return strstr(server_log_tail(server->log, tail, sizeof tail), "BindException") != NULL;
}

enum error_kind server_raise(const struct server *server, enum error_kind kind, struct error *error)
{
    char words[sizeof error->detail - sizeof LOG_ENDS];
    if (kind == ERROR_SERVER_DIED && process_end_signal(server->pid) == SIGKILL)
        return error_raise(error, kind, 0, server->subject,
                           "it was killed (SIGKILL), by hand or by the kernel when memory ran out");
    server_log_summarize(server->log, words, sizeof words);
    if (words[0] == '\0')
        return error_raise(error, kind, 0, server->subject, "its log is empty");
    return error_raise(error, kind, 0, server->subject, LOG_ENDS "%s", words);
}

/* Whether the server that answers at this address has its data in this supervisor's folder. */
static bool is_ours(const struct server *server, uint64_t patience_ns)
{
    char conf[CONF_SIZE], place[NAME_MAX + 32];
    struct error ignored;
    snprintf(place, sizeof place, "%s/", strrchr(supervisor_folder(server->supervisor), '/'));
    return four_letter_ask(&server->endpoint, "conf", patience_ns, conf, sizeof conf, &ignored) ==
               ERROR_NONE &&
           strstr(conf, place) != NULL;
}

bool server_serves(struct server *server, uint64_t patience_ns, enum role *role)
{
    struct four_letter_identity identity;
    struct error ignored;
    if (four_letter_identify(&server->endpoint, patience_ns, &identity, &ignored) != ERROR_NONE)
        return false;
    enum role found = role_of_mode(identity.mode);
    if ((!role_leads(found) && found != ROLE_FOLLOWER) || !is_ours(server, patience_ns))
        return false;
    if (server->start.java_version[0] == '\0')
        server_log_find_java_version(server->log, server->start.java_version,
                                     sizeof server->start.java_version);
    *role = found;
    return true;
}

const struct endpoint *server_endpoint(const struct server *server)
{
    return &server->endpoint;
}

pid_t server_pid(const struct server *server)
{
    return server->pid;
}

bool server_is_alive(const struct server *server)
{
    return process_is_alive(server->pid);
}

/* The time of /proc/PID/stat, but in nanoseconds; of a process that has ended and was not reaped,
 * too. False if there is no such process. */
static bool read_cpu_ns(pid_t pid, uint64_t *cpu_ns)
{
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return false;
    *cpu_ns = (uint64_t)used.tv_sec * NS_PER_S + (uint64_t)used.tv_nsec;
    return true;
}

enum error_kind server_cpu_ns(const struct server *server, uint64_t *cpu_ns, struct error *error)
{
    uint64_t present_ns = 0;
    if (!server->killed && (!server_is_alive(server) || !read_cpu_ns(server->pid, &present_ns)))
        return server_raise(server, ERROR_SERVER_DIED, error);
    *cpu_ns = server->earlier_ns + present_ns;
    return ERROR_NONE;
}

bool server_was_killed(const struct server *server)
{
    return server->killed;
}

/* A pidfd is readable when all threads have ended. */
static bool await_end(int process)
{
    struct pollfd wait = {.fd = process, .events = POLLIN};
    return TEMP_FAILURE_RETRY(poll(&wait, 1, KILL_MS)) == 1;
}

enum error_kind server_kill(struct server *server, struct error *error)
{
    uint64_t used_ns = 0;
    if (server->killed || !server_is_alive(server))
        return server_raise(server, ERROR_SERVER_DIED, error);
    int process = (int)syscall(SYS_pidfd_open, server->pid, 0);
    if (process < 0)
        return error_from_errno(error, errno, server->subject, "while killing it");
    kill(-server->pid, SIGKILL); /* a java that is a shell script has a child */
    bool ended = await_end(process);
    close(process);
    if (!ended)
        return error_raise(error, ERROR_SYSTEM, 0, server->subject,
                           "it has not ended within %d s of its SIGKILL", KILL_MS / 1000);
    (void)!read_cpu_ns(server->pid, &used_ns);
    server->earlier_ns += used_ns;
    server->killed = true;
    return ERROR_NONE;
}

enum error_kind server_restart(struct server *server, struct error *error)
{
    assert(server->killed);
    enum error_kind kind = run_java(server, error);
    if (kind == ERROR_NONE)
        server->killed = false;
    return kind;
}

const struct server_start *server_start(const struct server *server)
{
    return &server->start;
}
