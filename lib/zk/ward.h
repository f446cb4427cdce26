// SPDX-License-Identifier: Apache-2.0
/*
 * ward: the keeper's process: what it does for the program (zk/keeper.h, the only one to use this).
 * Layer: zk.
 *
 * It is forked while the program has one thread, so it may allocate; it ends by _exit, because the
 * program's exit handlers and unwritten output are not its own.
 * Invariant: that of zk/keeper.h.
 */
#ifndef ZK_WARD_H
#define ZK_WARD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* How the names of the folders begin. */
#define WARD_FOLDER_NAME   "zkherd-server-"
#define WARD_FOLDER_SIZE   1024
#define WARD_REQUEST_SIZE  (32 * (size_t)1024)
#define WARD_ARGUMENTS_MAX 128

/*
 * What goes over the channel, a packet each. From the keeper: one greeting, then a reply to each
 * request. A request is strings, each with its NUL: to run a program the log's path and the
 * arguments behind it; to be detached "" and the path of the file to lock.
 */
struct ward_greeting {
    int os_error;
    char folder[WARD_FOLDER_SIZE];
};

struct ward_reply {
    int os_error;
    pid_t pid;
};

/* False, or fewer than size bytes, when the other side is gone. */
bool ward_send(int channel, const void *packet, size_t size);
ssize_t ward_receive(int channel, void *packet, size_t size);

/* The life of the keeper's process, in the forked child: on the channel's one end, with a pidfd of
 * the program, or -1 on a kernel without; then the closing channel alone tells of its end. */
_Noreturn void ward_keep(int channel, int program, const char *parent_folder);

/* Removes a folder with all that is in it; at most half a second if somebody still writes there. */
void ward_remove_folder(const char *folder);

#endif
