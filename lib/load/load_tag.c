// SPDX-License-Identifier: Apache-2.0
#include "load/load_tag.h"

#define KIND_BITS 4
_Static_assert(LOAD_KINDS <= 1 << KIND_BITS, "a kind fits in its bits of a tag");

uint64_t load_tag(const struct load_shared *load, enum load_kind kind, uint64_t due_ns)
{
    return (due_ns - load->starts_ns) << KIND_BITS | kind;
}

enum load_kind load_tag_kind(uint64_t tag)
{
    return (enum load_kind)(tag & ((1U << KIND_BITS) - 1));
}

uint64_t load_tag_due_ns(const struct load_shared *load, uint64_t tag)
{
    return load->starts_ns + (tag >> KIND_BITS);
}
