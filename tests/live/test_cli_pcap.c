// SPDX-License-Identifier: Apache-2.0
/* `zkherd tap --pcap`: a capture of what a tap passes has the same counts as the tap; files that
 * are no capture, or lack something. */
#include "relay/traffic.h"

#include "tests/support/outcome.h"
#include "tests/support/run_files.h"
#include "tests/support/schema.h"
#include "tests/support/test.h"

#include <arpa/inet.h>
#include <sys/socket.h>

static struct command command, tap;

/* ------------------------------------------------------------------ a capture of a tap's clients
 */

/* Waits until a file has a text, bytes of 0 before it or not. */
static void await_text(int file, const char *text, size_t length)
{
    static char bytes[16 << 20];
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    ssize_t count;
    do {
        assert_true(clock_now_ns() < until_ns);
        pause_ms(5);
        count = pread(file, bytes, sizeof bytes, 0);
        assert_true(count >= 0 && (size_t)count < sizeof bytes);
    } while (memmem(bytes, (size_t)count, text, length) == NULL);
}

static int new_file(const char *name)
{
    int file = open(in_work("%s", name), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    return file;
}

/* Starts tcpdump, and waits until it captures. 0: it may not, or there is none; the reason was
 * printed. */
static pid_t start_tcpdump(unsigned port, unsigned other, int capture)
{
    char filter[64], why[512] = "";
    int words = new_file("tcpdump.err"), status = 0;
    snprintf(filter, sizeof filter, "tcp port %u or tcp port %u", port, other);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(capture, STDOUT_FILENO);
        dup2(words, STDERR_FILENO);
        /* The kernel keeps 16 MiB for it: more than is sent here, so it loses nothing. */
        execlp("tcpdump", "tcpdump", "-i", "lo", "-s", "65535", "-B", "16384", "-U", "-w", "-",
               filter, (char *)NULL);
        dprintf(STDERR_FILENO, "there is no tcpdump");
        _exit(1);
    }
    while (strstr(why, "listening on") == NULL && waitpid(pid, &status, WNOHANG) == 0) {
        pause_ms(5);
        (void)!pread(words, why, sizeof why - 1, 0);
    }
    (void)!pread(words, why, sizeof why - 1, 0);
    close(words);
    if (strstr(why, "listening on") != NULL)
        return pid;
    print_message("skipped: nothing can be captured here: %s\n", why);
    return 0;
}

static unsigned port_in(const char *text)
{
    const char *host = strstr(text, "127.0.0.1:");
    assert_non_null(host);
    return (unsigned)strtoul(host + strlen("127.0.0.1:"), NULL, 10);
}

/* A four-letter word, whose answer is in the capture behind everything before. */
static void ask_ruok(unsigned port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    char answer[64];
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(send(fd, "ruok", 4, MSG_NOSIGNAL), 4);
    while (recv(fd, answer, sizeof answer, 0) > 0)
        continue;
    close(fd);
}

/* Takes the times out of the rows of a list. */
static void forget_times(json_t *rows)
{
    static const char *const times[] = {"p50_us", "p99_us", "max_us"};
    json_t *row;
    size_t i;
    json_array_foreach(rows, i, row) for (size_t k = 0; k < sizeof times / sizeof times[0]; k++)
        json_object_del(row, times[k]);
}

/* Two results have the same rows in a list, in any order, but for their times. */
static void assert_same_rows(const json_t *result, const json_t *other, const char *list)
{
    json_t *rows = json_object_get(result, list), *others = json_object_get(other, list), *row,
           *one;
    size_t i, k, same = 0;
    forget_times(rows);
    forget_times(others);
    json_array_foreach(rows, i, row) json_array_foreach(others, k, one) same +=
        (size_t)json_equal(row, one);
    if (same != json_array_size(rows) || same != json_array_size(others))
        print_message("%s of the relay: %s\n%s of the capture: %s\n", list, json_dumps(rows, 0),
                      list, json_dumps(others, 0));
    assert_int_equal(same, json_array_size(rows));
    assert_int_equal(same, json_array_size(others));
}

