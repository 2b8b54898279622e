// A bot that plays Gomoku by pipes: wins at once where it can, and plays any empty point where it cannot.
//
// Start at `choose`, which makes all decisions. The code below it communicates with the referee, and needs no
// change. The referee starts `node bot.js`; each line that comes in, and each that goes out, is one JSON object.

"use strict";

const readline = require("readline");

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

function say(words) {
  process.stdout.write(`${JSON.stringify(words)}\n`);
}

// Answer line after line until there are no more: then node leaves by itself.
readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const told = JSON.parse(line);
  if (told.type === "game") {
    // Build what takes long here: no clock runs before we say that we are ready. With keep we say that this process
    // may play game after game; it remembers nothing from one to the next.
    say({ ready: true, keep: true });
  } else if (told.type === "turn") {
    // told.moves has all moves so far; this bot needs no more than the board
    say({ move: move(told, told.options, told.you, "") });
  } // "end" says how the game ended. What is not known, now or later, is passed over.
});
