// SPDX-License-Identifier: Apache-2.0
#include "bench/page/page_terms.h"

#include "bench/page/html.h"

#define OF(kind) (1U << (kind))
#define LOCKS    (OF(PAGE_RUN) | OF(PAGE_PLAN))
#define LOADS    (OF(PAGE_LOAD) | OF(PAGE_PAPER))
#define ALL      (LOCKS | LOADS)

static const struct {
    unsigned kinds; /* whose pages use the term */
    const char *term, *meaning;
} terms[] = {
    {ALL, "holds, fails, undetermined",
     "verdicts about what was checked or claimed; undetermined: the measurements do not decide"},
    {ALL, "measured", "a figure about which nothing is claimed"},
    {LOCKS, "recipe",
     "a lock, or an election, a queue, a barrier, a counter, as the requests that a client sends"},
    {ALL, "trial", "one measurement; a trial that is not valid has times that mean nothing"},
    {ALL, "cell", "all trials with the same settings, such as recipe and number of clients"},
    {LOCKS, "request (RPC)",
     "one call of the ZooKeeper interface: CREATE, EXISTS, getData, getChildren, setData, DELETE, "
     "multi; those that are answered by an error count too"},
    {LOCKS, "notification", "a watch event that a client receives"},
    {LOCKS, "waiter", "a client that has asked for the lock and does not hold it yet"},
    {LOCKS, "handoff", "from the release of a lock to its next grant"},
    {OF(PAGE_RUN), "drain", "n clients ask for the lock; then each holds it once"},
    {OF(PAGE_RUN), "law",
     "the exact number of messages that follows from the steps of the recipe, if each step waits "
     "for the one before"},
    {OF(PAGE_RUN), "grows as n^x",
     "the exponent of a fit to the trials; O(n) only if its whole interval is within 0.25 of 1"},
    {OF(PAGE_PLAN), "objective", "what a number of waiters, locks, sessions or requests must meet"},
    {OF(PAGE_PLAN), "fresh trials", "trials that were run after the number had been chosen"},
    {LOADS, "mix", "the share of each operation in percent: get=80,set=20"},
    {LOADS, "response time", "from when an operation was due to its reply"},
    {LOADS, "service time", "from when an operation was sent to its reply"},
    {ALL, "p50, p99", "the median; the value that 99 of 100 do not exceed"},
    {ALL, "95 % CI", "confidence interval over trials"},
};

void page_terms_write(FILE *stream, const struct page_sources *sources)
{
    unsigned kinds = 0;
    for (size_t i = 0; i < sources->count; i++)
        kinds |= OF(sources->list[i].kind);
    fputs("<dl>\n", stream);
    for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++) {
        if ((terms[i].kinds & kinds) == 0)
            continue;
        html_element(stream, "dt", "%s", terms[i].term);
        html_element(stream, "dd", "%s", terms[i].meaning);
    }
    fputs("</dl>\n", stream);
}
