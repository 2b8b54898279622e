//! A bot that plays Gomoku wins at once where it can, and plays any empty point where it cannot.
//!
//! Start at `choose`, which makes all decisions. The code below it needs no change: a small
//! reader of JSON, and the communication with the referee, by files or by pipes.
//!
//! Build:  mkdir -p build && rustc --edition 2021 -O -o build/bot bot.rs
//! Run:    by files the referee starts `build/bot TEAM` in a folder that contains all files of the game;
//!         by pipes it starts `build/bot`, and each line of input and of output is one JSON object.

use std::collections::hash_map::RandomState;
use std::collections::HashMap;
use std::error::Error;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, BufRead, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;
use std::{env, fs, process, thread};

/// The bot's knowledge on its turn.
struct Turn {
    /// The rows, the top one first; b'x' black, b'o' white, b'.' empty.
    board: Vec<Vec<u8>>,
    /// How many stones in a row win.
    line: usize,
    /// The character of our own stones.
    mine: u8,
}

/// A point, both numbers counted from 0.
#[derive(Clone, Copy)]
struct Point {
    row: usize,
    column: usize,
}

impl Point {
    /// As people write it: a letter for the column, the separator, the row counted from 1.
    fn text(self, between: &str) -> String {
        format!("{}{}{}", (b'a' + self.column as u8) as char, between, self.row + 1)
    }
}

// ---- How it plays --------------------------------------------------------------------------------------------

/// Choose a point. Change this function to write your own bot.
fn choose(turn: &Turn) -> Option<Point> {
    let mut empty = Vec::new();
    for (row, stones) in turn.board.iter().enumerate() {
        for (column, stone) in stones.iter().enumerate() {
            if *stone == b'.' {
                empty.push(Point { row, column });
            }
        }
    }
    let winning = empty.iter().find(|point| wins(turn, **point));
    winning.or_else(|| empty.get(chance() % empty.len().max(1))).copied()
}

/// Whether a stone of ours on this point makes a winning row.
fn wins(turn: &Turn, point: Point) -> bool {
    [(0, 1), (1, 0), (1, 1), (1, -1)]
        .iter()
        .any(|&(down, right)| stones(turn, point, down, right) + 1 + stones(turn, point, -down, -right) >= turn.line)
}

/// The number of our stones next to a point in one direction.
fn stones(turn: &Turn, from: Point, down: isize, right: isize) -> usize {
    let there = |steps: &isize| {
        let row = usize::try_from(from.row as isize + steps * down).ok()?;
        let column = usize::try_from(from.column as isize + steps * right).ok()?;
        turn.board.get(row)?.get(column).copied()
    };
    (1..).take_while(|steps| there(steps) == Some(turn.mine)).count()
}

/// A random number: each hasher of the standard library begins with other keys.
fn chance() -> usize {
    RandomState::new().build_hasher().finish() as usize
}

// ---- A small reader of JSON ----------------------------------------------------------------------------------

/// Any JSON value. What is not there reads as `Nothing`, so that one may ask for `value.at("a").at("b")`.
enum Json {
    Nothing,
    /// A text; or a number, true, false or null, as it is written.
    Text(String),
    List(Vec<Json>),
    Object(HashMap<String, Json>),
}

impl Json {
    fn read(source: &str) -> Result<Json, String> {
        JsonReader { source: source.chars().collect(), at: 0 }.value()
    }

    fn at(&self, key: &str) -> &Json {
        match self {
            Json::Object(object) => object.get(key).unwrap_or(&Json::Nothing),
            _ => &Json::Nothing,
        }
    }

    fn text(&self) -> &str {
        match self {
            Json::Text(text) => text,
            _ => "",
        }
    }
}

struct JsonReader {
    source: Vec<char>,
    at: usize,
}

impl JsonReader {
    fn value(&mut self) -> Result<Json, String> {
        match self.next()? {
            '{' => {
                let mut object = HashMap::new();
                self.at += 1;
                while self.next()? != '}' {
                    let key = self.quoted()?;
                    self.expect(':')?;
                    object.insert(key, self.value()?);
                    self.skip_comma()?;
                }
                self.at += 1;
                Ok(Json::Object(object))
            }
            '[' => {
                let mut list = Vec::new();
                self.at += 1;
                while self.next()? != ']' {
                    list.push(self.value()?);
                    self.skip_comma()?;
                }
                self.at += 1;
                Ok(Json::List(list))
            }
            '"' => Ok(Json::Text(self.quoted()?)),
            _ => {
                let rest = self.source[self.at..].iter();
                let word: String = rest.take_while(|c| !",]}".contains(**c) && !c.is_whitespace()).collect();
                if word.is_empty() {
                    return Err(format!("This is no JSON, from character {} on.", self.at));
                }
                self.at += word.chars().count();
                Ok(Json::Text(word))
            }
        }
    }

    /// The character here.
    fn here(&self) -> Result<char, String> {
        self.source.get(self.at).copied().ok_or_else(|| "This JSON ends too early.".to_string())
    }

    /// The next character that is no blank.
    fn next(&mut self) -> Result<char, String> {
        while self.here()?.is_whitespace() {
            self.at += 1;
        }
        self.here()
    }

