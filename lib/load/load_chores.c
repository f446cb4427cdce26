// SPDX-License-Identifier: Apache-2.0
#include "load/load_chores.h"

/* Of the values and paths of one multi: below what any server takes (jute.maxbuffer) that takes
 * larger values one by one. */
#define BATCH_BYTES ((size_t)48 << 10)

static const struct load_plan *plan_of(const struct load_chores *chores)
{
    return chores->requests->load->plan;
}

void load_chores_begin(struct load_chores *chores, struct load_requests *requests)
{
    *chores = (struct load_chores){.requests = requests};
}

/* The data znodes of a session are those whose number is the session's, modulo all sessions. */
static uint64_t data_znodes(const struct load_chores *chores)
{
    uint32_t znodes = load_plan_znodes(plan_of(chores)), number = chores->requests->session;
    return number < znodes ? (znodes - number - 1) / plan_of(chores)->fleet.sessions + 1 : 0;
}

static const char *own_data_path(const struct load_chores *chores, uint64_t index)
{
    const struct load_requests *requests = chores->requests;
    return requests->load->paths[requests->session + index * plan_of(chores)->fleet.sessions];
}

static bool has_folder(const struct load_chores *chores)
{
    return mix_needs_folders(&plan_of(chores)->mix);
}

/* How many of the data znodes that are left go into one multi. */
static size_t batch_size(const struct load_chores *chores, uint64_t left)
{
    size_t fit = BATCH_BYTES / (plan_of(chores)->value_bytes + LOAD_PATH_SIZE),
           most = fit < 1                   ? 1
                  : fit < REQUEST_PARTS_MAX ? fit
                                            : REQUEST_PARTS_MAX;
    return left < most ? (size_t)left : most;
}

/* Creates or deletes the next data znodes together. */
static void submit_batch(struct load_chores *chores, struct client *client,
                         enum operation operation)
{
    struct request parts[REQUEST_PARTS_MAX];
    size_t count = batch_size(chores, data_znodes(chores) - chores->sent);
    for (size_t i = 0; i < count; i++) {
        const char *path = own_data_path(chores, chores->sent++);
        parts[i] = operation == OP_CREATE ? load_requests_create(chores->requests, path)
                                          : request_delete(path);
    }
    const struct request multi = {.operation = OP_MULTI, .parts = parts, .part_count = count};
    client_submit(client, count == 1 ? &parts[0] : &multi, count);
}

/* First its data znodes, then its folder. */
bool load_chores_lay_out_next(struct load_chores *chores, struct client *client)
{
    uint64_t znodes = data_znodes(chores);
    if (chores->sent >= znodes + has_folder(chores))
        return false;
    if (chores->sent < znodes) {
        submit_batch(chores, client, OP_CREATE);
        return true;
    }
    const struct request request = request_create(chores->requests->folder, NULL, 0, PERSISTENT);
    chores->sent++;
    client_submit(client, &request, 0);
    return true;
}

/* The znodes that it created, one by one because some may be gone, then its data znodes, and at
 * last its folder. */
bool load_chores_clear_next(struct load_chores *chores, struct client *client)
{
    uint64_t znodes = data_znodes(chores);
    bool has_own = load_requests_has_own(chores->requests);
    if (!has_own && chores->sent < znodes) {
        submit_batch(chores, client, OP_DELETE);
        return true;
    }
    struct request request;
    if (has_own)
        request = load_requests_delete_own(chores->requests);
    else if (chores->sent++ == znodes && has_folder(chores))
        request = request_delete(chores->requests->folder);
    else
        return false;
    client_submit(client, &request, 0);
    return true;
}
