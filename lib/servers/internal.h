// SPDX-License-Identifier: Apache-2.0
/*
 * internal: what the files of private servers share. Layer: servers.
 *
 * Invariant: a log that does not exist is an empty one; every setting that shapes load is in the
 * text of zoo.cfg.
 */
#ifndef SERVERS_INTERNAL_H
#define SERVERS_INTERNAL_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* ------------------------------------------------------------------ a server's folder */

struct server_options;
struct server_place;

/* Files in the folder of a server. Of the two for logging a release reads the one for its library.
 */
#define SERVER_CONFIG_ZOO     "zoo.cfg"
#define SERVER_CONFIG_LOGBACK "zkherd-logback.xml"
#define SERVER_CONFIG_LOG4J   "zkherd-log4j.properties"

/* Makes the folder `name` inside the supervisor's, and writes its files. text receives the text of
 * zoo.cfg (SERVER_CONFIG_TEXT_SIZE bytes). Errors are the operating system's. */
MUST_CHECK enum error_kind server_config_write(const struct server_options *options,
                                               const struct server_place *place, const char *name,
                                               char *text, struct error *error);

/* Writes the last whole lines of a log that fit into size bytes. Returns text. */
const char *server_log_tail(const char *path, char *text, size_t size);

/* Writes the end of a log as one line, without the frames of stack traces. If a whole line of the
 * log fits, no line is cut. */
void server_log_summarize(const char *path, char *text, size_t size);

/* Writes how the JVM names itself and its version; text is unchanged if the log does not say. */
void server_log_find_java_version(const char *path, char *text, size_t size);

/* ------------------------------------------------------------------ the supervisor's process */

/* The process is forked while the program has one thread, so it may allocate. It ends by _exit: the
 * program's exit handlers and unwritten output are not its own. */

/* The beginning of the folders' names. */
#define SUPERVISOR_FOLDER_NAME   "zkherd-server-"
#define SUPERVISOR_FOLDER_SIZE   1024
#define SUPERVISOR_REQUEST_SIZE  (32 * (size_t)1024)
#define SUPERVISOR_ARGUMENTS_MAX 128
#define SUPERVISOR_PROCESSES_MAX 32 /* at a time, ended ones included that were not replaced */

/*
 * The channel carries packets. The supervisor sends a reply when the folder is made, and one to
 * each request. A request is strings, each with its NUL: the path of the log, the ended process to
 * replace ("0": none), the CPU share in percent ("0": no limit) and the arguments of a program to
 * run; or "" and the path of the file to lock when it is to be detached.
 */
struct supervisor_process_reply {
    int os_error;
    struct error share_error;            /* why the program has no CPU share, or ERROR_NONE */
    pid_t pid;                           /* of the program that runs */
    char folder[SUPERVISOR_FOLDER_SIZE]; /* in the first reply */
};

/* False, or fewer than size bytes, if the other side is gone. */
bool supervisor_process_send(int channel, const void *packet, size_t size);
ssize_t supervisor_process_receive(int channel, void *packet, size_t size);

/* The life of the supervisor's process, in the forked child. channel: its end of the channel;
 * program: a pidfd of the program, or -1 on a kernel without pidfds, where only the channel shows
 * the program's end. */
_Noreturn void supervisor_process_keep(int channel, int program, const char *parent_folder);

/* Removes a folder with its contents; tries for 0.4 s if a process still writes there. */
void supervisor_process_remove_folder(const char *folder);

#endif
