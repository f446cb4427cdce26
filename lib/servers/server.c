// SPDX-License-Identifier: Apache-2.0
/* One server of an ensemble: its configuration, its process, its log. */
#include "servers/internal.h"

#include "base/clock.h"
#include "base/output.h"
#include "base/process.h"
#include "base/text.h"
#include "servers/four_letter.h"
#include "servers/supervisor.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define CONFIG   "zoo.cfg"
#define LOGBACK  "zkherd-logback.xml"
#define LOG4J    "zkherd-log4j.properties"
#define LOG_NAME "server.log"
#define LOG_ENDS "its log ends: "

/* ------------------------------------------------------------------ its folder */

/* Settings at their default are included, because the manifest shows this text. ZooKeeper turns a
 * key that it does not know (forceSync, snapCount, globalOutstandingLimit, preAllocSize, maxCnxns,
 * admin.*, 4lw.*) into its system property "zookeeper.<key>". dataDir is relative because ZooKeeper
 * reads the file as Latin-1, and the supervisor's folder may have another encoding. The limits in
 * ticks are those of ZooKeeper's sample. */
static size_t compose_settings(const struct ensemble_options *options, unsigned index,
                               uint16_t client_port, char *text, size_t size)
{
    return (size_t)snprintf(text, size,
                            "dataDir=./server.%u/data\n"
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
                            "admin.enableServer=false\n"
                            "standaloneEnabled=true\n",
                            index + 1, client_port, options->tick_ms, 2 * options->tick_ms,
                            options->fsync ? "yes" : "no");
}

static void compose_membership(const struct server_ports *ports, unsigned servers, char *text,
                               size_t size)
{
    size_t length = (size_t)snprintf(text, size,
                                     "initLimit=10\n"
                                     "syncLimit=5\n"
                                     "leaderServes=yes\n"
                                     "localSessionsEnabled=false\n"
                                     "quorumListenOnAllIPs=false\n"
                                     "electionPortBindRetry=3\n");
    for (unsigned i = 0; i < servers; i++)
        length += (size_t)snprintf(text + length, size - length, "server.%u=127.0.0.1:%u:%u\n",
                                   i + 1, ports[i].peer, ports[i].election);
}

static void write_text(FILE *stream, const void *text)
{
    fputs(text, stream);
}

/* Makes the folder with its files. Of the two for logging a release reads the one for its library:
 * warnings only, for logback without a configuration writes every debug message. */
static enum error_kind configure(const struct ensemble *ensemble, unsigned index,
                                 struct error *error)
{
    char folder[PATH_MAX], data[PATH_MAX + 8], number[16];
    const struct {
        const char *folder, *name, *text;
    } files[] = {
        {folder, LOGBACK,
         "<configuration>\n"
         "  <appender name=\"out\" class=\"ch.qos.logback.core.ConsoleAppender\">\n"
         "    <encoder><pattern>%d{HH:mm:ss.SSS} %level %logger{0} - %msg%n</pattern></encoder>\n"
         "  </appender>\n"
         "  <root level=\"WARN\"><appender-ref ref=\"out\"/></root>\n"
         "</configuration>\n"},
        {folder, LOG4J,
         "log4j.rootLogger=WARN, out\n"
         "log4j.appender.out=org.apache.log4j.ConsoleAppender\n"
         "log4j.appender.out.layout=org.apache.log4j.PatternLayout\n"
         "log4j.appender.out.layout.ConversionPattern=%d{HH:mm:ss,SSS} %p %c{1} - %m%n\n"},
        {folder, CONFIG, ensemble->servers[index].start.settings},
        {data, "myid", number}, /* of one of several */
    };
    size_t count = sizeof files / sizeof files[0] - (ensemble->options.servers == 1);
    snprintf(folder, sizeof folder, "%s/server.%u", ensemble->folder, index + 1);
    snprintf(data, sizeof data, "%s/data", folder);
    snprintf(number, sizeof number, "%u\n", index + 1);
    if (mkdir(folder, 0700) != 0 || mkdir(data, 0700) != 0)
        return error_from_errno(error, errno, folder, "%s", "");
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < count; i++)
        kind = output_write(files[i].folder, files[i].name, write_text, files[i].text, error);
    return kind;
}

/* ------------------------------------------------------------------ its process */

static void join_arguments(const char *const arguments[], char *text, size_t size)
{
    size_t length = 0;
    for (size_t i = 0; arguments[i] != NULL && length < size; i++)
        length +=
            (size_t)snprintf(text + length, size - length, "%s%s", i > 0 ? " " : "", arguments[i]);
}

