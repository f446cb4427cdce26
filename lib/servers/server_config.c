// SPDX-License-Identifier: Apache-2.0

#include "servers/internal.h"

#include "base/output.h"
#include "servers/server.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

/* Settings at their default are included, because the manifest shows this text. ZooKeeper turns a
 * key that it does not know (forceSync, snapCount, globalOutstandingLimit, preAllocSize, maxCnxns,
 * admin.*, 4lw.*) into its system property "zookeeper.<key>". dataDir is relative because ZooKeeper
 * reads the file as Latin-1, and the supervisor's folder may have another encoding. */
static size_t compose_settings(const struct server_options *options,
                               const struct server_place *place, const char *name, char *text,
                               size_t size)
{
    return (size_t)snprintf(text, size,
                            "dataDir=./%s/data\n"
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
                            name, place->ports[place->index].client, options->tick_ms,
                            2 * options->tick_ms, options->fsync ? "yes" : "no");
}

/* The limits in ticks are those of ZooKeeper's sample. */
static void compose_membership(const struct server_place *place, char *text, size_t size)
{
    size_t length = (size_t)snprintf(text, size,
                                     "initLimit=10\n"
                                     "syncLimit=5\n"
                                     "leaderServes=yes\n"
                                     "localSessionsEnabled=false\n"
                                     "quorumListenOnAllIPs=false\n"
                                     "electionPortBindRetry=3\n");
    for (unsigned i = 0; i < place->count; i++)
        length += (size_t)snprintf(text + length, size - length, "server.%u=127.0.0.1:%u:%u\n",
                                   i + 1, place->ports[i].peer, place->ports[i].election);
}

static enum error_kind make_folder(const char *path, struct error *error)
{
    return mkdir(path, 0700) == 0 ? ERROR_NONE : error_from_errno(error, errno, path, "%s", "");
}

static void write_text(FILE *stream, const void *text)
{
    fputs(text, stream);
}

static enum error_kind write_file(const char *folder, const char *name, const char *text,
                                  struct error *error)
{
    return output_write(folder, name, write_text, text, error);
}

/* Warnings only, for both logging libraries: logback without a configuration writes every debug
 * message. */
static enum error_kind configure_logging(const char *folder, struct error *error)
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
    enum error_kind kind = write_file(folder, SERVER_CONFIG_LOGBACK, logback, error);
    return kind == ERROR_NONE ? write_file(folder, SERVER_CONFIG_LOG4J, log4j, error) : kind;
}

enum error_kind server_config_write(const struct server_options *options,
                                    const struct server_place *place, const char *name, char *text,
                                    struct error *error)
{
    char folder[PATH_MAX], data[PATH_MAX], number[16];
    snprintf(folder, sizeof folder, "%s/%s", supervisor_folder(place->supervisor), name);
    snprintf(data, sizeof data, "%s/%s/data", supervisor_folder(place->supervisor), name);
    snprintf(number, sizeof number, "%u\n", place->index + 1);
    size_t length = compose_settings(options, place, name, text, SERVER_CONFIG_TEXT_SIZE);
    if (place->count > 1)
        compose_membership(place, text + length, SERVER_CONFIG_TEXT_SIZE - length);
    enum error_kind kind = make_folder(folder, error);
    if (kind == ERROR_NONE)
        kind = make_folder(data, error);
    if (kind == ERROR_NONE && place->count > 1)
        kind = write_file(data, "myid", number, error);
    if (kind == ERROR_NONE)
        kind = configure_logging(folder, error);
    if (kind == ERROR_NONE)
        kind = write_file(folder, SERVER_CONFIG_ZOO, text, error);
    return kind;
}
