// The analysis board: a tree of variations, live analysis, SGF. Loaded after page.js, whose helpers it uses.
"use strict";

(() => {
const boardData = live.dataset;
const options = JSON.parse(boardData.options);
const linkedMoves = boardData.moves.split(" ").filter(Boolean);
const startNode = Number(boardData.setUp); // the moves before only set up stones; they are the first nodes of the tree
const [candidates, legend, effort, comment, promote] = ["candidates", "candidates-legend", "effort", "comment", "promote"].map((id) => document.getElementById(id));
const boardMenu = document.getElementById("boards");
const MAX_GHOSTS = 8; // transparent stones that show a line of moves
const PREPARING = ", a slower search until the engine is ready";
const MIN_OWNER = 0.15; // the owner of a point, from -1 to 1, that is too uncertain to be drawn
const MIN_PLAYOUTS = 25; // fewer tell nothing of a win chance: their error is more than 10 %
const MAX_OWNER_SQUARE = 9; // half the side of the square on a point with a certain owner
const ownersCheckbox = document.getElementById("owners"); // only in games that count the places of each player
const BADGE = 14; // distance of a letter from the middle of a stone, in the units of the picture
const reason = document.getElementById("reason");
const evaluationBar = document.getElementById("evaluation"); // only in games for two
let tree = [{ parent: -1, move: "", comment: "" }];
let shownNode = 0;
let requestedNode = 0; // the position that was requested last; it differs from `shownNode` until the server answers
let isOpened = false; // whether the tree has just been read from a file
let rulesNote = ""; // the sentence on the rules of that file, if they count differently
let bestLines = [];
let scores = {};
let finalLeads = {}; // in Dots and Boxes, the proved final lead of the player to move after each edge
let best = null; // the best line; the first of `bestLines`, unless a line is chosen
let chosenMove = null; // the first move of the line that the pointer, the keyboard or a touch chooses
let missedCaptures = []; // sentences
let expectedEnd = null; // the end in points that a search expects, in games that count the places of each player

// The tree of moves. Each node has the index of its parent; -1 is the parent of the root, and -2 that of a removed node.

const children = (number, nodes = tree) => nodes.flatMap((node, index) => (node.parent === number ? [index] : []));
// Returns the numbers of the nodes of the main line, without the root.
function mainLine(nodes) {
  const line = [];
  for (let nodeIndex = children(0, nodes)[0]; nodeIndex !== undefined; nodeIndex = children(nodeIndex, nodes)[0]) line.push(nodeIndex);
  return line;
}
const movesTo = (number) => (number > 0 ? [...movesTo(tree[number].parent), tree[number].move] : []);

function positionQuery(number, more = {}) {
  const set = Object.entries(options).map(([name, value]) => [`option-${name}`, value]);
  const review = new URLSearchParams(boardData.review); // the review that led here
  return new URLSearchParams([["game", boardData.game], ...set, ["moves", movesTo(number).join(" ")], ...(startNode ? [["setup", startNode]] : []), ...review, ...Object.entries(more)]);
}

function addChild(parent, move) {
  const existing = children(parent).find((index) => tree[index].move === move);
  return existing ?? tree.push({ parent, move, comment: "" }) - 1;
}

// The browser stores the last boards, each with its tree. A link, a new board, a file or a position that is set up begins
// another board. Each entry of the browser's history belongs to one board, so that a step back or a reload shows it again.

const MAX_BOARDS = 8;
const BOARD_NAMES = "analysis boards"; // the key of the list of their names, the last used first
const NEXT_BOARD = "next analysis board"; // the key of the name of the board that the next page shows
const boardKey = (name) => `analysis board ${name}`;
const newBoardName = () => `${Date.now()}`;
// The moves of the link that began the board. The same link opens the same board, with its variations.
let beginning = "new" in boardData || !linkedMoves.length ? null : JSON.stringify([boardData.game, Object.entries(options).sort(), startNode, linkedMoves]);
let boardName = null;

// The state of an entry of the browser's history: its board and, during an analysis, the agent and the number of lines,
// so that the analysis continues after a reload.
const historyState = () => ({ board: boardName, analysis: isAnalysing ? analysisChoices.map((list) => list.value) : null });

const storageOf = (key) => (key === NEXT_BOARD ? sessionStorage : localStorage); // the next page is that of this tab

function readStored(key) {
  try {
    return JSON.parse(storageOf(key).getItem(key));
  } catch {
    return null; // the browser does not allow storage
  }
}

function writeStored(key, value) {
  try {
    if (value === null) storageOf(key).removeItem(key);
    else storageOf(key).setItem(key, JSON.stringify(value));
  } catch {}
}

function storedBoards() {
  const boards = (readStored(BOARD_NAMES) ?? []).map((name) => ({ name, ...readStored(boardKey(name)) }));
  return boards.filter((board) => board.tree);
}

function writeBoard(name, board) {
  const names = [name, ...(readStored(BOARD_NAMES) ?? []).filter((otherName) => otherName !== name)];
  for (const forgotten of names.splice(MAX_BOARDS)) writeStored(boardKey(forgotten), null);
  writeStored(boardKey(name), board);
  writeStored(BOARD_NAMES, names);
}

let storedAt = 0; // the time at which this tab last read or wrote its board

function storeTree() {
  if (tree.length <= 1) return;
  const otherTime = readStored(boardKey(boardName))?.storedAt;
  if (otherTime && otherTime !== storedAt) { // another tab has changed the board: both are kept
    boardName = newBoardName();
    history.replaceState(historyState(), "");
  }
  storedAt = Date.now();
  writeBoard(boardName, { game: boardData.game, label: boardData.label, url: location.href, beginning, startNode, tree, storedAt });
}

// Shows a stored board. go: the function that loads its page.
function openBoard({ name, url }, go = (where) => location.assign(where)) {
  writeStored(NEXT_BOARD, name);
  go(url);
}

function restoreTree() {
  const boards = storedBoards();
  const nextName = readStored(NEXT_BOARD) ?? history.state?.board;
  writeStored(NEXT_BOARD, null);
  const storedBoard = boards.find(({ name }) => name === nextName) ?? boards.find((board) => beginning && board.beginning === beginning);
  boardName = storedBoard?.name ?? newBoardName();
  storedAt = storedBoard?.storedAt ?? 0;
  if (storedBoard) ({ tree, beginning, opened: isOpened = false, note: rulesNote = "" } = storedBoard);
  let nodeIndex = 0;
  const marks = JSON.parse(boardData.mistakes);
  linkedMoves.forEach((move, number) => {
    nodeIndex = addChild(nodeIndex, move);
    if (marks[number + 1]) tree[nodeIndex].mark = marks[number + 1];
    if (number < startNode) tree[nodeIndex].is_set_up = true;
    if (number < Number(boardData.at)) requestedNode = shownNode = nodeIndex;
  });
}

// Draws the list of the other boards.
function drawBoards() {
  const others = storedBoards().filter(({ name }) => name !== boardName);
  boardMenu.hidden = !others.length;
  boardMenu.querySelector("div").replaceChildren(
    ...others.map((board) => {
      const button = document.createElement("button");
      const date = new Date(board.storedAt);
      const day = date.toDateString() === new Date().toDateString() ? {} : { day: "numeric", month: "short" };
      const time = date.toLocaleString([], { ...day, hour: "2-digit", minute: "2-digit" });
      button.type = "button";
      button.textContent = `${board.label}, ${counted(mainLine(board.tree).length - board.startNode, "move")}, ${time}`;
      button.addEventListener("click", () => openBoard(board));
      return button;
    }),
  );
}

// Returns the server's answer. Throws a sentence if there is none, or if the server refuses the request.
async function fetchJson(where, more = {}) {
  let answer;
  try {
    const response = await fetch(where, { headers: { Accept: "application/json", "X-Token": token }, ...more });
    answer = await response.json();
  } catch {
    throw "The server did not answer. Try again."; // no answer, or an answer that is not JSON
  }
  if (answer.refused) throw `${answer.refused} ${answer.remedy}`;
  return answer;
}

// The server draws the board. This script draws the marks of the analysis.

async function showNode(number) {
  requestedNode = number;
  let answer = null;
  let refused = "";
  await fetchJson(`/analysis/board?${positionQuery(number)}`).then(
    (received) => (answer = received),
    (words) => (refused = words),
  );
  if (requestedNode !== number) return true; // another position was requested meanwhile
  if (refused) {
    requestedNode = shownNode;
    showMessage(refused);
    return false;
  }
  if (!messageBox.querySelector("button")) showMessage(""); // deleted moves can be restored until something else is said
  shownNode = number;
  const focused = live.contains(document.activeElement) && document.activeElement.closest(PLACE_SELECTOR);
  withdrawQuestion();
  document.getElementById("part").innerHTML = answer.part;
  if (focused) focusPlace(findPlace(focused.dataset.point ?? focused.dataset.edge));
  const play = document.getElementById("play-here");
  play.hidden = !answer.play;
  play.href = answer.play;
  bestLines = [];
  scores = {};
  missedCaptures = [];
  finalLeads = {};
  expectedEnd = best = chosenMove = null;
  updatePage();
  if (isAnalysing) startAnalysis();
  else effort.textContent = "";
  return true;
}

// Plays moves after the shown position, and shows the position after them.
async function playMoves(...moves) {
  const before = tree.length;
  const number = moves.reduce(addChild, requestedNode);
  if (!(await showNode(number))) tree.length = before;
}

function updatePage() {
  history.replaceState(historyState(), "", `/analysis?${positionQuery(shownNode)}`);
  document.title = `${boardData.title}: ${isGameOver() ? "the game is over" : `${players().mover} to move`} – Analysis – Gomogo`;
  comment.value = tree[shownNode].comment;
  drawFileMarks();
  document.getElementById("cut").disabled = shownNode === startNode;
  promote.disabled = variationStart(shownNode) === 0;
  drawTree();
  drawCandidates();
  storeTree();
  live.dataset.marks = `/analysis/marks?${positionQuery(shownNode)}`;
  live.dispatchEvent(new Event("drawn"));
}

const isGameOver = () => !live.querySelector(".players .to-move");

function drawTree() {
  const treeList = document.getElementById("tree");
  treeList.replaceChildren();
  const write = (number, depth, into) => {
    let nodeIndex = number;
    while (nodeIndex !== undefined) {
      const link = document.createElement("a");
      link.href = `/analysis?${positionQuery(nodeIndex)}`;
      link.dataset.node = nodeIndex;
      link.textContent = `${depth} ${tree[nodeIndex].move}`;
      if (tree[nodeIndex].mark) link.textContent += ` ${tree[nodeIndex].mark}`;
      if (tree[nodeIndex].comment) {
        link.textContent += " …";
        link.title = tree[nodeIndex].comment;
      }
      if (nodeIndex === shownNode) link.setAttribute("aria-current", "step");
      into.append(link, " ");
      const [, ...others] = children(tree[nodeIndex].parent);
      if (others.length && nodeIndex === children(tree[nodeIndex].parent)[0]) {
        for (const sibling of others) {
          const inner = document.createElement("div");
          inner.className = "variation";
          into.append(inner);
          write(sibling, depth, inner);
        }
      }
      nodeIndex = children(nodeIndex)[0];
      depth++;
    }
  };
  if (children(startNode).length) write(children(startNode)[0], 1, treeList);
  const current = treeList.querySelector("[aria-current]");
  if (current) treeList.scrollTop = Math.max(0, current.offsetTop - treeList.offsetTop - treeList.clientHeight / 2);
  else treeList.scrollTop = 0;
}

// The players as the list of best moves names them, the player to move first.
function players() {
  const { seat, sides } = live.querySelector(".board").dataset;
  const names = sides.split(", ");
  return { first: names[0], mover: names[seat - 1], other: names[seat === "1" ? 1 : 0], moverIsFirst: seat === "1" };
}

// Returns the win chance in percent of the player to move. score: that player's advantage, from -1 to 1.
const winChance = (score) => Math.round(50 + 50 * score);

const ESTIMATE = /even|better|worse/; // words of a score that is not proved

// Returns a score in words that name the better player. words: for the player to move, such as "slightly worse".
function namedScore(words) {
  const { mover, other } = players();
  if (/^(loses|.*worse)/.test(words)) return `${other} ${words.replace("loses", "wins").replace("worse", "better")}`;
  return words === "even" ? words : `${mover} ${words}`;
}

// Returns a difference in points with its sign; "" if it is unknown.
function pointsText(points) {
  if (typeof points !== "number") return "";
  return `${points > 0 ? "+" : points < 0 ? "−" : "±"}${Math.abs(points).toFixed(1)}`;
}

// Returns the lead after a line of Go, such as "W+12.3"; "even" if the win chance favours the other player.
function leadText(lead) {
  if (typeof lead !== "number") return "";
  return lead ? `${lead > 0 ? "B" : "W"}+${Math.abs(lead).toFixed(1)}` : "even";
}

// Returns a number of playouts with at most three digits, such as "940" or "13.4k"; "" if it is unknown.
function shortCount(count) {
  if (typeof count !== "number") return "";
  if (count < 1000) return `${count}`;
  return count < 99_950 ? `${(count / 1000).toFixed(1)}k` : `${Math.round(count / 1000)}k`;
}

// While a line is chosen, the lines keep their order, so that a click meets the line that the user reads.
function inShownOrder(lines) {
  if (chosenMove === null) return lines;
  const rank = ({ move }) => (bestLines.findIndex((line) => line.move === move) + 1 || lines.length + 1);
  return [...lines].sort((line, otherLine) => rank(line) - rank(otherLine));
}

// Returns whether a line has so few playouts that they tell nothing of the win chance.
const isGuess = ({ uncertain, words, playouts }) => uncertain && ESTIMATE.test(words) && !(playouts >= MIN_PLAYOUTS);

function drawCandidates() {
  const { mover } = players();
  const focused = [...candidates.children].findIndex((item) => item.contains(document.activeElement));
  const scored = bestLines.some((bestLine) => bestLine.score !== undefined && bestLine.score !== null);
  const havePoints = bestLines.slice(1).some(({ points, words }) => typeof points === "number" && ESTIMATE.test(words));
  const playoutsWord = bestLines.some(({ playouts }) => typeof playouts === "number") ? ", playouts" : "";
  const hasEdges = live.querySelector("[data-edge]") !== null;
  const isProved = hasEdges && expectedEnd !== null;
  const chanceWords = isProved ? ", proved" : hasEdges ? `, estimated: ${mover}'s win chance` : havePoints || playoutsWord ? `: chance${havePoints ? (hasEdges || !expectedEnd ? ", points against A" : ", lead") : ""}${playoutsWord}` : `, with ${mover}'s win chance`;
  if (!hasFinalLeads()) legend.textContent = bestLines.length ? `Best for ${mover}${scored && evaluationBar ? chanceWords : ""}` : isAnalysing ? "Searching …" : "";
  const chosenBefore = chosenMove;
  candidates.replaceChildren(
    ...bestLines.map((bestLine, number) => {
      const item = document.createElement("li");
      const button = document.createElement("button");
      const [rank, move, words, score, playouts, continuation] = ["span", "b", "span", "span", "span", "span"].map((name) => document.createElement(name));
      rank.textContent = letterOf(number);
      rank.className = "rest";
      move.textContent = bestLine.move;
      const scoreWords = evaluationBar ? namedScore(bestLine.words) : bestLine.words;
      const hasChance = evaluationBar && typeof bestLine.score === "number";
      const isEstimate = ESTIMATE.test(scoreWords);
      // few playouts tell a chance roughly, and no points; beside a proved margin, a chance says nothing
      score.textContent = hasChance && !isProved && !isGuess(bestLine) ? `${bestLine.uncertain && isEstimate ? "~" : ""}${winChance(bestLine.score)} %` : "";
      // Playouts that win less often can still end with more points. Such points would only contradict the order.
      const hasPoints = !bestLine.uncertain && !(bestLine.points > 0);
      const points = hasEdges || !expectedEnd ? (number > 0 ? pointsText(bestLine.points) : "") : leadText(bestLine.lead);
      words.textContent = isGuess(bestLine) ? "few playouts" : !hasChance || !isEstimate ? scoreWords : hasPoints ? points : ""; // "wins" says more than the chance
      item.classList.toggle("uncertain", Boolean(bestLine.uncertain));
      score.className = "number";
      playouts.textContent = shortCount(bestLine.playouts);
      playouts.className = "number rest";
      bestLine.line.slice(1).forEach((move, index) => {
        const later = document.createElement("span");
        later.textContent = move;
        later.dataset.upTo = index + 2;
        continuation.append(later, " ");
      });
      continuation.className = "rest";
      button.type = "button";
      const playoutWords = typeof bestLine.playouts === "number" ? `, ${counted(bestLine.playouts, "playout")}` : "";
      const doubtWords = bestLine.uncertain ? " (too few to be sure)" : "";
      button.title = `${scoreWords}${playoutWords}${doubtWords}: ${bestLine.line.map(shownMove).join(" ")}. Play this move, or the moves up to the one that you click`;
      button.append(rank, move, score, words, playouts, continuation);
      button.addEventListener("click", ({ target }) => {
        // the results of the edges hide the line, and a finger does not hover: the first touch shows the line
        if (lastPointerType === "touch" && hasFinalLeads() && chosenMove !== bestLine.move) return chooseLine(bestLine.move);
        playMoves(...bestLine.line.slice(0, target.dataset.upTo ?? 1));
      });
      button.addEventListener("pointerenter", ({ pointerType }) => pointerType !== "touch" && chooseLine(bestLine.move));
      button.addEventListener("focus", () => button.matches(":focus-visible") && chooseLine(bestLine.move));
      item.append(button);
      return item;
    }),
  );
  chosenMove = chosenBefore; // the removal of a button takes the focus from it
  candidates.children[focused]?.firstChild.focus();
  drawLine();
  drawBar();
}

function chooseLine(move) {
  chosenMove = move;
  drawLine();
}

candidates.addEventListener("pointerleave", ({ pointerType }) => pointerType !== "touch" && chooseLine(null));
candidates.addEventListener("focusout", ({ relatedTarget }) => candidates.contains(relatedTarget) || chooseLine(null));

// Says why the board shows no owners, or when it will.
function missingOwners() {
  if (isGameOver()) return "No owners: the game is over.";
  if (!isAnalysing) return "Owners: click Analyse.";
  const canTell = ["strongest", "champion"].includes(document.getElementById("agent").value);
  return canTell ? "Owners after a few seconds." : "No owners from this agent.";
}

// The end in points: the lead in words, a cross on each stone that looks dead and, if the user asks for them, the owners
// of the points as squares: the more certain the owner, the larger the square. A living stone and the marks of the lines
// have no square.
function drawExpectedEnd() {
  for (const old of live.querySelectorAll(".owned, .looks-dead")) old.remove();
  if (!ownersCheckbox) return;
  document.getElementById("lead").textContent = expectedEnd ? `${expectedEnd.words}.` : ownersCheckbox.checked ? missingOwners() : "";
  for (const name of expectedEnd?.dead ?? []) {
    const place = findPlace(name);
    if (!place || ownersCheckbox.checked) continue;
    const colour = place.querySelector(".stone.black") ? "black" : "white";
    drawMark(place, "path", `dead on-${colour} looks-dead`).setAttribute("d", "M-8-8 8 8M8-8-8 8");
  }
  for (const [name, owner] of Object.entries((ownersCheckbox.checked && expectedEnd?.owners) || {})) {
    const place = findPlace(name);
    const colour = owner > 0 ? "black" : "white";
    if (!place || Math.abs(owner) < MIN_OWNER || place.querySelector(`.stone.${colour}:not(.ghost), .analysed`)) continue;
    drawMark(place, "rect", `owned ${colour}`, MAX_OWNER_SQUARE * Math.abs(owner));
  }
}

// The bar beside the board. The part at its bottom is the first player's win chance. During a search of the next position,
// and after very few playouts, the bar keeps its value.
function drawBar() {
  const score = best?.score ?? null;
  if (!evaluationBar || score === null) {
    if (evaluationBar && (bestLines.length || !isAnalysing)) evaluationBar.hidden = true;
    return;
  }
  if (isGuess(best)) return;
  const { first: name, moverIsFirst } = players();
  const chance = winChance(moverIsFirst ? score : -score);
  const [first, second] = live.querySelector(".board").dataset.kinds.split(" ");
  evaluationBar.className = `evaluation ${second}`;
  evaluationBar.firstChild.className = first;
  evaluationBar.firstChild.style.height = `${chance}%`;
  evaluationBar.setAttribute("aria-valuenow", chance);
  evaluationBar.setAttribute("aria-valuetext", `${chance} %; ${namedScore(best.words)}${expectedEnd ? `; ${expectedEnd.words}` : ""}`);
  evaluationBar.title = `${name}'s win chance: ${chance} %`;
  evaluationBar.hidden = false;
}

// The marks that a file has at the shown position: triangles, squares, circles, crosses and labels.

const SHAPES = {
  TR: "M0-9 8 6H-8Z",
  SQ: "M-7-7H7V7H-7Z",
  CR: "M-8 0a8 8 0 1 0 16 0a8 8 0 1 0-16 0Z",
  MA: "M-7-7 7 7M7-7-7 7",
};

// Returns the names of the points in a value of a file: "cd" is a point, and "cd:ef" is a rectangle.
function pointsIn(value) {
  const [from, to] = [value.slice(0, 2), value.slice(-2)].map((corner) => [...corner].map((letter) => parseInt(letter, 36) - 10));
  const names = [];
  for (let column = from[0]; column <= to[0]; column++)
    for (let row = from[1]; row <= to[1]; row++) names.push(`${(column + 10).toString(36)}${row + 1}`);
  return names;
}

function drawFileMarks() {
  for (const mark of live.querySelectorAll(".file-mark")) mark.remove();
  const marks = tree[shownNode].properties ?? {};
  const draw = (name, kind) => {
    const place = findPlace(name);
    if (!place) return null;
    const stone = place.querySelector(".stone");
    place.querySelector(".last")?.remove(); // the mark is in its place
    return drawMark(place, kind, `file-mark ${stone ? (stone.matches(".black") ? "on-black" : "on-white") : "on-edge"}`);
  };
  for (const [name, shape] of Object.entries(SHAPES)) {
    for (const point of (marks[name] ?? []).flatMap(pointsIn)) draw(point, "path")?.setAttribute("d", shape);
  }
  for (const label of marks.LB ?? []) {
    const text = draw(pointsIn(label.slice(0, 2))[0], "text");
    if (text) text.textContent = withoutEscapes(label.slice(3)).slice(0, 4);
  }
}

// Writes the captures that the first line misses, and the reasons for the moves of the list. number: the chosen line.
function drawReasons(number) {
  const sentences = missedCaptures.map((words) => [words]);
  bestLines.forEach((line, index) => {
    if (line.reason) sentences.push([`${letterOf(index)} ${shownMove(line.move)} ${line.reason}.`, index === number && number > 0]);
  });
  reason.replaceChildren(
    ...sentences.flatMap(([words, isChosen]) => {
      const sentence = document.createElement(isChosen ? "b" : "span");
      sentence.textContent = words;
      return [sentence, " "];
    }),
  );
  const chosen = reason.querySelector("b");
  reason.scrollTop = chosen ? chosen.offsetTop - reason.offsetTop : 0;
}

const letterOf = (number) => "ABCDEFGH"[number];
const hasFinalLeads = () => Object.keys(finalLeads).length > 0;

// Writes on each edge the final lead of the player to move after it, and draws the best edges faintly.
function drawFinalLeads() {
  const greatest = Math.max(...Object.values(finalLeads));
  for (const [name, lead] of Object.entries(finalLeads)) {
    const place = findPlace(name);
    if (!place) continue;
    if (lead === greatest) place.querySelector(".open")?.setAttribute("class", "drawn expected");
    drawMark(place, "text", "number on-edge lead analysed").textContent = lead > 0 ? `+${lead}` : lead < 0 ? `−${-lead}` : "0";
  }
}

// Draws the moves of the chosen line, or of the first one, as numbered, transparent stones, and the values of other moves
// as spots: larger is better. The moves of the list have its letters, also where a stone of the line hides the spot.
function drawLine() {
  const chosenNumber = bestLines.findIndex(({ move }) => move === chosenMove);
  const number = Math.max(0, chosenNumber);
  drawReasons(number);
  for (const element of live.querySelectorAll(".analysed")) element.remove();
  for (const element of live.querySelectorAll(".edge .expected")) element.setAttribute("class", "open");
  if (hasFinalLeads()) { // they have the places of a line, which is shown while it is chosen
    legend.textContent = chosenNumber < 0 ? `Proved. On each edge: ${players().mover}'s final lead` : lastPointerType === "touch" ? `Touch line ${letterOf(number)} again to play ${chosenMove}` : `Proved. On the board: line ${letterOf(number)}`;
    if (chosenNumber < 0) return drawFinalLeads();
  }
  const stones = bestLines[number]?.stones.slice(0, MAX_GHOSTS) ?? [];
  const shownPlaces = new Set();
  stones.forEach(([name, sign], index) => {
    const place = findPlace(name);
    if (!place || shownPlaces.has(name) || place.querySelector(".stone, .drawn")) return;
    shownPlaces.add(name);
    place.querySelector(".open")?.setAttribute("class", "drawn expected");
    const colour = { x: "black", o: "white" }[sign];
    if (place.dataset.point && colour) drawMark(place, "circle", `stone ${colour} ghost analysed`, STONE_RADIUS);
    drawMark(place, "text", `number ${place.dataset.point && colour ? `on-${colour}` : "on-edge"} analysed`).textContent = index + 1;
  });
  for (const [name, score] of Object.entries(ownersCheckbox?.checked ? {} : scores)) {
    const place = findPlace(name);
    if (!place || shownPlaces.has(name) || !place.dataset.point || place.querySelector(".stone")) continue;
    drawMark(place, "circle", "heat analysed", 3 + 6 * (score + 1));
  }
  bestLines.forEach(({ move }, index) => {
    const place = index !== number && findPlace(move);
    if (!place || place.querySelector(".stone:not(.ghost)")) return;
    const isBesideStone = shownPlaces.has(move);
    drawMark(place, "circle", "badge analysed", isBesideStone ? 10 : 15, isBesideStone ? BADGE : 0);
    drawMark(place, "text", `letter analysed${isBesideStone ? " aside" : ""}`, 0, isBesideStone ? BADGE : 0).textContent = letterOf(index);
  });
  drawExpectedEnd();
}

// Live analysis: one request, whose response continues until the user stops it.

const analyseButton = document.getElementById("engine");
const analysisChoices = ["agent", "lines"].map((id) => document.getElementById(id));
let isAnalysing = false;
let isComplete = false; // whether the search of the shown position has ended by itself
let analysisRequest = null;

async function startAnalysis() {
  isComplete = false;
  history.replaceState(historyState(), "");
  updateAnalyseButton();
  analysisRequest?.abort();
  const request = (analysisRequest = new AbortController());
  effort.textContent = "";
  const [agent, lines] = analysisChoices.map((list) => list.value);
  const fields = positionQuery(shownNode, { agent, lines });
  try {
    const headers = { "X-Token": token, Accept: "application/json" };
    const response = await fetch("/analysis/start", { method: "POST", headers, body: fields, signal: request.signal });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let incompleteText = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const texts = (incompleteText + value).split("\n");
      incompleteText = texts.pop();
      if (request === analysisRequest && texts.length) showResult(JSON.parse(texts.at(-1)));
    }
    if (incompleteText && request === analysisRequest) showResult(JSON.parse(incompleteText));
  } catch (fault) {
    if (fault.name !== "AbortError") showMessage(NO_ANSWER);
  } finally {
    if (request === analysisRequest && !bestLines.length) legend.textContent = ""; // the search has ended without a line
  }
}

function showResult(answer) {
  if (answer.refused) {
    showMessage(`${answer.refused} ${answer.remedy}`);
    stopAnalysis();
  } else if (answer.words) {
    effort.textContent = answer.words;
    legend.textContent = ""; // the request waits for others
  } else if (answer.lines) {
    [bestLines, scores, best, expectedEnd] = [inShownOrder(answer.lines), answer.scores, answer.lines[0], answer.expected_end];
    finalLeads = answer.leads ?? {};
    missedCaptures = answer.missed_captures ?? []; // engines of other projects tell none
    const parts = [`${answer.seconds.toFixed(1)} s`];
    const isByPlayouts = answer.lines.some(({ playouts }) => typeof playouts === "number");
    const unit = `${isByPlayouts ? "playout" : "node"}${answer.nodes === 1 ? "" : "s"}`;
    if (answer.nodes) parts.unshift(`${isByPlayouts ? shortCount(answer.nodes) : answer.nodes.toLocaleString("en")} ${unit}`);
    if (answer.depth !== null && !isByPlayouts) parts.unshift(`depth ${answer.depth}`);
    const effortWords = `${answer.done ? "complete: " : ""}${parts.join(", ")}`;
    effort.textContent = `${effortWords[0].toUpperCase()}${effortWords.slice(1)}${answer.preparing ? PREPARING : ""}`;
    drawCandidates();
    isComplete = answer.done === true;
    updateAnalyseButton();
  }
}

function endRequest() {
  analysisRequest?.abort();
  analysisRequest = null;
  fetch("/analysis/stop", { method: "POST", headers: { "X-Token": token, Accept: "application/json" } }).catch(() => {});
}

function stopAnalysis() {
  isAnalysing = isComplete = false;
  history.replaceState(historyState(), "");
  endRequest();
  updateAnalyseButton();
}

function updateAnalyseButton() {
  analyseButton.textContent = !isAnalysing ? "Analyse" : isComplete ? "Turn off" : "Stop"; // until it is turned off, it goes on with the next position
  analyseButton.setAttribute("aria-pressed", String(isAnalysing));
  if (bestLines.length) {
    drawExpectedEnd();
    drawBar();
  } else drawCandidates(); // says whether the search has begun
}

analyseButton.addEventListener("click", () => {
  if (isAnalysing) return stopAnalysis();
  isAnalysing = true;
  startAnalysis();
});
if (ownersCheckbox) {
  ownersCheckbox.checked = setting("owners") === "on";
  ownersCheckbox.addEventListener("change", () => {
    setting("owners", ownersCheckbox.checked ? "on" : "off");
    drawCandidates();
  });
}
for (const list of analysisChoices) list.addEventListener("change", () => isAnalysing && startAnalysis());
addEventListener("pagehide", () => isAnalysing && endRequest());

// Clicks and Enter play moves; arrow keys step through the moves.

live.addEventListener("click", (event) => {
  const [choice, node, step] = ["[data-choice]", "[data-node]", "[data-go]"].map((kind) => event.target.closest(kind));
  const place = event.target.closest(PLACE_SELECTOR);
  if (choice ?? node ?? step) event.preventDefault();
  if (place && setup?.open) return changeSetup(place.dataset.point ?? place.dataset.edge);
  if (choice) playMoves(choice.dataset.choice);
  else if (node) showNode(Number(node.dataset.node));
  else if (step) stepTo(step.dataset.go);
  else if (place?.getAttribute("role") === "button") {
    live.dataset.by = "mouse";
    const play = ({ dataset }) => {
      const move = dataset.move ?? dataset.point ?? dataset.edge;
      if (move) playMoves(move);
    };
    if (!asksToConfirmMove(event, place, play)) play(place);
  }
});

// Setting up a position: two fields hold the points with stones, or one field the drawn edges. A click changes them.

const setup = document.getElementById("setup");
const fields = ["black", "white", "edges"].map((name) => document.getElementById(`setup-${name}`)).filter(Boolean);
const hasEdges = fields.length === 1;
const readPoints = (field) => field.value.split(" ").filter(Boolean).map(storedMove);
const writePoints = (field, names) => (field.value = names.map(shownMove).join(" "));

function changeSetup(name) {
  const [black, white] = fields.map(readPoints);
  const without = (names) => names.filter((placed) => placed !== name);
  if (hasEdges) writePoints(fields[0], black.includes(name) ? without(black) : [...black, name]);
  else changeStone(name, black, white, without);
  drawSetup();
}

function changeStone(name, black, white, without) {
  writePoints(fields[0], black.includes(name) || white.includes(name) ? without(black) : [...black, name]);
  writePoints(fields[1], black.includes(name) ? [...white, name] : without(white));
}

function drawSetup() {
  for (const stone of live.querySelectorAll(".placed")) stone.remove();
  live.classList.toggle("setting-up", setup.open);
  if (!setup.open) return;
  const errorText = setup.querySelector(".wrong");
  errorText.textContent = "";
  if (hasEdges) {
    const drawn = readPoints(fields[0]);
    for (const line of live.querySelectorAll("[data-edge] line")) line.setAttribute("class", drawn.includes(line.parentNode.dataset.edge) ? "drawn" : "open");
    return;
  }
  try {
    fields.forEach((field, index) => {
      for (const place of readPoints(field).map(findPlace)) {
        if (place) drawMark(place, "circle", `stone ${["black", "white"][index]} placed`, STONE_RADIUS);
      }
    });
  } catch (words) {
    errorText.textContent = words; // a typed point that the board does not have
  }
}

setup?.addEventListener("toggle", () => {
  withdrawQuestion();
  if (isAnalysing) stopAnalysis();
  if (setup.open) {
    [bestLines, scores, finalLeads, missedCaptures, best, expectedEnd] = [[], {}, {}, [], null, null]; // the analysis of another position
    effort.textContent = "";
    drawCandidates();
    document.getElementById("status").textContent = "Set up a position.";
    if (hasEdges) writePoints(fields[0], movesTo(shownNode));
    else fields.forEach((field, index) => {
      const stones = live.querySelectorAll(`[data-point]:has(.stone.${["black", "white"][index]}:not(.ghost))`);
      writePoints(field, [...stones].map((place) => place.dataset.point));
    });
  } else showNode(shownNode);
  drawSetup();
});
document.getElementById("setup-clear")?.addEventListener("click", () => {
  for (const field of fields) writePoints(field, []);
  drawSetup();
});
document.getElementById("setup-cancel")?.addEventListener("click", () => (setup.open = false));
for (const field of setup ? fields : []) field.addEventListener("input", drawSetup);
document.addEventListener("change", ({ target }) => {
  if (setup && target.closest(".coordinates")) setup.open = false; // its fields have the former coordinates
});
// Each of these forms leads to another board. A refusal is shown in the form.
for (const form of live.querySelectorAll("form[data-check]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const wrong = form.querySelector(".wrong");
    wrong.textContent = "";
    try {
      const sent = new FormData(form);
      for (const field of fields) if (field?.form === form) sent.set(field.name, readPoints(field).join(" "));
      const answer = await fetchJson(`${form.dataset.check}?${new URLSearchParams(sent)}`);
      location.assign(answer.go ?? answer.where);
    } catch (words) {
      wrong.textContent = words;
    }
  });
}

