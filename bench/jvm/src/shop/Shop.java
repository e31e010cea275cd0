package shop;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import lab.Lab;

/** Orders, prices and stock of a shop. */
public final class Shop {
    record Customer(String name, String email, Address address) {}

    record Address(String street, String zip, String country) {}

    record Line(String sku, int quantity, BigDecimal price) {}

    static final class Order {
        final long id;
        final Customer customer;
        final List<Line> lines = new ArrayList<>();
        String state = "new";

        Order(long id, Customer customer) {
            this.id = id;
            this.customer = customer;
        }

        BigDecimal total() {
            return lines.stream().map(line -> line.price().multiply(BigDecimal.valueOf(line.quantity())))
                .reduce(BigDecimal.ZERO, BigDecimal::add);
        }
    }

    static final class Checks {
        static <T> T present(T value, String name) {
            if (value == null) {
                throw new IllegalArgumentException(name + " must not be null");
            }
            return value;
        }

        static void positive(int value) {
            if (value <= 0) {
                throw new IllegalArgumentException("must be positive: " + value);
            }
        }
    }

    static class OutOfStock extends RuntimeException {
        OutOfStock(String sku, int missing) {
            super("Out of stock: " + sku + ", missing " + missing);
        }
    }

    static final class Stock {
        private final Map<String, Integer> pieces = new HashMap<>(Map.of("A-1", 3, "B-2", 0));

        void take(String sku, int quantity) {
            int left = pieces.get(sku);
            if (left < quantity) {
                throw new OutOfStock(sku, quantity - left);
            }
            pieces.put(sku, left - quantity);
        }

        void reserve(Order order) {
            for (Line line : order.lines) {
                take(line.sku(), line.quantity());
            }
        }

        int restock(String sku, int quantity) {
            Checks.positive(quantity);
            return pieces.merge(sku, quantity, Integer::sum);
        }
    }

    static final class Pricing {
        BigDecimal shipping(Order order) {
            return switch (order.customer.address().country()) {
                case "DE" -> new BigDecimal("4.90");
                case "FR" -> new BigDecimal("9.90");
                default -> throw new IllegalStateException("No shipping to " + order.customer.address().country());
            };
        }

        BigDecimal average(Order order) {
            return order.total().divide(BigDecimal.valueOf(order.lines.size()));
        }

        BigDecimal perPiece(Line line) {
            return line.price().divide(BigDecimal.valueOf(line.quantity() * 3L));
        }

        int discount(String code) {
            return Integer.parseInt(code.substring(code.indexOf('-') + 1));
        }

        BigDecimal withTax(BigDecimal net, String country) {
            Map<String, String> rates = Map.of("DE", "0.19", "FR", "0.20");
            return net.multiply(new BigDecimal(rates.get(country)));
        }
    }

    static final class Mailer {
        void confirm(Order order) {
            String to = order.customer.email().trim();
            send(to, "Order " + order.id);
        }

        void send(String to, String subject) {
            if (!to.contains("@")) {
                throw new IllegalArgumentException("Illegal address: " + to);
            }
        }

        String greeting(Customer customer) {
            return "Dear " + customer.name().split(" ")[1];
        }
    }

    static final class Checkout {
        final Stock stock = new Stock();
        final Pricing pricing = new Pricing();
        final Mailer mailer = new Mailer();

        void submit(Order order) {
            Checks.present(order.customer, "customer");
            stock.reserve(order);
            pricing.shipping(order);
            mailer.confirm(order);
        }

        Map<String, BigDecimal> preview(Order order) {
            return Map.of("shipping", pricing.shipping(order), "average", pricing.average(order));
        }

        void cancel(Order order) {
            if (!order.state.equals("new")) {
                throw new IllegalStateException("Order " + order.id + " is " + order.state);
            }
            if (order.lines.isEmpty()) {
                throw new IllegalStateException("Nothing to cancel");
            }
        }

        void gift(Order order, String receiver) {
            Checks.present(receiver, "receiver");
        }
    }

    static final class Admin {
        final Checkout checkout = new Checkout();

        List<BigDecimal> report(List<Order> orders) {
            return orders.stream().map(order -> checkout.pricing.average(order)).collect(Collectors.toList());
        }

        List<Customer> byZip(List<Customer> customers) {
            return customers.stream().sorted(Comparator.comparing((Customer one) -> one.address().zip().trim()))
                .collect(Collectors.toList());
        }

        void remind(List<Order> orders) {
            orders.forEach(checkout.mailer::confirm);
        }

        void greet(List<Customer> customers) {
            customers.forEach(customer -> checkout.mailer.greeting(customer));
        }

        Order find(List<Order> orders, long id) {
            return orders.stream().filter(order -> order.id == id).findFirst().orElseThrow();
        }

        Map<String, Order> byName(List<Order> orders) {
            return orders.stream().collect(Collectors.toMap(order -> order.customer.name(), order -> order));
        }

        void importStock(Map<String, Integer> delivery) {
            delivery.forEach(checkout.stock::restock);
        }
    }

    /** Gives null where it should refuse: who asked fails, each in another place. */
    static final class Catalog {
        BigDecimal price(String sku) {
            return sku.startsWith("A") ? BigDecimal.TEN : null;
        }

