package flow;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Scanner;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import lab.Lab;

/** State machines, an index of words and small images: loops, generics, nested and anonymous classes. */
public final class Flow {
    enum State { DRAFT, REVIEW, DONE }

    static final class Machine {
        private final Map<State, List<State>> allowed = new EnumMap<>(State.class);
        private State now = State.DRAFT;

        Machine() {
            allowed.put(State.DRAFT, List.of(State.REVIEW));
            allowed.put(State.REVIEW, List.of(State.DONE, State.DRAFT));
        }

        void move(State next) {
            if (!allowed.get(now).contains(next)) {
                throw new IllegalStateException(now + " cannot become " + next);
            }
            now = next;
        }

        void parse(String script) {
            for (String word : script.split(",")) {
                move(State.valueOf(word));
            }
        }
    }

    static final class Index {
        private final TreeMap<String, List<Integer>> words = new TreeMap<>();

        void add(int document, String text) {
            for (String word : text.split(" ")) {
                words.computeIfAbsent(word.toLowerCase(), key -> new ArrayList<>()).add(document);
            }
        }

        List<Integer> both(String left, String right) {
            return words.get(left).stream().filter(words.get(right)::contains).collect(Collectors.toList());
        }

        String first() {
            return words.firstKey();
        }

        double score(String word, int documents) {
            int found = words.getOrDefault(word, Collections.emptyList()).size();
            return Math.log(Math.floorDiv(documents, found));
        }

        String snippet(String text, String word) {
            int at = text.indexOf(word);
            return text.substring(at - 5, at + word.length() + 5);
        }

        List<String> page(List<String> hits, int number, int size) {
            return hits.subList(number * size, (number + 1) * size);
        }
    }

    static final class Image {
        final int[][] pixels;

        Image(int width, int height) {
            pixels = new int[height][width];
        }

        int at(int x, int y) {
            return pixels[y][x];
        }

        Image blurred() {
            Image blurred = new Image(pixels[0].length, pixels.length);
            for (int y = 0; y < pixels.length; y++) {
                for (int x = 0; x < pixels[0].length; x++) {
                    blurred.pixels[y][x] = (at(x - 1, y) + at(x, y)) / 2;
                }
            }
            return blurred;
        }

        int[] row(int y) {
            return IntStream.range(0, pixels[0].length + 1).map(x -> at(x, y)).toArray();
        }

        Image scaled(double by) {
            return new Image((int) (pixels[0].length * by), (int) (pixels.length * by));
        }

        void paste(Image other, int x) {
            for (int y = 0; y < other.pixels.length; y++) {
                System.arraycopy(other.pixels[y], 0, pixels[y], x, other.pixels[y].length);
            }
        }
    }

    abstract static class Visitor<T> {
        abstract T visit(Object node);

        T walk(List<?> nodes) {
            T last = null;
            for (Object node : nodes) {
                last = node instanceof List<?> inner ? walk(inner) : visit(node);
            }
            return last;
        }
    }

    static Visitor<Integer> lengths() {
        return new Visitor<>() {
            @Override
            Integer visit(Object node) {
                return ((String) node).length();
            }
        };
    }

    static Visitor<Integer> digits() {
        return new Visitor<>() {
            @Override
            Integer visit(Object node) {
                return Integer.valueOf(node.toString());
            }
        };
    }

    static final class Range implements Iterable<Integer> {
        private final int end;

        Range(int end) {
            this.end = end;
        }

        @Override
        public Iterator<Integer> iterator() {
            return new Iterator<>() {
                private int at;

                @Override
                public boolean hasNext() {
                    return at < end;
                }

                @Override
                public Integer next() {
                    if (!hasNext()) {
                        throw new NoSuchElementException("range ended at " + end);
                    }
                    return at++;
                }
            };
        }
    }

    static int last(Range range) {
        Iterator<Integer> iterator = range.iterator();
        int last = 0;
        for (int number = 0; number < 10; number++) {
            last = iterator.next();
        }
        return last;
    }

    static final class Settings {
        static final Map<String, String> VALUES = new HashMap<>();
        static final int LIMIT = Integer.parseInt(VALUES.getOrDefault("limit", "none"));
    }

    static int limit() {
        return Settings.LIMIT;
    }

    static <A, B> Object fold(List<A> items, B start, BiFunction<B, A, B> step) {
        B sum = start;
        for (A item : items) {
            sum = step.apply(sum, item);
        }
        return sum;
    }

