// SPDX-License-Identifier: Apache-2.0
#include "wire/message.h"

#include "wire/wire.h"

/* ------------------------------------------------------------------ operations */

static const struct {
    int32_t number;
    const char *name, *request, *reply;
} rows[] = {
#define X(NAME, number, name, request, reply) [OPCODE_##NAME] = {number, name, request, reply},
    OPCODE_LIST(X)
#undef X
        [OPCODE_OTHER] = {0, "other", "", ""},
};

static enum opcode opcode_of(int32_t number)
{
    enum opcode opcode = 0;
    while (opcode < OPCODE_OTHER && rows[opcode].number != number)
        opcode++;
    return opcode;
}

const char *opcode_name(enum opcode opcode)
{
    return rows[opcode].name;
}

bool opcode_creates(enum opcode opcode)
{
    return opcode == OPCODE_CREATE || opcode == OPCODE_CREATE2 ||
           opcode == OPCODE_CREATE_CONTAINER || opcode == OPCODE_CREATE_TTL;
}

bool opcode_writes(enum opcode opcode)
{
    return opcode_creates(opcode) || opcode == OPCODE_DELETE || opcode == OPCODE_SET_DATA ||
           opcode == OPCODE_SET_ACL || opcode == OPCODE_MULTI || opcode == OPCODE_RECONFIG ||
           opcode == OPCODE_DELETE_CONTAINER;
}

bool opcode_sets_again(enum opcode opcode)
{
    return opcode == OPCODE_SET_WATCHES || opcode == OPCODE_SET_WATCHES2;
}

/* ------------------------------------------------------------------ records */

static struct jute begin(const void *bytes, size_t count)
{
    return (struct jute){.bytes = bytes, .left = count};
}

/* A vector whose elements have `texts` texts each. */
static size_t skip_texts(struct jute *jute, size_t texts)
{
    size_t elements = jute_vector(jute);
    for (size_t i = 0; i < elements * texts && !jute->malformed; i++)
        (void)jute_bytes(jute);
    return elements;
}

static void read_parts(struct jute *jute, bool is_reply, struct message_record *record);

/* Reads these fields (OPCODE_LIST). */
static void read_record(struct jute *jute, const char *fields, bool is_reply,
                        struct message_record *record)
{
    *record = (struct message_record){0};
    for (; *fields != '\0'; fields++) {
        switch (*fields) {
        case 'p':
            record->path = jute_bytes(jute);
            break;
        case 'd':
            record->data = jute_bytes(jute);
            break;
        case 'n':
            record->number = jute_int(jute);
            break;
        case 'w':
            record->watch = jute_flag(jute);
            break;
        case 'm':
            read_parts(jute, is_reply, record);
            break;
        case 'a':
            for (size_t left = jute_vector(jute); left > 0 && !jute->malformed; left--) {
                (void)jute_int(jute);   /* permissions */
                (void)jute_bytes(jute); /* scheme */
                (void)jute_bytes(jute); /* who */
            }
            break;
        case 'S':
            for (size_t bytes = 0; bytes < WIRE_STAT; bytes += sizeof(int32_t))
                (void)jute_int(jute);
            break;
        case 'l':
            (void)jute_long(jute);
            break;
        case 'x':
            (void)jute_bytes(jute);
            break;
        case 'v':
            record->parts = record->parts.bytes == NULL ? *jute : record->parts;
            record->elements += skip_texts(jute, 1);
            break;
        default:
            (void)skip_texts(jute, 2);
        }
    }
}

bool message_next_part(struct jute *parts, bool is_reply, enum opcode *opcode,
                       struct message_record *part)
{
    int32_t number = jute_int(parts);
    bool done = jute_flag(parts);
    (void)jute_int(parts); /* the error, which an error's record repeats */
    if (done || parts->malformed)
        return false;
    *opcode = opcode_of(number);
    const char *fields = is_reply ? rows[*opcode].reply : rows[*opcode].request;
    if (is_reply && number == -1)
        fields = "n"; /* a part that has failed: its error */
    else if (*opcode == OPCODE_OTHER || fields[0] == 'm')
        parts->malformed = true; /* no part is a transaction */
    read_record(parts, parts->malformed ? "" : fields, is_reply, part);
    return !parts->malformed;
}

