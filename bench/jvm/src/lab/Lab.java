package lab;

import java.io.PrintStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveTask;
import java.util.stream.Stream;

/** Reaches each bug of the programs through several callers and several ways of calling, and prints its stacks. */
public final class Lab {
    /** One way a program reaches a bug. */
    public interface Entry {
        void run() throws Exception;
    }

    /** What a failing call looks like to whoever reports it. */
    interface Way {
        void call(Entry entry) throws Throwable;
    }

    public interface Service {
        void handle() throws Exception;
    }

    /** Invoked by name, as containers invoke handlers. */
    public static final class Handler {
        private final Entry entry;

        Handler(Entry entry) {
            this.entry = entry;
        }

        public void handle() throws Exception {
            entry.run();
        }
    }

    private final Map<String, Entry[]> bugs = new LinkedHashMap<>();
    private final Map<String, Way> ways = new LinkedHashMap<>();

    public void bug(String name, Entry... entries) {
        if (bugs.put(name, entries) != null) {
            throw new IllegalArgumentException(name);
        }
    }

    private static Callable<Object> callable(Entry entry) {
        return () -> {
            entry.run();
            return null;
        };
    }

    private static RuntimeException wrapped(Exception error) {
        return error instanceof RuntimeException ? (RuntimeException) error : new CompletionException(error);
    }

    private void describeWays() {
        ways.put("direct", Entry::run);
        ways.put("lambda", entry -> {
            Callable<Object> task = callable(entry);
            task.call();
        });
        ways.put("reflection", entry -> Handler.class.getMethod("handle").invoke(new Handler(entry)));
        ways.put("reflection, unwrapped", entry -> {
            try {
                Handler.class.getMethod("handle").invoke(new Handler(entry));
            } catch (InvocationTargetException error) {
                throw error.getCause();
            }
        });
        ways.put("executor", entry -> {
            ExecutorService pool = Executors.newSingleThreadExecutor();
            try {
                pool.submit(callable(entry)).get();
            } finally {
                pool.shutdown();
            }
        });
        ways.put("executor, unwrapped", entry -> {
            ExecutorService pool = Executors.newFixedThreadPool(2);
            try {
                pool.submit(callable(entry)).get();
            } catch (ExecutionException error) {
                throw error.getCause();
            } finally {
                pool.shutdown();
            }
        });
        ways.put("future", entry -> CompletableFuture.runAsync(() -> {
            try {
                entry.run();
            } catch (Exception error) {
                throw wrapped(error);
            }
        }).join());
        ways.put("future, chained", entry -> CompletableFuture.supplyAsync(() -> 1).thenApply(one -> one + 1)
            .thenAccept(two -> {
                try {
                    entry.run();
                } catch (Exception error) {
                    throw wrapped(error);
                }
            }).get());
        ways.put("stream", entry -> Stream.of(1, 2).map(each -> each + 1).forEach(each -> {
            try {
                entry.run();
            } catch (Exception error) {
                throw wrapped(error);
            }
        }));
        ways.put("parallel stream", entry -> Stream.of(1, 2, 3, 4).parallel().map(each -> {
            try {
                entry.run();
            } catch (Exception error) {
                throw wrapped(error);
            }
            return each;
        }).toList());
        ways.put("proxy", entry -> {
            InvocationHandler handler = (proxy, method, arguments) -> method.invoke((Service) entry::run);
            ((Service) Proxy.newProxyInstance(Lab.class.getClassLoader(), new Class<?>[] {Service.class}, handler)).handle();
        });
        ways.put("proxy, unwrapped", entry -> {
            InvocationHandler handler = (proxy, method, arguments) -> {
                try {
                    return method.invoke((Service) entry::run);
                } catch (InvocationTargetException error) {
                    throw error.getTargetException();
                }
            };
            ((Service) Proxy.newProxyInstance(Lab.class.getClassLoader(), new Class<?>[] {Service.class}, handler)).handle();
        });
        ways.put("fork and join", entry -> ForkJoinPool.commonPool().invoke(new RecursiveTask<Integer>() {
            @Override
            protected Integer compute() {
                try {
                    entry.run();
                } catch (Exception error) {
                    throw wrapped(error);
                }
                return 1;
            }
        }));
        ways.put("request failed", entry -> {
            try {
                entry.run();
            } catch (Exception error) {
                throw new IllegalStateException("Request 8841 failed", error);
            }
        });
        ways.put("rethrown", entry -> {
            try {
                entry.run();
            } catch (Exception error) {
                throw new RuntimeException(error);
            }
        });
        ways.put("cleanup failed too", entry -> {
            try (AutoCloseable resource = () -> { throw new IllegalStateException("already closed"); }) {
                entry.run();
            }
        });
    }

    /** Of each entry five ways, others for each, and always the plain one first. */
    private List<String> chosen(String bug, int number) {
        List<String> names = new ArrayList<>(ways.keySet());
        Collections.shuffle(names, new java.util.Random((bug + number).hashCode()));
        names.remove("direct");
        List<String> chosen = new ArrayList<>(names.subList(0, 4));
        chosen.add(0, "direct");
        return chosen;
    }

    private void run(PrintStream out) throws InterruptedException {
        describeWays();
        bugs.forEach((bug, entries) -> {
            for (int number = 0; number < entries.length; number++) {
                Entry entry = entries[number];
                for (String name : chosen(bug, number)) {
                    Way way = ways.get(name);
                    Thread thread = new Thread(() -> report(out, bug, name, way, entry), "worker-" + number);
                    thread.start();
                    try {
                        thread.join();
                    } catch (InterruptedException error) {
                        Thread.currentThread().interrupt();
                    }
                }
            }
        });
    }

    private static void report(PrintStream out, String bug, String name, Way way, Entry entry) {
        try {
            way.call(entry);
            throw new AssertionError(bug + " did not fail");
        } catch (Throwable error) {
            out.println("### " + bug + " | " + name);
            error.printStackTrace(out);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Lab lab = new Lab();
        for (String program : arguments) {
            Class.forName(program).getMethod("register", Lab.class).invoke(null, lab);
        }
        lab.run(System.out);
        System.exit(0);
    }
}
