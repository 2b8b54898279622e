// The interactive parts of the page: live boards, moves by mouse and keyboard, stepping through a game.
"use strict";

const token = document.querySelector('meta[name="token"]').content;
const live = document.getElementById("live");
const said = document.getElementById("said");
let clockBegan = performance.now() - 1000 * Number(live?.dataset.clock || 0); // when the running clock began
const noAnswer = "The server does not answer. The game is stored: try again in a moment.";

// Shows a message. help: whether it answers a request, such as that for a hint, and is no error.
function say(words, help = false) {
  if (!said) return;
  said.textContent = words;
  said.classList.toggle("help", help);
}

// The coordinates of a board are those of files, or those of books about Go: letters without I, and row 1 at the bottom.
// The visitor chooses, for games of Go and for all other games. Only the text on the page changes; the server and the
// links keep the notation of files.

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const BOOK = LETTERS.replace("i", "");
const bookBoard = document.querySelector(".table svg[data-rows]");
const bookTable = bookBoard?.closest(".table");
const [bookRows, bookColumns] = ["rows", "columns"].map((name) => Number(bookBoard?.dataset[name]));
const choiceOf = (board) => (board.dataset.coordinates === "book" ? "coordinates" : "coordinates of other games");
const isInBook = (board) => (setting(choiceOf(board)) ?? board.dataset.coordinates) === "book";
let inBook = bookBoard !== null && isInBook(bookBoard);

const bookPoint = (whole, letter, row) => {
  const column = LETTERS.indexOf(letter);
  return column < bookColumns && row >= 1 && row <= bookRows ? `${BOOK[column].toUpperCase()}${bookRows + 1 - row}` : whole;
};
const shownMove = (name) => (inBook ? moveText(name) : name);
const isName = (word) => [...document.querySelectorAll(".who")].some((who) => who.textContent.trim() === word);
const POINT = /(?<![\w-])([a-z])(\d{1,2})(?![\w-])/g;
const moveText = (text) => text.replace(POINT, bookPoint);
const bookText = (text) => text.replace(POINT, (whole, ...parts) => (isName(whole) ? whole : bookPoint(whole, ...parts)));
const spokenPoint = (text) => text.replace(/^([a-z]) (\d+)/, (...found) => bookPoint(...found).replace(/^./, "$& ")); // so that a screen reader names the letter

// Returns a typed point in the notation of files. Throws a sentence if the board has no such point in the shown
// coordinates: in files, another point may have that name.
function storedMove(typed) {
  const found = inBook && typed.trim().match(/^(?:([a-z])\s*|(\d{1,2})[\s,]+)(\d{1,2})$/i);
  if (!found) return typed;
  const column = found[1] ? BOOK.indexOf(found[1].toLowerCase()) : found[2] - 1;
  const row = bookRows + 1 - found[3];
  if (column >= 0 && column < bookColumns && row >= 1 && row <= bookRows) return `${LETTERS[column]}${row}`;
  const last = BOOK[bookColumns - 1].toUpperCase();
  throw `There is no point ${typed.trim().toUpperCase()}. Columns are A to ${last}${last > "I" ? ", without I" : ""}; rows are 1 to ${bookRows}.`;
}

const kept = new WeakMap(); // by text or element: its text in the notation of files, and the text that is shown instead

function convert(node, key, converted, isBook = inBook) {
  const [stored, shown] = kept.get(node) ?? [];
  const original = node[key] === shown ? stored : node[key];
  const text = isBook ? converted(original) : original;
  kept.set(node, [original, text]);
  if (node[key] !== text) node[key] = text;
}

function convertText(node) {
  const parent = node.parentElement;
  const board = parent?.closest("svg[data-rows]");
  if (parent?.matches(".coordinate")) {
    const written = (label) => (/^\d+$/.test(label) ? String(board.dataset.rows - label + 1) : BOOK[LETTERS.indexOf(label)].toUpperCase());
    if (board) convert(node, "data", written, bookTable?.contains(board) ? inBook : isInBook(board));
  } else if (parent && bookTable?.contains(parent) && !parent.closest("pre, .who, script, option, textarea")) {
    convert(node, "data", parent.closest(".moves, .tree") ? moveText : bookText);
  }
}

function convertAll(root) {
  if (root.nodeType === Node.TEXT_NODE) return convertText(root);
  if (root.nodeType !== Node.ELEMENT_NODE) return;
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) convertText(texts.currentNode);
  if (bookBoard) for (const place of root.querySelectorAll("[data-point][aria-label]")) convert(place, "ariaLabel", spokenPoint);
}

// Shows the whole page in the chosen coordinates, with the switch that chooses them.
function showCoordinates() {
  for (const root of document.querySelectorAll(".table, svg[data-rows]")) convertAll(root);
  const typed = document.getElementById("typed");
  if (typed && bookBoard) convert(typed, "placeholder", bookText);
  for (const choice of document.querySelectorAll(".coordinates")) {
    choice.hidden = bookBoard === null;
    choice.firstChild.checked = inBook;
  }
}
showCoordinates();
if (bookBoard) {
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes) {
      if (target.nodeType === Node.TEXT_NODE) convertText(target);
      else addedNodes.forEach(convertAll);
    }
  }).observe(bookTable, { childList: true, characterData: true, subtree: true });
}
document.addEventListener("change", ({ target }) => {
  if (!target.closest(".coordinates")) return;
  inBook = target.checked;
  setting(choiceOf(bookBoard), inBook ? "book" : "stored");
  showCoordinates();
});