/* Counts the parts. The number of a reply is the error of the first part that failed by itself. */
static void read_parts(struct jute *jute, bool is_reply, struct message_record *record)
{
    enum opcode opcode;
    struct message_record part;
    record->parts = *jute;
    while (message_next_part(jute, is_reply, &opcode, &part)) {
        record->elements++;
        if (is_reply && opcode == OPCODE_OTHER && record->number == 0 &&
            part.number != MESSAGE_RUNTIME_INCONSISTENCY)
            record->number = part.number;
    }
}

/* ------------------------------------------------------------------ messages */

/* Only the client's opening has the last transaction that it has seen; both end with the
 * session's password and, from 3.4 on, whether read-only is meant. */
bool message_read_opening(const void *bytes, size_t count, bool of_client, int64_t *session)
{
    struct jute jute = begin(bytes, count);
    (void)jute_int(&jute); /* the protocol's version */
    if (of_client)
        (void)jute_long(&jute);
    (void)jute_int(&jute); /* the session's timeout */
    int64_t read = jute_long(&jute);
    (void)jute_bytes(&jute);
    if (jute.left > 0)
        (void)jute_flag(&jute);
    if (!jute_is_read(&jute))
        return false;
    *session = read;
    return true;
}

bool message_read_request(const void *bytes, size_t count, struct message_request *request)
{
    struct jute jute = begin(bytes, count);
    request->xid = jute_int(&jute);
    request->opcode = opcode_of(jute_int(&jute));
    read_record(&jute, rows[request->opcode].request, false, &request->record);
    return request->opcode == OPCODE_OTHER ? !jute.malformed : jute_is_read(&jute);
}

bool message_read_xid(const void *bytes, size_t count, int32_t *xid)
{
    struct jute jute = begin(bytes, count);
    *xid = jute_int(&jute);
    return !jute.malformed;
}

bool message_read_reply(const void *bytes, size_t count, enum opcode opcode,
                        struct message_reply *reply)
{
    struct jute jute = begin(bytes, count);
    reply->xid = jute_int(&jute);
    reply->zxid = jute_long(&jute);
    reply->error = jute_int(&jute);
    reply->record = (struct message_record){0};
    if (reply->error != 0 || opcode == OPCODE_OTHER)
        return !jute.malformed;
    read_record(&jute, rows[opcode].reply, true, &reply->record);
    if (opcode == OPCODE_MULTI || opcode == OPCODE_MULTI_READ)
        reply->error = reply->record.number;
    return jute_is_read(&jute);
}

bool message_read_notification(const void *bytes, size_t count,
                               struct message_notification *notification)
{
    struct jute jute = begin(bytes, count);
    int32_t xid = jute_int(&jute);
    notification->zxid = jute_long(&jute);
    (void)jute_int(&jute); /* no error */
    notification->event = jute_int(&jute);
    (void)jute_int(&jute); /* the session's state */
    notification->path = jute_bytes(&jute);
    return xid == MESSAGE_XID_NOTIFICATION && jute_is_read(&jute);
}

/* KeeperException.Code of 3.9.3. */
static const struct {
    int32_t code;
    const char *name;
} errors[] = {
    {-1, "SystemError"},
    {-2, "RuntimeInconsistency"},
    {-3, "DataInconsistency"},
    {-4, "ConnectionLoss"},
    {-5, "MarshallingError"},
    {-6, "Unimplemented"},
    {-7, "OperationTimeout"},
    {-8, "BadArguments"},
    {-12, "UnknownSession"},
    {-13, "NewConfigNoQuorum"},
    {-14, "ReconfigInProgress"},
    {-100, "APIError"},
    {-101, "NoNode"},
    {-102, "NoAuth"},
    {-103, "BadVersion"},
    {-108, "NoChildrenForEphemerals"},
    {-110, "NodeExists"},
    {-111, "NotEmpty"},
    {-112, "SessionExpired"},
    {-113, "InvalidCallback"},
    {-114, "InvalidACL"},
    {-115, "AuthFailed"},
    {-118, "SessionMoved"},
    {-119, "NotReadOnly"},
    {-120, "EphemeralOnLocalSession"},
    {-121, "NoWatcher"},
    {-122, "RequestTimeout"},
    {-123, "ReconfigDisabled"},
    {-124, "SessionClosedRequireSaslAuth"},
    {-125, "QuotaExceeded"},
    {-127, "ThrottledOp"},
};

const char *message_error_name(int32_t error)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        if (errors[i].code == error)
            return errors[i].name;
    }
    return "other";
}
