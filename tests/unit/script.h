// SPDX-License-Identifier: Apache-2.0
/*
 * script: a recipe played by hand: a session without a server, whose requests are looked at and
 * whose replies are made up.
 */
#ifndef TESTS_SCRIPT_H
#define TESTS_SCRIPT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "recipes/registry.h"

#include <stdio.h>
#include <string.h>

struct script {
    struct client client;
    struct contender contender;
    const struct recipe *recipe;
    enum recipe_step step;
    bool releasing;
    unsigned requests;           /* so far */
    struct request request;      /* the last one, without what it points to … */
    char path[RECIPE_PATH_MAX];  /* … but for its path, or that of its last part … */
    char value[RECIPE_PATH_MAX]; /* … and its value, or that of its first part */
};

static inline void script_submit(struct client *client, const struct request *request)
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

static inline uint64_t script_now_ns(const struct client *client)
{
    (void)client;
    return 0;
}

/* Its session's id. */
#define SCRIPT_SESSION INT64_C(0x100001234560007)

static inline int64_t script_session_id(const struct client *client)
{
    (void)client;
    return SCRIPT_SESSION;
}

static inline void script_sent(void *owner, enum operation operation)
{
    (void)owner;
    (void)operation;
}

static inline void script_resume(struct script *script)
{
    const struct recipe *recipe = script->recipe;
    script->client.outstanding = false;
    script->step = script->releasing ? recipe->release(&script->contender)
                                     : recipe->acquire(&script->contender);
}

/* Begins to acquire, or to release. */
static inline void script_begin(struct script *script, bool releasing)
{
    script->releasing = releasing;
    script->contender.resume_at = 0;
    script_resume(script);
}

/* Begins to acquire, as this one of the clients. */
static inline void script_init_as(struct script *script, const char *recipe, uint32_t number,
                                  uint32_t clients)
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

static inline void script_init(struct script *script, const char *recipe)
{
    script_init_as(script, recipe, 0, 1);
}

static inline void script_reply(struct script *script, const struct client_reply *reply)
{
    script->contender.status = reply->status;
    script->contender.reply = reply;
    script_resume(script);
    script->contender.reply = NULL;
}

/* The request that is out is this one; its reply is a status alone. */
static inline void script_answer(struct script *script, enum operation operation, const char *path,
                                 enum zk_status status)
{
    assert_int_equal(script->step, STEP_REPLY);
    assert_int_equal(script->request.operation, operation);
    assert_string_equal(script->path, path);
    script_reply(script, &(struct client_reply){.status = status});
}

/* A create is out; the znode becomes this one. */
static inline void script_created(struct script *script, const char *path)
{
    assert_int_equal(script->step, STEP_REPLY);
    assert_int_equal(script->request.operation, OP_CREATE);
    script_reply(script, &(struct client_reply){.path = path});
}

/* A list of this folder is out; these are its names, up to NULL. */
static inline void script_listed(struct script *script, const char *folder,
                                 const char *const names[])
{
    struct client_reply reply = {.names = names};
    while (names[reply.name_count] != NULL)
        reply.name_count++;
    assert_int_equal(script->step, STEP_REPLY);
    assert_int_equal(script->request.operation, OP_GET_CHILDREN);
    assert_string_equal(script->path, folder);
    script_reply(script, &reply);
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A getData is out; this is the znode's data. */
static inline void script_data(struct script *script, const char *path, const char *value)
{
    assert_int_equal(script->step, STEP_REPLY);
    assert_int_equal(script->request.operation, OP_GET);
    assert_string_equal(script->path, path);
    script_reply(script, &(struct client_reply){.value = value, .value_length = strlen(value)});
}

/* Parked on the deletion of this znode, which happens. */
static inline void script_gone(struct script *script, const char *path)
{
    assert_int_equal(script->step, STEP_WATCH);
    assert_true(contender_wakes(&script->contender, EVENT_DELETED, path));
    script_resume(script);
}

#endif
