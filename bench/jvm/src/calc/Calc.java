package calc;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;
import lab.Lab;

/** A recursive-descent parser, an evaluator and a formatter of formulas. */
public final class Calc {
    static class ParseException extends RuntimeException {
        ParseException(String message, int at) {
            super(message + " at " + at);
        }
    }

    sealed interface Node permits Num, Name, Binary, Call {}

    record Num(double value) implements Node {}

    record Name(String name) implements Node {}

    record Binary(char operator, Node left, Node right) implements Node {}

    record Call(String function, Node argument) implements Node {}

    static final class Parser {
        private final String text;
        private int at;

        Parser(String text) {
            this.text = text;
        }

        Node parse() {
            Node node = sum();
            if (at < text.length()) {
                throw error("Unexpected '" + text.charAt(at) + "'");
            }
            return node;
        }

        private Node sum() {
            Node left = product();
            while (at < text.length() && (peek() == '+' || peek() == '-')) {
                left = new Binary(text.charAt(at++), left, product());
            }
            return left;
        }

        private Node product() {
            Node left = atom();
            while (at < text.length() && (peek() == '*' || peek() == '/')) {
                left = new Binary(text.charAt(at++), left, atom());
            }
            return left;
        }

        private Node atom() {
            char next = text.charAt(at);
            if (next == '(') {
                at++;
                Node inner = sum();
                expect(')');
                return inner;
            }
            int start = at;
            if (Character.isDigit(next)) {
                while (at < text.length() && (Character.isDigit(peek()) || peek() == '.')) {
                    at++;
                }
                return new Num(Double.parseDouble(text.substring(start, at)));
            }
            while (at < text.length() && Character.isLetter(peek())) {
                at++;
            }
            if (at == start) {
                throw error("Expected a value");
            }
            String name = text.substring(start, at);
            if (at < text.length() && peek() == '(') {
                at++;
                Node argument = sum();
                expect(')');
                return new Call(name, argument);
            }
            return new Name(name);
        }

        private char peek() {
            return text.charAt(at);
        }

        private void expect(char wanted) {
            if (at >= text.length() || peek() != wanted) {
                throw error("Expected '" + wanted + "'");
            }
            at++;
        }

        private ParseException error(String message) {
            return new ParseException(message, at);
        }
    }

    static final class Evaluator {
        final Map<String, Double> names = new HashMap<>(Map.of("pi", Math.PI));
        final Map<String, DoubleUnaryOperator> functions = Map.of("sqrt", Math::sqrt, "half", value -> value / 2,
            "log", Evaluator::logarithm);
        final Map<String, String> aliases = new HashMap<>();

        static double logarithm(double value) {
            if (value <= 0) {
                throw new ArithmeticException("log of " + value);
            }
            return Math.log(value);
        }

        double value(Node node) {
            if (node instanceof Num number) {
                return number.value();
            }
            if (node instanceof Name name) {
                return names.get(name.name());
            }
            if (node instanceof Call call) {
                return functions.get(call.function()).applyAsDouble(value(call.argument()));
            }
            Binary binary = (Binary) node;
            double left = value(binary.left());
            double right = value(binary.right());
            return switch (binary.operator()) {
                case '+' -> left + right;
                case '-' -> left - right;
                case '*' -> left * right;
                default -> divide(left, right);
            };
        }

        private double divide(double left, double right) {
            if (right == 0) {
                throw new ArithmeticException("division by zero");
            }
            return left / right;
        }

        String resolve(String alias) {
            String target = aliases.get(alias);
            return target == null ? alias : resolve(target);
        }
    }

    static final class Stack {
        private final Deque<Double> values = new ArrayDeque<>();

        double run(String program) {
            for (String word : program.split(" ")) {
                switch (word) {
                    case "+" -> values.push(values.pop() + values.pop());
                    case "-" -> values.push(-values.pop() + values.pop());
                    default -> values.push(Double.valueOf(word));
                }
            }
            return values.getFirst();
        }
    }

    static final class Sheet {
        final String[][] cells = {{"1+1", "2*"}, {"sqrt(4", "x"}, {"log(0)", "1/0"}, {"1..2", "foo(1)"}, {"2)", "%"}};
        final Evaluator evaluator = new Evaluator();

        double cell(int row, int column) {
            return evaluator.value(new Parser(cells[row][column]).parse());
        }

        double column(int column) {
            double sum = 0;
            for (int row = 1; row <= cells.length; row++) {
                sum += cells[row][column].length();
            }
            return sum;
        }

        String chart(List<Double> values) {
            StringBuilder bars = new StringBuilder();
            values.forEach(value -> bars.append("#".repeat(value.intValue())));
            return bars.toString();
        }
    }

    static double console(String text) {
        return new Evaluator().value(new Parser(text).parse());
    }

    public static void register(Lab lab) {
        Sheet sheet = new Sheet();
        lab.bug("calc: formula ends early", () -> sheet.cell(0, 1), () -> console("1+"), () -> console("(2*3+"));
        lab.bug("calc: bracket not closed", () -> sheet.cell(1, 0), () -> console("(1+2"), () -> new Parser("2*(sqrt(4)").parse());
        lab.bug("calc: unknown name", () -> sheet.cell(1, 1), () -> console("2*tau"), () -> console("sqrt(3+z)"));
        lab.bug("calc: unknown function", () -> sheet.cell(3, 1), () -> console("1+sin(2)"));
        lab.bug("calc: log of zero", () -> sheet.cell(2, 0), () -> console("3*log(1-1)"), () -> Evaluator.logarithm(-3));
        lab.bug("calc: division by zero", () -> sheet.cell(2, 1), () -> console("4/(2-2)"), () -> console("sqrt(1/0)"));
        lab.bug("calc: two points in a number", () -> sheet.cell(3, 0), () -> console("2*1.2.3"));
        lab.bug("calc: rest after the formula", () -> sheet.cell(4, 0), () -> console("1 + 1"));
        lab.bug("calc: value expected", () -> sheet.cell(4, 1), () -> console("2+*3"));
        lab.bug("calc: alias in a circle", () -> { Evaluator evaluator = new Evaluator(); evaluator.aliases.putAll(Map.of("a", "b", "b", "a")); evaluator.resolve("a"); },
            () -> { Evaluator evaluator = new Evaluator(); evaluator.aliases.put("x", "x"); evaluator.resolve("x"); });
        lab.bug("calc: stack is empty", () -> new Stack().run("1 +"), () -> List.of("2 -").forEach(new Stack()::run));
        lab.bug("calc: no word of the stack", () -> new Stack().run("1 2 *"), () -> List.of("two").forEach(new Stack()::run));
        lab.bug("calc: row past the last", () -> sheet.column(0), () -> new Sheet().column(1));
        lab.bug("calc: negative bar", () -> sheet.chart(List.of(2.0, -1.0)), () -> new Sheet().chart(List.of(-7.0)));
    }
}
