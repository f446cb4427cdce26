// SPDX-License-Identifier: Apache-2.0
#include "client/connect.h"

#include "base/text.h"

#include <arpa/inet.h>
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define WORDS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_"

/* The text under examination, and where the first check that fails writes its error. */
struct verdict {
    const char *text;
    const char *what; /* "", or the part of the text that is wrong */
    struct error *error;
};

/* Quotes `length` bytes of the part that is wrong; 0: nothing. */
static enum error_kind refuse_bytes(const struct verdict *verdict, const char *why,
                                    const char *part, size_t length)
{
    return error_raise(verdict->error, ERROR_USAGE, 0, verdict->text, "%s%s%s%.*s%s", verdict->what,
                       why, length > 0 ? ": '" : "", length < 200 ? (int)length : 200, part,
                       length > 0 ? "'" : "");
}

static enum error_kind refuse(const struct verdict *verdict, const char *why, const char *part)
{
    return refuse_bytes(verdict, why, part, strlen(part));
}

static bool has(const char *text, int (*is_of_kind)(int character))
{
    while (*text != '\0' && !is_of_kind((unsigned char)*text))
        text++;
    return *text != '\0';
}

/* An address as the inside of brackets; a zone may follow it, fe80::1%eth0. */
static bool is_ipv6(const char *host)
{
    char address[INET6_ADDRSTRLEN];
    struct in6_addr ignored;
    size_t length = strcspn(host, "%");
    const char *zone = host + length;
    if (length >= sizeof address ||
        (zone[0] == '%' && (zone[1] == '\0' || zone[1 + strspn(zone + 1, WORDS)] != '\0')))
        return false;
    snprintf(address, sizeof address, "%.*s", (int)length, host);
    return inet_pton(AF_INET6, address, &ignored) == 1;
}

/* host, host:port, [address] or [address]:port. */
static enum error_kind parse_endpoint(const char *item, struct endpoint *endpoint,
                                      const struct verdict *verdict)
{
    bool is_bracketed = item[0] == '[';
    const char *host = item + is_bracketed;
    size_t length = strcspn(host, is_bracketed ? "]" : ":"), size = sizeof endpoint->host;
    const char *rest = host + length;
    uint64_t port = CONNECT_PORT_DEFAULT;
    snprintf(endpoint->host, size, "%.*s", (int)length, host);
    if (is_bracketed && rest[0] == '\0')
        return refuse(verdict, "a bracket is not closed", item);
    if (is_bracketed && (length >= size || !is_ipv6(endpoint->host)))
        return refuse_bytes(verdict, "brackets are for IPv6 addresses, which this is not", host,
                            length);
    rest += is_bracketed;
    if (is_bracketed && rest[0] != '\0' && rest[0] != ':')
        return refuse(verdict, "only a colon and a port may follow the bracket", item);
    if (!is_bracketed && rest[0] == ':' && strchr(rest + 1, ':') != NULL)
        return refuse(verdict, "an IPv6 address needs brackets, as in [::1]:2181", item);
    if (length == 0)
        return refuse(verdict, "a host is missing", item);
    if (length >= size)
        return refuse_bytes(verdict, "a host is too long (255 characters at most)", host, length);
    if (!is_bracketed && endpoint->host[strspn(endpoint->host, WORDS)] != '\0')
        return refuse(verdict, "a host has a character that no host has", endpoint->host);
    if (strcmp(rest, ":") == 0)
        return refuse(verdict, "a port is missing after a colon", "");
    if (rest[0] == ':' && !text_parse_number(rest + 1, 1, UINT16_MAX, &port))
        return refuse(verdict, "a port is a number from 1 to 65535, which this is not", rest + 1);
    endpoint->port = (uint16_t)port;
    return ERROR_NONE;
}

/* The list is cut at its commas. */
static enum error_kind parse_hosts(char *hosts, struct connect_string *connect,
                                   const struct verdict *verdict)
{
    for (char *item; (item = strsep(&hosts, ",")) != NULL;) {
        if (connect->count == CONNECT_ENDPOINTS_MAX)
            return refuse(verdict, "too many hosts (16 at most)", "");
        enum error_kind kind = parse_endpoint(item, &connect->endpoints[connect->count++], verdict);
        if (kind != ERROR_NONE)
            return kind;
    }
    return ERROR_NONE;
}

/* ZooKeeper's rules for a path that begins with a '/'. */
static enum error_kind check_path(const char *path, const struct verdict *verdict)
{
    while (*path != '\0') {
        size_t length = strcspn(++path, "/");
        if (length == 0 && *path == '\0')
            return refuse(verdict, "ends with a '/'", "");
        if (length == 0)
            return refuse(verdict, "has an empty name, '//'", "");
        if (length <= 2 && strncmp(path, "..", length) == 0)
            return refuse_bytes(verdict, "has a relative name, which ZooKeeper does not take", path,
                                length);
        path += length;
    }
    return ERROR_NONE;
}

enum error_kind connect_check_path(const char *path, struct error *error)
{
    const struct verdict verdict = {path, "the path ", error};
    if (path[0] != '/')
        return refuse(&verdict, "does not begin with a '/'", "");
    if (has(path, iscntrl))
        return refuse(&verdict, "has a control character", "");
    if (strlen(path) > CONNECT_PATH_MAX)
        return refuse(&verdict, "is too long (1000 characters at most)", "");
    return path[1] == '\0' ? ERROR_NONE : check_path(path, &verdict);
}

