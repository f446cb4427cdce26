// SPDX-License-Identifier: Apache-2.0
#include "zk/server.h"

#include "base/clock.h"
#include "zk/admin.h"
#include "zk/install.h"
#include "zk/keeper.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define START_DEADLINE_NS (60 * NS_PER_S)
#define POLL_NS           (10 * NS_PER_MS)
#define PORT_ATTEMPTS     5
#define LOG_NAME          "server.log"
#define MAIN_CLASS        "org.apache.zookeeper.server.quorum.QuorumPeerMain"

struct server {
    struct keeper *keeper;
    pid_t pid;
    struct endpoint endpoint;
    char java[PATH_MAX];
    char class_path[2 * PATH_MAX];
    char settings[2048];
    char command_line[4 * PATH_MAX];
    char java_version[128];
};

struct server_options server_options_default(void)
{
    return (struct server_options){.heap_mib = 1024, .fsync = true, .tick_ms = 2000};
}

/* How one server is configured. */

/*
 * Every setting that shapes load, those that are at their default too: a manifest shows this text.
 * forceSync, snapCount, globalOutstandingLimit, preAllocSize, maxCnxns, admin.* and 4lw.* are
 * system properties of ZooKeeper; it turns a key that it does not know into one, with "zookeeper."
 * before it. The data's place is relative because a configuration file is read as Latin-1, which
 * the name of a temporary folder need not be.
 */
static void compose_settings(const struct server_options *options, uint16_t port, char *text,
                             size_t size)
{
    snprintf(text, size,
             "dataDir=./data\n"
             "clientPortAddress=127.0.0.1\n"
             "clientPort=%u\n"
             "clientPortListenBacklog=65535\n"
             "maxClientCnxns=0\n"
             "maxCnxns=0\n"
             "tickTime=%" PRIu64 "\n"
             "minSessionTimeout=%" PRIu64 "\n"
             "maxSessionTimeout=3600000\n"
             "globalOutstandingLimit=1000\n"
             "forceSync=%s\n"
             "snapCount=100000\n"
             "preAllocSize=65536\n"
             "autopurge.snapRetainCount=3\n"
             "autopurge.purgeInterval=1\n"
             "4lw.commands.whitelist=srvr,mntr,ruok,conf,cons,wchs,srst,isro\n"
             "admin.enableServer=false\n",
             port, options->tick_ms, 2 * options->tick_ms, options->fsync ? "yes" : "no");
}

static enum fault_kind write_file(const struct server *server, const char *name, const char *text,
                                  struct fault *fault)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", keeper_folder(server->keeper), name);
    FILE *file = fopen(path, "we");
    if (file == NULL)
        return fault_from_errno(fault, errno, path, "%s", "");
    int failed = fputs(text, file) < 0;
    int os_error = errno;
    if (fclose(file) != 0 && !failed) {
        failed = 1;
        os_error = errno;
    }
    return failed ? fault_from_errno(fault, os_error, path, "%s", "") : FAULT_NONE;
}

/* Warnings only, for whichever logging the release brings: logback without a configuration writes
 * every debug message. */
static enum fault_kind configure_logging(const struct server *server, struct fault *fault)
{
    static const char logback[] =
        "<configuration>\n"
        "  <appender name=\"out\" class=\"ch.qos.logback.core.ConsoleAppender\">\n"
        "    <encoder><pattern>%d{HH:mm:ss.SSS} %level %logger{0} - %msg%n</pattern></encoder>\n"
        "  </appender>\n"
        "  <root level=\"WARN\"><appender-ref ref=\"out\"/></root>\n"
        "</configuration>\n";
    static const char log4j[] =
        "log4j.rootLogger=WARN, out\n"
        "log4j.appender.out=org.apache.log4j.ConsoleAppender\n"
        "log4j.appender.out.layout=org.apache.log4j.PatternLayout\n"
        "log4j.appender.out.layout.ConversionPattern=%d{HH:mm:ss,SSS} %p %c{1} - %m%n\n";
    enum fault_kind kind = write_file(server, "zkherd-logback.xml", logback, fault);
    return kind == FAULT_NONE ? write_file(server, "zkherd-log4j.properties", log4j, fault) : kind;
}

static void join_arguments(const char *const arguments[], char *text, size_t size)
{
    size_t length = 0;
    for (size_t i = 0; arguments[i] != NULL && length < size; i++)
        length +=
            (size_t)snprintf(text + length, size - length, "%s%s", i > 0 ? " " : "", arguments[i]);
}