// Layout and notifications: the last move is visible, boards are as large as the window allows, and the title tells a
// user in another tab that it is their turn.

function toEnd(list) {
  [list.scrollLeft, list.scrollTop] = [list.scrollWidth, list.scrollHeight];
}

// Scrolls the list of moves, but not the page, until the shown move is visible.
function showStep(step) {
  const list = step?.closest(".moves");
  if (!list) return;
  const [of, at] = [list.getBoundingClientRect(), step.getBoundingClientRect()];
  list.scrollLeft += Math.min(0, at.left - of.left) + Math.max(0, at.right - of.right);
  list.scrollTop += Math.min(0, at.top - of.top) + Math.max(0, at.bottom - of.bottom);
}

const [CARD_PADDING, CARD_GAP, BOARD_MARGIN] = [16, 12, 5]; // pixels; the padding includes the border
const CAPTION_BESIDE = 12; // the width of names beside a board, in units of the page's font size
const NAME_LINE = 1.35; // the height of a line of a name, in the same units
const MIN_BOARD_SIDE = 130; // of a board on the teacher's page, in pixels; if there are more boards, they scroll
const MIN_NAME_SCALE = 0.76; // of the font size: smaller names cannot be read from the back of a room

// Names that wait for the first game are as large as the window allows, in columns of equal length.
function fitLobby() {
  const list = document.querySelector(".wall .lobby");
  if (!list) return;
  const UNIT = 10; // the font size, in pixels, at which the names are measured
  list.style.fontSize = `${UNIT}px`;
  const widths = [...list.children].map((one) => one.getBoundingClientRect().width);
  let [size, best] = [0, widths.length];
  for (let columns = 1; columns <= widths.length; columns++) {
    const rows = Math.ceil(widths.length / columns);
    let across = 0;
    for (let first = 0; first < widths.length; first += rows) across += 2 * UNIT + Math.max(...widths.slice(first, first + rows));
    const now = UNIT * Math.min(list.clientWidth / across, list.clientHeight / (1.4 * UNIT * rows));
    if (now > size) [size, best] = [now, rows];
  }
  const root = parseFloat(getComputedStyle(document.documentElement).fontSize);
  list.style.fontSize = `${Math.min(size, 4 * root)}px`;
  list.style.setProperty("--rows", best);
}

// On the wall, the table is beside or below the boards, whichever makes the boards larger.
function fit() {
  fitLobby();
  fitWall();
  fitNames();
  levelRows();
}

function fitWall() {
  const wall = document.querySelector(".wall");
  const isWide = wall?.querySelector(".boards") && innerWidth > innerHeight;
  const hasColumn = wall?.querySelector(".wall-side > *, .wall-join svg");
  const layouts = !isWide ? ["beside"] : hasColumn ? ["beside", "below"] : ["below"];
  const sides = layouts.map((layout) => {
    if (wall) wall.dataset.layout = layout;
    return fitBoards();
  });
  if (sides.length > 1 && sides[0] >= 0.95 * sides[1]) {
    wall.dataset.layout = "beside";
    fitBoards();
  }
}

// On the wall, a name or a word of a name that is too long for its place is written smaller.
function fitNames() {
  for (const name of document.querySelectorAll(".wall .boards .who")) {
    name.style.removeProperty("font-size");
    name.style.overflowWrap = "normal"; // a word is broken only if it is too long in the smallest size, too
    const share = name.clientWidth / name.scrollWidth;
    name.style.removeProperty("overflow-wrap");
    if (share < 1) name.style.fontSize = `${Math.max(MIN_NAME_SCALE, 0.98 * share)}em`;
  }
}

// On the wall, all rows of boards have the same height, also those with names of two lines.
function levelRows() {
  const boards = document.querySelector(".wall .boards");
  if (!boards) return;
  boards.style.removeProperty("--row");
  boards.style.setProperty("--row", `${Math.max(...[...boards.children].map((card) => card.offsetHeight))}px`);
}

// Makes the boards as large as their place allows, and returns the length of their sides in pixels. On the wall, the
// names are beside the boards where this makes them larger.
function fitBoards() {
  const boards = document.querySelector(".run .boards, .wall .boards, .class-now .boards");
  const count = boards ? boards.children.length : 0;
  const freely = () => {
    for (const name of ["--columns", "--board-side"]) boards?.style.removeProperty(name);
    return 0;
  };
  if (!count || getComputedStyle(boards.closest(".run, .wall, .class-now")).display !== "grid") return freely();
  delete boards.dataset.captions;
  delete boards.dataset.roomy;
  const place = boards.closest(".class-now > section") ?? boards;
  const [wide, high] = [place.clientWidth, place.clientHeight];
  const words = Math.max(...[...boards.querySelectorAll(".caption")].map((one) => one.offsetHeight));
  const sidesFor = (left, above) =>
    Array.from({ length: count }, (_, index) => {
      const [across, down] = [(wide + CARD_GAP) / (index + 1), (high + CARD_GAP) / Math.ceil(count / (index + 1))];
      return Math.min(across - left, down - above - BOARD_MARGIN) - CARD_GAP - CARD_PADDING;
    });
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  let sides = sidesFor(0, words);
  // with few columns there is more room for names, so that on the wall boards may be smaller than the largest possible
  let share = 1;
  if (boards.closest(".wall")) {
    const beside = sidesFor(CAPTION_BESIDE * rem, 0);
    share = 0.85;
    if (share * Math.max(...beside) > Math.max(...sides)) {
      [sides, share] = [beside, 1];
      boards.dataset.captions = "beside";
    }
  }
  if (place !== boards && Math.max(...sides) < MIN_BOARD_SIDE) return freely();
  const best = sides.findIndex((side) => side >= share * Math.max(...sides));
  boards.style.setProperty("--columns", best + 1);
  const show = (side) => boards.style.setProperty("--board-side", `${Math.max(0, Math.floor(side))}px`);
  show(sides[best]);
  if (share === 1) return sides[best];
  // long names on the wall take a second line, if the boards lose little by it
  const isLong = (name) => MIN_NAME_SCALE * name.scrollWidth > name.clientWidth;
  const lines = Math.max(...[...boards.children].map((card) => [...card.querySelectorAll(".who")].filter(isLong).length));
  const cell = (high + CARD_GAP) / Math.ceil(count / (best + 1)) - CARD_GAP;
  const missing = lines * NAME_LINE * rem - (cell - CARD_PADDING - words - BOARD_MARGIN - sides[best]);
  if (lines && missing < 0.12 * sides[best]) {
    boards.dataset.roomy = "";
    show(sides[best] - Math.max(0, missing));
  }
  return sides[best];
}
addEventListener("resize", fit);
fit();

