// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/guard.h"

#include "base/text.h"

#include <stdarg.h>

#define ALONE_NS      (10 * NS_PER_S) /* 100 reads of each server */
#define RATE_NS       NS_PER_S
#define RECOVERY_NS   (60 * NS_PER_S)
#define BEGUN_ANEW_NS BRAKE_WINDOW_NS

uint32_t plan_guard_sessions(const struct plan_guard *guard)
{
    return guard->has_bystander ? guard->bystander.plan.fleet.sessions : 0;
}

static struct brake_counts count(const struct plan_guard *guard, uint32_t session)
{
    return bystander_count(&guard->bystander, session, guard->bound_ns);
}

static enum error_kind begin_bystander(struct plan_guard *guard, uint64_t alone_ns,
                                       struct error *error)
{
    enum error_kind kind =
        bystander_begin(&guard->bystander, guard->host, guard->root, alone_ns, error);
    guard->has_bystander = kind == ERROR_NONE;
    return kind;
}

enum error_kind plan_guard_begin(struct plan_guard *guard, const struct plan_guard_options *options,
                                 const struct fleet_host *host, const char *root,
                                 struct error *error)
{
    *guard = (struct plan_guard){
        .options = *options, .host = host, .root = root, .begun_ns = clock_now_ns()};
    if (host == NULL)
        return ERROR_NONE;
    enum error_kind kind =
        begin_bystander(guard, options->alone_ns > 0 ? options->alone_ns : ALONE_NS, error);
    for (uint32_t i = 0; i < plan_guard_sessions(guard); i++) {
        uint64_t p99_ns = bystander_p99_ns(&guard->bystander, i);
        if (p99_ns > guard->alone_p99_ns)
            guard->alone_p99_ns = p99_ns;
    }
    guard->bound_ns =
        options->brake_ns > 0 ? options->brake_ns : brake_bound_ns(guard->alone_p99_ns);
    return kind;
}

enum error_kind plan_guard_end(struct plan_guard *guard, struct error *error)
{
    if (!guard->has_bystander)
        return ERROR_NONE;
    guard->has_bystander = false;
    return bystander_end(&guard->bystander, error);
}

/* ------------------------------------------------------------------ between two probes */

/* Reads of which it is known by now that they are slow, or have failed. */
static uint64_t count_bad(const struct plan_guard *guard)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < plan_guard_sessions(guard); i++) {
        const struct brake_counts counts = count(guard, i);
        sum += counts.slow + counts.errors;
        sum += counts.due > counts.done ? counts.due - counts.done : 0;
    }
    return sum;
}

/* Lets time pass. A session that has expired is replaced; every other error is the search's. */
static enum error_kind wait_briefly(struct plan_guard *guard, struct error *error)
{
    enum error_kind kind = bystander_wait(&guard->bystander, BRAKE_CHECK_NS, error);
    if (kind != ERROR_SESSION_LOST)
        return kind;
    kind = plan_guard_end(guard, error);
    return kind == ERROR_NONE ? begin_bystander(guard, BEGUN_ANEW_NS, error) : kind;
}

static enum error_kind await_recovery(struct plan_guard *guard, struct error *error)
{
    uint64_t began_ns = clock_now_ns(), calm_ns = began_ns, bad = count_bad(guard);
    while (clock_now_ns() - calm_ns < BRAKE_WINDOW_NS) {
        enum error_kind kind = wait_briefly(guard, error);
        if (kind != ERROR_NONE)
            return kind;
        uint64_t now = count_bad(guard);
        if (now != bad)
            calm_ns = clock_now_ns();
        bad = now;
        if (calm_ns - began_ns > RECOVERY_NS)
            return error_raise(error, ERROR_NO_ANSWER, 0, "bystander",
                               "its reads take longer than %.1f ms a minute after a probe was "
                               "ended",
                               (double)guard->bound_ns / 1e6);
    }
    return ERROR_NONE;
}

enum error_kind plan_guard_open(struct plan_guard *guard, struct error *error)
{
    bool has_ended = guard->reason != PLAN_GUARD_NONE;
    guard->reason = PLAN_GUARD_NONE;
    guard->why[0] = '\0';
    enum error_kind kind =
        has_ended && guard->has_bystander ? await_recovery(guard, error) : ERROR_NONE;
    for (uint32_t i = 0; i < plan_guard_sessions(guard); i++) {
        const struct brake_counts counts = count(guard, i);
        brake_begin(&guard->brakes[i], clock_now_ns(), &counts);
    }
    guard->checked_ns = guard->rated_ns = clock_now_ns();
    guard->rpcs = 0;
    return kind;
}

