// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.apache.curator.drivers.AdvancedTracerDriver;
import org.apache.curator.drivers.EventTrace;
import org.apache.curator.drivers.OperationTrace;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.barriers.DistributedDoubleBarrier;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.cache.CuratorCacheListener;
import org.apache.curator.framework.recipes.cache.PathChildrenCache;
import org.apache.curator.framework.recipes.cache.TreeCache;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListener;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooKeeper;

/**
 * n clients of a recipe of Curator, each once: CuratorRecipes RECIPE N CONNECT
 *
 * <p>RECIPE is a row of main(). Each client has a session of its own, or all are threads of one. A client acts only when
 * all others wait, so that every run has the same messages:
 *
 *     J=/usr/share/java # of Debian
 *     path=.:$J/curator-recipes.jar:$J/curator-framework.jar:$J/curator-client.jar:$J/zookeeper.jar:$J/slf4j-nop.jar
 *     javac -cp $path CuratorRecipes.java
 *     zkherd tap --drain -n 4..64x2 -- java -cp $path CuratorRecipes Mutex {n} {connect}
 */
class CuratorRecipes {
    static final String PATH = "/app/recipe";
    static final int LEASES = 3;  // of the semaphore
    static final int WRITERS = 4; // of the read/write lock: the first client and every fourth after it write

    static int n;
    static CuratorFramework[] clients;
    static final Answers answers = new Answers();

    /** Hears of Curator how many requests were answered, by operation, and of those that set a watch. */
    static class Answers extends AdvancedTracerDriver {
        private final ConcurrentHashMap<String, Semaphore> heard = new ConcurrentHashMap<>();
        final List<String> created = new ArrayList<>(); // the paths of ephemeral znodes, in order

        Semaphore of(String kind) {
            return heard.computeIfAbsent(kind, unused -> new Semaphore(0));
        }

        @Override
        public void addTrace(OperationTrace trace) {
            String operation = trace.getName().replaceFirst("BuilderImpl.*", "");
            if (operation.equals("Create"))
                synchronized (created) {
                    created.add(trace.getPath());
                }
            of(operation).release();
            if (trace.isWithWatcher())
                of("watch").release();
        }

        @Override
        public void addEvent(EventTrace trace) {}

        /** Returns when so many more requests that set a watch have been answered. */
        void await(int more) {
            of("watch").acquireUninterruptibly(more);
        }
    }

    interface Step {
        void run() throws Exception;
    }

    /** Acquires, and releases when it may: both in one thread. */
    static class Contender extends Thread {
        private final Step acquire, release;
        final Semaphore granted = new Semaphore(0), mayRelease = new Semaphore(0);

        Contender(Step acquire, Step release) {
            this.acquire = acquire;
            this.release = release;
        }

        @Override
        public void run() {
            try {
                acquire.run();
                granted.release();
                mayRelease.acquire();
                release.run();
            } catch (Exception failed) {
                failed.printStackTrace();
                System.exit(1);
            }
        }
    }

    static Contender lock(InterProcessLock lock) {
        return new Contender(lock::acquire, lock::release);
    }

    interface Maker {
        Contender make(int number) throws Exception;
    }

    /**
     * One after another arrives, of which the first are granted at once; then they release in that order. So many
     * watches does an arrival set, and the release of client k.
     */
    static void drain(Maker maker, int first, IntUnaryOperator arrival, IntUnaryOperator release) throws Exception {
        Contender[] contenders = new Contender[n];
        for (int i = 0; i < n; i++) {
            contenders[i] = maker.make(i);
            contenders[i].start();
            answers.await(arrival.applyAsInt(i));
            if (i < first)
                contenders[i].granted.acquire();
        }
        for (int k = 0; k < n; k++) {
            contenders[k].mayRelease.release();
            contenders[k].join();
            if (k + first < n)
                contenders[k + first].granted.acquire();
            answers.await(release.applyAsInt(k));
        }
    }

    static int behindTheFirst(int i) {
        return i > 0 ? 1 : 0;
    }

    static void mutex() throws Exception {
        drain(i -> lock(new InterProcessMutex(clients[i], PATH)), 1, CuratorRecipes::behindTheFirst, k -> 0);
    }

