// SPDX-License-Identifier: Apache-2.0
/*
 * load tag: what an operation of a load is, and when it was due, as the tag of its request
 * (client/client.h). Layer: load.
 *
 * Invariant: an operation that has been sent is in its tag alone: nothing is allocated or looked up
 * when the reply comes.
 */
#ifndef LOAD_LOAD_TAG_H
#define LOAD_LOAD_TAG_H

#include "load/load_shared.h"

/* due_ns: not before load->starts_ns, and less than 36 years behind it. */
uint64_t load_tag(const struct load_shared *load, enum load_kind kind, uint64_t due_ns);

enum load_kind load_tag_kind(uint64_t tag);
uint64_t load_tag_due_ns(const struct load_shared *load, uint64_t tag);

#endif
