// SPDX-License-Identifier: Apache-2.0
#include "sim/internal.h"

/* The messages leave at any time until all are sent: see sent_ns of sim_server.c. */
static void send_kept(struct sim_server *server)
{
    struct sim *sim = server->sim;
    struct turn *turn = &server->turn;
    uint64_t cost_ns = sim->options.costs.send_ns, made_ns = server->cpu.idle_ns;
    for (size_t i = 0; i < turn->sending_count; i++)
        sim_work(sim, &server->sender, made_ns, cost_ns);
    for (size_t i = 0; i < turn->sending_count; i++) {
        uint64_t most_ns = server->sender.idle_ns - made_ns - cost_ns;
        sim_server_sends(server, &turn->sendings[i],
                         made_ns + cost_ns + random_below(&sim->random, most_ns + 1));
    }
    turn->sending_count = 0;
}

static void propose_kept(struct sim_server *server)
{
    struct turn *turn = &server->turn;
    for (size_t i = 0; i < turn->write_count; i++) {
        if (message_is_write(turn->writes[i]))
            sim_leader_propose(turn->writes[i]);
        else
            sim_server_queue(server, turn->writes[i], 0);
    }
    turn->write_count = 0;
}

static void carry_out(struct sim_server *server)
{
    struct turn *turn = &server->turn;
    turn->taken = true;
    sim_work(server->sim, &server->cpu, 0, server->sim->options.costs.turn_ns);
    for (size_t i = 0; i < turn->work_count; i++)
        turn->work[i].call(turn->work[i].context);
    turn->work_count = 0;
    turn->taken = false;
}

/* Also an entry of the agenda, when the turn before has ended. */
static void take_turn(void *context)
{
    struct sim_server *server = context;
    struct turn *turn = &server->turn;
    turn->under_way = turn->work_count > 0;
    if (!turn->under_way)
        return;
    carry_out(server);
    propose_kept(server);
    send_kept(server);
    agenda_add(&server->sim->agenda, server->cpu.idle_ns, take_turn, server);
}

bool sim_turn_puts_off(struct sim_server *server, void (*call)(void *context), void *context)
{
    struct turn *turn = &server->turn;
    if (server->sim->options.costs.turn_ns == 0 || turn->taken)
        return false;
    turn->work = slab_grow(&server->sim->slab, turn->work, &turn->work_capacity, turn->work_count,
                           sizeof *turn->work);
    turn->work[turn->work_count++] = (struct agenda_call){call, context};
    if (!turn->under_way)
        take_turn(server);
    return true;
}

bool sim_turn_keeps_write(struct sim_server *server, struct message *message)
{
    struct turn *turn = &server->turn;
    if (!turn->taken)
        return false;
    turn->writes = slab_grow(&server->sim->slab, turn->writes, &turn->write_capacity,
                             turn->write_count, sizeof(struct message *));
    turn->writes[turn->write_count++] = message;
    return true;
}

bool sim_turn_keeps_sending(struct sim_server *server, const struct sending *sending)
{
    struct turn *turn = &server->turn;
    if (!turn->taken)
        return false;
    turn->sendings = slab_grow(&server->sim->slab, turn->sendings, &turn->sending_capacity,
                               turn->sending_count, sizeof *turn->sendings);
    turn->sendings[turn->sending_count++] = *sending;
    return true;
}
