// A bot that plays Gomoku wins at once where it can, and plays any empty point where it cannot.
//
// Start at `choose`, which makes all decisions. The code below it needs no change: a small
// reader of JSON, and the communication with the referee, by files or by pipes.
//
// Build:  mkdir -p build && g++ -std=c++17 -O2 -Wall -Wextra -o build/bot bot.cpp
// Run:    by files the referee starts `build/bot TEAM` in a folder that contains all files of the game;
//         by pipes it starts `build/bot`, and each line of input and of output is one JSON object.

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

using std::string;

// The bot's knowledge on its turn.
struct Turn {
    std::vector<string> board;  // the rows, the top one first; 'x' black, 'o' white, '.' empty
    int line;                   // how many stones in a row win
    char mine;                  // the character of our own stones
    bool swapping;              // the opening needs a word now, "swap" or "stay"

    int size() const { return static_cast<int>(board.size()); }
};

struct Point {
    int row, column;  // both counted from 0

    // As people write it: a letter for the column, `between`, the row counted from 1.
    string text(const string& between) const
    {
        return static_cast<char>('a' + column) + between + std::to_string(row + 1);
    }
};

// ---- How it plays --------------------------------------------------------------------------------------------

// The number of our stones next to a point in one direction.
int stones(const Turn& turn, Point from, int down, int right)
{
    for (int count = 0;; count++) {
        from = {from.row + down, from.column + right};
        if (from.row < 0 || from.row >= turn.size() || from.column < 0 || from.column >= turn.size() ||
            turn.board[from.row][from.column] != turn.mine)
            return count;
    }
}

// Whether a stone of ours on this point makes a winning row.
bool wins(const Turn& turn, Point point)
{
    for (auto [down, right] : {std::pair(0, 1), {1, 0}, {1, 1}, {1, -1}})
        if (stones(turn, point, down, right) + 1 + stones(turn, point, -down, -right) >= turn.line)
            return true;
    return false;
}

// Choose a point. Change this function to write your own bot.
Point choose(const Turn& turn)
{
    static std::mt19937 chance(std::random_device{}());
    std::vector<Point> empty;
    for (int row = 0; row < turn.size(); row++)
        for (int column = 0; column < turn.size(); column++)
            if (turn.board[row][column] == '.')
                empty.push_back({row, column});
    for (Point point : empty)
        if (wins(turn, point))
            return point;
    return empty.at(std::uniform_int_distribution<std::size_t>(0, empty.size() - 1)(chance));
}

// ---- A small reader of JSON ----------------------------------------------------------------------------------

// Any JSON value. What is not there reads as empty, so that one may ask for value["a"]["b"] without looking first.
struct Json {
    string text;                         // of a text; of a number or a word as it is written
    std::vector<Json> list;              // of a list
    std::map<string, Json> object;       // of an object

    const Json& operator[](const string& key) const
    {
        static const Json nothing;
        auto found = object.find(key);
        return found == object.end() ? nothing : found->second;
    }
};

class JsonReader {
public:
    explicit JsonReader(const string& source) : source(source) {}

    Json value()
    {
        Json read;
        switch (next()) {
        case '{':
            at++;
            while (next() != '}') {
                string key = quoted();
                expect(':');
                read.object[key] = value();
                if (next() == ',')
                    at++;
            }
            at++;
            break;
        case '[':
            at++;
            while (next() != ']') {
                read.list.push_back(value());
                if (next() == ',')
                    at++;
            }
            at++;
            break;
        case '"':
            read.text = quoted();
            break;
        default: {
            std::size_t end = std::min(source.find_first_of(",]} \t\r\n", at), source.size());
            if (end == at)
                throw std::runtime_error("This is no JSON: " + source);
            read.text = source.substr(at, end - at);
            at = end;
        }
        }
        return read;
    }

private:
    const string& source;
    std::size_t at = 0;

    // The next character that is no blank. Throws where there is none.
    char next()
    {
        at = source.find_first_not_of(" \t\r\n", at);
        if (at == string::npos)
            throw std::runtime_error("This JSON ends too early: " + source);
        return source[at];
    }

    void expect(char wanted)
    {
        if (next() != wanted)
            throw std::runtime_error(string("Here should be ") + wanted + ": " + source);
        at++;
    }