static enum fault_kind run_java(struct server *server, const struct server_options *options,
                                struct fault *fault)
{
    char heap_first[32], heap_most[32];
    snprintf(heap_first, sizeof heap_first, "-Xms%um", options->heap_mib);
    snprintf(heap_most, sizeof heap_most, "-Xmx%um", options->heap_mib);
    const char *const arguments[] = {
        server->java,
        heap_first,
        heap_most,
        "-showversion",
        /* Performance data is a file in /tmp, which would outlive a JVM that is killed. */
        "-XX:-UsePerfData",
        /* A server without memory would go on, at a crawl. */
        "-XX:+ExitOnOutOfMemoryError",
        "-Djava.io.tmpdir=.",
        "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
        "-Dorg.slf4j.simpleLogger.showDateTime=true",
        "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
        "-Dlogback.configurationFile=zkherd-logback.xml",
        "-Dlog4j.configuration=file:zkherd-log4j.properties",
        "-Dzookeeper.jmx.log4j.disable=true",
        "-cp",
        server->class_path,
        MAIN_CLASS,
        "./zoo.cfg",
        NULL,
    };
    join_arguments(arguments, server->command_line, sizeof server->command_line);
    return keeper_run(server->keeper, arguments, LOG_NAME, &server->pid, fault);
}

/* How one server is started. */

static enum fault_kind find_free_port(uint16_t *port, struct fault *fault)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return fault_from_errno(fault, errno, "127.0.0.1", "while looking for a free port");
    int failed = bind(fd, (struct sockaddr *)&address, size) != 0 ||
                 getsockname(fd, (struct sockaddr *)&address, &size) != 0;
    int os_error = errno;
    close(fd);
    if (failed)
        return fault_from_errno(fault, os_error, "127.0.0.1", "while looking for a free port");
    *port = ntohs(address.sin_port);
    return FAULT_NONE;
}

static FILE *open_log(const struct server *server)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", keeper_folder(server->keeper), LOG_NAME);
    return fopen(path, "re");
}

/* The log's end as one line, without the frames of stack traces; whole lines if any fits. */
static void summarize_log(const struct server *server, char *text, size_t size)
{
    char tail[16384], joined[2 * sizeof tail] = "";
    size_t length = 0;
    char *rest = tail;
    server_log_tail(server, tail, sizeof tail);
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

static bool log_has(const struct server *server, const char *words)
{
    char tail[16384];
    return strstr(server_log_tail(server, tail, sizeof tail), words) != NULL;
}

static enum fault_kind raise_with_log(const struct server *server, enum fault_kind kind,
                                      struct fault *fault)
{
    char subject[ENDPOINT_TEXT_SIZE], words[sizeof fault->detail];
    endpoint_format(&server->endpoint, subject, sizeof subject);
    summarize_log(server, words, sizeof words);
    return fault_raise(fault, kind, 0, subject, "%s", words);
}

/* Whether what serves at our port is ours: its data are in our folder. */
static bool serves(const struct server *server, uint64_t patience_ns)
{
    struct admin_identity identity;
    char settings[4096];
    struct fault ignored;
    if (admin_identify(&server->endpoint, patience_ns, &identity, &ignored) != FAULT_NONE ||
        strcmp(identity.mode, "standalone") != 0 ||
        admin_settings(&server->endpoint, patience_ns, settings, sizeof settings, &ignored) !=
            FAULT_NONE)
        return false;
    const char *folder = strrchr(keeper_folder(server->keeper), '/');
    return strstr(settings, folder) != NULL;
}

static enum fault_kind await_service(const struct server *server, struct fault *fault)
{
    uint64_t start_ns = clock_now_ns(), elapsed_ns = 0;
    for (; elapsed_ns < START_DEADLINE_NS; elapsed_ns = clock_now_ns() - start_ns) {
        /* Impatient at first: a question that comes after the port opens and before the database
         * does is never answered, nor is its connection closed. */
        if (serves(server, 50 * NS_PER_MS + elapsed_ns / 4))
            return FAULT_NONE;
        if (!server_alive(server))
            return raise_with_log(server, FAULT_SERVER_DIED, fault);
        nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
    }
    return raise_with_log(server, FAULT_NO_ANSWER, fault);
}

/* One attempt, on one port. */
static enum fault_kind launch(struct server *server, const struct server_options *options,
                              struct fault *fault)
{
    char log[PATH_MAX];
    snprintf(log, sizeof log, "%s/%s", keeper_folder(server->keeper), LOG_NAME);
    unlink(log); /* an attempt before this one may have left its complaints */
    strcpy(server->endpoint.host, "127.0.0.1");
    enum fault_kind kind = find_free_port(&server->endpoint.port, fault);
    if (kind != FAULT_NONE)
        return kind;
    compose_settings(options, server->endpoint.port, server->settings, sizeof server->settings);
    kind = write_file(server, "zoo.cfg", server->settings, fault);
    if (kind == FAULT_NONE)
        kind = run_java(server, options, fault);
    return kind == FAULT_NONE ? await_service(server, fault) : kind;
}

/* Between the moment a port is found free and the server's start another program may take it. */
static enum fault_kind launch_on_some_port(struct server *server,
                                           const struct server_options *options,
                                           struct fault *fault)
{
    enum fault_kind kind;
    int attempts = 0;
    do {
        kind = launch(server, options, fault);
    } while (kind == FAULT_SERVER_DIED && log_has(server, "BindException") &&
             ++attempts < PORT_ATTEMPTS);
    return kind;
}

/* The line that -showversion put at the log's beginning: openjdk version "17.0.15" 2025-04-15. */
static void note_java_version(struct server *server)
{
    FILE *log = open_log(server);
    char line[sizeof server->java_version];
    while (log != NULL && fgets(line, sizeof line, log) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strstr(line, " version \"") == NULL)
            continue;
        snprintf(server->java_version, sizeof server->java_version, "%s", line);
        break;
    }
    if (log != NULL)
        fclose(log);
}