// The wall shows its tables one after another. The table of a class is always shown; if it has more rows than there is
// room for, the rows take turns.

const TURN = 10_000;
let turn = 0;

function rotate() {
  const panes = document.querySelectorAll(".wall .pane");
  panes.forEach((pane, number) => pane.classList.toggle("shown", number === turn % panes.length));
  const rows = [...document.querySelectorAll(".wall .standings tbody tr")];
  if (!rows.length) return;
  const around = rows[0].closest("table").parentElement.getBoundingClientRect();
  const isInside = (row) => {
    const { bottom, right } = row.getBoundingClientRect();
    return bottom <= around.bottom + 1 && right <= around.right + 1;
  };
  const starts = []; // the first row of each page; rows with long names are higher than others
  for (let first = 0; first < rows.length; ) {
    starts.push(first);
    rows.forEach((row, number) => (row.hidden = number < first));
    first += Math.max(1, rows.slice(first).filter(isInside).length);
  }
  starts.push(rows.length);
  const page = turn % (starts.length - 1);
  let [first, end] = [starts[page], starts[page + 1]];
  const show = (from) => rows.forEach((row, number) => (row.hidden = number < from || number >= end));
  show(first);
  // the last page repeats rows of the page before, so that it is full too
  while (first && end === rows.length) {
    show(first - 1);
    if (!rows.slice(first - 1).every(isInside)) break;
    first--;
  }
  show(first);
  document.querySelector(".wall .range").textContent = starts.length > 2 ? `${first + 1} to ${end} of ${rows.length}` : "";
}
addEventListener("resize", rotate);
if (document.querySelector(".wall")) {
  setInterval(() => {
    turn++;
    rotate();
  }, TURN);
  rotate();
}

// While no move can be taken back, the button for it is disabled, and its title says why.
function showUndo() {
  const button = document.querySelector("button.undo");
  if (!button) return;
  const why = live.querySelector(".board")?.dataset.noUndo;
  button.disabled = why !== undefined;
  button.title = why ?? "";
}
showUndo();

const title = document.title;
let sounds = null;

function announce(moved) {
  const isYourTurn = document.querySelector(".board[data-turn]");
  const waited = document.querySelector("[data-live] .players .to-move .who")?.textContent;
  document.title = isYourTurn ? `● Your turn – ${title}` : waited ? `${waited} to move – ${title}` : title;
  if (moved && setting("sound") !== "off") knock();
}

function knock() {
  if (!sounds || sounds.state !== "running") return;
  const [tone, volume] = [sounds.createOscillator(), sounds.createGain()];
  tone.frequency.value = 420;
  volume.gain.setValueAtTime(0.06, sounds.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.0001, sounds.currentTime + 0.09);
  tone.connect(volume).connect(sounds.destination);
  tone.start();
  tone.stop(sounds.currentTime + 0.1);
}

// A browser allows sounds only after a click.
addEventListener("click", () => {
  if (!sounds && live && setting("sound") !== "off" && "AudioContext" in window) sounds = new AudioContext();
});

// Returns a setting that the browser stores, or null. value: if given, the new value, which is stored first.
function setting(name, value) {
  try {
    if (value !== undefined) localStorage.setItem(name, value);
    return localStorage.getItem(name);
  } catch {
    return null; // the browser does not allow storage
  }
}

document.getElementById("theme")?.addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = setting("theme", dark ? "light" : "dark") ?? (dark ? "light" : "dark");
});

const sound = document.getElementById("sound");
if (sound) {
  sound.checked = setting("sound") !== "off";
  sound.addEventListener("change", () => setting("sound", sound.checked ? "on" : "off"));
}

// A click outside of a menu, or Escape, closes the menu.
const closeMenus = (except) => {
  for (const menu of document.querySelectorAll(".menu[open]")) {
    if (menu.contains(except)) continue;
    menu.open = false;
    menu.querySelectorAll("form[data-sure]").forEach(dismiss);
  }
};
document.addEventListener("click", (event) => closeMenus(event.target));
document.addEventListener("keydown", (event) => event.key === "Escape" && closeMenus(null));

// While the server does not answer, for example because it is started again, a bar says so and the clocks stand still.

const LOST_MILLISECONDS = 1500; // a short interruption is not worth a message
const SILENCE_MILLISECONDS = 12_000; // the server sends an event at least every 4 seconds
let lostTimer = null;
let isLost = false;