// Typed moves are played after the shown position. The pasted text of a file is opened, and a link followed.

const typeMoves = document.getElementById("type-moves");
const typed = document.getElementById("typed");
const wrongMoves = document.getElementById("typed-wrong");

async function playTyped() {
  const text = typed.value.trim();
  if (/^[({]/.test(text)) return openFile(text);
  const link = text.match(/\/analysis\?(\S+)/);
  if (link) return location.assign(`/analysis?${link[1]}`);
  const moves = text.split(/\s+/).map(storedMove).join(" ");
  const answer = await fetchJson(`/analysis/board?${positionQuery(requestedNode, { move: moves })}`);
  await playMoves(...answer.moves.slice(movesTo(requestedNode).length));
  typed.value = "";
}

typeMoves.addEventListener("submit", async (event) => {
  event.preventDefault();
  wrongMoves.textContent = "";
  if (typed.value.trim()) await playTyped().catch((words) => (wrongMoves.textContent = words));
});
typed.addEventListener("input", () => (wrongMoves.textContent = ""));

function stepTo(target) {
  let nodeIndex = requestedNode;
  if (target === "back") nodeIndex = Math.max(startNode, tree[nodeIndex].parent);
  else if (target === "forward") nodeIndex = children(nodeIndex)[0] ?? nodeIndex;
  else if (target === "first") nodeIndex = startNode;
  else while (children(nodeIndex).length) nodeIndex = children(nodeIndex)[0];
  if (nodeIndex !== requestedNode) showNode(nodeIndex);
}

// The wheel steps through the moves if the page does not scroll.

const WHEEL_STEP = 60; // pixels
let wheelDistance = 0;
document.getElementById("part").addEventListener(
  "wheel",
  (event) => {
    if (event.ctrlKey || !event.target.closest(".board") || document.documentElement.scrollHeight > innerHeight) return;
    event.preventDefault();
    wheelDistance += event.deltaY;
    if (Math.abs(wheelDistance) < WHEEL_STEP) return;
    stepTo(wheelDistance > 0 ? "forward" : "back");
    wheelDistance = 0;
  },
  { passive: false },
);

document.addEventListener("keydown", (event) => {
  if (event.target.closest("input:not([type=checkbox]), select, textarea") || event.ctrlKey || event.altKey || event.metaKey) return;
  const place = event.target.closest(PLACE_SELECTOR);
  if (event.key === "Tab") live.dataset.by = "keys";
  if (place && (event.key === "Enter" || event.key === " ")) {
    event.preventDefault();
    if (setup?.open) changeSetup(place.dataset.point ?? place.dataset.edge);
    else playMoves(place.dataset.move ?? place.dataset.point ?? place.dataset.edge);
  } else if (place && live.dataset.by === "keys" && event.key in ARROW_DIRECTIONS) {
    event.preventDefault();
    focusPlace(neighbourOf(place, ...ARROW_DIRECTIONS[event.key]));
  } else {
    const where = { ArrowLeft: "back", ArrowRight: "forward", ArrowUp: "first", ArrowDown: "last", Home: "first", End: "last" }[event.key];
    if (!where) return;
    event.preventDefault();
    place?.blur(); // the arrow key steps through the moves and does not move the focus
    stepTo(where);
  }
});

comment.addEventListener("input", () => {
  tree[shownNode].comment = comment.value;
  storeTree();
});
comment.addEventListener("change", drawTree);

document.getElementById("cut").addEventListener("click", async () => {
  const [removed, above] = [shownNode, tree[shownNode].parent];
  const subtreeSize = (nodeIndex) => children(nodeIndex).reduce((sum, child) => sum + subtreeSize(child), 1);
  const count = subtreeSize(removed);
  tree[removed].parent = -2;
  await showNode(above);
  offerToRestore(`${counted(count, "move")} deleted.`, () => {
    tree[removed].parent = above;
    showMessage("");
    showNode(removed);
  });
});

const counted = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

// Shows a message with a button. restore: the function that brings the moves back.
function offerToRestore(words, restore) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Restore";
  button.addEventListener("click", restore);
  showMessage(`${words} `, true);
  messageBox.append(button);
}

// Another game of the list is shown at once, with its last board.
const chosenGame = document.getElementById("choose-game");
chosenGame.value = boardData.game; // also after a step back of the browser
chosenGame.addEventListener("change", () => {
  const storedBoard = storedBoards().find(({ game }) => game === chosenGame.value);
  if (storedBoard) openBoard(storedBoard);
  else location.assign(`/analysis?game=${chosenGame.value}`);
});

// Returns the first move of the innermost variation that has this move; 0 if the move belongs to the main line.
function variationStart(number) {
  if (number <= 0) return 0;
  return children(tree[number].parent)[0] === number ? variationStart(tree[number].parent) : number;
}

// Returns the tree without the removed moves, in the order of a file. first: the move that becomes the first of its
// siblings. numbers: receives the new number of each move.
function nodesInFileOrder(first, numbers = new Map()) {
  const nodes = [];
  const write = (nodeIndex) => {
    numbers.set(nodeIndex, nodes.length);
    nodes.push({ ...tree[nodeIndex], parent: nodeIndex ? numbers.get(tree[nodeIndex].parent) : -1 });
    const childIndexes = children(nodeIndex);
    for (const child of childIndexes.includes(first) ? [first, ...childIndexes.filter((child) => child !== first)] : childIndexes) write(child);
  };
  write(0);
  return nodes;
}

// Makes the line to the shown position the main line.
function promoteShown() {
  while (variationStart(shownNode)) {
    const numbers = new Map();
    tree = nodesInFileOrder(variationStart(shownNode), numbers);
    requestedNode = shownNode = numbers.get(shownNode);
  }
}

promote.addEventListener("click", () => {
  showMessage(""); // the nodes get other numbers, and deleted ones are gone
  promoteShown();
  updatePage();
});

// Files: SGF, or JSON for boards that SGF does not have

document.getElementById("save").addEventListener("click", () => {
  const form = document.getElementById("download");
  form.querySelectorAll(":not([name=token])").forEach((old) => old.remove());
  for (const [name, value] of [...positionQuery(0), ["tree", JSON.stringify(nodesInFileOrder())]]) {
    const field = document.createElement("input");
    Object.assign(field, { type: "hidden", name, value });
    form.append(field);
  }
  form.submit();
});

// Opens the text of a file. Throws a sentence if it is refused.
async function openFile(sgf) {
  const answer = await fetchJson("/analysis/read", { method: "POST", body: new URLSearchParams({ sgf }) });
  const name = newBoardName();
  writeBoard(name, { tree: answer.tree, opened: true, note: answer.note });
  openBoard({ name, url: answer.where });
}

// Returns the text of a file, in the encoding that the file names.
async function textOf(file) {
  const bytes = await file.arrayBuffer();
  const named = new TextDecoder("latin1").decode(bytes).match(/\bCA\s*\[([^\]]+)\]/);
  let decoder = new TextDecoder();
  try {
    if (named) decoder = new TextDecoder(named[1].trim());
  } catch {} // the browser does not know this encoding
  return decoder.decode(bytes);
}

