// SPDX-License-Identifier: Apache-2.0
#include "tests/support/script.h"

#include <stdio.h>

static void script_submit(struct client *client, const struct request *request)
{
    struct script *script = client->owner;
    script->requests++;
    script->request = *request;
    const struct request *first = request->part_count > 0 ? request->parts : request;
    snprintf(script->value, sizeof script->value, "%.*s", (int)first->value_length,
             first->value_length > 0 ? (const char *)first->value : "");
    snprintf(script->path, sizeof script->path, "%s",
             request->part_count > 0 ? request->parts[request->part_count - 1].path
                                     : request->path);
}

static uint64_t script_now_ns(const struct client *client)
{
    (void)client;
    return 0;
}

/* Its session's id. */
#define SCRIPT_SESSION INT64_C(0x100001234560007)

static int64_t script_session_id(const struct client *client)
{
    (void)client;
    return SCRIPT_SESSION;
}

static void script_sent(void *owner, enum operation operation)
{
    (void)owner;
    (void)operation;
}

void script_resume(struct script *script)
{
    const struct recipe *recipe = script->recipe;
    script->client.outstanding = false;
    script->step = script->releasing ? recipe->release(&script->contender)
                                     : recipe->acquire(&script->contender);
}

void script_begin(struct script *script, bool releasing)
{
    script->releasing = releasing;
    script->contender.resume_at = 0;
    script_resume(script);
}

void script_init_as(struct script *script, const char *recipe, uint32_t number, uint32_t clients)
{
    static const struct client_driver driver = {
        .submit = script_submit, .now_ns = script_now_ns, .session_id = script_session_id};
    static const struct client_listener listener = {.sent = script_sent};
    *script = (struct script){
        .client = {.driver = &driver, .listener = &listener, .owner = script},
        .contender = {.client = &script->client,
                      .lock = "/l",
                      .number = number,
                      .clients = clients},
        .recipe = registry_find(recipe),
    };
    contender_set_guid(&script->contender, UINT64_C(0x0123456789abcdef), UINT64_MAX);
    script_begin(script, false);
}

void script_init(struct script *script, const char *recipe)
{
    script_init_as(script, recipe, 0, 1);
}

void script_reply(struct script *script, const struct client_reply *reply)
{
    script->contender.status = reply->status;
    script->contender.reply = reply;
    script_resume(script);
    script->contender.reply = NULL;
}

void script_answer(struct script *script, enum operation operation, const char *path,
                   enum zk_status status)
{
    assert_int_equal(script->step, STEP_REPLY);
    assert_int_equal(script->request.operation, operation);
    assert_string_equal(script->path, path);
    script_reply(script, &(struct client_reply){.status = status});
}

void script_created(struct script *script, const char *path)
{
    assert_int_equal(script->step, STEP_REPLY);
    assert_int_equal(script->request.operation, OP_CREATE);
    script_reply(script, &(struct client_reply){.path = path});
}

void script_listed(struct script *script, const char *folder, const char *const names[])
{
    struct client_reply reply = {.names = names};
    while (names[reply.name_count] != NULL)
        reply.name_count++;
    assert_int_equal(script->step, STEP_REPLY);
    assert_int_equal(script->request.operation, OP_GET_CHILDREN);
    assert_string_equal(script->path, folder);
    script_reply(script, &reply);
}

void script_data(struct script *script, const char *path, const char *value)
{
    assert_int_equal(script->step, STEP_REPLY);
    assert_int_equal(script->request.operation, OP_GET);
    assert_string_equal(script->path, path);
    script_reply(script, &(struct client_reply){.value = value, .value_length = strlen(value)});
}

void script_gone(struct script *script, const char *path)
{
    assert_int_equal(script->step, STEP_WATCH);
    assert_true(contender_wakes(&script->contender, EVENT_DELETED, path));
    script_resume(script);
}