function showLost(on) {
  const mark = () => {
    isLost = on;
    document.getElementById("lost").textContent = on ? "The server does not answer. This page continues as soon as it does." : "";
  };
  if (on) {
    lostTimer ??= setTimeout(mark, LOST_MILLISECONDS);
  } else {
    clearTimeout(lostTimer);
    lostTimer = null;
    mark();
  }
}

// Keeps an element up to date by server-sent events: first its whole text, then only the lines that change.

function follow(element) {
  let lines = [];
  let source = null;
  let ended = false;
  let heard = 0; // when the last event arrived

  function draw(data) {
    const focused = document.activeElement;
    const inside = element.contains(focused);
    const place = inside && (focused.dataset.point || focused.dataset.edge);
    const moves = element.querySelector(".moves");
    const atEnd = !moves || (moves.scrollTop + moves.clientHeight >= moves.scrollHeight - 8 && moves.scrollLeft + moves.clientWidth >= moves.scrollWidth - 8);
    const [left, top] = moves ? [moves.scrollLeft, moves.scrollTop] : [0, 0];
    const before = element.querySelectorAll(".moves li").length;
    laid = null; // the new board replaces the stone that was drawn at once
    cancel();
    element.innerHTML = lines.join("\n");
    const asText = document.getElementById("diagram"); // in the menu, which stays open while the board changes
    if (asText) asText.textContent = element.querySelector("[data-diagram]")?.textContent ?? ""; // none of a deleted game
    const words = document.getElementById("status-words");
    if (words && (words.dataset.status ?? words.textContent) !== data.status) words.textContent = data.status;
    if (words) words.dataset.status = data.status;
    const thinking = document.getElementById("thinking");
    if (thinking) {
      if (data.thinking === null) delete thinking.dataset.thinking;
      else thinking.dataset.thinking = data.thinking;
      thinking.dataset.since = performance.now();
    }
    clockBegan = performance.now() - 1000 * (data.clock ?? 0);
    ahead ??= Date.now() / 1000 - data.now;
    const list = element.querySelector(".moves");
    if (list && atEnd) toEnd(list);
    else if (list) [list.scrollLeft, list.scrollTop] = [left, top];
    fit();
    rotate();
    showUndo();
    const next = element.querySelector("[data-next]")?.dataset.next;
    if (next && next !== rematch) whenOnline(() => location.assign(next));
    announce(element.querySelectorAll(".moves li").length > before);
    const again = place && pick(place);
    if (again && again.getAttribute("role") === "button") focusOn(again);
    else if (place && list) list.focus({ preventScroll: true }); // the game is over: the focus moves to the list of moves
    // an error message is removed when the board changes
    if (element.dataset.version !== String(data.version) && said && !said.classList.contains("help")) say("");
    tick();
    element.dataset.version = data.version;
    element.dispatchEvent(new CustomEvent("drawn", { detail: data }));
  }

  function open() {
    if (source || ended) return;
    source = new EventSource(element.dataset.live);
    heard = performance.now();
    for (const event of ["open", "whole", "change", "alive"]) {
      source.addEventListener(event, () => (heard = performance.now()));
    }
    source.addEventListener("open", () => {
      showLost(false);
      if (said && said.textContent === noAnswer) say("");
    });
    source.addEventListener("whole", (event) => {
      const data = JSON.parse(event.data);
      lines = data.text.split("\n");
      draw(data);
    });
    source.addEventListener("change", (event) => {
      const data = JSON.parse(event.data);
      for (const [from, to, now] of data.hunks) lines.splice(from, to - from, ...now);
      draw(data);
    });
    source.addEventListener("last", () => {
      ended = true;
      close();
    });
    source.addEventListener("error", () => {
      showLost(true);
      if (source && source.readyState === EventSource.CLOSED) {
        source = null;
        setTimeout(open, 2000);
      }
    });
  }

  function disconnect() {
    if (source) source.close();
    source = null;
  }

  function close() {
    disconnect();
    showLost(false);
  }

  // A browser does not always notice that a connection is dead, for example without Wi-Fi.
  function reconnect() {
    if (ended || document.hidden) return;
    disconnect();
    showLost(true);
    open();
  }
  addEventListener("offline", reconnect);
  addEventListener("online", reconnect);
  setInterval(() => {
    if (source && performance.now() - heard > SILENCE_MILLISECONDS) reconnect();
  }, 1000);

  // a browser opens at most six connections to a server, so a hidden page closes its connection
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
  open();
  return () => source !== null && source.readyState === EventSource.OPEN;
}

const rematch = live?.querySelector("[data-next]")?.dataset.next; // already there when a finished game is opened again
const connected = live && live.dataset.live ? follow(live) : () => true;

// On the teacher's page, the actions on one student follow the class, with the students who can play or take over. If
// only the students have changed, their lists stay in place, and open.
const withoutOptions = (part) => {
  const copy = part.cloneNode(true);
  for (const list of copy.querySelectorAll("select")) list.replaceChildren();
  for (const question of copy.querySelectorAll(".sure")) question.remove();
  for (const button of copy.querySelectorAll("button")) button.hidden = false;
  return [...copy.childNodes].map((one) => one.outerHTML ?? one.textContent.trim()).join("");
};

function showStudent() {
  const section = document.getElementById("student");
  if (!section) return;
  const fresh = document.getElementById("fresh-student")?.content.cloneNode(true);
  if (!fresh) return section.remove();
  if (withoutOptions(fresh) !== withoutOptions(section)) return section.replaceChildren(fresh);
  for (const list of section.querySelectorAll("select")) {
    const now = fresh.querySelector(`select[name="${list.name}"]`);
    const { value } = list;
    if (now.innerHTML === list.innerHTML) continue;
    list.replaceChildren(...now.children);
    if ([...list.options].some((one) => one.value === value)) list.value = value;
  }
}
live?.addEventListener("drawn", showStudent);

