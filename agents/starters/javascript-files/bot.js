// A bot that plays Gomoku by files: wins at once where it can, and plays any empty point where it cannot.
//
// Start at `choose`, which makes all decisions. The code below it communicates with the referee, and needs no
// change. The referee starts `node bot.js TEAM` in a folder of its own, and all files are there.

"use strict";

const fs = require("fs");

// ---- How it plays --------------------------------------------------------------------------------------------

// Choose a point: its row and its column, both counted from 0. Change this: it is where your bot becomes yours.
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

// Whether a stone of ours on this point makes a row that wins.
function wins(turn, point) {
  const directions = [[0, 1], [1, 0], [1, 1], [1, -1]];
  return directions.some(
    ([down, right]) => stones(turn, point, down, right) + 1 + stones(turn, point, -down, -right) >= turn.line
  );
}

// How many of our stones stand from a point on in one direction, the point itself left out.
function stones(turn, { row, column }, down, right) {
  let count = 0;
  const there = (steps) => (turn.board[row + steps * down] || "")[column + steps * right];
  while (there(count + 1) === turn.mine) count++;
  return count;
}

// ---- Communication with the referee --------------------------------------------------------------------------

// Our move, from what is told of the position, and the game's options. between: what stands in a point.
function move(position, options, team, between) {
  // an opening wants a word now, "swap" or "stay", and no stone
  if (["choose", "choose last"].includes(position.opening)) return "stay";
  const point = choose({ board: position.board, line: options.line, mine: position.marks[team] });
  return String.fromCharCode("a".charCodeAt(0) + point.column) + between + (point.row + 1);
}

// The line of our move.
function answer(team) {
  // history_file has all moves so far, a line each; this bot needs no more than the board
  const position = JSON.parse(fs.readFileSync("position.json", "utf8"));
  const game = JSON.parse(fs.readFileSync("game.json", "utf8"));
  return `${team} ${move(position, game.options, team, " ")}\n`;
}

// The move_file that stands there now: its number, and its text. A new file of the same name has another number.
function standing() {
  return `${fs.statSync("move_file").ino} ${fs.readFileSync("move_file", "utf8")}`;
}

// Say that we are ready, and answer turn after turn until the game is over.
function main(team) {
  const go = `${team}.go`;
  const ready = `${team}.ready`;
  let answered = ""; // the move_file that we wrote our last answer into
  let leftOver = fs.existsSync("end_game"); // of an earlier game, until the referee has cleaned the folder

  // Build what takes long here: no clock runs before we say that we are ready, by our process number.
  fs.writeFileSync(ready, String(process.pid));
  // Look every 2 ms. To be told by the system (fs.watch) costs no looking.
  const looking = setInterval(() => {
    if (!fs.existsSync("end_game")) {
      leftOver = false;
    } else if (!leftOver) {
      clearInterval(looking); // nothing is left to do, and node leaves
      fs.rmSync(ready, { force: true });
      return;
    }
    // Our .go stays a moment longer than our turn. But for every turn the referee first puts a new move_file in the
    // place of the old one: so, in this order, look for a file that is not our answer, then for the .go.
    if (leftOver || !fs.existsSync("move_file") || standing() === answered || !fs.existsSync(go)) return;
    const number = fs.statSync("move_file").ino;
    const line = answer(team);
    answered = `${number} ${line}`;
    fs.writeFileSync("move_file", line); // where it stands, and in one go: half a line is no move
  }, 2);
}

if (process.argv.length < 3) {
  console.error("Usage: node bot.js TEAM");
  process.exit(2);
}
main(process.argv[2]);