/* Two names of one server are found when they are resolved. */
static enum error_kind check_named_once(const struct connect_string *connect,
                                        const struct verdict *verdict)
{
    char text[ENDPOINT_TEXT_SIZE];
    for (size_t i = 0; i < connect->count; i++) {
        for (size_t j = 0; j < i; j++) {
            const struct endpoint *one = &connect->endpoints[i], *other = &connect->endpoints[j];
            if (one->port == other->port && strcasecmp(one->host, other->host) == 0)
                return refuse(verdict, "a server is named twice",
                              endpoint_format(one, text, sizeof text));
        }
    }
    return ERROR_NONE;
}

enum error_kind connect_parse(const char *text, struct connect_string *connect, struct error *error)
{
    const struct verdict verdict = {text, "", error}, of_chroot = {text, "the chroot ", error};
    size_t length = strcspn(text, "/");
    const char *chroot = text + length;
    char hosts[CONNECT_TEXT_SIZE]; /* what does not fit is behind a host that is refused */
    struct connect_string parsed = {.count = 0};
    if (text[0] == '\0')
        return refuse(&verdict, "there is no host in it", "");
    if (has(text, isspace) || has(text, iscntrl))
        return refuse(&verdict, "there is a blank or a control character in it", "");
    if (strstr(text, "://") != NULL)
        return refuse(&verdict,
                      "hosts and ports are expected, as host:2181, without a scheme such as zk://",
                      "");
    snprintf(hosts, sizeof hosts, "%.*s", (int)length, text);
    enum error_kind kind = parse_hosts(hosts, &parsed, &verdict);
    if (kind == ERROR_NONE)
        kind = check_named_once(&parsed, &verdict);
    if (kind != ERROR_NONE)
        return kind;
    if (strchr(chroot, ',') != NULL)
        return refuse(&of_chroot,
                      "is that of all hosts and follows the last one, as in "
                      "zk1:2181,zk2:2181/app, so it has no comma",
                      chroot);
    if (strlen(chroot) >= sizeof parsed.chroot)
        return refuse(&of_chroot, "is too long (255 characters at most)", chroot);
    strcpy(parsed.chroot, chroot);
    kind = check_path(chroot, &of_chroot);
    if (kind == ERROR_NONE)
        *connect = parsed;
    return kind;
}

/* ------------------------------------------------------------------ formats */

static const char *format_host(const char *host, uint16_t port, char *text, size_t size)
{
    bool is_bare_ipv6 = strchr(host, ':') != NULL;
    snprintf(text, size, "%s%s%s:%u", is_bare_ipv6 ? "[" : "", host, is_bare_ipv6 ? "]" : "", port);
    return text;
}

const char *endpoint_address(const struct endpoint *endpoint, char *text, size_t size)
{
    return format_host(endpoint->host, endpoint->port, text, size);
}

const char *endpoint_typed(const struct endpoint *endpoint, char *text, size_t size)
{
    bool has_name = endpoint->name[0] != '\0';
    return format_host(has_name ? endpoint->name : endpoint->host, endpoint->port, text, size);
}

const char *endpoint_format(const struct endpoint *endpoint, char *text, size_t size)
{
    assert(size >= ENDPOINT_TEXT_SIZE);
    endpoint_typed(endpoint, text, size);
    size_t length = strlen(text);
    if (endpoint->name[0] != '\0')
        snprintf(text + length, size - length, " (%s)", endpoint->host);
    return text;
}

static const char *format_bare(const struct endpoint *endpoint, char *text, size_t size)
{
    snprintf(text, size, "%s:%u", endpoint->host, endpoint->port);
    return text;
}

static const char *join(const struct connect_string *connect,
                        const char *(*format)(const struct endpoint *, char *, size_t),
                        const char *chroot, char *text, size_t size)
{
    char *end = text;
    assert(size >= CONNECT_TEXT_SIZE);
    for (size_t i = 0; i < connect->count; i++) {
        if (i > 0)
            *end++ = ',';
        format(&connect->endpoints[i], end, size - (size_t)(end - text));
        end += strlen(end);
    }
    strcpy(end, chroot);
    return text;
}

const char *connect_format(const struct connect_string *connect, bool with_chroot, char *text,
                           size_t size)
{
    return join(connect, format_bare, with_chroot ? connect->chroot : "", text, size);
}

/* The others go round; of a server's sessions each begins one further than the one before. */
const char *connect_spread(const struct connect_string *connect, uint32_t session, char *text,
                           size_t size)
{
    struct connect_string order = *connect;
    size_t count = connect->count, own = session % count, turn = session / count;
    order.endpoints[0] = connect->endpoints[own];
    for (size_t i = 1; i < count; i++)
        order.endpoints[i] = connect->endpoints[(own + 1 + (turn + i - 1) % (count - 1)) % count];
    return connect_format(&order, true, text, size);
}

const char *connect_typed(const struct connect_string *connect, char *text, size_t size)
{
    return join(connect, endpoint_typed, connect->chroot, text, size);
}