// Shows how long the agent to move has been thinking.

function tick() {
  const thinking = document.getElementById("thinking");
  if (!thinking) return;
  if (thinking.dataset.thinking === undefined) {
    if (thinking.textContent) thinking.textContent = "";
    return;
  }
  const since = Number(thinking.dataset.since || 0);
  const seconds = Number(thinking.dataset.thinking) + (performance.now() - since) / 1000;
  const isSlow = seconds > Number(thinking.dataset.patience ?? Infinity);
  thinking.textContent = ` ${seconds.toFixed(1)} s${isSlow ? ". It gets ready for the first time, which takes up to a minute." : ""}`;
}
setInterval(tick, 100);

// The clock of the player to move. The server sends the time that was left at the start of the turn.

function clockText(seconds) {
  if (seconds < 10) return `${Math.max(0, seconds).toFixed(1)} s`;
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, Math.floor(seconds) % 60];
  const two = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

// Small boards have clocks with the time of their end, by the clock of the server.
let ahead = null; // seconds by which this computer's clock is ahead of the server's

function runSmallClocks() {
  if (isLost) return;
  for (const running of document.querySelectorAll(".clock[data-end]")) {
    const left = Number(running.dataset.end) - (Date.now() / 1000 - (ahead ?? 0));
    running.textContent = clockText(left);
    running.classList.toggle("low", left < 10);
  }
}
setInterval(runSmallClocks, 200);

function runClock() {
  const running = document.querySelector(".clock[data-left]");
  if (!running || isLost) return;
  const left = Number(running.dataset.left) - (performance.now() - clockBegan) / 1000;
  running.textContent = clockText(left);
  running.classList.toggle("low", left < 10);
}
setInterval(runClock, 100);

// Leaves or reloads the page as soon as the browser is online: offline, the browser would show its own error page, from
// which there is no way back.
function whenOnline(navigate) {
  if (navigator.onLine) navigate();
  else addEventListener("online", navigate, { once: true });
}

// Forms that are sent without loading the page; the response is shown as a message.

let posted = 0; // number of forms sent so far

async function post(action, fields) {
  const mine = ++posted;
  const response = await fetch(action, {
    method: "POST",
    headers: { Accept: "application/json", "X-Token": token },
    body: new URLSearchParams(fields),
  });
  const answer = await response.json();
  if (answer.go) whenOnline(() => location.assign(answer.go));
  else if (answer.ask) {
    say(`${answer.refused} ${answer.remedy}`);
    offer("Play it anyway", () => sendMove(action, { ...fields, sure: "1" }), true);
  } else if (answer.refused) refused(`${answer.refused} ${answer.remedy}`);
  else if (mine === posted) say(answer.said || "", true); // a late hint must not replace the answer to a later move
  if (mine === posted && answer.said && action.endsWith("/hint")) mark(answer.said.split(":")[0]);
  if (response.ok && !answer.go && !answer.ask && !connected()) whenOnline(() => location.reload());
}

function refused(words) {
  lift();
  say(words);
}

// Marks the move of a hint, with which its text begins, until the board changes. Moves that are no places are not marked.
function mark(name) {
  pick(name)?.classList.add("hinted");
}

async function send(action, fields) {
  try {
    await post(action, fields);
  } catch {
    refused(noAnswer);
  }
}

// A dangerous form is replaced by a question. Cancel is where the button was, and has the focus, so that a second click
// does no harm.
function askFirst(form) {
  const button = form.querySelector("button");
  const asking = document.createElement("div");
  const [words, no, yes] = ["p", "button", "button"].map((name) => asking.appendChild(document.createElement(name)));
  asking.className = "sure";
  asking.setAttribute("role", "group");
  const sure = form.querySelector("option:checked[data-sure]")?.dataset.sure ?? form.dataset.sure;
  asking.setAttribute("aria-label", sure);
  words.textContent = sure;
  Object.assign(no, { type: "button", textContent: "Cancel" });
  Object.assign(yes, { className: "danger", textContent: button.textContent.split(" ")[0] });
  const back = (event) => {
    event.stopPropagation(); // so that the menu stays open
    dismiss(form);
    button.focus();
  };
  no.addEventListener("click", back);
  asking.addEventListener("keydown", (event) => event.key === "Escape" && back(event));
  button.hidden = true;
  form.append(asking);
  no.focus();
}

function dismiss(form) {
  form.querySelector(".sure")?.remove();
  form.querySelector("button").hidden = false;
}

// Moves are sent one after another: two requests at the same time could arrive in the wrong order.
let moves = Promise.resolve();

function sendMove(action, fields) {
  moves = moves.then(() => send(action, fields));
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  const first = form.dataset.sure && !event.submitter.matches(".sure button");
  if (first || "quiet" in form.dataset) event.preventDefault();
  if (first) return askFirst(form);
  if (!("quiet" in form.dataset)) return;
  const fields = Object.fromEntries(new FormData(form, event.submitter));
  if (form.id === "move") {
    try {
      fields.move = storedMove(fields.move);
    } catch (wrong) {
      return refused(wrong);
    }
  }
  if (form.id === "move" && !fields.move.trim()) return;
  if (!form.querySelector("input:not([type=hidden])")) closeMenus(null);
  const action = event.submitter?.getAttribute("formaction") ?? form.action;
  if (bar && !bar.hidden) withdraw(); // else its buttons would stand under the words of another request
  say(form.action.endsWith("/hint") ? "Looking for a good move …" : "", true);
  for (const marked of live.querySelectorAll(".hinted")) marked.classList.remove("hinted"); // the words of the hint go, too
  if (form.id === "move" || form.id === "choose") sendMove(action, fields); // a pass, too
  else send(action, fields);
  if (form.id === "move") form.reset();
});