        BigDecimal cart(String sku) {
            return price(sku).multiply(BigDecimal.TEN);
        }

        String label(String sku) {
            return sku + " " + price(sku).toPlainString();
        }

        Optional<Integer> cents(String sku) {
            return Optional.of(sku).map(one -> price(one).scale());
        }
    }

    static final class Nightly {
        final Admin admin = new Admin();

        void run(List<Order> orders) {
            for (Order order : orders) {
                step(order);
            }
        }

        private void step(Order order) {
            admin.checkout.stock.reserve(order);
            admin.checkout.mailer.confirm(order);
        }

        void expire(List<Order> orders) {
            for (Order order : orders) {
                admin.checkout.cancel(order);
            }
        }
    }

    static Order order(String country, String email, Line... lines) {
        Order order = new Order(41187, new Customer("Ada", email, new Address("Weg 1", null, country)));
        order.lines.addAll(List.of(lines));
        return order;
    }

    static Line line(String sku, int quantity) {
        return new Line(sku, quantity, new BigDecimal("10.00"));
    }

    public static void register(Lab lab) {
        Checkout checkout = new Checkout();
        Admin admin = new Admin();
        Nightly nightly = new Nightly();
        lab.bug("shop: unknown article", () -> checkout.submit(order("DE", "a@b", line("C-3", 1))),
            () -> nightly.run(List.of(order("FR", "a@b", line("D-4", 1)))),
            () -> new Stock().take("E-5", 2));
        lab.bug("shop: out of stock", () -> checkout.submit(order("DE", "a@b", line("B-2", 1))),
            () -> nightly.run(List.of(order("DE", "a@b", line("B-2", 7)))));
        lab.bug("shop: no shipping", () -> checkout.submit(order("US", "a@b", line("A-1", 1))),
            () -> checkout.preview(order("PL", "a@b", line("A-1", 1))),
            () -> Optional.of(order("SE", "x")).map(new Pricing()::shipping));
        lab.bug("shop: no country", () -> checkout.preview(order(null, "a@b", line("A-1", 1))),
            () -> checkout.submit(order(null, "a@b")));
        lab.bug("shop: average of nothing", () -> checkout.preview(order("DE", "a@b")),
            () -> admin.report(List.of(order("DE", "a@b"))));
        lab.bug("shop: endless decimals", () -> new Pricing().perPiece(line("A-1", 1)),
            () -> List.of(line("A-1", 1)).forEach(new Pricing()::perPiece));
        lab.bug("shop: customer without email", () -> checkout.submit(order("DE", null)),
            () -> nightly.run(List.of(order("DE", null))), () -> admin.remind(List.of(order("DE", null))));
        lab.bug("shop: illegal address", () -> checkout.submit(order("DE", "ada")),
            () -> admin.remind(List.of(order("FR", "grace"))));
        lab.bug("shop: one name only", () -> admin.greet(List.of(order("DE", "x").customer)),
            () -> new Mailer().greeting(order("DE", "x").customer));
        lab.bug("shop: order without customer", () -> checkout.submit(new Order(1, null)),
            () -> { Order order = new Order(2, null); order.lines.add(line("A-1", 1)); checkout.submit(order); });
        lab.bug("shop: gift to nobody", () -> checkout.gift(new Order(7, null), null),
            () -> new Checkout().gift(order("DE", "x"), null));
        lab.bug("shop: delivery of nothing", () -> admin.importStock(Map.of("A-1", 0)),
            () -> new Stock().restock("A-1", -4));
        lab.bug("shop: code without number", () -> new Pricing().discount("SUMMER-"),
            () -> Optional.of("WINTER-X").map(new Pricing()::discount), () -> new Pricing().discount("spring"));
        lab.bug("shop: no tax rate", () -> new Pricing().withTax(BigDecimal.ONE, "US"),
            () -> List.of("US").stream().map(one -> new Pricing().withTax(BigDecimal.TEN, one)).toList(),
            () -> List.of("SE").forEach(one -> new Pricing().withTax(BigDecimal.TEN, one)));
        lab.bug("shop: sent order cancelled", () -> { Order order = order("DE", "x"); order.state = "sent"; checkout.cancel(order); },
            () -> { Order order = order("DE", "x"); order.state = "paid"; nightly.expire(List.of(order)); });
        lab.bug("shop: nothing to cancel", () -> checkout.cancel(order("DE", "x")),
            () -> nightly.expire(List.of(order("DE", "x"))));
        lab.bug("shop: zip missing", () -> admin.byZip(List.of(order("DE", "x").customer, order("FR", "y").customer)));
        lab.bug("shop: order not found", () -> admin.find(List.of(), 12), () -> admin.find(List.of(order("DE", "x")), 77));
        Catalog catalog = new Catalog();
        lab.bug("shop: no price", () -> catalog.cart("B-1"), () -> catalog.label("B-1"), () -> catalog.cents("B-1"));
        lab.bug("shop: same name twice", () -> admin.byName(List.of(order("DE", "x"), order("FR", "y"))));
    }
}