/* ------------------------------------------------------------------ while a probe runs */

/* The first reason counts. */
__attribute__((format(printf, 3, 4))) static void
end_probe(struct plan_guard *guard, enum plan_guard_reason reason, const char *format, ...)
{
    va_list arguments;
    if (guard->reason != PLAN_GUARD_NONE)
        return;
    guard->reason = reason;
    va_start(arguments, format);
    vsnprintf(guard->why, sizeof guard->why, format, arguments);
    va_end(arguments);
}

void plan_guard_note(struct plan_guard *guard, uint64_t rpcs, uint64_t losses)
{
    /* Requests of less than a second are requests of a second, too: most probes take no longer. */
    uint64_t now_ns = clock_now_ns(), passed_ns = now_ns - guard->rated_ns,
             rate = rpcs - guard->rpcs, most = guard->options.max_rate;
    char sent[32], allowed[32];
    if (passed_ns >= RATE_NS) {
        rate = (uint64_t)((double)rate / ((double)passed_ns / 1e9));
        guard->rated_ns = now_ns;
        guard->rpcs = rpcs;
    }
    if (most > 0 && rate > most)
        end_probe(guard, PLAN_GUARD_RATE,
                  "it sent %s requests in a second, more than the %s of --max-rate",
                  text_format_count(rate, sent, sizeof sent),
                  text_format_count(most, allowed, sizeof allowed));
    (void)plan_guard_close(guard, losses);
}

static void end_for_bystander(struct plan_guard *guard, uint32_t session, enum brake_reason how)
{
    static const char *const words[] = {[BRAKE_SLOW] = "answered a bystander late",
                                        [BRAKE_SILENT] = "did not answer a bystander",
                                        [BRAKE_ERRORS] = "failed a bystander's read",
                                        [BRAKE_LOST] = "lost a bystander's connection"};
    char server[ENDPOINT_TEXT_SIZE], bound[32];
    if (how == BRAKE_NONE)
        return;
    endpoint_typed(&guard->bystander.host.servers->endpoints[session], server, sizeof server);
    end_probe(guard, PLAN_GUARD_BYSTANDER, "%.80s %s (bound %s)", server, words[how],
              text_format_duration(guard->bound_ns, bound, sizeof bound));
}

/* Whether no more of the time for all is left than this. */
static bool has_left(const struct plan_guard *guard, uint64_t least_ns)
{
    uint64_t most_ns = guard->options.max_time_ns;
    return most_ns > 0 && clock_now_ns() - guard->begun_ns + least_ns >= most_ns;
}

bool plan_guard_is_out_of_time(const struct plan_guard *guard)
{
    return has_left(guard, 0);
}

bool plan_guard_is_late(const struct plan_guard *guard, uint64_t fresh_ns)
{
    uint64_t third_ns = guard->options.max_time_ns / 3;
    return has_left(guard, fresh_ns > third_ns ? fresh_ns : third_ns);
}

bool plan_guard_allows(struct plan_guard *guard)
{
    uint64_t now_ns = clock_now_ns();
    if (guard->reason != PLAN_GUARD_NONE || now_ns - guard->checked_ns < BRAKE_CHECK_NS)
        return guard->reason == PLAN_GUARD_NONE;
    guard->checked_ns = now_ns;
    for (uint32_t i = 0; i < plan_guard_sessions(guard); i++) {
        const struct brake_counts counts = count(guard, i);
        end_for_bystander(guard, i, brake_check(&guard->brakes[i], now_ns, &counts));
    }
    if (guard->has_bystander && !load_background_goes_on(guard->bystander.trial))
        end_for_bystander(guard, 0, BRAKE_LOST);
    if (plan_guard_is_out_of_time(guard))
        end_probe(guard, PLAN_GUARD_TIME, "the time of --max-time was up");
    return guard->reason == PLAN_GUARD_NONE;
}

/* The reason has the last count of losses. */
enum plan_guard_reason plan_guard_close(struct plan_guard *guard, uint64_t losses)
{
    char number[32];
    if (losses == 0)
        return guard->reason;
    if (guard->reason == PLAN_GUARD_LOSSES)
        guard->reason = PLAN_GUARD_NONE;
    end_probe(guard, PLAN_GUARD_LOSSES, "its sessions lost connections (%s)",
              text_format_count(losses, number, sizeof number));
    return guard->reason;
}
