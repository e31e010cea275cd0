package jobs;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import lab.Lab;

/** A job runner: retries, time limits, handlers found by annotation. */
public final class Jobs {
    @Retention(RetentionPolicy.RUNTIME)
    @interface Handles {
        String value();
    }

    static class JobFailed extends RuntimeException {
        JobFailed(String name, Throwable cause) {
            super("Job " + name + " failed after 3 tries", cause);
        }
    }

    static final class Retry {
        static <T> T times(int count, Callable<T> work) throws Exception {
            Exception last = null;
            for (int number = 0; number < count; number++) {
                try {
                    return work.call();
                } catch (Exception error) {
                    last = error;
                }
            }
            throw last;
        }
    }

    static final class Payload {
        private final Map<String, Object> fields;

        Payload(Map<String, Object> fields) {
            this.fields = fields;
        }

        @SuppressWarnings("unchecked")
        <T> T get(String name) {
            return (T) fields.get(name);
        }

        <T> T required(String name) {
            T value = get(name);
            if (value == null) {
                throw new IllegalArgumentException("Payload without " + name);
            }
            return value;
        }
    }

    public static final class Handlers {
        @Handles("invoice")
        public void invoice(Payload payload) {
            long customer = payload.<Long>required("customer");
            String currency = payload.required("currency");
            render(customer, currency, payload.get("lines"));
        }

        private String render(long customer, String currency, List<Integer> lines) {
            int sum = 0;
            for (int line : lines) {
                sum += line;
            }
            return customer + currency + sum;
        }

        @Handles("thumbnail")
        public void thumbnail(Payload payload) {
            int width = payload.<Integer>required("width");
            int[] pixels = new int[width * 10];
            pixels[0] = width;
        }

        @Handles("digest")
        public void digest(Payload payload) {
            List<String> mails = payload.required("mails");
            String newest = mails.stream().max(String::compareTo).get();
            mails.add(newest);
        }

        @Handles("cleanup")
        public void cleanup(Payload payload) throws Exception {
            String owner = payload.required("owner");
            remove(Enum.valueOf(Thread.State.class, owner));
        }

        private void remove(Thread.State state) throws Exception {
            throw new java.io.FileNotFoundException("/var/spool/jobs/" + state.name().toLowerCase() + " (Permission denied)");
        }
    }

    static final class Runner {
        private final Map<String, Method> methods = new HashMap<>();
        private final Handlers handlers = new Handlers();

        Runner() {
            for (Method method : Handlers.class.getDeclaredMethods()) {
                Handles handles = method.getAnnotation(Handles.class);
                if (handles != null) {
                    methods.put(handles.value(), method);
                }
            }
        }

        void run(String name, Map<String, Object> fields) {
            try {
                Retry.times(3, () -> methods.get(name).invoke(handlers, new Payload(fields)));
            } catch (InvocationTargetException error) {
                throw new JobFailed(name, error.getCause());
            } catch (Exception error) {
                throw new JobFailed(name, error);
            }
        }

        void once(String name, Map<String, Object> fields) throws Throwable {
            try {
                methods.get(name).invoke(handlers, new Payload(fields));
            } catch (InvocationTargetException error) {
                throw error.getCause();
            }
        }

        void queued(String name, Map<String, Object> fields) throws Exception {
            ExecutorService pool = Executors.newSingleThreadExecutor();
            try {
                pool.submit(() -> methods.get(name).invoke(handlers, new Payload(fields))).get();
            } catch (ExecutionException error) {
                throw new JobFailed(name, error);
            } finally {
                pool.shutdown();
            }
        }
    }

    static final class Limits {
        <T> T within(long millis, Callable<T> work) throws Exception {
            ExecutorService pool = Executors.newSingleThreadExecutor();
            try {
                return pool.submit(work).get(millis, TimeUnit.MILLISECONDS);
            } finally {
                pool.shutdownNow();
            }
        }

        void late() throws Exception {
            ExecutorService pool = Executors.newSingleThreadExecutor();
            pool.shutdown();
            pool.submit(() -> "late");
        }

        Integer slowReport() throws Exception {
            return within(5, () -> { Thread.sleep(200); return 1; });
        }

        Integer slowExport() throws Exception {
            return within(5, () -> { Thread.sleep(300); return 2; });
        }
    }

    static final class Plan {
        private final PriorityQueue<Object> queue = new PriorityQueue<>();
        private final Map<String, List<String>> needs = new HashMap<>();

        void add(Object job) {
            queue.add(job);
        }

        String next() {
            return queue.remove().toString();
        }

        void need(String job, String... others) {
            needs.put(job, List.of(others));
        }

        List<String> order(String job) {
            List<String> done = new ArrayList<>();
            visit(job, done, new LinkedList<>());
            return done;
        }