enum error_kind server_run(struct ensemble *ensemble, unsigned index, struct error *error)
{
    const struct ensemble_options *options = &ensemble->options;
    struct server *server = &ensemble->servers[index];
    char heap_first[32], heap_most[32], maxbuffer[48], log[64], config[64], temporary[64],
        logback[96], log4j[96];
    snprintf(heap_first, sizeof heap_first, "-Xms%um", options->heap_mib);
    snprintf(heap_most, sizeof heap_most, "-Xmx%um", options->heap_mib);
    snprintf(maxbuffer, sizeof maxbuffer, "-Djute.maxbuffer=%u", options->jute_maxbuffer_bytes);
    snprintf(log, sizeof log, "server.%u/" LOG_NAME, index + 1);
    snprintf(config, sizeof config, "./server.%u/" CONFIG, index + 1);
    snprintf(temporary, sizeof temporary, "-Djava.io.tmpdir=./server.%u", index + 1);
    snprintf(logback, sizeof logback, "-Dlogback.configurationFile=server.%u/" LOGBACK, index + 1);
    snprintf(log4j, sizeof log4j, "-Dlog4j.configuration=file:server.%u/" LOG4J, index + 1);
    const char *const arguments[] = {
        ensemble->java,
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
        ensemble->install.class_path,
        "org.apache.zookeeper.server.quorum.QuorumPeerMain",
        config,
        NULL,
    };
    join_arguments(arguments, server->start.command_line, sizeof server->start.command_line);
    return supervisor_run(ensemble->supervisor, index, arguments, log, options->cpu_percent,
                          &server->pid, error);
}

enum error_kind server_launch(struct ensemble *ensemble, unsigned index,
                              const struct server_ports *ports, struct error *error)
{
    struct server *server = &ensemble->servers[index];
    const char *home = ensemble->options.home;
    char which[64] = "", *settings = server->start.settings;
    size_t size = sizeof server->start.settings;
    strcpy(server->endpoint.host, "127.0.0.1");
    server->endpoint.port = ports[index].client;
    ensemble->connect.endpoints[index] = server->endpoint;
    snprintf(server->log, sizeof server->log, "%s/server.%u/" LOG_NAME, ensemble->folder,
             index + 1);
    /* In errors: which of several, and of which release if one was asked for. */
    if (ensemble->options.servers > 1)
        snprintf(which, sizeof which, "server %u of %u (", index + 1, ensemble->options.servers);
    snprintf(server->name, sizeof server->name, "%s127.0.0.1:%u%s%s%.150s", which,
             server->endpoint.port, which[0] != '\0' ? ")" : "",
             home != NULL ? ", ZooKeeper of " : "", home != NULL ? home : "");
    strcpy(server->start.home, ensemble->install.home);
    size_t length =
        compose_settings(&ensemble->options, index, ports[index].client, settings, size);
    if (ensemble->options.servers > 1)
        compose_membership(ports, ensemble->options.servers, settings + length, size - length);
    enum error_kind kind = configure(ensemble, index, error);
    return kind == ERROR_NONE ? server_run(ensemble, index, error) : kind;
}

/* Whether the server that answers at this address has its data in this supervisor's folder. */
static bool is_ours(const struct ensemble *ensemble, const struct server *server,
                    uint64_t patience_ns)
{
    char conf[8192], place[NAME_MAX + 32];
    struct error ignored;
    snprintf(place, sizeof place, "%s/", strrchr(ensemble->folder, '/'));
    return four_letter_ask(&server->endpoint, "conf", patience_ns, conf, sizeof conf, &ignored) ==
               ERROR_NONE &&
           strstr(conf, place) != NULL;
}

bool server_serves(const struct ensemble *ensemble, struct server *server, uint64_t patience_ns)
{
    struct four_letter_identity identity;
    struct error ignored;
    if (four_letter_identify(&server->endpoint, patience_ns, &identity, &ignored) != ERROR_NONE)
        return false;
    enum role role = role_of_mode(identity.mode);
    if ((!role_leads(role) && role != ROLE_FOLLOWER) || !is_ours(ensemble, server, patience_ns))
        return false;
    if (server->start.java_version[0] == '\0')
        server_log_find_java_version(server->log, server->start.java_version,
                                     sizeof server->start.java_version);
    server->role = role;
    return true;
}

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
    fseek(log, length >= (long)size ? length - (long)size : 0, SEEK_SET);
    if (length >= (long)size)
        while (!feof(log) && fgetc(log) != '\n')
            ;
    text[fread(text, 1, size - 1, log)] = '\0';
    fclose(log);
    return text;
}

/* -showversion writes a line at the log's beginning: openjdk version "17.0.15" 2025-04-15. */
void server_log_find_java_version(const char *path, char *text, size_t size)
{
    char log[16384], *rest = log;
    text_read(path, log, sizeof log);
    text[0] = '\0';
    for (char *line; text[0] == '\0' && (line = strsep(&rest, "\n")) != NULL;) {
        if (strstr(line, " version \"") != NULL)
            snprintf(text, size, "%s", line);
    }
}

/* Writes the end of a log as one line, without the frames of stack traces. If a whole line of the
 * log fits, no line is cut. */
static void summarize(const char *path, char *text, size_t size)
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

bool server_lacks_port(const struct server *server)
{
    char tail[16384];
    return strstr(server_log_tail(server->log, tail, sizeof tail), "BindException") != NULL;
}

enum error_kind server_raise(const struct server *server, enum error_kind kind, struct error *error)
{
    char words[sizeof error->detail - sizeof LOG_ENDS];
    if (kind == ERROR_SERVER_DIED && process_end_signal(server->pid) == SIGKILL)
        return error_raise(error, kind, 0, server->name,
                           "it was killed (SIGKILL), by hand or by the kernel when memory ran out");
    summarize(server->log, words, sizeof words);
    return error_raise(error, kind, 0, server->name, "%s%s",
                       words[0] == '\0' ? "its log is empty" : LOG_ENDS, words);
}
