// SPDX-License-Identifier: Apache-2.0
/* What a tap comes to: the clients, what could not be read, and the servers' counters. */
#include "bench/output/findings.h"
#include "base/text.h"
#include "bench/tap/internal.h"

#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>

#define NOT_VALID(slug_, subject_)                                                                 \
    &(const struct finding)                                                                        \
    {                                                                                              \
        .slug = (slug_), .subject = (subject_), .verdict = VERDICT_NOT_VALID,                      \
        .figure = FINDING_NO_FIGURE, .n = 1                                                        \
    }

/* ------------------------------------------------------------------ the clients */

static void judge_herd(const struct table *herds, struct table *findings)
{
    if (herds->rows == 0)
        return;
    const struct table_value *row = table_row(herds, 0);
    const char *path = row[tap_herd_pattern].text;
    const uint64_t notified = row[tap_herd_notified].count, got = row[tap_herd_got].count;
    const bool is_herd = notified > 2 && 2 * got < notified;
    findings_add(
        findings,
        FINDING_MEASURED("herd", path, FINDING_FIGURE((double)notified), "notifications", 1),
        "%s, %s of %s: %" PRIu64 " notifications, then %" PRIu64 " requests%s",
        is_herd ? "Herd of the costliest write" : "The costliest write",
        row[tap_herd_operation].text, path, notified, row[tap_herd_requests_after].count,
        is_herd ? "; with kazoo's Lock or Curator's InterProcessMutex a release notifies one" : "");
}

static bool writes(enum opcode opcode)
{
    return opcode_creates(opcode) || opcode == OPCODE_DELETE || opcode == OPCODE_SET_DATA ||
           opcode == OPCODE_SET_ACL || opcode == OPCODE_MULTI || opcode == OPCODE_RECONFIG ||
           opcode == OPCODE_DELETE_CONTAINER;
}

static void judge_traffic(const struct tap *tap, struct table *findings)
{
    const struct traffic *traffic = &tap->traffic;
    const uint64_t all = traffic_requests(traffic);
    uint64_t written = 0, most = 0;
    char requests[32], notifications[32], sessions[32], connections[32];
    findings_add(
        findings,
        FINDING_MEASURED("traffic", "clients", FINDING_FIGURE((double)all), "requests", 1),
        "%s requests without pings and closes, %s notifications, %s sessions on %s "
        "connections, in %.1f s",
        text_format_count(all, requests, sizeof requests),
        text_format_count(traffic_notifications(traffic), notifications, sizeof notifications),
        text_format_count(traffic->sessions - traffic->resumed, sessions, sizeof sessions),
        text_format_count(traffic->connections, connections, sizeof connections), tap->seconds);
    for (enum opcode opcode = 0; opcode < OPCODES; opcode++)
        written += writes(opcode) ? traffic->operations[opcode].requests : 0;
    for (size_t i = 0; i < traffic->second_count; i++)
        most = traffic->seconds[i].requests > most ? traffic->seconds[i].requests : most;
    const double share = 100 * (double)written / (double)all;
    if (all > 0)
        findings_add(findings, FINDING_MEASURED("writes", "clients", FINDING_FIGURE(share), "%", 1),
                     "Writes are %.0f %% of the requests, reads %.0f %%; in the busiest second "
                     "there were %" PRIu64 " requests",
                     share, 100 - share, most);
}

