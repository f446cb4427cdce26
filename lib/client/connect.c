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

/* A part of the text under examination. */
struct piece {
    const char *start;
    size_t length;
};

/* The text under examination, and where the first check that fails writes its error. */
struct verdict {
    const char *text;
    struct error *error;
};

static bool has(const char *text, int (*is_of_kind)(int character))
{
    while (*text != '\0' && !is_of_kind((unsigned char)*text))
        text++;
    return *text != '\0';
}

static enum error_kind refuse(const struct verdict *verdict, const char *why, struct piece piece)
{
    int length = piece.length < 200 ? (int)piece.length : 200;
    return error_raise(verdict->error, ERROR_USAGE, 0, verdict->text, "%s%s%.*s%s", why,
                       length > 0 ? ": '" : "", length, piece.start, length > 0 ? "'" : "");
}

static const struct piece none = {"", 0};

/* The piece up to the first delimiter, or all of it. */
static struct piece until(struct piece piece, char delimiter)
{
    const char *end = memchr(piece.start, delimiter, piece.length);
    return end == NULL ? piece : (struct piece){piece.start, (size_t)(end - piece.start)};
}

static struct piece after(struct piece piece, size_t count)
{
    return (struct piece){piece.start + count, piece.length - count};
}

static bool copy(struct piece piece, char *text, size_t size)
{
    if (piece.length >= size)
        return false;
    memcpy(text, piece.start, piece.length);
    text[piece.length] = '\0';
    return true;
}

static enum error_kind parse_port(struct piece piece, uint16_t *port, const struct verdict *verdict)
{
    char digits[8] = "";
    uint64_t number;
    if (piece.length == 0)
        return refuse(verdict, "a port is missing after a colon", piece);
    if (!copy(piece, digits, sizeof digits) || !text_parse_number(digits, 1, UINT16_MAX, &number))
        return refuse(verdict, "a port is a number from 1 to 65535, which this is not", piece);
    *port = (uint16_t)number;
    return ERROR_NONE;
}

/* An address as the inside of brackets; a zone may follow it, fe80::1%eth0. */
static bool is_ipv6(const char *host)
{
    char address[INET6_ADDRSTRLEN];
    struct in6_addr ignored;
    size_t length = strcspn(host, "%");
    bool zone_is_good =
        host[length] == '\0' ||
        (host[length + 1] != '\0' && host[length + 1 + strspn(host + length + 1, WORDS)] == '\0');
    return zone_is_good && copy((struct piece){host, length}, address, sizeof address) &&
           inet_pton(AF_INET6, address, &ignored) == 1;
}

static enum error_kind parse_bracketed(struct piece piece, struct endpoint *endpoint,
                                       const struct verdict *verdict)
{
    struct piece address = until(after(piece, 1), ']');
    if (address.length + 1 == piece.length)
        return refuse(verdict, "a bracket is not closed", piece);
    if (!copy(address, endpoint->host, sizeof endpoint->host) || !is_ipv6(endpoint->host))
        return refuse(verdict, "brackets are for IPv6 addresses, which this is not", address);
    struct piece rest = after(piece, address.length + 2);
    if (rest.length == 0)
        return ERROR_NONE;
    if (rest.start[0] != ':')
        return refuse(verdict, "only a colon and a port may follow the bracket", piece);
    return parse_port(after(rest, 1), &endpoint->port, verdict);
}

static enum error_kind parse_endpoint(struct piece piece, struct endpoint *endpoint,
                                      const struct verdict *verdict)
{
    endpoint->port = CONNECT_PORT_DEFAULT;
    if (piece.length > 0 && piece.start[0] == '[')
        return parse_bracketed(piece, endpoint, verdict);
    struct piece host = until(piece, ':');
    struct piece port = after(piece, host.length < piece.length ? host.length + 1 : host.length);
    if (until(port, ':').length < port.length)
        return refuse(verdict, "an IPv6 address needs brackets, as in [::1]:2181", piece);
    if (host.length == 0)
        return refuse(verdict, "a host is missing", piece);
    if (!copy(host, endpoint->host, sizeof endpoint->host))
        return refuse(verdict, "a host is too long (255 characters at most)", host);
    if (endpoint->host[strspn(endpoint->host, WORDS)] != '\0')
        return refuse(verdict, "a host has a character that no host has", host);
    if (host.length == piece.length)
        return ERROR_NONE;
    return parse_port(port, &endpoint->port, verdict);
}

static enum error_kind parse_hosts(struct piece hosts, struct connect_string *connect,
                                   const struct verdict *verdict)
{
    for (;;) {
        struct piece item = until(hosts, ',');
        if (connect->count == CONNECT_ENDPOINTS_MAX)
            return refuse(verdict, "too many hosts (16 at most)", none);
        enum error_kind kind = parse_endpoint(item, &connect->endpoints[connect->count++], verdict);
        if (kind != ERROR_NONE || item.length == hosts.length)
            return kind;
        hosts = after(hosts, item.length + 1);
    }
}

static enum error_kind refuse_path(const struct verdict *verdict, const char *what, const char *why,
                                   struct piece piece)
{
    char words[96];
    snprintf(words, sizeof words, "the %s %s", what, why);
    return refuse(verdict, words, piece);
}

