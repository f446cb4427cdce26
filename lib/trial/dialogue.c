// SPDX-License-Identifier: Apache-2.0
#include "trial/dialogue.h"

#include "base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLOSE_NS (500 * NS_PER_MS)
/* How often it is looked whether private servers live: one that has ended says nothing. */
#define LOOK_NS (100 * NS_PER_MS)

/* ------------------------------------------------------------------ what the session hears */

static void state_changed(void *owner, enum client_state state)
{
    struct dialogue *dialogue = owner;
    if (dialogue->state == CLIENT_ESTABLISHED && state != CLIENT_ESTABLISHED) {
        dialogue->lost_ns = stage_now_ns(&dialogue->stage);
        dialogue->lost = dialogue->changed = true;
    }
    dialogue->state = state;
    dialogue->settled = state != CLIENT_CONNECTING;
}

static void sent(void *owner, enum client_operation operation)
{
    (void)operation;
    ((struct dialogue *)owner)->requests++;
}

static void keep_names(struct dialogue *dialogue)
{
    struct client_reply *reply = &dialogue->reply;
    size_t bytes = reply->name_count * sizeof *dialogue->names + 1;
    for (size_t i = 0; i < reply->name_count; i++)
        bytes += strlen(reply->names[i]) + 1;
    free(dialogue->names);
    dialogue->names = malloc(bytes);
    if (dialogue->names == NULL) {
        reply->names = NULL;
        reply->name_count = 0;
        return;
    }
    char *text = (char *)(dialogue->names + reply->name_count);
    for (size_t i = 0; i < reply->name_count; i++) {
        dialogue->names[i] = text;
        text = stpcpy(text, reply->names[i]) + 1;
    }
    reply->names = dialogue->names;
}

static void keep_value(struct dialogue *dialogue)
{
    const struct client_reply *reply = &dialogue->reply;
    size_t length = reply->value_length;
    dialogue->value_length = length < DIALOGUE_VALUE_MAX ? length : DIALOGUE_VALUE_MAX;
    if (length > 0)
        memcpy(dialogue->value, reply->value, dialogue->value_length);
    dialogue->value[dialogue->value_length] = '\0';
}

static void replied(void *owner, const struct client_reply *reply)
{
    struct dialogue *dialogue = owner;
    dialogue->replied = true;
    dialogue->reply = *reply;
    if (reply->operation == CLIENT_GET_CHILDREN)
        keep_names(dialogue);
    if (reply->operation == CLIENT_GET)
        keep_value(dialogue);
    dialogue->reply.path = dialogue->reply.value = NULL;
    dialogue->reply.value_length = 0;
}

static void notified(void *owner, enum client_event event, const char *path)
{
    (void)event;
    (void)path;
    ((struct dialogue *)owner)->changed = true;
}

static const struct client_listener listener = {state_changed, sent, replied, notified};

/* ------------------------------------------------------------------ the session */

static enum fault_kind open_session(struct dialogue *dialogue, struct fault *fault)
{
    const struct stage *stage = &dialogue->stage;
    dialogue->state = CLIENT_CONNECTING;
    dialogue->settled = false;
    return stage->simulated != NULL
               ? simulated_open(stage->simulated, 0, DIALOGUE_SESSION_TIMEOUT_MS, &listener,
                                dialogue, &dialogue->client, fault)
               : events_open(stage->events, dialogue->hosts, DIALOGUE_SESSION_TIMEOUT_MS, &listener,
                             dialogue, &dialogue->client, fault);
}

enum fault_kind dialogue_open(struct dialogue *dialogue, const char *purpose,
                              const struct connect_string *servers, struct fault *fault)
{
    *dialogue = (struct dialogue){.purpose = purpose};
    connect_typed(servers, dialogue->servers, sizeof dialogue->servers);
    connect_format(servers, 0, true, dialogue->hosts, sizeof dialogue->hosts);
    enum fault_kind kind = events_new(1, &dialogue->stage.events, fault);
    return kind == FAULT_NONE ? open_session(dialogue, fault) : kind;
}

enum fault_kind dialogue_open_simulated(struct dialogue *dialogue, const char *purpose,
                                        struct simulated *simulated, struct fault *fault)
{
    *dialogue = (struct dialogue){
        .purpose = purpose, .stage.simulated = simulated, .servers = "simulation"};
    return open_session(dialogue, fault);
}

void dialogue_close(struct dialogue *dialogue)
{
    if (dialogue->stage.events != NULL)
        events_close(dialogue->stage.events, clock_now_ns() + CLOSE_NS);
    events_free(dialogue->stage.events);
    free(dialogue->names);
}

/* ------------------------------------------------------------------ waiting */

/* When to look again, at the latest. */
static uint64_t turn_until_ns(const struct dialogue *dialogue, uint64_t until_ns)
{
    uint64_t look_ns = stage_now_ns(&dialogue->stage) + LOOK_NS;
    return dialogue->ensemble != NULL && look_ns < until_ns ? look_ns : until_ns;
}

enum fault_kind dialogue_await(struct dialogue *dialogue, const bool *come,
                               const struct dialogue_limit *limit, struct fault *fault)
{
    while (!*come) {
        if (dialogue->interrupted)
            return fault_raise(fault, FAULT_INTERRUPTED, 0, dialogue->purpose, "%s", "");
        if (stage_now_ns(&dialogue->stage) >= limit->until_ns)
            return fault_raise(fault, FAULT_NO_ANSWER, 0, dialogue->servers, "%s %s", limit->why,
                               limit->about);
        enum fault_kind kind =
            stage_turn(&dialogue->stage, turn_until_ns(dialogue, limit->until_ns), fault);
        if (kind == FAULT_NONE && !*come)
            kind = ensemble_check(dialogue->ensemble, fault);
        if (kind != FAULT_NONE)
            return kind;
    }
    return FAULT_NONE;
}

/* Another session in place of one that has expired. */
static enum fault_kind renew(struct dialogue *dialogue, struct fault *fault)
{
    if (dialogue->stage.events != NULL)
        events_forget(dialogue->stage.events);
    dialogue->lost_ns = stage_now_ns(&dialogue->stage);
    return open_session(dialogue, fault);
}

enum fault_kind dialogue_connect(struct dialogue *dialogue, struct dialogue_limit limit,
                                 struct fault *fault)
{
    enum fault_kind kind = FAULT_NONE;
    /* A session in a simulation lives by itself. */
    if (dialogue->stage.events != NULL)
        kind = events_poll(dialogue->stage.events, 0, fault);
    while (kind == FAULT_NONE && dialogue->state != CLIENT_ESTABLISHED) {
        if (limit.until_ns < dialogue->lost_ns + limit.since_loss_ns)
            limit.until_ns = dialogue->lost_ns + limit.since_loss_ns;
        kind = dialogue->state == CLIENT_EXPIRED
                   ? renew(dialogue, fault)
                   : dialogue_await(dialogue, &dialogue->settled, &limit, fault);
    }
    return kind;
}

enum fault_kind dialogue_ask(struct dialogue *dialogue, const struct client_request *request,
                             const struct dialogue_limit *limit, struct fault *fault)
{
    dialogue->replied = false;
    client_submit(dialogue->client, request);
    enum fault_kind kind = dialogue_await(dialogue, &dialogue->replied, limit, fault);
    if (kind == FAULT_NONE && request->operation == CLIENT_GET_CHILDREN && dialogue->names == NULL)
        kind = fault_from_errno(fault, ENOMEM, request->path, "for the names of its children");
    return kind;
}
