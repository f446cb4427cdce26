// SPDX-License-Identifier: Apache-2.0
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.recipes.lock.LockListener;
import org.apache.zookeeper.recipes.lock.WriteLock;

/**
 * n clients of the WriteLock that ZooKeeper ships for Java, a session each, lock one lock once: JavaWriteLock N CONNECT
 *
 * <p>lock() of a client that must wait returns once its watch is set, so that every run has the same messages.
 */
class JavaWriteLock {
    static ZooKeeper connect(String servers) throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper session = new ZooKeeper(servers, 30000, event -> {
            if (event.getState() == KeeperState.SyncConnected)
                connected.countDown();
        });
        connected.await();
        return session;
    }

    public static void main(String[] arguments) throws Exception {
        int n = Integer.parseInt(arguments[0]);
        ZooKeeper[] sessions = new ZooKeeper[n];
        WriteLock[] locks = new WriteLock[n];
        Semaphore granted = new Semaphore(0);
        LockListener listener = new LockListener() {
            @Override
            public void lockAcquired() {
                granted.release();
            }

            @Override
            public void lockReleased() {}
        };
        for (int i = 0; i < n; i++) {
            sessions[i] = connect(arguments[1]);
            locks[i] = new WriteLock(sessions[i], "/recipe", Ids.OPEN_ACL_UNSAFE, listener);
            locks[i].lock();
        }
        for (WriteLock lock : locks) {
            granted.acquire();
            lock.unlock();
        }
        for (ZooKeeper session : sessions)
            new Thread(() -> {
                try {
                    session.close();
                } catch (InterruptedException impossible) {
                    throw new AssertionError(impossible);
                }
            }).start();
    }
}
