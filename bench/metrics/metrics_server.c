// SPDX-License-Identifier: Apache-2.0
#include "base/loader.h"
#include "base/memory.h"
#include "bench/metrics/metrics.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTIONS_MAX 32
/* A client that sends or reads nothing for so long loses its connection. */
#define SILENCE_S 10
/* Each of those who ask at once is answered within three rounds. What comes meanwhile may have to
 * wait for the next call, so that who asks without a pause does not take all the time. */
#define ROUNDS_MAX 8

/* X(member, function): what is used of libmicrohttpd. It is loaded when --metrics asks for it, and
 * not linked: workers begin as copies of this process, whose memory is measured, and most runs need
 * no HTTP. */
#define FUNCTIONS(X)                                                                               \
    X(start, MHD_start_daemon)                                                                     \
    X(stop, MHD_stop_daemon)                                                                       \
    X(run, MHD_run)                                                                                \
    X(get_timeout, MHD_get_timeout)                                                                \
    X(get_info, MHD_get_daemon_info)                                                               \
    X(create_response, MHD_create_response_from_buffer)                                            \
    X(add_header, MHD_add_response_header)                                                         \
    X(queue, MHD_queue_response)                                                                   \
    X(destroy, MHD_destroy_response)

struct http {
#define X(member, function) __typeof__(function) *member;
    FUNCTIONS(X)
#undef X
};

static const struct loader_place places[] = {
#define X(member, function) {#function, offsetof(struct http, member), false},
    FUNCTIONS(X)
#undef X
        {.symbol = NULL}};

struct metrics_server {
    struct http http;
    void (*write)(void *context, FILE *stream);
    void *context;
    struct MHD_Daemon *daemon;
    int epoll; /* readable if there is something to do; the daemon's */
};

/* ------------------------------------------------------------------ answers */

static struct MHD_Response *respond(const struct http *http, char *text, size_t length,
                                    enum MHD_ResponseMemoryMode mode, const char *header,
                                    const char *value)
{
    struct MHD_Response *response = http->create_response(length, text, mode);
    if (response != NULL)
        http->add_header(response, header, value);
    return response;
}

static struct MHD_Response *tell(const struct metrics_server *server)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = memory_stream(&text, &length);
    server->write(server->context, stream);
    memory_stream_end(stream);
    return respond(&server->http, text, length, MHD_RESPMEM_MUST_FREE, MHD_HTTP_HEADER_CONTENT_TYPE,
                   METRICS_TEXT_TYPE);
}

/* Without a response the connection is closed. */
static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **of_request)
{
    static char no_path[] = "the metrics are at /metrics\n", no_method[] = "give GET\n";
    const struct metrics_server *server = context;
    unsigned status = MHD_HTTP_OK;
    struct MHD_Response *response;
    (void)version, (void)upload, (void)upload_size, (void)of_request;
    if (strcmp(path, "/metrics") != 0) {
        status = MHD_HTTP_NOT_FOUND;
        response = respond(&server->http, no_path, strlen(no_path), MHD_RESPMEM_PERSISTENT,
                           MHD_HTTP_HEADER_CONTENT_TYPE, "text/plain");
    } else if (strcmp(method, MHD_HTTP_METHOD_GET) != 0) {
        status = MHD_HTTP_METHOD_NOT_ALLOWED;
        response = respond(&server->http, no_method, strlen(no_method), MHD_RESPMEM_PERSISTENT,
                           MHD_HTTP_HEADER_ALLOW, "GET");
    } else {
        response = tell(server);
    }
    if (response == NULL)
        return MHD_NO;
    enum MHD_Result queued = server->http.queue(connection, status, response);
    server->http.destroy(response);
    return queued;
}

/* ------------------------------------------------------------------ the port */

static enum error_kind fail(int os_error, uint16_t port, struct error *error)
{
    char subject[32];
    snprintf(subject, sizeof subject, "--metrics %u", port);
    if (os_error == EADDRINUSE)
        return error_raise(error, ERROR_PORT_TAKEN, os_error, subject, "%s", "");
    return error_from_errno(error, os_error, subject, "%s",
                            os_error == EACCES ? "choose a port from 1024 on" : "");
}

/* Workers, which are forked, have a copy, and end with this program. */
static enum error_kind open_port(uint16_t port, int *listener, struct error *error)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int yes = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return fail(errno, port, error);
    /* Connections of a run before are no reason to refuse this one. */
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(fd, (const struct sockaddr *)&address, sizeof address) != 0 ||
        listen(fd, CONNECTIONS_MAX) != 0) {
        enum error_kind kind = fail(errno, port, error);
        close(fd);
        return kind;
    }
    *listener = fd;
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ the server */

enum error_kind metrics_server_start(uint16_t port, void (*write)(void *context, FILE *stream),
                                     void *context, struct metrics_server **server,
                                     struct error *error)
{
    int listener = -1;
    struct metrics_server *made = memory_new(1, sizeof *made);
    made->write = write;
    made->context = context;
    enum error_kind kind = loader_load("libmicrohttpd.so.12", "libmicrohttpd12", places,
                                       ERROR_NO_HTTP_LIBRARY, &made->http, error);
    if (kind == ERROR_NONE)
        kind = open_port(port, &listener, error);
    if (kind != ERROR_NONE) {
        free(made);
        return kind;
    }
    made->daemon =
        made->http.start(MHD_USE_EPOLL, port, NULL, NULL, answer, made, MHD_OPTION_LISTEN_SOCKET,
                         listener, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
                         MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SILENCE_S, MHD_OPTION_END);
    if (made->daemon == NULL) {
        close(listener);
        free(made);
        return error_raise(error, ERROR_SYSTEM, errno, "--metrics", "libmicrohttpd does not start");
    }
    made->epoll = made->http.get_info(made->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    *server = made;
    return ERROR_NONE;
}

static bool has_more(const struct metrics_server *server)
{
    struct pollfd descriptor = {.fd = server->epoll, .events = POLLIN};
    MHD_UNSIGNED_LONG_LONG wait_ms;
    return poll(&descriptor, 1, 0) > 0 ||
           (server->http.get_timeout(server->daemon, &wait_ms) == MHD_YES && wait_ms == 0);
}

void metrics_server_answer(struct metrics_server *server)
{
    if (server == NULL)
        return;
    server->http.run(server->daemon); /* also to end connections that are silent */
    for (int round = 1; round < ROUNDS_MAX && has_more(server); round++)
        server->http.run(server->daemon);
}

void metrics_server_stop(struct metrics_server *server)
{
    if (server == NULL)
        return;
    server->http.stop(server->daemon);
    free(server);
}
