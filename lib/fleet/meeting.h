// SPDX-License-Identifier: Apache-2.0
/*
 * meeting: the meeting place of hosts: znodes on a ZooKeeper of the user's, preferably not
 * the one that is measured. Layer: fleet, above setup_session.
 *
 *   <chroot>/members/member-0000000003   ephemeral, sequential: a host that offers itself
 *   <chroot>/lead                        ephemeral: the run that leads the members, one at a time
 *   <chroot>/jobs/NAME                   a job (fleet/crew.h), with what the run says in its data
 *   <chroot>/jobs/NAME/order             what the run has ordered last
 *   <chroot>/jobs/NAME/member-…          ephemeral: what that member has told last
 *   <chroot>/jobs/NAME/member-…-part-I   a chunk of its results, deleted when taken
 *
 * Requests are synchronous (fleet/setup_session.h). The session may reconnect, but whoever was away
 * longer than MEETING_AWAY_NS, or has got another session, has lost the meeting: ERROR_MEETING_LOST
 * ends every function here then, and what was ephemeral has gone or goes soon.
 *
 * Invariant: outside the chroot nothing is written, and a run's mark alone is read.
 */
#ifndef FLEET_MEETING_H
#define FLEET_MEETING_H

#include "base/clock.h"
#include "base/error.h"
#include "base/sha256.h"
#include "client/connect.h"
#include "fleet/setup_session.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A third of the session timeout; the library needs the other two to notice a silent server. */
#define MEETING_AWAY_NS (SYNC_SESSION_TIMEOUT_MS / 3 * NS_PER_MS)

#define MEETING_PATH_SIZE 160
#define MEETING_NAME_SIZE sizeof "member-0000000000"

/* The most worker processes that a member runs. */
#define MEETING_SHARE_MAX 1000

/* The version of what hosts say to each other. */
#define MEETING_PROTOCOL 1

/* What a member does that a run may choose. */
#define MEETING_WAITS "waits"

/* A host that offers itself, as it tells itself. */
struct meeting_member {
    char name[MEETING_NAME_SIZE]; /* of its znode; not among its data */
    uint32_t protocol;
    char version[32];               /* of zkherd */
    char meaning[SHA256_TEXT_SIZE]; /* a digest of what records mean there: crew_meaning */
    char host[64];
    uint32_t process; /* its number on the host */
    char system[64];  /* of the host: kernel and processor */
    uint32_t cores;
    uint64_t memory_mib;
    uint32_t share;                 /* of the sessions: worker processes that it runs of a job */
    uint64_t max_clients, max_rate; /* that it takes; 0: any */
    char only[256];                 /* servers that it takes, as they were typed; "": any */
    char doing[96];                 /* MEETING_WAITS, or the job's name */
    /* Its clock, since 1970, when the servers of the meeting place had server_ms; the difference is
     * exact to within_us. */
    uint64_t clock_us, server_ms, within_us;
};

struct meeting {
    struct setup_session *setup;
    struct identity *identity;                             /* of this host; may be NULL */
    char base[sizeof((struct connect_string *)0)->chroot]; /* its chroot */
    int64_t session;
};

/* Opens a session; if it `creates`, the chroot and the folders in it are made where they are
 * missing. *meeting is the caller's to meeting_free. Errors of setup_session_new. */
MUST_CHECK enum error_kind meeting_open(const struct connect_string *place, int interrupts,
                                        bool creates, struct meeting **meeting,
                                        struct error *error);

/* Ends the session, and with it what is ephemeral. NULL is fine. */
void meeting_free(struct meeting *meeting);

/* Whether the meeting place is on the servers of this session: its mark is there. */
MUST_CHECK enum error_kind meeting_finds(struct meeting *meeting,
                                         const struct setup_session *marked, bool *finds,
                                         struct error *error);

/* Handles what has arrived, and waits for that until until_ns at most. */
MUST_CHECK enum error_kind meeting_turn(struct meeting *meeting, uint64_t until_ns,
                                        struct error *error);

/* ------------------------------------------------------------------ znodes
 *
 * Paths are below the chroot. *there (may be NULL): whether there is such a znode. */

/* Creates a znode; *there is whether there was one already. A sequential one has the path
 * setup->session.created then. */
MUST_CHECK enum error_kind meeting_create(struct meeting *meeting, const char *path,
                                          enum create_mode mode, const void *value,
                                          size_t value_length, bool *there, struct error *error);

/* The data are setup->session.value, valid until the next get. */
MUST_CHECK enum error_kind meeting_get(struct meeting *meeting, const char *path,
                                       enum watch_flag watch, bool *there, struct error *error);

MUST_CHECK enum error_kind meeting_set(struct meeting *meeting, const char *path, const void *value,
                                       size_t value_length, bool *there, struct error *error);

/* The watch also fires when the znode is created. */
MUST_CHECK enum error_kind meeting_exists(struct meeting *meeting, const char *path,
                                          enum watch_flag watch, bool *there, struct error *error);

/* The names of the children, in their order by name; the caller's to free() with one call. */
MUST_CHECK enum error_kind meeting_list(struct meeting *meeting, const char *path,
                                        enum watch_flag watch, const char ***names, size_t *count,
                                        struct error *error);

/* With all znodes below it. */
MUST_CHECK enum error_kind meeting_delete(struct meeting *meeting, const char *path,
                                          struct error *error);

/* ------------------------------------------------------------------ members */

/* Offers this host: creates its znode, fills in member->name, and compares the clocks. */
MUST_CHECK enum error_kind meeting_join(struct meeting *meeting, struct meeting_member *member,
                                        struct error *error);

/* Tells of this member again: of member->doing. */
MUST_CHECK enum error_kind meeting_tell(struct meeting *meeting,
                                        const struct meeting_member *member, struct error *error);

/* Whether a member's results have this meaning. */
bool meeting_understands(const struct meeting_member *member, const char *meaning);

/* All members, in the order in which they have joined; *list is the caller's to free; NULL after an
 * error. What is no member's data, or may not be read, has the protocol 0, and a name alone. With a
 * watch, setup->session.changed becomes true when somebody joins or goes. */
MUST_CHECK enum error_kind meeting_members(struct meeting *meeting, enum watch_flag watch,
                                           struct meeting_member **list, size_t *count,
                                           struct error *error);

/* ------------------------------------------------------------------ the lead */

/* Who leads the members, in words; "" if nobody does. */
#define MEETING_LEADER_SIZE 160

/* Becomes the one run that leads: ERROR_LED, with who else leads, if there is one. */
MUST_CHECK enum error_kind meeting_lead(struct meeting *meeting, const char *who,
                                        struct error *error);

MUST_CHECK enum error_kind meeting_leader(struct meeting *meeting, enum watch_flag watch,
                                          char who[MEETING_LEADER_SIZE], struct error *error);

#endif