        private void visit(String job, List<String> done, Queue<String> open) {
            if (open.contains(job)) {
                throw new IllegalStateException("Circle of jobs: " + open);
            }
            open.add(job);
            for (String other : needs.get(job)) {
                visit(other, done, open);
            }
            open.remove(job);
            done.add(job);
        }
    }

    static <T> T lazily(Supplier<T> supplier) {
        return supplier.get();
    }

    static Map<String, Object> fields(Object... pairs) {
        Map<String, Object> fields = new HashMap<>();
        for (int at = 0; at < pairs.length; at += 2) {
            fields.put((String) pairs[at], pairs[at + 1]);
        }
        return fields;
    }

    static void fail(Runner runner, int way, String name, Object... pairs) throws Exception {
        try {
            switch (way) {
                case 0 -> runner.run(name, fields(pairs));
                case 1 -> runner.queued(name, fields(pairs));
                default -> runner.once(name, fields(pairs));
            }
        } catch (Error | Exception error) {
            throw error;
        } catch (Throwable error) {
            throw new AssertionError(error);
        }
    }

    public static void register(Lab lab) {
        Runner runner = new Runner();
        lab.bug("jobs: invoice without customer", () -> fail(runner, 0, "invoice"), () -> fail(runner, 1, "invoice"), () -> fail(runner, 2, "invoice", "currency", "EUR"));
        lab.bug("jobs: invoice without currency", () -> fail(runner, 0, "invoice", "customer", 1L), () -> fail(runner, 1, "invoice", "customer", 2L));
        lab.bug("jobs: customer as text", () -> fail(runner, 0, "invoice", "customer", "ada"), () -> fail(runner, 2, "invoice", "customer", "bob"));
        lab.bug("jobs: invoice without lines", () -> fail(runner, 0, "invoice", "customer", 1L, "currency", "EUR"),
            () -> fail(runner, 1, "invoice", "customer", 1L, "currency", "USD"), () -> new Handlers().render(1, "EUR", null));
        lab.bug("jobs: thumbnail without width", () -> fail(runner, 0, "thumbnail"), () -> fail(runner, 2, "thumbnail"));
        lab.bug("jobs: negative width", () -> fail(runner, 0, "thumbnail", "width", -3), () -> fail(runner, 1, "thumbnail", "width", -12));
        lab.bug("jobs: zero width", () -> fail(runner, 0, "thumbnail", "width", 0), () -> fail(runner, 1, "thumbnail", "width", 0));
        lab.bug("jobs: digest of nothing", () -> fail(runner, 0, "digest", "mails", List.of()), () -> fail(runner, 2, "digest", "mails", new ArrayList<>()));
        lab.bug("jobs: digest of a fixed list", () -> fail(runner, 0, "digest", "mails", List.of("a")), () -> fail(runner, 1, "digest", "mails", List.of("b", "c")));
        lab.bug("jobs: unknown state", () -> fail(runner, 0, "cleanup", "owner", "ada"), () -> fail(runner, 2, "cleanup", "owner", "bob"));
        lab.bug("jobs: permission denied", () -> fail(runner, 0, "cleanup", "owner", "NEW"), () -> fail(runner, 1, "cleanup", "owner", "RUNNABLE"));
        lab.bug("jobs: unknown job", () -> fail(runner, 0, "invioce"), () -> fail(runner, 1, "dijest"), () -> fail(runner, 2, "clean"));
        lab.bug("jobs: report takes too long", () -> new Limits().slowReport(), () -> lazily(() -> { try { return new Limits().slowReport(); } catch (Exception error) { throw new RuntimeException(error); } }));
        lab.bug("jobs: export takes too long", () -> new Limits().slowExport(), () -> List.of(new Limits()).get(0).slowExport());
        lab.bug("jobs: pool is closed", () -> new Limits().late(), () -> List.of(new Limits()).get(0).late());
        lab.bug("jobs: not comparable", () -> { Plan plan = new Plan(); plan.add(new Plan()); }, () -> { Plan plan = new Plan(); plan.add(1); plan.add(new Object()); });
        lab.bug("jobs: plan is empty", () -> new Plan().next(), () -> lazily(new Plan()::next));
        lab.bug("jobs: job without needs", () -> new Plan().order("a"), () -> { Plan plan = new Plan(); plan.need("a", "b"); plan.order("a"); },
            () -> { Plan plan = new Plan(); plan.need("a", "b"); plan.need("b", "c"); plan.order("a"); });
        lab.bug("jobs: needs in a circle", () -> { Plan plan = new Plan(); plan.need("a", "a"); plan.order("a"); },
            () -> { Plan plan = new Plan(); plan.need("a", "b"); plan.need("b", "a"); plan.order("a"); });
    }
}