    /** All threads share one mutex, as in CURATOR-716: each notification wakes all of them. */
    static void sharedMutex() throws Exception {
        InterProcessMutex mutex = new InterProcessMutex(clients[0], PATH);
        drain(i -> lock(mutex), 1, CuratorRecipes::behindTheFirst, k -> Math.max(n - 2 - k, 0));
    }

    /** A writer that releases wakes all readers, of which those behind the next writer wait again. */
    static void readWriteLock() throws Exception {
        drain(i -> {
            InterProcessReadWriteLock both = new InterProcessReadWriteLock(clients[i], PATH);
            return lock(i % WRITERS == 0 ? both.writeLock() : both.readLock());
        }, 1, CuratorRecipes::behindTheFirst, k -> k % WRITERS != 0 ? 0
            : (int) IntStream.range(k + WRITERS, n).filter(i -> i % WRITERS != 0).count());
    }

    /** One waits for a lease, and all behind it for that one; both list the leases when one is free. */
    static void semaphore() throws Exception {
        drain(i -> {
            InterProcessSemaphoreV2 semaphore = new InterProcessSemaphoreV2(clients[i], PATH, LEASES);
            Lease[] lease = new Lease[1];
            return new Contender(() -> lease[0] = semaphore.acquire(), () -> lease[0].close());
        }, LEASES, i -> 1, k -> Math.min(Math.max(n - LEASES - k, 0), 2));
    }

    static void leaderLatch() throws Exception {
        drain(i -> {
            LeaderLatch latch = new LeaderLatch(clients[i], PATH);
            return new Contender(() -> {
                latch.start();
                latch.await();
            }, latch::close);
        }, 1, CuratorRecipes::behindTheFirst, k -> 0);
    }

    static void leaderSelector() throws Exception {
        drain(i -> {
            Semaphore leads = new Semaphore(0), done = new Semaphore(0);
            LeaderSelectorListener listener = new LeaderSelectorListenerAdapter() {
                @Override
                public void takeLeadership(CuratorFramework client) {
                    leads.release();
                    done.acquireUninterruptibly();
                }
            };
            ExecutorService executor = Executors.newSingleThreadExecutor();
            LeaderSelector selector = new LeaderSelector(clients[i], PATH, executor, listener);
            return new Contender(() -> {
                selector.start();
                leads.acquire();
            }, () -> {
                done.release();
                executor.shutdown();
                executor.awaitTermination(1, TimeUnit.HOURS);
                selector.close();
            });
        }, 1, CuratorRecipes::behindTheFirst, k -> 0);
    }

    /** The client whose znode is the first by name waits until the last has left, all others wait for the first. */
    static void doubleBarrier() throws Exception {
        DistributedDoubleBarrier[] barriers = new DistributedDoubleBarrier[n];
        Contender[] members = new Contender[n];
        for (int i = 0; i < n; i++) {
            DistributedDoubleBarrier barrier = new DistributedDoubleBarrier(clients[i], PATH, n);
            members[i] = new Contender(barrier::enter, barrier::leave);
            members[i].start();
            answers.of("GetChildren").acquire();
        }
        for (Contender member : members)
            member.granted.acquire();
        int[] byName = IntStream.range(0, n).boxed()
            .sorted((a, b) -> answers.created.get(a).compareTo(answers.created.get(b)))
            .mapToInt(Integer::intValue).toArray();
        answers.await(n); // the readers of `ready`
        for (int i = 0; i < n; i++) {
            members[byName[i]].mayRelease.release();
            if (i == 0)
                answers.await(1);
            else
                answers.of("Delete").acquire();
        }
        for (Contender member : members)
            member.join();
    }

    interface Cache {
        AutoCloseable start(CuratorFramework client) throws Exception;
    }