/* An absolute path, because the server runs in its own folder. */
static enum fault_kind find_parent_folder(const struct server_options *options, char *path,
                                          struct fault *fault)
{
    const char *folder = options->parent_folder;
    if (folder == NULL)
        folder = getenv("TMPDIR");
    if (folder == NULL || *folder == '\0')
        folder = "/tmp";
    if (realpath(folder, path) == NULL)
        return fault_from_errno(fault, errno, folder, "as the place for a temporary folder");
    return FAULT_NONE;
}

static enum fault_kind prepare(struct server *server, const struct server_options *options,
                               struct fault *fault)
{
    char parent_folder[PATH_MAX];
    enum fault_kind kind = install_find_java(server->java, sizeof server->java, fault);
    if (kind == FAULT_NONE)
        kind = install_find_zookeeper(server->class_path, sizeof server->class_path, fault);
    if (kind == FAULT_NONE)
        kind = find_parent_folder(options, parent_folder, fault);
    if (kind == FAULT_NONE)
        kind = keeper_new(parent_folder, &server->keeper, fault);
    if (kind == FAULT_NONE)
        kind = configure_logging(server, fault);
    return kind;
}

enum fault_kind server_start(const struct server_options *options, struct server **server,
                             struct fault *fault)
{
    struct fault found;
    struct server *made = calloc(1, sizeof *made);
    if (made == NULL)
        return fault_from_errno(fault, ENOMEM, "a private server", "%s", "");
    enum fault_kind kind = prepare(made, options, &found);
    if (kind == FAULT_NONE)
        kind = launch_on_some_port(made, options, &found);
    if (kind == FAULT_NONE) {
        note_java_version(made);
        *server = made;
    } else {
        *fault = found;
        server_stop(made);
    }
    return kind;
}

void server_stop(struct server *server)
{
    if (server == NULL)
        return;
    keeper_free(server->keeper);
    free(server);
}

void server_forget(struct server *server)
{
    if (server == NULL)
        return;
    keeper_forget(server->keeper);
    free(server);
}

const struct endpoint *server_endpoint(const struct server *server)
{
    return &server->endpoint;
}

pid_t server_pid(const struct server *server)
{
    return server->pid;
}

bool server_alive(const struct server *server)
{
    return keeper_process_alive(server->pid);
}

enum fault_kind server_cpu_ns(const struct server *server, uint64_t *cpu_ns, struct fault *fault)
{
    clockid_t clock;
    struct timespec used;
    /* The same time as in /proc/PID/stat, in nanoseconds instead of hundredths of a second. */
    if (!server_alive(server) || clock_getcpuclockid(server->pid, &clock) != 0 ||
        clock_gettime(clock, &used) != 0)
        return raise_with_log(server, FAULT_SERVER_DIED, fault);
    *cpu_ns = (uint64_t)used.tv_sec * NS_PER_S + (uint64_t)used.tv_nsec;
    return FAULT_NONE;
}

enum fault_kind server_rss_kib(const struct server *server, uint64_t *rss_kib, struct fault *fault)
{
    char path[64];
    uint64_t total_pages, resident_pages;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)server->pid);
    FILE *file = server_alive(server) ? fopen(path, "re") : NULL;
    if (file == NULL)
        return raise_with_log(server, FAULT_SERVER_DIED, fault);
    int fields = fscanf(file, "%" SCNu64 " %" SCNu64, &total_pages, &resident_pages);
    fclose(file);
    if (fields != 2 || resident_pages == 0)
        return raise_with_log(server, FAULT_SERVER_DIED, fault);
    *rss_kib = resident_pages * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
    return FAULT_NONE;
}

const char *server_settings_text(const struct server *server)
{
    return server->settings;
}

const char *server_command_line(const struct server *server)
{
    return server->command_line;
}

const char *server_java_version(const struct server *server)
{
    return server->java_version;
}

const char *server_log_tail(const struct server *server, char *text, size_t size)
{
    text[0] = '\0';
    FILE *log = open_log(server);
    if (log == NULL)
        return text;
    fseek(log, 0, SEEK_END);
    long length = ftell(log);
    /* One byte more than fits tells whether the first line is whole. */
    long start = length >= (long)size ? length - (long)size : 0;
    fseek(log, start, SEEK_SET);
    if (length >= (long)size)
        while (!feof(log) && fgetc(log) != '\n')
            ;
    text[fread(text, 1, size - 1, log)] = '\0';
    fclose(log);
    return text;
}
