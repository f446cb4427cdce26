// SPDX-License-Identifier: Apache-2.0
/* Messages that come from a file in place of a relay. */
#include "bench/cli/complain.h"
#include "bench/tap/internal.h"
#include "relay/recording.h"

#include <stdio.h>

/* ------------------------------------------------------------------ a capture */

static enum error_kind read_capture(const struct tap_options *options, struct observer *observer,
                                    struct tap_result *result, struct error *error)
{
    (void)observer, (void)result;
    return error_raise(error, ERROR_MALFORMED, 0, options->pcap, "captures are not read yet");
}

/* ------------------------------------------------------------------ a recording */

static void count_end(void *context, const struct conversation *conversation)
{
    traffic_end(&((struct observer *)context)->traffic, conversation);
}

static enum error_kind read_recording(const struct tap_options *options, struct observer *observer,
                                      struct tap_result *result, struct error *error)
{
    struct recording_facts facts;
    enum error_kind kind =
        recording_read(options->recording, &observer_listener, count_end, observer, &facts, error);
    if (kind != ERROR_NONE)
        return kind;
    result->begun_ns = facts.begun_ns;
    result->ended_ns = facts.ended_ns;
    result->seconds = (double)(facts.ended_ns - facts.begun_ns) / 1e9;
    snprintf(result->comparison.sentence, sizeof result->comparison.sentence,
             "A recording has no counters of the servers to compare with.%s",
             facts.is_cut ? " It has no end, because zkherd was killed: up to its last second is "
                            "missing."
                          : "");
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ any source */

struct tap_source tap_source_of(const struct tap_options *options)
{
    if (options->recording != NULL)
        return (struct tap_source){"--read", "recording", options->recording, read_recording};
    return (struct tap_source){"--pcap", "capture", options->pcap, read_capture};
}

bool tap_source_conflicts(const struct tap_options *options, const struct tap_source *source)
{
    const struct target_options *target = &options->target;
    const char *private_option = target_private_option(target);
    const char *command = options->command != NULL ? options->command[0] : NULL;
    const struct {
        bool found;
        const char *option, *why;
    } conflicts[] = {
        {target->connect, "--connect", "a file is read without servers"},
        {target->servers_given, "--servers", "a file is read without servers"},
        {private_option != NULL, private_option, "a file is read without servers"},
        {options->listen_given, "--listen", "a file is read without a relay"},
        {options->output.metrics_port > 0, "--metrics", "a file is read at once"},
        {options->duration_ns > 0, "--duration", "a file is read to its end"},
        {options->drain, "--drain",
         "a law needs runs of a command, with several numbers of clients"},
        {command != NULL, command, "no command is run beside a file"},
        {options->record != NULL, "--record", "a file is read without a relay"},
        {options->recording != NULL && options->pcap != NULL, "--pcap", "give only one of them"},
    };
    char beside[32];
    snprintf(beside, sizeof beside, "with %s", source->option);
    for (size_t i = 0; i < sizeof conflicts / sizeof conflicts[0]; i++) {
        if (conflicts[i].found)
            return !complain_value("tap", conflicts[i].option, beside, conflicts[i].why);
    }
    return false;
}
