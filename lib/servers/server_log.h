// SPDX-License-Identifier: Apache-2.0
/*
 * server_log: the log of a private server. Layer: servers, below server.
 *
 * Invariant: a log that does not exist is an empty one.
 */
#ifndef SERVERS_SERVER_LOG_H
#define SERVERS_SERVER_LOG_H

#include <stddef.h>

/* Writes the last whole lines that fit into size bytes. Returns text. */
const char *server_log_tail(const char *path, char *text, size_t size);

/* Writes the end of the log as one line, without the frames of stack traces. If a whole line of the
 * log fits, no line is cut. */
void server_log_summarize(const char *path, char *text, size_t size);

/* Writes how the JVM names itself and its version; text is unchanged if the log does not say. */
void server_log_find_java_version(const char *path, char *text, size_t size);

#endif
