// A bot that plays Gomoku by pipes: wins at once where it can, and plays any empty point where it cannot.
//
// Begin at `choose`, which is all that knows how to play. Below it stand the parts that need no change: a small
// reader of JSON, and the communication with the referee.
//
// Build:  mkdir -p build && g++ -std=c++17 -O2 -Wall -Wextra -o build/bot bot.cpp
// Run:    the referee starts `build/bot`; each line that comes in, and each that goes out, is one JSON object.

#include <algorithm>
#include <cstring>
#include <iostream>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

using std::string;

// What the bot knows on its turn.
struct Turn {
    std::vector<string> board;  // the rows, the top one first; 'x' black, 'o' white, '.' empty
    int line;                   // how many stones in a row win
    char mine;                  // the character of our own stones
    bool swapping;              // an opening wants a word now, "swap" or "stay", and no stone

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

// How many of our stones stand from a point on in one direction, the point itself left out.
int stones(const Turn& turn, Point from, int down, int right)
{
    for (int count = 0;; count++) {
        from = {from.row + down, from.column + right};
        if (from.row < 0 || from.row >= turn.size() || from.column < 0 || from.column >= turn.size() ||
            turn.board[from.row][from.column] != turn.mine)
            return count;
    }
}

// Whether a stone of ours on this point makes a row that wins.
bool wins(const Turn& turn, Point point)
{
    for (auto [down, right] : {std::pair(0, 1), {1, 0}, {1, 1}, {1, -1}})
        if (stones(turn, point, down, right) + 1 + stones(turn, point, -down, -right) >= turn.line)
            return true;
    return false;
}

// Choose a point. Change this: it is where your bot becomes yours.
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
            if (escaped == 'u') { // what is beyond ASCII stands as '?': no board or name has any
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

// What the bot knows, from what is told of the position, and the game's options.
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

// Our move, as people write it: a letter for the column, then the row.
string answer(const Json& told)
{
    // told["moves"] has all moves so far; this bot needs no more than the board.
    Turn turn = turn_of(told, told["options"], told["you"].text);
    return turn.swapping ? "stay" : choose(turn).text("");
}

// Answer line after line until there are no more: then nobody needs us.
void talk()
{
    for (string line; std::getline(std::cin, line);) {
        Json told = JsonReader(line).value();
        if (told["type"].text == "game") {
            // Build what takes long here: no clock runs before we say that we are ready. With keep we say that this
            // process may play game after game; it remembers nothing from one to the next.
            std::cout << R"({"ready": true, "keep": true})" << std::endl;
        } else if (told["type"].text == "turn") {
            std::cout << R"({"move": ")" << answer(told) << R"("})" << std::endl; // endl: it is on its way
        } // "end" says how the game ended. What is not known, now or later, is passed over.
    }
}

int main()
{
    try {
        talk();
    } catch (const std::exception& wrong) {
        std::cerr << wrong.what() << "\n";
        return 1;
    }
}
