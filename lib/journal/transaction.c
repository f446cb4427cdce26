// SPDX-License-Identifier: Apache-2.0
#include "journal/internal.h"

static const struct {
    int32_t number;
    const char *fields;
} types[] = {
#define X(NAME, number, name, fields) [JOURNAL_##NAME] = {number, fields},
    JOURNAL_TYPES(X)
#undef X
};

/* Behind the record, from 3.6 on: a version and the digest of all znodes (TxnDigest). */
#define DIGEST_BYTES 12

/* Above any server's clock: times can be subtracted, and be counted in nanoseconds. */
#define TIME_MOST_MS INT64_C(9000000000000)

static void skip_acl(struct jute *jute)
{
    for (size_t entries = jute_vector(jute); entries > 0 && !jute->malformed; entries--) {
        (void)jute_int(jute);   /* permissions */
        (void)jute_bytes(jute); /* scheme */
        (void)jute_bytes(jute); /* who */
    }
}

bool journal_next_path(struct jute *listed, struct jute_bytes *path)
{
    if (listed->left == 0)
        return false;
    *path = jute_bytes(listed);
    return !listed->malformed && path->length > 0 && path->bytes[0] == '/';
}

/* The paths that end with a session. Where there are none, a digest may follow at once, which is
 * no list of paths. */
static void read_paths(struct jute *jute, struct journal_change *change)
{
    struct jute list = *jute;
    struct jute_bytes path;
    size_t count = jute_vector(&list), read = 0;
    struct jute paths = list;
    while (read < count && journal_next_path(&list, &path))
        read++;
    if (list.malformed || read < count || (list.left != 0 && list.left != DIGEST_BYTES))
        return;
    paths.left -= list.left;
    change->elements = count;
    change->listed = paths;
    *jute = list;
}

static void read_parts(struct jute *jute, struct journal_change *change);

static void read_fields(struct jute *jute, const char *fields, struct journal_change *change)
{
    for (; *fields != '\0'; fields++) {
        switch (*fields) {
        case 'p':
            change->path = jute_bytes(jute);
            jute->malformed |= change->path.length == 0 || change->path.bytes[0] != '/';
            break;
        case 'd':
            (void)jute_bytes(jute);
            break;
        case 'a':
            skip_acl(jute);
            break;
        case 'e':
            change->ephemeral = jute_flag(jute);
            break;
        case 'n':
            change->number = jute_int(jute);
            break;
        case 'c':
            if (jute->left > 0)
                change->cversion = jute_int(jute);
            break;
        case 'l':
            (void)jute_long(jute);
            break;
        case 'v':
            read_paths(jute, change);
            break;
        default:
            read_parts(jute, change);
        }
    }
}

static void read_change(struct jute *jute, int32_t number, struct journal_change *change)
{
    *change = (struct journal_change){.cversion = JOURNAL_NO_CVERSION};
    while (change->type < JOURNAL_TYPE_COUNT && types[change->type].number != number)
        change->type++;
    if (change->type < JOURNAL_TYPE_COUNT)
        read_fields(jute, types[change->type].fields, change);
    else
        jute->malformed = true;
}

bool journal_next_part(struct jute *listed, struct journal_change *part)
{
    if (listed->left == 0)
        return false;
    int32_t number = jute_int(listed);
    struct jute_bytes bytes = jute_bytes(listed);
    struct jute record = {.bytes = (const unsigned char *)bytes.bytes, .left = bytes.length};
    if (number == types[JOURNAL_MULTI].number) /* no part has parts */
        listed->malformed = true;
    if (listed->malformed)
        return false;
    read_change(&record, number, part);
    listed->malformed |= !jute_is_read(&record);
    return !listed->malformed;
}

/* None was done if one of them is an error: the first with a number of its own says why. */
static void read_parts(struct jute *jute, struct journal_change *change)
{
    struct journal_change part, error = {.type = JOURNAL_ERROR, .cversion = JOURNAL_NO_CVERSION};
    bool is_failed = false;
    change->elements = jute_vector(jute);
    change->listed = *jute;
    for (size_t i = 0; i < change->elements; i++) {
        if (!journal_next_part(jute, &part)) {
            jute->malformed = true;
            return;
        }
        is_failed |= part.type == JOURNAL_ERROR;
        if (part.type == JOURNAL_ERROR && error.number == 0)
            error.number = part.number;
    }
    change->listed.left -= jute->left;
    if (is_failed)
        *change = error;
}

void journal_each_change(const struct journal_transaction *transaction, void *context,
                         journal_change_function *function)
{
    struct journal_change part;
    struct jute parts = transaction->change.listed;
    if (transaction->change.type != JOURNAL_MULTI)
        function(context, transaction, &transaction->change);
    else
        while (journal_next_part(&parts, &part))
            function(context, transaction, &part);
}

bool transaction_read(const unsigned char *bytes, size_t count,
                      struct journal_transaction *transaction, size_t *content)
{
    struct jute jute = {.bytes = bytes, .left = count};
    transaction->session = jute_long(&jute);
    transaction->cxid = jute_int(&jute);
    transaction->zxid = jute_long(&jute);
    transaction->time_ms = jute_long(&jute);
    transaction->bytes = count;
    read_change(&jute, jute_int(&jute), &transaction->change);
    *content = count - jute.left;
    return !jute.malformed && transaction->time_ms >= 0 && transaction->time_ms <= TIME_MOST_MS &&
           (jute.left == 0 || jute.left == DIGEST_BYTES);
}