/* ZooKeeper's rules for a path that begins with a '/'. */
static enum error_kind check_path(struct piece path, const char *what,
                                  const struct verdict *verdict)
{
    while (path.length > 0) {
        path = after(path, 1);
        struct piece name = until(path, '/');
        if (name.length == 0 && path.length == 0)
            return refuse_path(verdict, what, "ends with a '/'", none);
        if (name.length == 0)
            return refuse_path(verdict, what, "has an empty name, '//'", none);
        if (strncmp(name.start, "..", name.length) == 0 && name.length <= 2)
            return refuse_path(verdict, what, "has a relative name, which ZooKeeper does not take",
                               name);
        path = after(path, name.length);
    }
    return ERROR_NONE;
}

enum error_kind connect_check_path(const char *path, struct error *error)
{
    const struct verdict verdict = {path, error};
    struct piece whole = {path, strlen(path)};
    if (path[0] != '/')
        return refuse_path(&verdict, "path", "does not begin with a '/'", none);
    if (has(path, iscntrl))
        return refuse_path(&verdict, "path", "has a control character", none);
    if (whole.length > CONNECT_PATH_MAX)
        return refuse_path(&verdict, "path", "is too long (1000 characters at most)", none);
    return whole.length == 1 ? ERROR_NONE : check_path(whole, "path", &verdict);
}

/* Two names of one server are found when they are resolved. */
static enum error_kind check_named_once(const struct connect_string *connect,
                                        const struct verdict *verdict)
{
    for (size_t i = 0; i < connect->count; i++) {
        for (size_t j = 0; j < i; j++) {
            const struct endpoint *one = &connect->endpoints[i], *other = &connect->endpoints[j];
            if (one->port != other->port || strcasecmp(one->host, other->host) != 0)
                continue;
            char text[ENDPOINT_TEXT_SIZE];
            endpoint_format(one, text, sizeof text);
            return refuse(verdict, "a server is named twice", (struct piece){text, strlen(text)});
        }
    }
    return ERROR_NONE;
}

enum error_kind connect_parse(const char *text, struct connect_string *connect, struct error *error)
{
    const struct verdict verdict = {text, error};
    struct piece whole = {text, strlen(text)};
    if (whole.length == 0)
        return refuse(&verdict, "there is no host in it", whole);
    if (has(text, isspace) || has(text, iscntrl))
        return refuse(&verdict, "there is a blank or a control character in it", none);
    if (strstr(text, "://") != NULL)
        return refuse(&verdict,
                      "hosts and ports are expected, as host:2181, without a scheme such as zk://",
                      none);
    struct connect_string parsed = {.count = 0};
    struct piece hosts = until(whole, '/');
    enum error_kind kind = parse_hosts(hosts, &parsed, &verdict);
    if (kind == ERROR_NONE)
        kind = check_named_once(&parsed, &verdict);
    struct piece chroot = after(whole, hosts.length);
    if (kind == ERROR_NONE && until(chroot, ',').length < chroot.length)
        return refuse(&verdict,
                      "the chroot is that of all hosts and follows the last one, as in "
                      "zk1:2181,zk2:2181/app, so it has no comma",
                      chroot);
    if (kind == ERROR_NONE && !copy(chroot, parsed.chroot, sizeof parsed.chroot))
        return refuse(&verdict, "the chroot is too long (255 characters at most)", chroot);
    if (kind == ERROR_NONE)
        kind = check_path(chroot, "chroot", &verdict);
    if (kind == ERROR_NONE)
        *connect = parsed;
    return kind;
}

const char *connect_format(const struct connect_string *connect, bool with_chroot, char *text,
                           size_t size)
{
    assert(size >= CONNECT_TEXT_SIZE);
    size_t length = 0;
    for (size_t i = 0; i < connect->count; i++) {
        const struct endpoint *endpoint = &connect->endpoints[i];
        length += (size_t)snprintf(text + length, size - length, "%s%s:%u", i > 0 ? "," : "",
                                   endpoint->host, endpoint->port);
    }
    snprintf(text + length, size - length, "%s", with_chroot ? connect->chroot : "");
    return text;
}

/* The others go round, and those of a server's sessions that follow each other begin one further.
 */
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

static void format_host(const char *host, uint16_t port, char *text, size_t size)
{
    bool is_bare_ipv6 = strchr(host, ':') != NULL;
    snprintf(text, size, "%s%s%s:%u", is_bare_ipv6 ? "[" : "", host, is_bare_ipv6 ? "]" : "", port);
}

const char *endpoint_address(const struct endpoint *endpoint, char *text, size_t size)
{
    format_host(endpoint->host, endpoint->port, text, size);
    return text;
}

const char *endpoint_typed(const struct endpoint *endpoint, char *text, size_t size)
{
    bool has_name = endpoint->name[0] != '\0';
    format_host(has_name ? endpoint->name : endpoint->host, endpoint->port, text, size);
    return text;
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

const char *connect_typed(const struct connect_string *connect, char *text, size_t size)
{
    assert(size >= CONNECT_TEXT_SIZE);
    size_t length = 0;
    for (size_t i = 0; i < connect->count; i++) {
        if (i > 0)
            text[length++] = ',';
        endpoint_typed(&connect->endpoints[i], text + length, size - length);
        length += strlen(text + length);
    }
    snprintf(text + length, size - length, "%s", connect->chroot);
    return text;
}
