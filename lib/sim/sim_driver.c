// SPDX-License-Identifier: Apache-2.0
#include "sim/internal.h"

struct driver_entry {
    uint64_t cost_ns;
    void (*call)(void *context);
    void *context;
};

void sim_driver_init(struct sim_driver *driver, struct sim *sim)
{
    *driver = (struct sim_driver){.sim = sim};
}

static struct driver_entry *entry(const struct sim_driver *driver, size_t i)
{
    return &driver->entries[(driver->head + i) & (driver->capacity - 1)];
}

static void widen(struct sim_driver *driver)
{
    struct slab *slab = &driver->sim->slab;
    size_t capacity = driver->capacity == 0 ? 64 : driver->capacity * 2;
    struct driver_entry *entries = slab_take(slab, capacity * sizeof *entries);
    for (size_t i = 0; i < driver->count; i++)
        entries[i] = *entry(driver, i);
    slab_give(slab, driver->entries, driver->capacity * sizeof *entries);
    driver->entries = entries;
    driver->capacity = capacity;
    driver->head = 0;
}

static void finish(void *context);

/* Spends the cost of the first entry, and that of a turn if the entry begins one. */
static void begin(struct sim_driver *driver)
{
    uint64_t cost_ns = entry(driver, 0)->cost_ns;
    if (driver->turn_left == 0) {
        driver->turn_left = driver->count;
        cost_ns += driver->sim->options.costs.client_turn_ns;
    }
    driver->turn_left--;
    sim_work(driver->sim, &driver->cpu, 0, cost_ns);
    agenda_add(&driver->sim->agenda, driver->cpu.idle_ns, finish, driver);
}

/* The entry is in the ring during its call, so that what the call adds waits. */
static void finish(void *context)
{
    struct sim_driver *driver = context;
    const struct driver_entry done = *entry(driver, 0);
    done.call(done.context);
    driver->head = (driver->head + 1) & (driver->capacity - 1);
    driver->count--;
    if (driver->count > 0)
        begin(driver);
}

/* A driver that costs nothing is never busy: the entry's call is made here. */
void sim_driver_take(struct sim_driver *driver, uint64_t cost_ns, void (*call)(void *context),
                     void *context)
{
    const struct sim *sim = driver->sim;
    if (cost_ns + sim->options.costs.client_turn_ns == 0 && driver->count == 0 &&
        driver->cpu.idle_ns <= sim->agenda.now_ns) {
        call(context);
        return;
    }
    if (driver->count == driver->capacity)
        widen(driver);
    driver->count++;
    *entry(driver, driver->count - 1) = (struct driver_entry){cost_ns, call, context};
    if (driver->count == 1)
        begin(driver);
}