// The board: a click or Enter plays a move, arrow keys move the focus from place to place.

const places = "[data-point], [data-edge]";

function pick(name) {
  return live.querySelector(`[data-point="${CSS.escape(name)}"], [data-edge="${CSS.escape(name)}"]`);
}

function focusOn(place) {
  if (!place) return;
  for (const other of live.querySelectorAll('[role="button"][tabindex="0"]')) other.setAttribute("tabindex", "-1");
  place.setAttribute("tabindex", "0");
  place.focus({ preventScroll: false });
}

function playAt(place) {
  say("");
  const move = place.dataset.move ?? place.dataset.point ?? place.dataset.edge;
  if (!move) return;
  lay(place);
  sendMove(live.dataset.play, { move });
}

// The player's own stone is drawn at once. The server's answer replaces it, or removes it with an error message.

const SVG = "http://www.w3.org/2000/svg";
const STONE = 19; // radius in the units of the picture
let laid = null; // the function that removes the stone

function lay(place, kind = "laid") {
  lift();
  const turn = live.querySelector(".board")?.dataset.turn;
  if (!turn || place.dataset.move !== undefined) return;
  const line = place.dataset.edge && place.querySelector(".open");
  if (line) {
    line.setAttribute("class", `drawn latest ${kind}`);
    laid = () => line.setAttribute("class", "open");
  } else if (place.dataset.point && (turn === "black" || turn === "white") && !place.querySelector(".stone")) {
    const hit = place.querySelector(".hit");
    const stone = document.createElementNS(SVG, "circle");
    const half = Number(hit.getAttribute("width")) / 2;
    stone.setAttribute("cx", Number(hit.getAttribute("x")) + half);
    stone.setAttribute("cy", Number(hit.getAttribute("y")) + half);
    stone.setAttribute("r", STONE);
    stone.setAttribute("class", `stone ${turn} ${kind}`);
    hit.before(stone);
    laid = () => stone.remove();
  }
}

function lift() {
  if (laid) laid();
  laid = null;
}

// Draws a mark on a place: a circle, or a text. aside: its distance from the middle, to the right and up.
function spot(place, kind, name, radius, aside = 0) {
  const box = place.querySelector(".hit");
  const x = Number(box.getAttribute("x")) + box.getAttribute("width") / 2 + aside;
  const y = Number(box.getAttribute("y")) + box.getAttribute("height") / 2 - aside;
  const made = document.createElementNS(SVG, kind);
  made.setAttribute("class", name);
  const attributes = { circle: { cx: x, cy: y, r: radius }, path: { transform: `translate(${x} ${y})` } }[kind] ?? { x, y };
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  box.before(made);
  return made;
}

// Marks for beginners: liberties, atari, territory, edges that close boxes.

const teacher = () => document.getElementById("teach"); // searched each time, since a replay replaces it at every step

function sign({ place: name, kind, text }) {
  const place = pick(name);
  if (!place) return;
  if (kind === "closes" || kind === "gives") return place.classList.add(kind, "taught-edge");
  const colour = place.querySelector(".stone.black") ? "black" : "white";
  if (kind === "liberties") spot(place, "text", `number on-${colour} taught`).textContent = text;
  else if (kind === "atari") spot(place, "circle", "atari taught", STONE);
  else if (kind === "link") join(place, pick(text));
  else spot(place, "circle", `${kind} taught`, 6);
}

function join(one, other) {
  if (!other) return;
  const made = spot(one, "line", "link taught");
  const ends = [one, other].map((place) => place.querySelector(".hit"));
  ends.forEach((box, at) => {
    made.setAttribute(`x${at + 1}`, Number(box.getAttribute("x")) + box.getAttribute("width") / 2);
    made.setAttribute(`y${at + 1}`, Number(box.getAttribute("y")) + box.getAttribute("height") / 2);
  });
}

let lessons = 0; // number of requests so far; answers to earlier requests are ignored

async function teach() {
  for (const old of live.querySelectorAll(".taught")) old.remove();
  for (const old of live.querySelectorAll(".taught-edge")) old.classList.remove("taught-edge", "closes", "gives");
  const mine = ++lessons;
  const asking = teacher();
  if (asking) asking.checked = setting("teach") === "on";
  if (!asking?.checked) return;
  try {
    const response = await fetch(asking.dataset.marks ?? live.dataset.marks, { headers: { Accept: "application/json" } });
    const signs = response.ok ? await response.json() : [];
    if (mine === lessons) signs.forEach(sign);
  } catch {} // without an answer the board is shown without marks
}

if (teacher()) {
  document.addEventListener("change", ({ target }) => {
    if (target.id !== "teach") return;
    setting("teach", target.checked ? "on" : "off");
    teach();
  });
  live.addEventListener("drawn", teach);
  if (teacher().dataset.marks ?? live.dataset.marks) teach();
}

// A bar asks for confirmation before a move. On small points a touch is inexact, so the first tap only shows where the
// stone would be.

