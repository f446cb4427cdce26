// SPDX-License-Identifier: Apache-2.0
/*
 * server log: what a private server's log says. Layer: servers, below server.
 *
 * Invariant: a log that is not there says nothing, which is no error.
 */
#ifndef SERVERS_SERVER_LOG_H
#define SERVERS_SERVER_LOG_H

#include <stddef.h>

/* Writes the last whole lines that fit into size bytes; "" if there is none. Returns text. */
const char *server_log_tail(const char *path, char *text, size_t size);

/* Its end as one line, without the frames of stack traces; whole lines if any fits. */
void server_log_summarize(const char *path, char *text, size_t size);

/* How the JVM names itself and its version; the text is unchanged if it does not. */
void server_log_find_java_version(const char *path, char *text, size_t size);

#endif
