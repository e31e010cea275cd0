package ledger;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import lab.Lab;

/** Accounts, transfers and statements, over a database of its own and with transactions by proxy. */
public final class Ledger {
    static class LedgerException extends RuntimeException {
        LedgerException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    static class InsufficientFunds extends Exception {
        InsufficientFunds(String account, long missing) {
            super("Account " + account + " lacks " + missing + " cents");
        }
    }

    /** All access goes through here, so its frames are innermost in many bugs. */
    static final class Database {
        final Map<String, Map<String, Long>> tables = new HashMap<>(Map.of("accounts", new HashMap<>(Map.of("ada", 500L, "bob", 20L))));
        boolean locked;

        Long select(String table, String key) throws SQLException {
            if (!tables.containsKey(table)) {
                throw new SQLException("Table \"" + table + "\" not found", "42S02", 1146);
            }
            return tables.get(table).get(key);
        }

        void update(String table, String key, long value) throws SQLException {
            if (locked) {
                throw new SQLException("Lock wait timeout exceeded; try restarting transaction", "40001", 1205);
            }
            tables.get(table).put(key, value);
        }

        <T> T transaction(Callable<T> work) {
            try {
                return work.call();
            } catch (RuntimeException error) {
                throw error;
            } catch (Exception error) {
                throw new LedgerException("Transaction rolled back", error);
            }
        }
    }

    interface Accounts {
        long balance(String name);

        void transfer(String from, String to, long cents) throws InsufficientFunds;

        void close(String name);
    }

    static final class StoredAccounts implements Accounts {
        final Database database;

        StoredAccounts(Database database) {
            this.database = database;
        }

        @Override
        public long balance(String name) {
            try {
                return database.select("accounts", name);
            } catch (SQLException error) {
                throw new LedgerException("Cannot read " + name, error);
            }
        }

        @Override
        public void transfer(String from, String to, long cents) throws InsufficientFunds {
            Objects.requireNonNull(to, "to");
            long left = balance(from) - cents;
            if (left < 0) {
                throw new InsufficientFunds(from, -left);
            }
            try {
                database.update("accounts", from, left);
                database.update("accounts", to, balance(to) + cents);
            } catch (SQLException error) {
                throw new LedgerException("Cannot move money", error);
            }
        }

        @Override
        public void close(String name) {
            if (balance(name) != 0) {
                throw new UnsupportedOperationException("Account is not empty");
            }
        }
    }

    /** As application servers begin and end transactions around a bean. */
    static Accounts transactional(Accounts target) {
        return (Accounts) Proxy.newProxyInstance(Ledger.class.getClassLoader(), new Class<?>[] {Accounts.class},
            (proxy, method, arguments) -> {
                try {
                    return method.invoke(target, arguments);
                } catch (InvocationTargetException error) {
                    throw error.getTargetException();
                }
            });
    }

    static final class Statements {
        final Database database;

        Statements(Database database) {
            this.database = database;
        }

        Long opening(String name) {
            return database.transaction(() -> database.select("balances_" + LocalDate.now().getYear(), name));
        }

        String period(String text) {
            return LocalDate.parse(text).getMonth().name();
        }

        int share(int total, int owners) {
            return total / owners;
        }

        String footer(List<String> lines) {
            return lines.get(lines.size() - 1);
        }

        List<Long> moving(long[] values, int window) {
            List<Long> sums = new ArrayList<>();
            for (int start = 0; start < values.length; start++) {
                long sum = 0;
                for (int at = start; at < start + window; at++) {
                    sum += values[at];
                }
                sums.add(sum);
            }
            return sums;
        }

        Object audit(Object entry) {
            Map<?, ?> fields = (Map<?, ?>) entry;
            return ((Number) fields.get("amount")).longValue();
        }
    }

    static final class Api {
        final Accounts accounts;
        final Statements statements;

        Api(Database database) {
            accounts = transactional(new StoredAccounts(database));
            statements = new Statements(database);
        }