static void assert_same_counts(const json_t *result, const json_t *other)
{
    static const char *const keys[] = {"requests",
#define X(name, meaning) #name,
                                       TRAFFIC_CONVERSATIONS(X)
#undef X
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        assert_int_equal(json_integer_value(json_object_get(result, keys[i])),
                         json_integer_value(json_object_get(other, keys[i])));
    assert_same_rows(result, other, "operations");
    assert_same_rows(result, other, "paths");
    assert_same_rows(result, other, "errors");
}

static json_t *read_capture(const char *file, unsigned port)
{
    char number[16];
    snprintf(number, sizeof number, "%u", port);
    command_run(&command, COMMAND("tap", "--pcap", file, "--port", number, "--json", "--no-files"));
    assert_status(&command, 0);
    json_t *result = schema_read_result(&command, "tap");
    assert_int_equal(json_integer_value(json_object_get(result, "unread_bytes")), 0);
    assert_string_equal(json_string_value(json_object_get(result, "reconciled")), "na");
    assert_true(json_real_value(json_object_get(result, "seconds")) > 0);
    return result;
}

/* Both connections of each client are captured, to the relay and to the server: what is said on
 * them is the same. */
COMMAND_TEST(a_capture_has_the_counts_of_the_relay)
{
    command_run(&command, COMMAND("ensemble", "start", "--heap", "64", "--servers", "1"));
    assert_status(&command, 0);
    char servers[64];
    snprintf(servers, sizeof servers, "%.*s", (int)strcspn(command.out, "\n"), command.out);
    unsigned server = port_in(servers);
    char told[256] = "", through[64];
    command_start(&tap, COMMAND("tap", "--connect", servers, "--json", "--no-files"));
    await_text(tap.err_descriptor, "\n", 1);
    assert_true(pread(tap.err_descriptor, told, sizeof told - 1, 0) > 0);
    unsigned relay = port_in(told);
    snprintf(through, sizeof through, "127.0.0.1:%u", relay);
    int capture = new_file("all.pcap");
    pid_t tcpdump = start_tcpdump(relay, server, capture);
    command_run(&command, COMMAND("run", "--connect", through, "--noise", "off", "-r",
                                  "nonscalable,scalable", "-n", "8", "-t", "1", "--no-files"));
    assert_status(&command, 0);
    ask_ruok(relay);
    if (tcpdump > 0) {
        await_text(capture, "imok", 4);
        assert_int_equal(kill(tcpdump, SIGTERM), 0);
        assert_int_equal(waitpid(tcpdump, NULL, 0), tcpdump);
    }
    command_end(&tap, tap.pid, SIGINT);
    assert_status(&tap, 0);
    json_t *live = schema_read_result(&tap, "tap");
    assert_string_equal(json_string_value(json_object_get(live, "reconciled")), "yes");
    command_run(&command, COMMAND("ensemble", "stop"));
    assert_status(&command, 0);
    if (tcpdump > 0) {
        json_t *of_relay = read_capture("all.pcap", relay),
               *of_server = read_capture("all.pcap", server);
        assert_same_counts(live, of_relay);
        assert_same_rows(live, of_server, "operations");
        json_decref(of_relay);
        json_decref(of_server);
    }
    json_decref(live);
    close(capture);
    assert_left(2);
    if (tcpdump == 0)
        skip();
}

/* ------------------------------------------------------------------ bad files */

static void write_file(const char *name, const void *bytes, size_t count)
{
    int file = new_file(name);
    assert_int_equal(write(file, bytes, count), count);
    close(file);
}

/* The header of a file, of Ethernet or of a link that cannot be read; and of a packet of 60 bytes.
 */
static const uint32_t header[] = {0xa1b2c3d4, 0x00040002, 0, 0, 65535, 1},
                      wireless[] = {0xa1b2c3d4, 0x00040002, 0, 0, 65535, 105};

COMMAND_TEST(files_that_are_no_captures_are_refused)
{
    static const struct refusal refusals[] = {
        {{"--pcap", "none"}, "none: not a capture"},
        {{"--pcap", "words"}, "words: not a capture"},
        {{"--pcap", "wireless"}, "105 (IEEE802_11) cannot be read"},
        {{"--pcap", "header", "--connect", "zk1:2181"}, "a file is read whole"},
        {{"--pcap", "header", "--servers", "3"}, "a file is read whole"},
        {{"--pcap", "header", "--heap", "64"}, "a file is read whole"},
        {{"--pcap", "header", "--listen", "127.0.0.1"}, "a file is read whole"},
        {{"--pcap", "header", "--duration", "1s"}, "a file is read whole"},
        {{"--pcap", "header", "--drain"}, "a file is read whole"},
        {{"--pcap", "header", "--", "true"}, "a file is read whole"},
        {{"--pcap", "header", "--port", "0"}, "expected numbers of ports"},
        {{"--pcap", ""}, "expected the name of a file"},
    };
    write_file("none", "", 0);
    write_file("words", "these are no packets", 20);
    write_file("header", header, sizeof header);
    write_file("wireless", wireless, sizeof wireless);
    ASSERT_LINES_REFUSED(&command, "tap", refusals);
    command_run(&command, COMMAND("tap", "--pcap", "missing"));
    assert_refused(&command, 2, "missing: not a capture that can be read (No such file");
    assert_left(4);
}

COMMAND_TEST(captures_without_zookeeper_are_not_valid)
{
    unsigned char cut[sizeof header + 16 + 30] = {0};
    const uint32_t packet[] = {1, 0, 60, 60};
    memcpy(cut, header, sizeof header);
    memcpy(cut + sizeof header, packet, sizeof packet);
    write_file("cut", cut, sizeof cut);
    write_file("header", header, sizeof header);
    command_run(&command, COMMAND("tap", "--pcap", "header", "--no-files"));
    assert_status(&command, 4);
    assert_non_null(strstr(command.out, "No packet is TCP from or to the"));
    command_run(&command, COMMAND("tap", "--pcap", "cut", "-o", "kept", "--json"));
    assert_status(&command, 4);
    json_t *result = schema_read_result(&command, "tap");
    assert_non_null(strstr(json_string_value(json_object_get(result, "cut_short")), "only got 30"));
    json_decref(result);
    json_decref(read_manifest("kept"));
    assert_left(3);
}