static void judge_command(const struct tap *tap, struct table *findings)
{
    const struct tap_command *command = &tap->command;
    const bool connected = tap->traffic.connections > 0, failed = command->failed;
    if (!connected && !failed)
        findings_add(findings, NOT_VALID("passed-by", "command"),
                     "The command has opened no connection to the relay: give it the connect "
                     "string, {} in its arguments or ZKHERD_CONNECT");
    if (tap->options->drain && tap->run_count < tap->run_planned &&
        (connected || !failed || tap->run_count > 0))
        findings_add(findings, NOT_VALID("runs", "command"),
                     "Runs that ended well: %zu of %zu; one failed or was cut short",
                     tap->run_count, tap->run_planned);
    if (failed && WIFEXITED(command->status))
        findings_add(findings, NOT_VALID("command", "command"),
                     "The command ended with status %d%s%s%s", WEXITSTATUS(command->status),
                     connected ? "" : ", and has opened no connection",
                     command->last[0] != '\0' ? ": " : "", command->last);
    else if (failed)
        findings_add(findings, NOT_VALID("command", "command"),
                     "The command was ended by signal %d", WTERMSIG(command->status));
}

/* ------------------------------------------------------------------ what was not read */

static void judge_capture(const struct tap *tap, struct table *findings)
{
    const struct capture_counts *capture = &tap->capture;
    findings_add(findings,
                 FINDING_MEASURED("captured", "capture", FINDING_FIGURE((double)capture->segments),
                                  "packets", 1),
                 "The capture has %" PRIu64 " packets, %" PRIu64
                 " of them TCP from or to the servers' ports",
                 capture->packets, capture->segments);
    const uint64_t *payload = capture->payload;
    if (capture->segments == 0)
        findings_add(findings, NOT_VALID("no-session", "capture"),
                     "No packet is TCP from or to the servers' ports: name these with --port");
    else if ((payload[CONVERSATION_CLIENT] == 0) != (payload[CONVERSATION_SERVER] == 0))
        findings_add(findings, NOT_VALID("one-way", "capture"),
                     "Only what %s sent was captured: capture both directions",
                     payload[CONVERSATION_SERVER] == 0 ? "clients" : "servers");
    else if (tap->traffic.sessions + capture->joined == 0)
        findings_add(findings, NOT_VALID("no-session", "capture"),
                     "No session of ZooKeeper was captured at the servers' ports");
    if (tap->cut_short[0] != '\0')
        findings_add(findings, NOT_VALID("cut-short", "capture"),
                     "The capture was not read to its end: %s", tap->cut_short);
}

static void judge_losses(const struct tap *tap, struct table *findings)
{
    const struct traffic *traffic = &tap->traffic;
    const struct {
        const char *slug, *subject;
        enum verdict verdict;
        uint64_t count;
        const char *unit, *words, *why;
    } losses[] = {
        {"unreadable", "clients", VERDICT_NOT_VALID, traffic->unreadable, "connections",
         "not read to the end: ", traffic->why_unreadable},
        {"encrypted", "clients", VERDICT_MEASURED, traffic->encrypted, "connections",
         "with TLS, which passed unread", ""},
        {"refused", "servers", VERDICT_MEASURED, tap->connections.unconnected, "connections",
         "refused by the servers", ""},
        {"unaccepted", "relay", VERDICT_NOT_VALID, tap->connections.unaccepted, "connections",
         "ended because this process may not open more files: raise ulimit -n", ""},
        {"unattributed", "clients", VERDICT_MEASURED, tap->traffic.watches.unattributed,
         "notifications", "not attributed to a write", ""},
        {"joined", "capture", VERDICT_MEASURED, tap->capture.joined, "connections",
         tap->capture.joined == traffic->connections
             ? "all opened before the capture: read from the first whole request on"
             : "opened before the capture: read from the first whole request on",
         ""},
        {"missing", "capture", VERDICT_MEASURED, tap->capture.missing_bytes, "bytes",
         "sent, but not captured", ""},
        {"cut", "capture", VERDICT_MEASURED, tap->capture.cut, "packets",
         "captured in part: capture whole packets (tcpdump -s 0)", ""},
    };
    for (size_t i = 0; i < sizeof losses / sizeof losses[0]; i++)
        if (losses[i].count > 0)
            findings_add(findings,
                         &(struct finding){losses[i].slug, losses[i].subject, losses[i].verdict,
                                           FINDING_FIGURE((double)losses[i].count), losses[i].unit,
                                           1},
                         "%" PRIu64 " %.*s %s%s", losses[i].count,
                         (int)(strlen(losses[i].unit) - (losses[i].count == 1)), losses[i].unit,
                         losses[i].words, losses[i].why);
}