    fn expect(&mut self, wanted: char) -> Result<(), String> {
        if self.next()? != wanted {
            return Err(format!("Character {} should be {}.", self.at, wanted));
        }
        self.at += 1;
        Ok(())
    }

    fn skip_comma(&mut self) -> Result<(), String> {
        if self.next()? == ',' {
            self.at += 1;
        }
        Ok(())
    }

    fn quoted(&mut self) -> Result<String, String> {
        let mut read = String::new();
        self.expect('"')?;
        loop {
            let mut character = self.here()?;
            self.at += 1;
            if character == '"' {
                return Ok(read);
            }
            if character == '\\' {
                let escaped = self.here()?;
                self.at += 1;
                character = match escaped {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    'b' => '\u{8}',
                    'f' => '\u{c}',
                    'u' => {
                        let digits: String = self.source[self.at..].iter().take(4).collect();
                        self.at += 4;
                        let code = u32::from_str_radix(&digits, 16).map_err(|wrong| wrong.to_string())?;
                        char::from_u32(code).unwrap_or('?') // half of a pair: no board or name has any
                    }
                    other => other,
                };
            }
            read.push(character);
        }
    }
}

// ---- Communication with the referee --------------------------------------------------------------------------

/// Our move in a position. between: the separator of column and row.
fn our_move(position: &Json, options: &Json, team: &str, between: &str) -> Result<String, String> {
    if position.at("opening").text().starts_with("choose") {
        return Ok("stay".to_string()); // the opening needs a word now, "swap" or "stay"
    }
    let board = match position.at("board") {
        Json::List(rows) => rows.iter().map(|row| row.text().bytes().collect()).collect(),
        _ => Vec::new(),
    };
    let line = options.at("line").text().parse().map_err(|_| "The options tell no line.")?;
    let mine = position.at("marks").at(team).text().bytes().next().ok_or("The position tells no marks.")?;
    let point = choose(&Turn { board, line, mine }).ok_or("There is no empty point.")?;
    Ok(point.text(between))
}

/// The line of our move in move_file.
fn answer(team: &str) -> Result<String, Box<dyn Error>> {
    // history_file has all moves so far, one per line; this bot needs only the board
    let position = Json::read(&fs::read_to_string("position.json")?)?;
    let game = Json::read(&fs::read_to_string("game.json")?)?;
    Ok(format!("{} {}\n", team, our_move(&position, game.at("options"), team, " ")?))
}

/// The current move_file: its number, and its text. A new file of the same name has another number.
fn standing() -> Option<(u64, String)> {
    let mut file = fs::File::open("move_file").ok()?;
    let mut text = Vec::new();
    file.read_to_end(&mut text).ok()?;
    Some((file.metadata().ok()?.ino(), String::from_utf8_lossy(&text).into_owned()))
}

/// Report that we are ready, and answer every turn until the game is over.
fn play_by_files(team: &str) -> Result<(), Box<dyn Error>> {
    let (go, ready) = (format!("{}.go", team), format!("{}.ready", team));
    let over = Path::new("end_game");
    let mut answered = (0, String::new()); // the move_file of our last answer
    let mut left_over = over.exists(); // from an earlier game, until the referee has cleaned the folder

    // Do slow preparations here: no clock runs before we report, by our process number, that we are ready.
    fs::write(&ready, process::id().to_string())?;
    loop {
        // Look every 2 ms. Notifications of the system (inotify on Linux) are faster, and cost no polling.
        thread::sleep(Duration::from_millis(2));
        if !over.exists() {
            left_over = false;
        } else if !left_over {
            break;
        }
        // Our .go stays a moment longer than our turn. But for every turn the referee first replaces the old
        // move_file by a new one. So, in this order, look for a file that is not our answer, then for the .go.
        if let Some(now) = standing() {
            if !left_over && now != answered && Path::new(&go).exists() {
                answered = (now.0, answer(team)?);
                fs::write("move_file", &answered.1)?; // in one write: half a line is not a move
            }
        }
    }
    fs::remove_file(&ready)?;
    Ok(())
}

/// Answer line after line until the input ends.
fn play_by_pipes() -> Result<(), Box<dyn Error>> {
    for line in io::stdin().lock().lines() {
        let message = Json::read(&line?)?;
        match message.at("type").text() {
            // Do slow preparations here: no clock runs before we report that we are ready. With keep we
            // announce that this process may play game after game; it remembers nothing from one to the next.
            "game" => println!("{{\"ready\": true, \"keep\": true}}"),
            // "moves" has all moves so far; this bot needs only the board.
            "turn" => println!(
                "{{\"move\": \"{}\"}}",
                our_move(&message, message.at("options"), message.at("you").text(), "")?
            ),
            _ => (), // "end" reports the result of the game; ignore unknown messages
        }
    }
    Ok(())
}

fn main() {
    let played = match env::args().nth(1) {
        Some(team) => play_by_files(&team),
        None => play_by_pipes(),
    };
    if let Err(wrong) = played {
        eprintln!("{}", wrong);
        process::exit(1);
    }
}
