import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A bot that plays Gomoku wins at once where it can, and plays any empty point where it cannot.
 *
 * <p>Start at {@code choose}, which makes all decisions. The code below it needs no change: a
 * small reader of JSON, and the communication with the referee, by files or by pipes.
 *
 * <p>Build: {@code javac -d build Bot.java}. Run: by files the referee starts {@code java -cp build Bot TEAM} in a
 * folder that contains all files of the game; by pipes it starts {@code java -cp build Bot}, and each line of input and
 * of output is one JSON object.
 */
public final class Bot {
    private Bot() {}

    /**
     * The bot's knowledge on its turn.
     *
     * @param board the rows, the top one first; 'x' black, 'o' white, '.' empty
     * @param line how many stones in a row win
     * @param mine the character of our own stones
     */
    record Turn(List<String> board, int line, char mine) {
        int size() {
            return board.size();
        }

        boolean isOurs(int row, int column) {
            return row >= 0 && row < size() && column >= 0 && column < size() && board.get(row).charAt(column) == mine;
        }
    }

    /** A point, both numbers counted from 0. */
    record Point(int row, int column) {
        /** As people write it: a letter for the column, the separator, the row counted from 1. */
        String text(String between) {
            return (char) ('a' + column) + between + (row + 1);
        }
    }

    // ---- How it plays ------------------------------------------------------------------------------------------