/* ------------------------------------------------------------------ the servers' counters */

/* Packets as servers count them: openings of sessions, four-letter words, and requests. */
static uint64_t packets_of(const struct traffic *traffic)
{
    uint64_t packets = traffic->sessions + traffic->refused + traffic->words;
    for (enum opcode opcode = 0; opcode < OPCODES; opcode++)
        packets += traffic->operations[opcode].requests;
    return packets;
}

/* The reason why the counters cannot be compared; NULL: they can. */
static const char *obstacle_of(const struct tap *tap)
{
    if (tap->options->pcap != NULL)
        return "a capture does not have them";
    if (!tap->servers.known)
        return tap->servers.asked_again
                   ? "a server did not give its counters at once, as at an election"
                   : "the servers do not report their counters (mntr)";
    if (tap->traffic.encrypted > 0)
        return "what came over TLS was not read";
    return tap->traffic.unreadable > 0 ? "a message could not be read" : NULL;
}

/* Whether the counters of the servers agree with the relay's. A difference proves nothing where
 * others may have used the servers, or something else is not valid. */
static enum reconciled judge_servers(const struct tap *tap, struct table *findings)
{
    const struct server_counters_count *servers = &tap->servers;
    const char *why = obstacle_of(tap);
    /* Servers count a deletion twice for a session that watches both the data and the children, and
     * notify the session once (WatchManager.triggerWatch). */
    const uint64_t twice = tap->traffic.watches.both, passed = packets_of(&tap->traffic),
                   notified = traffic_notifications(&tap->traffic) + twice;
    const uint64_t missed = servers->notifications - notified;
    const bool bypassed = servers->packets_received > passed,
               others = bypassed && tap->target.ensemble == NULL,
               same_packets = servers->packets_received == passed,
               equal = same_packets && servers->notifications == notified,
               closing = same_packets && missed > 0 && missed <= tap->traffic.watches.closing;
    if (why != NULL) {
        findings_add(findings, FINDING_MEASURED("servers", "servers", FINDING_NO_FIGURE, NULL, 1),
                     "The servers' counters are not compared: %s", why);
        return RECONCILED_NA;
    }
    struct finding finding = *FINDING_MEASURED(
        "servers", "servers", FINDING_FIGURE((double)servers->packets_received), "packets", 1);
    if (!others && !closing)
        finding.verdict = equal                                             ? VERDICT_HOLDS
                          : findings_verdict(findings) == VERDICT_NOT_VALID ? VERDICT_NOT_VALID
                                                                            : VERDICT_FAILS;
    findings_add(findings, &finding,
                 "The servers counted %s: %" PRIu64 " packets received, %" PRIu64
                 " notifications sent; the relay passed %" PRIu64 " and %" PRIu64 "%s",
                 equal ? "the same" : "otherwise", servers->packets_received,
                 servers->notifications, passed, notified,
                 bypassed    ? ": other clients, or clients that do not connect through the relay"
                 : closing   ? ": the others may be of sessions that were closing"
                 : twice > 0 ? ", deletions twice of which a session watches data and children"
                             : "");
    return others || closing ? RECONCILED_NA : equal ? RECONCILED_YES : RECONCILED_NO;
}

void tap_judge(struct tap *tap)
{
    struct table *findings = &tap->tables[TAP_FINDINGS];
    if (tap->options->drain)
        tap_judge_laws(tap);
    judge_herd(&tap->tables[TAP_HERDS], findings);
    judge_traffic(tap, findings);
    if (tap->options->command != NULL)
        judge_command(tap, findings);
    if (tap->options->pcap != NULL)
        judge_capture(tap, findings);
    judge_losses(tap, findings);
    tap->reconciled = judge_servers(tap, findings);
}
