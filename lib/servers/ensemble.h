// SPDX-License-Identifier: Apache-2.0
/*
 * ensemble: private ZooKeeper servers on 127.0.0.1 that form one ensemble; one alone is standalone.
 * Layer: servers.
 *
 * All servers run under one supervisor (servers/supervisor.h), each in a folder of its own. Servers
 * are numbered from 0 here, from 1 in words for people and in ZooKeeper's own settings.
 * Invariant: when the program ends, by SIGKILL too, its servers end and their files are removed,
 * unless the ensemble was detached. Every setting that shapes load is in the text of zoo.cfg.
 */
#ifndef SERVERS_ENSEMBLE_H
#define SERVERS_ENSEMBLE_H

#include "base/error.h"
#include "servers/four_letter.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define ENSEMBLE_SERVERS_MAX 7

/* What a JVM needs in practice besides its heap: code, threads, the collector's data. */
#define SERVER_OVERHEAD_MIB 100

/* The bounds of a heap: with less than the least a server does not start to serve. */
#define SERVER_HEAP_MIN_MIB 8
#define SERVER_HEAP_MAX_MIB 1000000

/* With a smaller CPU share a JVM takes minutes to start. */
#define SERVER_CPU_MIN_PERCENT 5

struct ensemble_options {
    unsigned servers;        /* 1, 3, 5 or 7 */
    unsigned heap_mib;       /* of each JVM, which needs about SERVER_OVERHEAD_MIB more */
    unsigned cpu_percent;    /* CPU share of each JVM, in percent of one core; 0: no limit */
    bool fsync;              /* whether a transaction waits for the disk, as in production */
    uint64_t tick_ms;        /* ZooKeeper's tickTime; session timeouts are 2 ticks to an hour */
    const char *home;        /* of the release that runs; NULL: as install_find_zookeeper has it */
    const char *data_folder; /* for the servers' data: an empty folder, or one to make and remove;
                                NULL: $TMPDIR, or /tmp */
    int interrupts; /* a descriptor: when it becomes readable, ensemble_start gives up. -1: never */
};

/* What a server is started with, for a manifest. */
struct server_start {
    char settings[4096];             /* the text of its zoo.cfg */
    char command_line[4 * PATH_MAX]; /* with every flag */
    char home[PATH_MAX];             /* of the release that runs */
    char java_version[128];          /* as the JVM names itself; "" before the server has served */
};

struct server {
    pid_t pid;      /* of the JVM */
    enum role role; /* STANDALONE, LEADER or FOLLOWER, when all were last seen to serve */
    char name[200]; /* in errors */
    char log[PATH_MAX];
    struct server_start start;
};

/* To be read by all. */
struct ensemble {
    struct connect_string connect; /* the addresses for clients, in the servers' order */
    struct server servers[ENSEMBLE_SERVERS_MAX]; /* connect.count of them */
    const char *folder; /* the absolute path of the folder with the servers' files */
    struct supervisor *supervisor;
    struct ensemble_options options;
};

/* One server of 1 GiB, with fsync, a tick of 2 s, a temporary folder, and no interrupts. */
struct ensemble_options ensemble_options_default(void);

/*
 * Starts the servers and waits until each serves, 60 s at most. On success *ensemble is the
 * caller's to end with ensemble_stop; the texts of the options must outlive it. Call this while the
 * program has one thread: it forks. The servers inherit the program's present limit of open files.
 *
 * Errors of the checks below, ERROR_NO_ZOOKEEPER, ERROR_PORT_TAKEN, ERROR_NO_JAVA,
 * ERROR_NO_CPU_SHARE, ERROR_SERVER_DIED, ERROR_NO_ANSWER, ERROR_INTERRUPTED, or the operating
 * system's. Of a server the detail is the end of its log. On an error nothing is left behind.
 */
MUST_CHECK enum error_kind ensemble_start(const struct ensemble_options *options,
                                          struct ensemble **ensemble, struct error *error);

/* What ensemble_start checks first. ERROR_USAGE if an ensemble cannot have this number of servers;
 * the detail says why. */
MUST_CHECK enum error_kind ensemble_check_size(unsigned servers, struct error *error);

/* ERROR_NO_MEMORY if the memory available now does not hold these servers. With several ensembles
 * ask once about all servers, before the first starts: a JVM takes its heap late. */
MUST_CHECK enum error_kind ensemble_check_memory(unsigned servers, unsigned heap_mib,
                                                 struct error *error);

/* ERROR_NOT_EMPTY, or the operating system's, if a folder cannot be the data_folder. */
MUST_CHECK enum error_kind ensemble_check_data_folder(const char *folder, struct error *error);

/* Ends the servers and removes their files; waits for that, 2 s at most. NULL is fine. */
void ensemble_stop(struct ensemble *ensemble);

/* Lets the servers run on without the program (supervisor_detach), and frees the ensemble. On an
 * error nothing has changed. */
MUST_CHECK enum error_kind ensemble_detach(struct ensemble *ensemble, const char *lock_path,
                                           struct error *error);

/* ERROR_NONE while all servers run, else ERROR_SERVER_DIED with one that has ended: the end of its
 * log, or that a SIGKILL has ended it. NULL, for servers that are not private, is fine. */
MUST_CHECK enum error_kind ensemble_check(const struct ensemble *ensemble, struct error *error);

/* CPU time, user and system, of each server's JVM, and of all of them. ERROR_SERVER_DIED. */
MUST_CHECK enum error_kind ensemble_cpu_ns(const struct ensemble *ensemble,
                                           uint64_t cpu_of_ns[ENSEMBLE_SERVERS_MAX],
                                           uint64_t *cpu_ns, struct error *error);

/* ------------------------------------------------------------------ what is installed
 *
 * All paths are absolute. */

/* Writes the path of $JAVA_HOME/bin/java, or else of the java in the PATH. ERROR_NO_JAVA. */
MUST_CHECK enum error_kind install_find_java(char *path, size_t size, struct error *error);

/* A release of ZooKeeper: the folder of its jars. */
struct install {
    char home[PATH_MAX];
    char class_path[5 * PATH_MAX];
};

/* Looks at a home: the folder of an Apache release, with zookeeper-VERSION.jar in lib or itself, or
 * a folder in which Debian's zookeeper.jar lies, such as /usr/share/java. NULL: $ZOOKEEPER_HOME if
 * this is set, else Debian's package. ERROR_NO_ZOOKEEPER: no server is there, or more than one. */
MUST_CHECK enum error_kind install_find_zookeeper(const char *home, struct install *install,
                                                  struct error *error);

#endif