const FINGER = 24; // smallest size of a point that a touch plays at once, in CSS pixels
const bar = document.getElementById("confirm");
let asked = null; // the place of the move
let agreed = null; // the function that plays the move
let before = null; // the element that had the focus

function ask(place) {
  asked = place;
  lay(place, "ghost");
  if (!laid) return cancel(); // not the player's turn, or an occupied place: the server gives the reason
  const name = place.dataset.point ?? place.dataset.edge;
  offer(`Play ${name}`, () => playAt(pick(name)));
}

// isLosing: whether the move loses. Then Cancel is first, filled and focused.
function offer(words, action, isLosing = false) {
  agreed = action;
  before = document.activeElement;
  const [yes, no] = ["yes", "no"].map((name) => document.getElementById(`confirm-${name}`));
  yes.textContent = words;
  bar.classList.toggle("losing", isLosing);
  yes.classList.toggle("go", !isLosing);
  no.classList.toggle("go", isLosing);
  bar.prepend(isLosing ? no : yes);
  bar.hidden = false;
  if (isLosing) no.focus();
}

function cancel() {
  asked = null;
  if (bar) bar.hidden = true;
}

// Withdraws the question before a move, and the stone that it showed.
function withdraw() {
  cancel();
  lift();
}

if (bar) {
  const no = document.getElementById("confirm-no");
  document.getElementById("confirm-yes").addEventListener("click", () => {
    say("");
    cancel();
    agreed();
  });
  no.addEventListener("click", () => {
    say("");
    withdraw();
    before.focus({ preventScroll: true });
  });
  bar.addEventListener("keydown", (event) => event.key === "Escape" && no.click());
}

function middle(place) {
  const box = place.querySelector(".hit").getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
}

function beside(place, right, down) {
  const [x, y] = middle(place);
  let best = null;
  let least = Infinity;
  for (const other of live.querySelectorAll('[role="button"]')) {
    const [otherX, otherY] = middle(other);
    const ahead = (otherX - x) * right + (otherY - y) * down;
    const aside = Math.abs((otherX - x) * down) + Math.abs((otherY - y) * right);
    if (ahead > 1 && ahead + 3 * aside < least) {
      least = ahead + 3 * aside;
      best = other;
    }
  }
  return best;
}

const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

let pointer = "mouse";
addEventListener("pointerdown", (event) => (pointer = event.pointerType), true);

if (live && live.dataset.play) {
  live.addEventListener("click", (event) => {
    const place = event.target.closest(places);
    if (!place || place.getAttribute("role") !== "button") return;
    live.dataset.by = "mouse";
    focusOn(place);
    const box = place.querySelector(".hit").getBoundingClientRect();
    const finger = (event.pointerType ?? pointer) === "touch";
    if (finger && Math.min(box.width, box.height) < FINGER && place !== asked) {
      ask(place);
      if (asked) return;
    }
    cancel();
    playAt(place);
  });
  live.addEventListener("keydown", (event) => {
    live.dataset.by = "keys";
    const place = event.target.closest(places);
    if (!place || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key in arrows) {
      event.preventDefault();
      focusOn(beside(place, ...arrows[event.key]));
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      playAt(place);
    }
  });
}

// Stepping through a finished game without loading the whole page. Without scripts, the links step too.

let requestedSteps = 0;
let drawnStep = 0;

async function step(where) {
  const mine = ++requestedSteps;
  const response = await fetch(where);
  if (!response.ok) return location.assign(where);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  if (mine < drawnStep) return; // a later request was answered earlier, so a running review does not undo a step
  drawnStep = mine;
  const focused = document.activeElement && document.activeElement.dataset.step;
  const open = [...live.querySelectorAll("details")].map((one) => one.open);
  const { scrollTop, scrollLeft } = live.querySelector(".moves");
  const speed = document.getElementById("speed").value;
  live.replaceChildren(...page.getElementById("live").childNodes);
  live.querySelectorAll("details").forEach((one, at) => (one.open = open[at]));
  Object.assign(live.querySelector(".moves"), { scrollTop, scrollLeft });
  document.getElementById("speed").value = speed;
  if (running) document.getElementById("run").textContent = "❚❚";
  const now = live.querySelector('[aria-current="step"]');
  showStep(now);
  if (focused) (focused === "to" ? now : live.querySelector(`[data-step="${focused}"]`))?.focus();
  history.replaceState(null, "", where);
  live.dispatchEvent(new Event("drawn"));
  showCoordinates();
  reviewing();
}

// During a review, the page is updated with the new results.
let waiting = null;

function reviewing() {
  clearTimeout(waiting);
  if (live.querySelector("[data-reviewing]")) waiting = setTimeout(() => step(location.href), 700);
}

if (live && "replay" in live.dataset) {
  reviewing();
  live.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-step]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    step(link.getAttribute("href")); // in the graph, which is SVG, `link.href` is an object
  });
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input:not([type=checkbox]), select, textarea") || event.ctrlKey || event.altKey || event.metaKey) return;
    const rel = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" }[event.key];
    const link = rel && live.querySelector(`a[data-step="${rel}"]`);
    if (!link) return;
    event.preventDefault();
    step(link.href);
  });
}

// Automatic replay of a game.

let running = null;

function runs(on) {
  clearInterval(running);
  running = null;
  const button = document.getElementById("run");
  if (!button) return;
  if (on) {
    const speed = Number(document.getElementById("speed").value);
    running = setInterval(() => {
      const link = live.querySelector('a[data-step="forward"]:not([aria-disabled])');
      if (link) step(link.href);
      else runs(false);
    }, speed);
  }
  button.textContent = on ? "❚❚" : "▶";
  button.setAttribute("aria-pressed", String(on));
}

