#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""n workers of an application, a session each, hold one lock for SECONDS, once each:

    orders.py herd|queue N CONNECT SECONDS

herd: the lock is one znode, which all who wait watch; queue: it is kazoo's Lock. The znodes are open to the user of
$ZKHERD_AUTH alone (name:password). docs/incidents.md kills the worker that holds the lock.
"""
import os
import sys
import threading
import time

from kazoo.client import KazooClient
from kazoo.exceptions import NodeExistsError
from kazoo.security import make_digest_acl


class Herd:
    def __init__(self, client, path):
        self.client, self.path = client, path

    def __enter__(self):
        while True:
            gone = threading.Event()
            try:
                return self.client.create(self.path, ephemeral=True, makepath=True)
            except NodeExistsError:
                if self.client.exists(self.path, watch=lambda event, gone=gone: gone.set()):
                    gone.wait()

    def __exit__(self, *_):
        self.client.delete(self.path)


def work(client):
    lock = Herd(client, "/app/orders") if kind == "herd" else client.Lock("/app/orders-queue")
    with lock:
        time.sleep(seconds)


kind, n, connect, seconds = sys.argv[1], int(sys.argv[2]), sys.argv[3], float(sys.argv[4])
auth = os.environ["ZKHERD_AUTH"]
acl = [make_digest_acl(*auth.split(":", 1), all=True)]
clients = [KazooClient(connect, timeout=10.0, default_acl=acl, auth_data=[("digest", auth)]) for _ in range(n)]
for each in clients:
    each.start()
print(n, "workers are connected", file=sys.stderr)
workers = [threading.Thread(target=work, args=(each,)) for each in clients]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
for each in clients:
    each.stop()
