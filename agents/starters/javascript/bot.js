// A bot that plays Gomoku wins at once where it can, and plays any empty point where it cannot.
//
// Start at `choose`, which makes all decisions. The code below it communicates with the referee, and needs no
// change. By files the referee starts `node bot.js TEAM` in a folder that contains all files of the game; by pipes it
// starts `node bot.js`, and each line of input and of output is one JSON object.

"use strict";

const fs = require("fs");
const readline = require("readline");

// ---- How it plays --------------------------------------------------------------------------------------------

// Choose a point: its row and its column, both counted from 0. Change this function to write your own bot.
// turn.board: the rows, the top one first; "x" is black, "o" white, "." empty. turn.line: how many in a row win.
// turn.mine: the character of our own stones.
function choose(turn) {
  const empty = [];
  turn.board.forEach((stones, row) => {
    [...stones].forEach((stone, column) => {
      if (stone === ".") empty.push({ row, column });
    });
  });
  const winning = empty.find((point) => wins(turn, point));
  return winning || empty[Math.floor(Math.random() * empty.length)];
}

// Whether a stone of ours on this point makes a winning row.
function wins(turn, point) {
  const directions = [[0, 1], [1, 0], [1, 1], [1, -1]];
  return directions.some(
    ([down, right]) => stones(turn, point, down, right) + 1 + stones(turn, point, -down, -right) >= turn.line
  );
}

// The number of our stones next to a point in one direction.
function stones(turn, { row, column }, down, right) {
  let count = 0;
  const there = (steps) => (turn.board[row + steps * down] || "")[column + steps * right];
  while (there(count + 1) === turn.mine) count++;
  return count;
}

// ---- Communication with the referee --------------------------------------------------------------------------

// Our move in a position. between: the separator of column and row.
function move(position, options, team, between) {
  // the opening needs a word now, "swap" or "stay"
  if (["choose", "choose last"].includes(position.opening)) return "stay";
  const point = choose({ board: position.board, line: options.line, mine: position.marks[team] });
  return String.fromCharCode("a".charCodeAt(0) + point.column) + between + (point.row + 1);
}

// The line of our move in move_file.
function answer(team) {
  // history_file has all moves so far, one per line; this bot needs only the board
  const position = JSON.parse(fs.readFileSync("position.json", "utf8"));
  const game = JSON.parse(fs.readFileSync("game.json", "utf8"));
  return `${team} ${move(position, game.options, team, " ")}\n`;
}

// The current move_file: its number, and its text. A new file of the same name has another number.
function standing() {
  const file = fs.openSync("move_file", "r");
  try {
    return `${fs.fstatSync(file).ino} ${fs.readFileSync(file, "utf8")}`;
  } finally {
    fs.closeSync(file);
  }
}

// Report that we are ready, and answer every turn until the game is over.
function playByFiles(team) {
  const go = `${team}.go`;
  const ready = `${team}.ready`;
  let answered = ""; // the move_file of our last answer
  let leftOver = fs.existsSync("end_game"); // from an earlier game, until the referee has cleaned the folder

  // Do slow preparations here: no clock runs before we report, by our process number, that we are ready.
  fs.writeFileSync(ready, String(process.pid));
  // Look every 2 ms. Notifications of the system (fs.watch) cost no polling.
  const looking = setInterval(() => {
    if (!fs.existsSync("end_game")) {
      leftOver = false;
    } else if (!leftOver) {
      clearInterval(looking); // node exits
      fs.rmSync(ready, { force: true });
      return;
    }
    // Our .go stays a moment longer than our turn. But for every turn the referee first puts a new move_file in the
    // place of the old one: so, in this order, look for a file that is not our answer, then for the .go.
    if (leftOver || !fs.existsSync("move_file") || standing() === answered || !fs.existsSync(go)) return;
    const number = fs.statSync("move_file").ino;
    const line = answer(team);
    answered = `${number} ${line}`;
    fs.writeFileSync("move_file", line); // in one write: half a line is not a move
  }, 2);
}

function say(words) {
  process.stdout.write(`${JSON.stringify(words)}\n`);
}

// Answer line after line until the input ends.
function playByPipes() {
  readline.createInterface({ input: process.stdin }).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.type === "game") {
      // Do slow preparations here: no clock runs before we report that we are ready. With keep we announce that
      // this process may play game after game; it remembers nothing from one to the next.
      say({ ready: true, keep: true });
    } else if (message.type === "turn") {
      // message.moves has all moves so far; this bot needs only the board
      say({ move: move(message, message.options, message.you, "") });
    } // "end" reports the result of the game. Ignore unknown messages, now and in the future.
  });
}

if (process.argv.length > 2) playByFiles(process.argv[2]);
else playByPipes();