    static Object join(List<String> items) {
        return fold(items, "", (text, item) -> text + item.charAt(0));
    }

    static Object count(List<String> items) {
        return fold(items, 0, (sum, item) -> sum + Integer.parseInt(item));
    }

    static Object[] copied(Object[] items) {
        Object[] copy = Arrays.copyOf(items, items.length + 1);
        copy[items.length] = 5;
        return copy;
    }

    static int depth(Object node) {
        return node instanceof List<?> inner ? 1 + depth(inner.get(0)) : 0;
    }

    /** One wrong limit, met wherever a list of it is read. */
    static final class Window {
        final List<Integer> values = List.of(1, 2, 3);
        final int end = 4;

        int sum() {
            int sum = 0;
            for (int at = 0; at < end; at++) {
                sum += values.get(at);
            }
            return sum;
        }

        int newest() {
            return values.get(end - 1);
        }
    }

    static int input(String text) {
        return new Scanner(text).nextInt();
    }

    static List<Object> endless() {
        List<Object> list = new ArrayList<>();
        list.add(list);
        return list;
    }

    public static void register(Lab lab) {
        lab.bug("flow: step not allowed", () -> new Machine().move(State.DONE), () -> new Machine().parse("REVIEW,REVIEW"));
        lab.bug("flow: step from the end", () -> new Machine().parse("REVIEW,DONE,DRAFT"), () -> { Machine one = new Machine(); one.now = State.DONE; one.move(State.DRAFT); });
        lab.bug("flow: unknown state", () -> new Machine().parse("OPEN"), () -> new Machine().parse("REVIEW,open"));
        lab.bug("flow: word not indexed", () -> new Index().both("a", "b"), () -> { Index index = new Index(); index.add(1, "b c"); index.both("a", "b"); });
        lab.bug("flow: second word not indexed", () -> { Index index = new Index(); index.add(1, "b c"); index.both("b", "a"); },
            () -> { Index index = new Index(); index.add(1, "b c"); List.of("c").forEach(word -> index.both(word, "z")); });
        lab.bug("flow: index is empty", () -> new Index().first(), () -> List.of(new Index()).forEach(Index::first));
        lab.bug("flow: score of an unknown word", () -> new Index().score("a", 5), () -> List.of("x").forEach(word -> new Index().score(word, 7)));
        lab.bug("flow: snippet at the start", () -> new Index().snippet("hello world, and all", "hello"), () -> new Index().snippet("a word", "word"));
        lab.bug("flow: last page", () -> new Index().page(List.of("a", "b", "c"), 1, 2), () -> new Index().page(List.of("a"), 0, 10));
        lab.bug("flow: blur at the edge", () -> new Image(3, 3).blurred(), () -> List.of(new Image(2, 9)).forEach(Image::blurred));
        lab.bug("flow: row too long", () -> new Image(3, 3).row(1), () -> List.of(0).forEach(new Image(4, 1)::row));
        lab.bug("flow: negative scale", () -> new Image(4, 4).scaled(-1), () -> List.of(-0.5).forEach(new Image(8, 8)::scaled));
        lab.bug("flow: pasted past the edge", () -> new Image(4, 4).paste(new Image(3, 3), 2), () -> new Image(9, 9).paste(new Image(2, 2), 8));
        lab.bug("flow: length of a number", () -> lengths().walk(List.of("a", 5)), () -> lengths().walk(List.of(List.of(7))), () -> lengths().visit(2.5));
        lab.bug("flow: digits of a word", () -> digits().walk(List.of("1", "one")), () -> digits().visit("x"), () -> digits().walk(List.of(List.of("two"))));
        lab.bug("flow: range ended", () -> last(new Range(3)), () -> new Range(0).iterator().next());
        lab.bug("flow: settings of words", () -> limit());
        lab.bug("flow: first letter of nothing", () -> join(List.of("a", "")), () -> List.of(List.of("")).forEach(Flow::join));
        lab.bug("flow: count of words", () -> count(List.of("1", "two")), () -> List.of(List.of("x")).forEach(Flow::count));
        lab.bug("flow: number among texts", () -> copied(new String[] {"a"}), () -> List.of("b").forEach(each -> copied(new String[] {each, each})));
        lab.bug("flow: list within itself", () -> depth(endless()), () -> List.of(1).forEach(each -> depth(endless())));
        lab.bug("flow: wrong end of a window", () -> new Window().sum(), () -> new Window().newest());
        lab.bug("flow: input of words", () -> input("many"), () -> List.of("x y").forEach(Flow::input));
    }
}
