// SPDX-License-Identifier: Apache-2.0
/*
 * supervisor_process: the code that runs in the supervisor's process. Layer: servers, below
 * supervisor, its only user.
 *
 * The process is forked while the program has one thread, so it may allocate. It ends by _exit:
 * the program's exit handlers and unwritten output are not its own.
 * Invariant: that of servers/supervisor.h.
 */
#ifndef SERVERS_SUPERVISOR_PROCESS_H
#define SERVERS_SUPERVISOR_PROCESS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

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