    string quoted()
    {
        string read;
        for (expect('"'); source.at(at) != '"'; at++) {
            if (source[at] != '\\') {
                read += source[at];
                continue;
            }
            char escaped = source.at(++at);
            const char *known = std::strchr("n\nt\tr\rb\bf\f", escaped);
            if (escaped == 'u') { // other characters become '?': no board or name has any
                int code = std::stoi(source.substr(at + 1, 4), nullptr, 16);
                read += code < 128 ? static_cast<char>(code) : '?';
                at += 4;
            } else {
                read += known ? known[1] : escaped;
            }
        }
        at++;
        return read;
    }
};

// ---- Communication with the referee --------------------------------------------------------------------------

// Read the position and the game's options.
Turn turn_of(const Json& position, const Json& options, const string& team)
{
    Turn turn;
    for (const Json& row : position["board"].list)
        turn.board.push_back(row.text);
    turn.line = std::stoi(options["line"].text);
    turn.mine = position["marks"][team].text.at(0);
    turn.swapping = position["opening"].text.rfind("choose", 0) == 0;
    return turn;
}

string content(const string& name)
{
    std::ostringstream text;
    text << std::ifstream(name, std::ios::binary).rdbuf();
    return text.str();
}

Json json_in(const string& name)
{
    string text = content(name);
    return JsonReader(text).value();
}

void write(const string& name, const string& text)
{
    std::ofstream file(name, std::ios::binary);
    if (!(file << text << std::flush))
        throw std::runtime_error(name + " cannot be written");
}

// The number of the file of this name: a new file of the same name has another one.
ino_t number_of(const string& name)
{
    struct stat status;
    return stat(name.c_str(), &status) == 0 ? status.st_ino : 0;
}

// The line of our move in move_file.
string line_of_files(const string& team)
{
    // history_file has all moves so far, one per line; this bot needs only the board.
    Turn turn = turn_of(json_in("position.json"), json_in("game.json")["options"], team);
    return team + " " + (turn.swapping ? "stay" : choose(turn).text(" ")) + "\n";
}

// Report that we are ready, and answer every turn until the game is over.
void play_by_files(const string& team)
{
    using std::filesystem::exists;
    ino_t answered = 0;                  // the file of our last answer
    string line;                         // that answer
    bool left_over = exists("end_game"); // from an earlier game, until the referee has cleaned the folder

    // Do slow preparations here: no clock runs before we report, by our process number, that we are ready.
    write(team + ".ready", std::to_string(getpid()));
    for (;;) {
        // Look every 2 ms. Notifications of the system (inotify on Linux) are faster, and cost no polling.
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        if (!exists("end_game"))
            left_over = false;
        else if (!left_over)
            break;

        // Our .go stays a moment longer than our turn. But for every turn the referee first replaces the old
        // move_file by a new one. So, in this order, look for a file that is not our answer, then for the .go.
        ino_t number = number_of("move_file");
        if (left_over || (number == answered && content("move_file") == line) || !exists(team + ".go"))
            continue;
        if (number_of("move_file") != number)
            continue; // it was replaced while we read it
        answered = number;
        line = line_of_files(team);
        write("move_file", line); // in one write: half a line is not a move
    }
    std::filesystem::remove(team + ".ready");
}

// Our move, as people write it: a letter for the column, then the row.
string text_of_move(const Json& message)
{
    // message["moves"] has all moves so far; this bot needs only the board.
    Turn turn = turn_of(message, message["options"], message["you"].text);
    return turn.swapping ? "stay" : choose(turn).text("");
}

// Answer line after line until the input ends.
void play_by_pipes()
{
    for (string line; std::getline(std::cin, line);) {
        Json message = JsonReader(line).value();
        if (message["type"].text == "game") {
            // Do slow preparations here: no clock runs before we report that we are ready. With keep we
            // announce that this process may play game after game; it remembers nothing from one to the next.
            std::cout << R"({"ready": true, "keep": true})" << std::endl;
        } else if (message["type"].text == "turn") {
            std::cout << R"({"move": ")" << text_of_move(message) << R"("})" << std::endl; // endl flushes
        } // "end" reports the result of the game. Ignore unknown messages, now and in the future.
    }
}

int main(int count, char **words)
{
    try {
        if (count > 1)
            play_by_files(words[1]);
        else
            play_by_pipes();
    } catch (const std::exception& wrong) {
        std::cerr << wrong.what() << "\n";
        return 1;
    }
}