        Object dispatch(String verb, String... arguments) throws Exception {
            return switch (verb) {
                case "balance" -> accounts.balance(arguments[0]);
                case "close" -> { accounts.close(arguments[0]); yield null; }
                case "period" -> statements.period(arguments[0]);
                case "opening" -> statements.opening(arguments[0]);
                default -> throw new NoSuchMethodException(verb);
            };
        }
    }

    static final class Batch {
        final Accounts accounts;
        final Statements statements;

        Batch(Database database) {
            accounts = new StoredAccounts(database);
            statements = new Statements(database);
        }

        void interest(List<String> names) {
            names.stream().mapToLong(accounts::balance).sum();
        }

        void settle(Map<String, String> pairs) {
            pairs.forEach((from, to) -> {
                try {
                    accounts.transfer(from, to, 100);
                } catch (InsufficientFunds error) {
                    throw new LedgerException("Settlement stopped", error);
                }
            });
        }

        void yearEnd(List<String> names) {
            for (String name : names) {
                statements.opening(name);
            }
        }
    }

    static Database locked() {
        Database database = new Database();
        database.locked = true;
        return database;
    }

    public static void register(Lab lab) {
        Database database = new Database();
        Api api = new Api(database);
        Batch batch = new Batch(database);
        lab.bug("ledger: unknown account", () -> api.dispatch("balance", "eve"), () -> batch.interest(List.of("ada", "eve")),
            () -> batch.settle(Map.of("eve", "bob")), () -> api.dispatch("close", "mallory"));
        lab.bug("ledger: no table of this year", () -> api.dispatch("opening", "ada"), () -> batch.yearEnd(List.of("bob")),
            () -> new Statements(new Database()).opening("x"));
        lab.bug("ledger: accounts not migrated", () -> { Database empty = new Database(); empty.tables.clear(); new Api(empty).dispatch("balance", "ada"); },
            () -> { Database empty = new Database(); empty.tables.clear(); new Batch(empty).interest(List.of("ada")); });
        lab.bug("ledger: lock timeout in transfers", () -> new Api(locked()).accounts.transfer("ada", "bob", 5),
            () -> new Batch(locked()).settle(Map.of("ada", "bob")));
        lab.bug("ledger: insufficient funds", () -> api.accounts.transfer("bob", "ada", 3000), () -> batch.settle(Map.of("bob", "ada")));
        lab.bug("ledger: transfer to nobody", () -> api.accounts.transfer("ada", null, 3),
            () -> batch.settle(new HashMap<>(java.util.Collections.singletonMap("ada", null))));
        lab.bug("ledger: account not empty", () -> api.dispatch("close", "ada"), () -> batch.accounts.close("bob"));
        lab.bug("ledger: date in another format", () -> api.dispatch("period", "21.11.2026"), () -> batch.statements.period("2026-13-01"));
        lab.bug("ledger: no owners", () -> batch.statements.share(100, 0), () -> List.of(0).forEach(none -> batch.statements.share(7, none)));
        lab.bug("ledger: footer of an empty statement", () -> batch.statements.footer(List.of()), () -> api.statements.footer(new ArrayList<>()));
        lab.bug("ledger: window past the end", () -> batch.statements.moving(new long[] {1, 2, 3}, 2), () -> api.statements.moving(new long[9], 4));
        lab.bug("ledger: audit of text", () -> batch.statements.audit("ada 500"), () -> api.statements.audit(List.of(1)));
        lab.bug("ledger: amount as text", () -> batch.statements.audit(Map.of("amount", "5.00")), () -> api.statements.audit(Map.of("amount", "x")));
        lab.bug("ledger: amount missing", () -> batch.statements.audit(Map.of()), () -> api.statements.audit(Map.of("sum", 3)));
        lab.bug("ledger: unknown verb", () -> api.dispatch("blance", "ada"), () -> new Api(database).dispatch("get"));
    }
}