    private static final Random CHANCE = new Random();
    private static final int[][] DIRECTIONS = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};

    /** Chooses a point. Change this function to write your own bot. */
    static Point choose(Turn turn) {
        List<Point> empty = new ArrayList<>();
        for (int row = 0; row < turn.size(); row++) {
            for (int column = 0; column < turn.size(); column++) {
                if (turn.board().get(row).charAt(column) == '.') {
                    empty.add(new Point(row, column));
                }
            }
        }
        for (Point point : empty) {
            if (wins(turn, point)) {
                return point;
            }
        }
        return empty.get(CHANCE.nextInt(empty.size()));
    }

    /** Whether a stone of ours on this point makes a winning row. */
    static boolean wins(Turn turn, Point point) {
        for (int[] way : DIRECTIONS) {
            int row = stones(turn, point, way[0], way[1]) + 1 + stones(turn, point, -way[0], -way[1]);
            if (row >= turn.line()) {
                return true;
            }
        }
        return false;
    }

    /** The number of our stones next to a point in one direction. */
    static int stones(Turn turn, Point from, int down, int right) {
        int count = 0;
        while (turn.isOurs(from.row() + (count + 1) * down, from.column() + (count + 1) * right)) {
            count++;
        }
        return count;
    }

    // ---- A small reader of JSON --------------------------------------------------------------------------------

    /** Reads JSON: objects become maps, lists lists, texts strings, numbers doubles, null is null. */
    static final class Json {
        private final String source;
        private int at;

        private Json(String source) {
            this.source = source;
        }

        @SuppressWarnings("unchecked")
        static Map<String, Object> object(String source) {
            return (Map<String, Object>) new Json(source).value();
        }

        private Object value() {
            switch (next()) {
                case '{':
                    Map<String, Object> object = new HashMap<>();
                    for (at++; next() != '}'; skipComma()) {
                        String key = text();
                        if (next() != ':') {
                            throw new IllegalArgumentException("Here should be a colon: " + source.substring(at));
                        }
                        at++;
                        object.put(key, value());
                    }
                    at++;
                    return object;
                case '[':
                    List<Object> list = new ArrayList<>();
                    for (at++; next() != ']'; skipComma()) {
                        list.add(value());
                    }
                    at++;
                    return list;
                case '"':
                    return text();
                default:
                    return word();
            }
        }

        /** The next character that is no blank. */
        private char next() {
            while (Character.isWhitespace(source.charAt(at))) {
                at++;
            }
            return source.charAt(at);
        }

        private void skipComma() {
            if (next() == ',') {
                at++;
            }
        }

        private Object word() {
            int begin = at;
            while (at < source.length() && ",]} \t\r\n".indexOf(source.charAt(at)) < 0) {
                at++;
            }
            String word = source.substring(begin, at);
            return switch (word) {
                case "null" -> null;
                case "true" -> true;
                case "false" -> false;
                default -> Double.valueOf(word);
            };
        }

        private String text() {
            StringBuilder read = new StringBuilder();
            if (next() != '"') {
                throw new IllegalArgumentException("Here should be a text: " + source.substring(at));
            }
            for (at++; source.charAt(at) != '"'; at++) {
                if (source.charAt(at) != '\\') {
                    read.append(source.charAt(at));
                    continue;
                }
                char escaped = source.charAt(++at);
                int known = "ntrbf".indexOf(escaped);
                if (escaped == 'u') {
                    read.append((char) Integer.parseInt(source.substring(at + 1, at + 5), 16));
                    at += 4;
                } else {
                    read.append(known < 0 ? escaped : "\n\t\r\b\f".charAt(known));
                }
            }
            at++;
            return read.toString();
        }
    }

    // ---- Communication with the referee ------------------------------------------------------------------------

    /** Our move in a position. between: the separator of column and row. */
    @SuppressWarnings("unchecked")
    static String move(Map<String, Object> position, Object options, String team, String between) {
        if (String.valueOf(position.get("opening")).startsWith("choose")) {
            return "stay"; // the opening needs a word now, "swap" or "stay"
        }
        int line = ((Map<String, Double>) options).get("line").intValue();
        char mine = ((Map<String, String>) position.get("marks")).get(team).charAt(0);
        return choose(new Turn((List<String>) position.get("board"), line, mine)).text(between);
    }

    /** The line of our move in move_file. */
    static String answer(String team) throws IOException {
        // history_file has all moves so far, one per line; this bot needs only the board
        Map<String, Object> position = Json.object(Files.readString(Path.of("position.json")));
        Map<String, Object> game = Json.object(Files.readString(Path.of("game.json")));
        return team + " " + move(position, game.get("options"), team, " ") + "\n";
    }

    /** The current move_file: its number and its text. A new file of the same name has another number. */
    record Standing(Object number, String text) {
        static Standing now() throws IOException {
            Path file = Path.of("move_file");
            Object number = number(file);
            String text = Files.readString(file, StandardCharsets.ISO_8859_1);
            return number.equals(number(file)) ? new Standing(number, text) : now(); // else it was replaced meanwhile
        }

        private static Object number(Path file) throws IOException {
            return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        }
    }

    /** Reports that we are ready, and answers every turn until the game is over. */
    static void playByFiles(String team) throws IOException, InterruptedException {
        Path go = Path.of(team + ".go");
        Path ready = Path.of(team + ".ready");
        Path over = Path.of("end_game");
        Standing answered = null; // the file of our last answer
        boolean leftOver = Files.exists(over); // from an earlier game, until the referee has cleaned the folder

        // Do slow preparations here: no clock runs before we report, by our process number, that we are ready.
        Files.writeString(ready, String.valueOf(ProcessHandle.current().pid()));
        while (true) {
            // Look every 2 ms. Notifications of the system (a WatchService) cost no polling.
            Thread.sleep(2);
            if (!Files.exists(over)) {
                leftOver = false;
            } else if (!leftOver) {
                break;
            }
            // Our .go stays a moment longer than our turn. But for every turn the referee first puts a new move_file in
            // the place of the old one: so, in this order, look for a file that is not our answer, then for the .go.
            Standing now;
            try {
                now = Standing.now();
            } catch (NoSuchFileException notYet) {
                continue;
            }
            if (leftOver || now.equals(answered) || !Files.exists(go)) {
                continue;
            }
            String line = answer(team);
            answered = new Standing(now.number(), line);
            Files.writeString(Path.of("move_file"), line); // in one write: half a line is not a move
        }
        Files.deleteIfExists(ready);
    }

    /** Writes one line, and flushes it: the referee does not see buffered output. */
    static void say(String object) {
        System.out.println(object);
        System.out.flush();
    }

    /** Answers line after line until the input ends. */
    static void playByPipes() throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Map<String, Object> message = Json.object(line);
            if ("game".equals(message.get("type"))) {
                // Do slow preparations here: no clock runs before we report that we are ready. With keep we
                // announce that this process may play game after game; it remembers nothing from one to the
                // next.
                say("{\"ready\": true, \"keep\": true}");
            } else if ("turn".equals(message.get("type"))) {
                // message.get("moves") has all moves so far; this bot needs only the board
                String team = (String) message.get("you");
                say("{\"move\": \"" + move(message, message.get("options"), team, "") + "\"}");
            } // "end" reports the result of the game. Ignore unknown messages, now and in the future.
        }
    }

    public static void main(String[] words) throws IOException, InterruptedException {
        if (words.length > 0) {
            playByFiles(words[0]);
        } else {
            playByPipes();
        }
    }
}