// Returns a value of a file without its escapes.
const withoutEscapes = (value) => value.replace(/\\\n/g, "").replace(/\\(.)/g, "$1");

// The players, the result and the date that a file names, or an empty text.
function describeFile() {
  const [black, white, result, date] = ["PB", "PW", "RE", "DT"].map((name) => withoutEscapes(tree[0].properties?.[name]?.[0] ?? ""));
  const players = black || white ? `${black || "?"} (black) – ${white || "?"} (white)` : "";
  return [players, result, date].filter(Boolean).join(", ");
}

document.getElementById("open").addEventListener("change", async ({ target }) => {
  await textOf(target.files[0]).then(openFile).catch(showMessage);
  target.value = "";
});

// A file that was just opened is shown at the end of its main line, with a sentence on its content.
async function showOpened() {
  const lastNode = mainLine(tree).at(-1) ?? 0;
  await showNode(lastNode);
  const branches = tree.filter((node, index) => index && children(node.parent)[0] !== index).length;
  const more = branches ? ` and ${counted(branches, "variation")}` : "";
  const start = startNode ? `It begins with ${hasEdges ? "edges" : "stones"} on the board. ` : "";
  const words = describeFile();
  showMessage(`${words ? `${words}. ` : ""}The file has ${counted(movesTo(lastNode).length - startNode, "move")}${more}. ${start}The board shows the position after the last move; the arrows step through the moves.${rulesNote ? ` ${rulesNote}` : ""}`, true);
}

document.getElementById("copy").addEventListener("click", () => {
  const hasMore = tree.some((node, index) => node.comment || (index && children(node.parent)[0] !== index));
  if (!hasMore) return;
  const { textContent: save } = document.getElementById("save");
  showMessage(`The link has the shown line only. This browser keeps the variations and comments, and ${save} writes them to a file.`, true);
});

// The page that the browser keeps for a step back does not know what has happened to its board since.
addEventListener("pageshow", (event) => event.persisted && location.reload());

const [lastBoard] = storedBoards();
if (!location.search && lastBoard) return openBoard(lastBoard, (where) => location.replace(where)); // the page without a position shows the last board

restoreTree();
const interrupted = history.state?.analysis; // by a reload of the page
updatePage();
drawBoards();
if (isOpened) showOpened();
if (interrupted) {
  analysisChoices.forEach((list, index) => (list.value = interrupted[index]));
  isAnalysing = true;
  startAnalysis();
}
})();
