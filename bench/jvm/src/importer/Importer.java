package importer;

import com.google.common.base.Preconditions;
import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Iterables;
import com.google.common.collect.Lists;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.MoreExecutors;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import lab.Lab;
import org.apache.commons.io.IOUtils;
import org.apache.commons.lang3.Validate;
import org.apache.commons.lang3.time.DateUtils;

/** Reads files of suppliers: much of what fails fails inside libraries. */
public final class Importer {
    static class ImportFailed extends Exception {
        ImportFailed(String message, Throwable cause) {
            super(message, cause);
        }
    }

    static final class Config {
        private final Map<String, String> values = new HashMap<>(Map.of("retries", "three", "folder", "/no/such/folder"));

        String text(String key) {
            return Validate.notBlank(values.get(key), "setting %s is missing", key);
        }

        int number(String key) {
            return Integer.parseInt(values.get(key));
        }

        Duration duration(String key) {
            return Duration.parse(text(key));
        }
    }

    static final class Rows implements Iterable<String[]> {
        private final String text;

        Rows(String text) {
            this.text = text;
        }

        @Override
        public Iterator<String[]> iterator() {
            BufferedReader reader = new BufferedReader(new StringReader(text));
            return reader.lines().map(line -> line.split(";")).iterator();
        }
    }

    static final class Mapper {
        Map<String, Object> article(String[] row) {
            Map<String, Object> article = new HashMap<>();
            article.put("sku", row[0]);
            article.put("price", price(row[1]));
            article.put("since", since(row[2]));
            return article;
        }

        double price(String text) {
            return Double.parseDouble(text.replace("EUR", ""));
        }

        java.util.Date since(String text) {
            try {
                return DateUtils.parseDateStrictly(text, "yyyy-MM-dd");
            } catch (java.text.ParseException error) {
                throw new IllegalArgumentException("row has no date: " + text, error);
            }
        }

        Map<String, String> header(String line) {
            ImmutableMap.Builder<String, String> builder = ImmutableMap.builder();
            for (String name : line.split(";")) {
                builder.put(name, name.toUpperCase());
            }
            return builder.buildOrThrow();
        }

        String category(String path) {
            return Iterables.getLast(Lists.newArrayList(path.split("/")));
        }
    }

    static final class Source {
        final Config config = new Config();

        String read(String name) throws IOException {
            return Files.readString(Path.of(config.text("folder"), name));
        }

        String decode(byte[] bytes) throws IOException {
            return StandardCharsets.UTF_8.newDecoder().decode(java.nio.ByteBuffer.wrap(bytes)).toString();
        }

        byte[] header(byte[] bytes) throws IOException {
            byte[] start = new byte[16];
            IOUtils.readFully(new java.io.ByteArrayInputStream(bytes), start);
            return start;
        }
    }

    static final class Suppliers {
        final Map<String, Integer> known = new HashMap<>(Map.of("acme", 1));
        final LoadingCache<String, Integer> numbers = CacheBuilder.newBuilder().build(new CacheLoader<>() {
            @Override
            public Integer load(String name) {
                return number(name);
            }
        });

        Integer number(String name) {
            Integer number = known.get(name);
            Preconditions.checkState(number != null, "no supplier named %s", name);
            return number;
        }

        void rename(String from, String to) {
            Preconditions.checkArgument(!to.isEmpty(), "empty name");
            for (String name : known.keySet()) {
                if (name.equals(from)) {
                    known.put(to, known.remove(from));
                }
            }
        }

        void drop(int number) {
            known.values().forEach(each -> {
                if (each != number) {
                    throw new IllegalStateException("supplier " + each + " stays");
                }
                known.put("dropped", 0);
            });
        }
    }

    static final class Run {
        final Source source = new Source();
        final Mapper mapper = new Mapper();
        final Suppliers suppliers = new Suppliers();

        void text(String text) throws ImportFailed {
            int number = 0;
            for (String[] row : new Rows(text)) {
                number++;
                try {
                    mapper.article(row);
                } catch (RuntimeException error) {
                    throw new ImportFailed("Row " + number + " of supplier acme", error);
                }
            }
        }

        void all(List<String> texts) {
            texts.forEach(text -> new Rows(text).forEach(mapper::article));
        }

        void file(String name) throws ImportFailed {
            try {
                text(source.read(name));
            } catch (IOException error) {
                throw new ImportFailed("Cannot import " + name, error);
            }
        }

        String lenient(String name) {
            try {
                return source.read(name);
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        }

        int background(String name) throws Exception {
            ListenableFuture<Integer> future = MoreExecutors.listeningDecorator(Executors.newSingleThreadExecutor())
                .submit(() -> suppliers.number(name));
            return Futures.getChecked(future, ImportFailedUnchecked.class);
        }

        public static class ImportFailedUnchecked extends Exception {
            public ImportFailedUnchecked(Throwable cause) {
                super(cause);
            }
        }
    }

    public static void register(Lab lab) {
        Run run = new Run();
        lab.bug("importer: too few columns", () -> run.text("A-1;5"), () -> run.all(List.of("B-2;3EUR")),
            () -> run.mapper.article(new String[] {"x", "1.0"}));
        lab.bug("importer: price with comma", () -> run.text("A-1;5,00;2026-01-01"), () -> run.all(List.of("A-1;n/a;2026-01-01")),
            () -> run.mapper.price("7,50EUR"));
        lab.bug("importer: German date", () -> run.text("A-1;5;21.11.2026"), () -> run.all(List.of("A-1;5;soon")),
            () -> run.mapper.since("1/2/26"));
        lab.bug("importer: same column twice", () -> run.mapper.header("a;b;a"), () -> List.of("x;x").forEach(run.mapper::header));
        lab.bug("importer: folder missing", () -> run.file("a.csv"), () -> run.lenient("b.csv"), () -> run.source.read("c.csv"));
        lab.bug("importer: Latin-1 file", () -> run.source.decode(new byte[] {65, (byte) 0xe4}), () -> new Source().decode(new byte[] {(byte) 0xff}));
        lab.bug("importer: file too short", () -> run.source.header(new byte[3]), () -> new Source().header(new byte[0]));
        lab.bug("importer: unknown supplier", () -> run.suppliers.numbers.get("initech"), () -> run.background("umbrella"),
            () -> run.suppliers.number("hooli"), () -> run.suppliers.numbers.getUnchecked("globex"));
        lab.bug("importer: empty name", () -> run.suppliers.rename("acme", ""), () -> new Suppliers().rename("x", ""));
        lab.bug("importer: changed while walked", () -> { Suppliers all = new Suppliers(); all.known.put("b", 2); all.known.put("c", 3); all.rename("acme", "zeta"); },
            () -> { Suppliers all = new Suppliers(); all.known.put("b", 2); all.known.put("c", 3); all.rename("acme", "omega"); });
        lab.bug("importer: dropped while walked", () -> new Suppliers().drop(1), () -> { Suppliers all = new Suppliers(); all.drop(1); });
        lab.bug("importer: setting missing", () -> run.source.config.text("token"), () -> new Config().duration("every"),
            () -> new Source().config.text("host"));
        lab.bug("importer: retries in words", () -> run.source.config.number("retries"), () -> List.of("retries").forEach(new Config()::number));
        lab.bug("importer: duration in words", () -> new Config().duration("retries"), () -> run.source.config.duration("retries"));
    }
}
