// SPDX-License-Identifier: Apache-2.0
/*
 * deaths: experiments in which a session dies, or loses a reply. Layer: bench/claims.
 */
#ifndef BENCH_CLAIMS_DEATHS_H
#define BENCH_CLAIMS_DEATHS_H

#include "bench/claims/claim.h"

#include <stdbool.h>
#include <stdint.h>

/* A waiter dies at the first lock, which has one holder all the same, and at the second, which
 * trusts a deletion and has two. */
experiment_function deaths_need_another_list;

/* Of one lock: a waiter's death sets off one notification and no grant. */
experiment_function deaths_of_waiters_wake_one;

/* The reply to a CREATE is lost at the first lock, which is blocked from then on, and at the second
 * one, which goes on with the znode that it has. */
experiment_function deaths_of_replies_need_a_guid;

/* Of one lock around data in several parts: a holder crashes in the middle of its work. */
experiment_function deaths_of_holders_take_the_timeout;

/* Whether a lock is freed in time, so long after the last request of its dead holder: after one
 * session timeout at the earliest, and two at the latest. The servers count from the last message
 * of a session, and round up to a tick, which is at most half of the shortest timeout. */
bool deaths_frees_in_time(uint64_t freed_ns, uint64_t timeout_ns);

/* Of one election: the leader exits, or crashes, and one client is notified. */
experiment_function deaths_of_leaders_have_one_successor;

#endif
