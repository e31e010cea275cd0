package chatter;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Pattern;
import lab.Lab;

/** Rooms, messages and plugins of a chat server. */
public final class Chatter {
    static class ProtocolException extends IOException {
        ProtocolException(String message) {
            super(message);
        }
    }

    static final class User {
        final String name;
        Room room;

        User(String name) {
            this.name = name;
        }
    }

    static final class Message {
        final User from;
        final String text;

        Message(User from, String text) {
            this.from = from;
            this.text = text;
        }
    }

    static final class Room {
        final List<User> users = new ArrayList<>();
        final List<Consumer<Message>> listeners = new ArrayList<>();

        void say(Message message) {
            for (Consumer<Message> listener : listeners) {
                listener.accept(message);
            }
        }

        void leave(User user) {
            for (User each : users) {
                if (each == user) {
                    users.remove(each);
                }
            }
        }

        User oldest() {
            return users.iterator().next();
        }
    }

    static final class Commands {
        private final Map<String, Function<Message, Object>> commands = new ConcurrentHashMap<>();

        Commands() {
            commands.put("/room", message -> message.from.room.users.size());
            commands.put("/roll", message -> Integer.parseInt(argument(message)) * 3);
            commands.put("/find", message -> Pattern.compile(argument(message)).matcher("x").find());
            commands.put("/link", message -> URI.create(argument(message)).getHost().length());
            commands.put("/key", message -> Base64.getDecoder().decode(argument(message)).length);
            commands.put("/repeat", message -> "la".repeat(Integer.parseInt(argument(message))));
        }

        private static String argument(Message message) {
            return message.text.split(" ")[1];
        }

        Object run(Message message) {
            return commands.get(message.text.split(" ")[0]).apply(message);
        }

        Object tolerant(Message message) {
            return Optional.of(message).map(this::run).orElse("");
        }
    }

    static final class Wire {
        int length(byte[] frame) throws ProtocolException {
            if (frame[0] != 7) {
                throw new ProtocolException("Bad magic byte " + frame[0]);
            }
            if (frame.length < frame[1]) {
                throw new ProtocolException("Frame is cut: " + frame.length + " of " + frame[1]);
            }
            return frame[1];
        }

        Object decode(byte[] bytes) {
            try (ObjectInputStream input = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
                return input.readObject();
            } catch (IOException | ClassNotFoundException error) {
                throw new IllegalStateException("cannot decode", error);
            }
        }

        byte[] encode(Object value) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream output = new ObjectOutputStream(bytes)) {
                output.writeObject(value);
            } catch (IOException error) {
                throw new IllegalStateException("cannot encode", error);
            }
            return bytes.toByteArray();
        }

        void connect(int port) throws IOException {
            new Socket("127.0.0.1", port).close();
        }
    }

    static final class Plugins {
        Object load(String name) throws ReflectiveOperationException {
            return Class.forName("chatter.plugins." + name).getDeclaredConstructor().newInstance();
        }

        Object setting(Object plugin, String name) throws ReflectiveOperationException {
            return plugin.getClass().getDeclaredField(name).get(plugin);
        }
    }

    static final class Server {
        final Commands commands = new Commands();
        final Wire wire = new Wire();
        final Plugins plugins = new Plugins();

        void received(User user, String text) {
            Room room = new Room();
            room.listeners.add(commands::run);
            room.say(new Message(user, text));
        }

        void later(User user, String text) {
            CompletableFuture.supplyAsync(() -> commands.run(new Message(user, text)))
                .thenCompose(result -> CompletableFuture.completedFuture(result.toString())).join();
        }

        void bot(String text) {
            commands.tolerant(new Message(new User("bot"), text));
        }

        void frames(List<byte[]> frames) throws IOException {
            for (byte[] frame : frames) {
                wire.length(frame);
            }
        }

        void reconnect(int port) {
            for (int number = 0; ; number++) {
                try {
                    wire.connect(port);
                    return;
                } catch (IOException error) {
                    if (number == 2) {
                        throw new IllegalStateException("No connection after " + number + " tries", error);
                    }
                }
            }
        }
    }

    static int closedPort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }

    public static void register(Lab lab) {
        Server server = new Server();
        User ada = new User("ada");
        lab.bug("chatter: user in no room", () -> server.received(ada, "/room"), () -> server.later(ada, "/room"), () -> server.bot("/room"));
        lab.bug("chatter: roll of words", () -> server.received(ada, "/roll six"), () -> server.later(ada, "/roll 2x"), () -> server.bot("/roll d"));
        lab.bug("chatter: pattern not closed", () -> server.received(ada, "/find ("), () -> server.bot("/find [a"));
        lab.bug("chatter: link without host", () -> server.received(ada, "/link mailto:a"), () -> server.later(ada, "/link x"));
        lab.bug("chatter: link with a bracket", () -> server.received(ada, "/link http://a[b"), () -> server.bot("/link {x}"));
        lab.bug("chatter: key of other characters", () -> server.received(ada, "/key ä"), () -> server.bot("/key !!"));
        lab.bug("chatter: negative repeat", () -> server.received(ada, "/repeat -1"), () -> server.later(ada, "/repeat -7"));
        lab.bug("chatter: command without argument", () -> server.received(ada, "/roll"), () -> server.bot("/find"), () -> server.later(ada, "/key"));
        lab.bug("chatter: unknown command", () -> server.received(ada, "hello"), () -> server.bot("/help"), () -> server.later(ada, "/quit"));
        lab.bug("chatter: left while walked", () -> { Room room = new Room(); room.users.addAll(List.of(ada, new User("b"), new User("c"))); room.leave(ada); },
            () -> { Room room = new Room(); room.users.addAll(List.of(new User("x"), ada, new User("b"), new User("c"))); room.leave(ada); });
        lab.bug("chatter: empty room", () -> new Room().oldest(), () -> Optional.of(new Room()).map(Room::oldest));
        lab.bug("chatter: bad magic", () -> server.frames(List.of(new byte[] {1, 2})), () -> new Wire().length(new byte[] {9}));
        lab.bug("chatter: cut frame", () -> server.frames(List.of(new byte[] {7, 20})), () -> new Wire().length(new byte[] {7, 90, 1}));
        lab.bug("chatter: empty frame", () -> server.frames(List.of(new byte[0])), () -> new Wire().length(new byte[0]));
        lab.bug("chatter: no stream header", () -> server.wire.decode(new byte[] {1, 2, 3, 4}), () -> new Wire().decode("hello".getBytes()));
        lab.bug("chatter: not serializable", () -> server.wire.encode(ada), () -> new Wire().encode(new Message(ada, "x")), () -> new Wire().encode(List.of(ada)));
        lab.bug("chatter: connection refused", () -> server.wire.connect(closedPort()), () -> server.reconnect(closedPort()));
        lab.bug("chatter: plugin missing", () -> server.plugins.load("Dice"), () -> new Plugins().load("Poll"));
        lab.bug("chatter: plugin without field", () -> server.plugins.setting(ada, "color"), () -> new Plugins().setting("x", "size"));
    }
}