if (live && "replay" in live.dataset) {
  live.addEventListener("click", async (event) => {
    if (event.target.id !== "run") return;
    const end = live.querySelector('a[data-step="forward"][aria-disabled]');
    if (!running && end) await step(live.querySelector('a[data-step="first"]').href);
    runs(!running);
  });
  live.addEventListener("change", (event) => {
    if (event.target.id !== "speed") return;
    setting("speed", event.target.value);
    if (running) runs(true);
  });
}

// The form for a game of Go shows the komi that the server will use while the field is empty.
const newGame = document.querySelector("form.new, form#pair");
if (newGame) {
  const form = newGame;
  const showKomi = () => {
    const komi = document.getElementById("option-komi");
    if (!komi) return;
    const chosen = (name) => form.querySelector(`[name="${name}"]:checked`)?.value ?? "";
    const sides = ["size", "rows", "cols"].map((name) => form.querySelector(`[name="option-${name}"]`)?.value).filter(Boolean);
    const large = sides.length ? sides.every((side) => Number(side) >= 19) : `${chosen("size")} ${form.elements.namedItem("game").value}`.includes("size=19");
    for (const box of form.querySelectorAll('[name="handicap"]')) {
      box.parentElement.hidden = Number(box.value) > (large ? 9 : 5); // smaller boards have five star points
      if (box.checked && box.parentElement.hidden) form.querySelector('[name="handicap"]').checked = true;
    }
    const small = sides.some((side) => Number(side) < 9);
    const handicap = Number(chosen("handicap"));
    komi.placeholder = small ? "0" : handicap ? "0.5" : chosen("option-scoring") === "territory" ? "6.5" : "7.5";
    const words = form.querySelector("[data-komi]");
    if (words) words.textContent = komi.value || komi.placeholder;
  };
  // On the teacher's page, the rules are those of the chosen game.
  form.addEventListener("input", (event) => {
    const [game] = form.elements.namedItem("game").value.split(" ");
    const rules = document.getElementById("rules");
    if (rules && form.elements.namedItem("rules").value !== game) {
      rules.replaceChildren(form.querySelector(`template[data-rules="${game}"]`).content.cloneNode(true));
    }
    showKomi();
  });
  showKomi();
  form.addEventListener("invalid", ({ target }) => target.closest("details")?.setAttribute("open", ""), true); // else hidden
}

// In a game for several players, only as many turns are offered as there are players.
const more = [...document.querySelectorAll('select[name="opponent"]')];
if (more.length) {
  const { form } = more[0];
  const showTurns = () => {
    const players = 2 + more.filter((list) => list.value !== "nobody").length;
    for (const turn of form.querySelectorAll('[name="seat"]:not([value="random"])')) {
      turn.parentElement.hidden = Number(turn.value) > players;
      if (turn.checked && turn.parentElement.hidden) form.querySelector('[name="seat"]').checked = true;
    }
  };
  form.addEventListener("input", showTurns);
  showTurns();
}

// Above the button that begins a game, a phone shows the name and the side, whose fields are farther down.
const announced = document.getElementById("announced");
if (announced) {
  const { form } = announced.closest("p").querySelector("button");
  const show = () => {
    const side = form.querySelector('[name="seat"]:checked').parentElement.textContent.trim().toLowerCase();
    announced.textContent = `You: ${form.elements.namedItem("name").value}, ${side}`;
  };
  form.addEventListener("input", show);
  show();
}

// Below the opponents, the form says how the chosen level plays.
const aboutLevel = document.getElementById("about-level");
if (aboutLevel) {
  const form = aboutLevel.closest("form");
  const showLevel = () => {
    const chosen = form.querySelector('[name="opponent"]:checked');
    const from = chosen?.value === "other" ? form.elements.namedItem("other").selectedOptions[0] : chosen;
    aboutLevel.textContent = from?.dataset.about ?? "";
  };
  form.addEventListener("change", showLevel); // after the list below has selected its radio button
  showLevel();
}

// A choice from the list of all opponents also selects the radio button beside it.
for (const list of document.querySelectorAll('select[name="other"]')) {
  list.addEventListener("change", () => (list.form.querySelector('input[name="opponent"][value="other"]').checked = true));
}

for (const list of document.querySelectorAll(".moves")) toEnd(list);
showStep(live?.querySelector('[aria-current="step"]'));
announce(false);

// A review in words is updated until it is complete.
async function updateReview() {
  if (live || !document.querySelector("[data-reviewing]")) return;
  await new Promise((then) => setTimeout(then, 1000));
  const page = await fetch(location.href).then((response) => response.text()).catch(() => "");
  const main = new DOMParser().parseFromString(page, "text/html").getElementById("main");
  if (main) document.getElementById("main").replaceChildren(...main.childNodes);
  updateReview();
}
updateReview();
for (const field of document.querySelectorAll(".invite input")) field.addEventListener("focus", () => field.select());
for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const words = button.dataset.copy || location.href;
    try {
      await navigator.clipboard.writeText(words);
    } catch {
      const field = Object.assign(document.createElement("textarea"), { value: words });
      button.after(field);
      field.select();
      document.execCommand("copy"); // without HTTPS a browser does not offer the clipboard
      field.remove();
    }
    const label = button.textContent;
    if (label !== "Copied") setTimeout(() => (button.textContent = label), 2000);
    button.textContent = "Copied";
  });
}

document.getElementById("incomplete").remove(); // all of this script has run
