// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/published.h"

#include <math.h>
#include <stddef.h>

double published_table1(uint64_t servers, uint32_t reads_percent)
{
    static const struct {
        uint64_t servers;
        double reads_per_s, writes_per_s;
    } rows[] = {
        {13, 460e3, 8e3}, {9, 296e3, 12e3}, {7, 257e3, 14e3}, {5, 165e3, 18e3}, {3, 87e3, 21e3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].servers == servers && reads_percent == 100)
            return rows[i].reads_per_s;
        if (rows[i].servers == servers && reads_percent == 0)
            return rows[i].writes_per_s;
    }
    return NAN;
}

double published_table2(uint64_t servers, uint64_t workers)
{
    static const uint64_t counts[] = {3, 5, 7, 9};
    static const struct {
        uint64_t workers;
        double creates_per_s[sizeof counts / sizeof counts[0]];
    } rows[] = {
        {1, {776, 748, 758, 711}},
        {10, {2074, 1832, 1572, 1540}},
        {20, {2740, 2336, 1934, 1890}},
    };
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
            if (rows[row].workers == workers && counts[i] == servers)
                return rows[row].creates_per_s[i];
        }
    }
    return NAN;
}

double published_latency_ms(uint64_t servers, uint64_t workers)
{
    if (workers != 1)
        return NAN;
    return servers == 3 ? 1.2 : servers == 9 ? 1.4 : NAN;
}

static const uint64_t clients_of_table3[] = {50, 100, 200};
static const uint64_t barriers_of_table3[] = {200, 400, 800, 1600};

#define CLIENTS  (sizeof clients_of_table3 / sizeof clients_of_table3[0])
#define BARRIERS (sizeof barriers_of_table3 / sizeof barriers_of_table3[0])

uint64_t published_table3_clients(size_t k)
{
    return k < CLIENTS ? clients_of_table3[k] : 0;
}

uint64_t published_table3_barriers(size_t k)
{
    return k < BARRIERS ? barriers_of_table3[k] : 0;
}

double published_table3(uint64_t clients, uint64_t barriers)
{
    static const double seconds[BARRIERS][CLIENTS] = {
        {9.4, 19.8, 41.0}, {16.4, 34.1, 62.0}, {28.9, 55.9, 112.1}, {54.0, 102.7, 234.4}};
    for (size_t i = 0; i < BARRIERS; i++) {
        for (size_t k = 0; k < CLIENTS; k++) {
            if (barriers_of_table3[i] == barriers && clients_of_table3[k] == clients)
                return seconds[i][k];
        }
    }
    return NAN;
}