    /** n caches of a folder in which each client makes a znode, then deletes it; so often does a cache read or hear. */
    static void cache(Cache maker, Semaphore read, int atFirst, int whenCreated, Semaphore gone) throws Exception {
        AutoCloseable[] caches = new AutoCloseable[n];
        for (int i = 0; i < n; i++) {
            caches[i] = maker.start(clients[i]);
            read.acquireUninterruptibly(atFirst);
        }
        String[] members = new String[n];
        for (int i = 0; i < n; i++) {
            members[i] = clients[i].create().withMode(CreateMode.EPHEMERAL_SEQUENTIAL).forPath(PATH + "/member-");
            read.acquireUninterruptibly(n * whenCreated);
        }
        for (int i = 0; i < n; i++) {
            clients[i].delete().forPath(members[i]);
            gone.acquireUninterruptibly(n);
        }
        for (AutoCloseable cache : caches)
            cache.close();
    }

    @SuppressWarnings("deprecation")
    static PathChildrenCache pathChildrenCache(CuratorFramework client) throws Exception {
        PathChildrenCache cache = new PathChildrenCache(client, PATH, true);
        cache.start();
        return cache;
    }

    @SuppressWarnings("deprecation")
    static TreeCache treeCache(CuratorFramework client) throws Exception {
        return TreeCache.newBuilder(client, PATH).setCreateParentNodes(true).build().start();
    }

    /** One watch that stays, on the folder and all below: a znode that is made is read and listed, of one that goes a cache
     * only hears. Its own close sends its request when it likes; here it ends with the session. */
    static void curatorCache() throws Exception {
        Semaphore gone = new Semaphore(0);
        if (clients[0].checkExists().forPath(PATH) == null)
            clients[0].create().creatingParentsIfNeeded().forPath(PATH);
        cache(client -> {
            CuratorCache cache = CuratorCache.build(client, PATH);
            cache.listenable().addListener(
                CuratorCacheListener.builder().forDeletes(node -> gone.release()).build());
            cache.start();
            return () -> {};
        }, answers.of("GetChildren"), 1, 1, gone);
    }

    /** Without the ensemble tracker a session sends the requests of the recipe alone. */
    static CuratorFramework connect(String servers, boolean tracker) {
        CuratorFramework client = CuratorFrameworkFactory.builder().connectString(servers).sessionTimeoutMs(30000)
            .ensembleTracker(tracker).retryPolicy(new RetryOneTime(1000)).build();
        client.getZookeeperClient().setTracerDriver(answers);
        client.start();
        return client;
    }

    /** A client that has closed its session sleeps for 100 ms, one after another: their ends are not waited for. */
    static void close() throws Exception {
        List<ZooKeeper> sessions = new ArrayList<>();
        for (CuratorFramework client : new HashSet<>(Arrays.asList(clients))) {
            sessions.add(client.getZookeeperClient().getZooKeeper());
            new Thread(client::close).start();
        }
        for (ZooKeeper session : sessions)
            while (session.getState().isAlive())
                Thread.sleep(1);
        Runtime.getRuntime().halt(0);
    }

    public static void main(String[] arguments) throws Exception {
        String recipe = arguments[0];
        n = Integer.parseInt(arguments[1]);
        clients = new CuratorFramework[n];
        boolean one = recipe.endsWith("OfOneClient");
        for (int i = 0; i < n; i++) {
            clients[i] = one && i > 0 ? clients[0] : connect(arguments[2], recipe.equals("TrackedMutex"));
            clients[i].blockUntilConnected();
        }
        Semaphore watches = answers.of("watch");
        switch (recipe) {
            case "Mutex", "TrackedMutex", "MutexesOfOneClient" -> mutex();
            case "MutexOfOneClient" -> sharedMutex();
            case "ReadWriteLock" -> readWriteLock();
            case "SemaphoreV2" -> semaphore();
            case "LeaderLatch" -> leaderLatch();
            case "LeaderSelector" -> leaderSelector();
            case "DoubleBarrier" -> doubleBarrier();
            case "PathChildrenCache" -> cache(CuratorRecipes::pathChildrenCache, watches, 1, 2, watches);
            case "TreeCache" -> cache(CuratorRecipes::treeCache, watches, 2, 3, watches);
            case "CuratorCache" -> curatorCache();
            default -> throw new IllegalArgumentException(recipe);
        }
        close();
    }
}
