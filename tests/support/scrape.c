// SPDX-License-Identifier: Apache-2.0
#include "tests/support/scrape.h"

#include "tests/support/pause.h"
#include "tests/support/port.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ANSWER_SIZE (256 * 1024)
#define NAME_SIZE   128

/* ------------------------------------------------------------------ through TCP */

uint16_t scrape_port(void)
{
    uint16_t port;
    close(port_take(&port));
    return port;
}

int scrape_connect(const char *address, uint16_t port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(inet_pton(AF_INET, address, &to.sin_addr), 1);
    if (connect(fd, (struct sockaddr *)&to, sizeof to) == 0)
        return fd;
    close(fd);
    return -1;
}

void scrape_ask(int fd, const char *method, const char *path)
{
    char request[256];
    int length = snprintf(request, sizeof request, "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
                          method, path);
    /* The command may have ended meanwhile: then nothing comes. */
    (void)!send(fd, request, (size_t)length, MSG_NOSIGNAL);
}

char *scrape_read(int fd)
{
    size_t length = 0;
    ssize_t got = 1;
    char *answer = malloc(ANSWER_SIZE);
    assert_non_null(answer);
    while (got > 0) {
        struct pollfd descriptor = {.fd = fd, .events = POLLIN};
        assert_int_equal(poll(&descriptor, 1, PATIENCE_NS / NS_PER_MS), 1);
        got = recv(fd, answer + length, ANSWER_SIZE - 1 - length, 0);
        length += got > 0 ? (size_t)got : 0;
    }
    close(fd);
    answer[length] = '\0';
    if (length > 0)
        return answer;
    free(answer);
    return NULL;
}

char *scrape_get(uint16_t port)
{
    int fd = scrape_connect("127.0.0.1", port);
    if (fd < 0)
        return NULL;
    scrape_ask(fd, "GET", "/metrics");
    return scrape_read(fd);
}

char *scrape_await(uint16_t port)
{
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    char *answer;
    while ((answer = scrape_get(port)) == NULL) {
        assert_true(clock_now_ns() < until_ns);
        pause_ms(10);
    }
    return answer;
}

/* ------------------------------------------------------------------ the text */

/* The next line behind the header, without its end; NULL behind the last. */
static const char *next_line(const char **at, char line[1024])
{
    const char *end = strchr(*at, '\n');
    if (end == NULL)
        return NULL;
    assert_true(end - *at < 1024);
    snprintf(line, 1024, "%.*s", (int)(end - *at), *at);
    *at = end + 1;
    return line;
}

static const char *body_of(const char *answer)
{
    const char *end = strstr(answer, "\r\n\r\n");
    assert_non_null(end);
    return end + 4;
}

/* Whether the text has this sample, and its number. */
static bool find(const char *answer, const char *sample, double *value)
{
    size_t length = strlen(sample);
    char line[1024];
    for (const char *at = body_of(answer); next_line(&at, line) != NULL;) {
        if (strncmp(line, sample, length) == 0 && line[length] == ' ') {
            *value = strtod(line + length, NULL);
            return true;
        }
    }
    return false;
}

double scrape_value(const char *answer, const char *sample)
{
    double value = 0;
    find(answer, sample, &value);
    return value;
}

/* A pattern is compiled once: its text is the same wherever it stands. */
static bool matches(const char *line, const char *pattern)
{
    static struct {
        const char *pattern;
        regex_t compiled;
    } known[16];
    size_t i = 0;
    while (known[i].pattern != NULL && strcmp(known[i].pattern, pattern) != 0)
        i++;
    assert_true(i + 1 < sizeof known / sizeof known[0]);
    if (known[i].pattern == NULL)
        assert_int_equal(regcomp(&known[i].compiled, pattern, REG_EXTENDED | REG_NOSUB), 0);
    known[i].pattern = pattern;
    return regexec(&known[i].compiled, line, 0, NULL, 0) == 0;
}

#define NAME  "[a-zA-Z_:][a-zA-Z0-9_:]*"
#define LABEL "[a-zA-Z_][a-zA-Z0-9_]*=\"([^\"\\]|\\\\[\\n\"])*\""

static bool is_sample(const char *line)
{
    return matches(line, "^" NAME "([{]" LABEL "(," LABEL ")*[}])? "
                         "([0-9]+([.][0-9]+)?(e[+-]?[0-9]+)?|[+]Inf|NaN)$");
}

/* A sample's name is its family's; a histogram's has one of three endings. */
static void assert_of_family(const char *line, const char *family, const char *type)
{
    size_t length = strlen(family);
    assert_int_equal(strncmp(line, family, length), 0);
    if (strcmp(type, "histogram") == 0)
        assert_true(matches(line + length, "^_(bucket|sum|count)[{ ]"));
    else
        assert_true(matches(line + length, "^[{ ]"));
    if (strcmp(type, "counter") == 0)
        assert_true(matches(family, "_total$"));
}

static void assert_once(const char *answer, const char *line)
{
    char text[1024];
    snprintf(text, sizeof text, "\n%.*s ", (int)(strrchr(line, ' ') - line), line);
    assert_null(strstr(strstr(answer, text) + 1, text));
}

void scrape_assert_format(const char *answer)
{
    char line[1024], family[NAME_SIZE] = "", type[NAME_SIZE] = "", helped[NAME_SIZE] = "";
    assert_int_equal(strncmp(answer, "HTTP/1.1 200 OK\r\n", 17), 0);
    assert_non_null(
        strstr(answer, "\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
    for (const char *at = body_of(answer); next_line(&at, line) != NULL;) {
        if (matches(line, "^# HELP " NAME " [^\\]+$")) {
            assert_int_equal(sscanf(line, "# HELP %127s", helped), 1);
        } else if (matches(line, "^# TYPE " NAME " (counter|gauge|histogram)$")) {
            assert_int_equal(sscanf(line, "# TYPE %127s %127s", family, type), 2);
            assert_string_equal(family, helped);
            assert_once(answer, line);
        } else {
            assert_true(is_sample(line));
            assert_of_family(line, family, type);
            assert_once(answer, line);
        }
    }
}

static bool is_counter(const char *line)
{
    return line[0] != '#' && matches(line, "^" NAME "_(total|bucket|count|sum)[{ ]");
}

void scrape_assert_grows(const char *first, const char *second)
{
    char line[1024];
    for (const char *at = body_of(first); next_line(&at, line) != NULL;) {
        double later = 0;
        char *number = strrchr(line, ' ');
        if (!is_counter(line))
            continue;
        *number = '\0';
        assert_true(find(second, line, &later));
        if (later < strtod(number + 1, NULL))
            fail_msg("%s decreased from %s to %g", line, number + 1, later);
    }
}
