import java.io.IOException;
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
 * A bot that plays Gomoku by files: wins at once where it can, and plays any empty point where it cannot.
 *
 * <p>Begin at {@code choose}, which is all that knows how to play. Below it stand the parts that need no change: a
 * small reader of JSON, and the communication with the referee.
 *
 * <p>Build: {@code javac -d build Bot.java}. Run: the referee starts {@code java -cp build Bot TEAM} in a folder of
 * its own, and all files are there.
 */
public final class Bot {
    private Bot() {}

    /**
     * What the bot knows on its turn.
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
        /** As people write it: a letter for the column, what stands between, the row counted from 1. */
        String text(String between) {
            return (char) ('a' + column) + between + (row + 1);
        }
    }

    // ---- How it plays ------------------------------------------------------------------------------------------

    private static final Random CHANCE = new Random();
    private static final int[][] DIRECTIONS = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};

    /** Chooses a point. Change this: it is where your bot becomes yours. */
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

    /** Whether a stone of ours on this point makes a row that wins. */
    static boolean wins(Turn turn, Point point) {
        for (int[] way : DIRECTIONS) {
            int row = stones(turn, point, way[0], way[1]) + 1 + stones(turn, point, -way[0], -way[1]);
            if (row >= turn.line()) {
                return true;
            }
        }
        return false;
    }

    /** How many of our stones stand from a point on in one direction, the point itself left out. */
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

    /** Our move, from what is told of the position, and the game's options. between: what stands in a point. */
    @SuppressWarnings("unchecked")
    static String move(Map<String, Object> position, Object options, String team, String between) {
        if (String.valueOf(position.get("opening")).startsWith("choose")) {
            return "stay"; // an opening wants a word now, "swap" or "stay", and no stone
        }
        int line = ((Map<String, Double>) options).get("line").intValue();
        char mine = ((Map<String, String>) position.get("marks")).get(team).charAt(0);
        return choose(new Turn((List<String>) position.get("board"), line, mine)).text(between);
    }

    /** The line of our move. */
    static String answer(String team) throws IOException {
        // history_file has all moves so far, a line each; this bot needs no more than the board
        Map<String, Object> position = Json.object(Files.readString(Path.of("position.json")));
        Map<String, Object> game = Json.object(Files.readString(Path.of("game.json")));
        return team + " " + move(position, game.get("options"), team, " ") + "\n";
    }

    /** The move_file that stands there now: its number and its text. A new file of the same name has another number. */
    record Standing(Object number, String text) {
        static Standing now() throws IOException {
            Path file = Path.of("move_file");
            Object number = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
            return new Standing(number, Files.readString(file, StandardCharsets.ISO_8859_1));
        }
    }

    /** Says that we are ready, and answers turn after turn until the game is over. */
    public static void main(String[] words) throws IOException, InterruptedException {
        if (words.length < 1) {
            System.err.println("Usage: java -cp build Bot TEAM");
            System.exit(2);
        }
        String team = words[0];
        Path go = Path.of(team + ".go");
        Path ready = Path.of(team + ".ready");
        Path over = Path.of("end_game");
        Standing answered = null; // the file that we wrote our last answer into
        boolean leftOver = Files.exists(over); // of an earlier game, until the referee has cleaned the folder

        // Build what takes long here: no clock runs before we say that we are ready, by our process number.
        Files.writeString(ready, String.valueOf(ProcessHandle.current().pid()));
        while (true) {
            // Look every 2 ms. To be told by the system (a WatchService) costs no looking.
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
            Files.writeString(Path.of("move_file"), line); // where it stands, and in one go: half a line is no move
        }
        Files.deleteIfExists(ready);
    }
}
