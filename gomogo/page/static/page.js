// The interactive parts of the page: live boards, moves by mouse and keyboard, stepping through a game.
"use strict";

const token = document.querySelector('meta[name="token"]').content;
const live = document.getElementById("live");
const messageBox = document.getElementById("said");
let clockBegan = performance.now() - 1000 * Number(live?.dataset.clock || 0); // when the running clock began
const NO_ANSWER = "The server does not answer. The game is stored: try again in a moment.";

// Shows a message. help: whether it answers a request, such as that for a hint. Other messages are errors.
function showMessage(words, help = false) {
  if (!messageBox) return;
  messageBox.textContent = words;
  messageBox.classList.toggle("help", help);
  messageBox.classList.toggle("long", words.includes("\n")); // an explanation of the position
}

// The coordinates of a board are those of files, or those of books about Go: letters without I, and row 1 at the bottom.
// The visitor chooses, for games of Go and for all other games. Only the text on the page changes; the server and the
// links keep the coordinates that files have.

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const BOOK_LETTERS = LETTERS.replace("i", "");
const bookBoard = document.querySelector(".table svg[data-rows], .words[data-rows]"); // or the words about a board
const bookTable = bookBoard?.closest(".table, #main");
const [bookRows, bookColumns] = ["rows", "columns"].map((name) => Number(bookBoard?.dataset[name]));
const coordinatesSetting = (board) => (board.dataset.coordinates === "book" ? "coordinates" : "coordinates of other games");
const usesBookCoordinates = (board) => (setting(coordinatesSetting(board)) ?? board.dataset.coordinates) === "book";
let showsBookCoordinates = bookBoard !== null && usesBookCoordinates(bookBoard);

const toBookPoint = (whole, letter, row) => {
  const column = LETTERS.indexOf(letter);
  return column < bookColumns && row >= 1 && row <= bookRows ? `${BOOK_LETTERS[column].toUpperCase()}${bookRows + 1 - row}` : whole;
};
const shownMove = (name) => (showsBookCoordinates ? convertMoves(name) : name);
const isPlayerName = (word) => [...document.querySelectorAll(".who, .summaries th")].some((who) => [who.textContent.trim(), who.title].includes(word));
const POINT = /(?<![\w-])([a-z])(\d{1,2})(?![\w-])/g;
const convertMoves = (text) => text.replace(POINT, toBookPoint);
const convertSentence = (text) => text.replace(POINT, (whole, ...parts) => (isPlayerName(whole) ? whole : toBookPoint(whole, ...parts)));
const convertSpokenPoint = (text) => text.replace(/^([a-z]) (\d+)/, (...match) => toBookPoint(...match).replace(/^./, "$& ")); // so that a screen reader names the letter

// Returns a typed point in the notation of files. Throws a sentence if the board has no such point in the shown
// coordinates: in files, another point may have that name.
function storedMove(typed) {
  const match = showsBookCoordinates && typed.trim().match(/^(?:([a-z])\s*|(\d{1,2})[\s,]+)(\d{1,2})$/i);
  if (!match) return typed;
  const column = match[1] ? BOOK_LETTERS.indexOf(match[1].toLowerCase()) : match[2] - 1;
  const row = bookRows + 1 - match[3];
  if (column >= 0 && column < bookColumns && row >= 1 && row <= bookRows) return `${LETTERS[column]}${row}`;
  const lastLetter = BOOK_LETTERS[bookColumns - 1].toUpperCase();
  throw `There is no point ${typed.trim().toUpperCase()}. Columns are A to ${lastLetter}${lastLetter > "I" ? ", without I" : ""}; rows are 1 to ${bookRows}.`;
}

const originalTexts = new WeakMap(); // by text node or element: its text in the notation of files, and the shown text

function convertProperty(node, key, toBook, isBook = showsBookCoordinates) {
  const [stored, shown] = originalTexts.get(node) ?? [];
  const original = node[key] === shown ? stored : node[key];
  const text = isBook ? toBook(original) : original;
  originalTexts.set(node, [original, text]);
  if (node[key] !== text) node[key] = text;
}

function convertTextNode(node) {
  const parent = node.parentElement;
  const board = parent?.closest("svg[data-rows]");
  if (parent?.matches(".coordinate")) {
    const written = (label) => (/^\d+$/.test(label) ? String(board.dataset.rows - label + 1) : BOOK_LETTERS[LETTERS.indexOf(label)].toUpperCase());
    if (board) convertProperty(node, "data", written, bookTable?.contains(board) ? showsBookCoordinates : usesBookCoordinates(board));
  } else if (parent && bookTable?.contains(parent) && !parent.closest("pre, .who, .summaries, h1, script, option, textarea")) {
    convertProperty(node, "data", parent.closest(".moves, .tree") ? convertMoves : convertSentence);
  }
}

function convertTree(root) {
  if (root.nodeType === Node.TEXT_NODE) return convertTextNode(root);
  if (root.nodeType !== Node.ELEMENT_NODE) return;
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) convertTextNode(texts.currentNode);
  if (bookBoard) for (const place of root.querySelectorAll("[data-point][aria-label]")) convertProperty(place, "ariaLabel", convertSpokenPoint);
}

// Shows the whole page in the chosen coordinates, with the switch that chooses them.
function showCoordinates() {
  for (const root of document.querySelectorAll(".table, .words[data-rows], svg[data-rows]")) convertTree(root);
  const typed = document.getElementById("typed");
  if (typed && bookBoard) convertProperty(typed, "placeholder", convertSentence);
  for (const choice of document.querySelectorAll(".coordinates")) {
    choice.hidden = bookBoard === null;
    choice.firstChild.checked = showsBookCoordinates;
  }
}
showCoordinates();
if (bookBoard) {
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes) {
      if (target.nodeType === Node.TEXT_NODE) convertTextNode(target);
      else addedNodes.forEach(convertTree);
    }
  }).observe(bookTable, { childList: true, characterData: true, subtree: true });
}
document.addEventListener("change", ({ target }) => {
  if (!target.closest(".coordinates")) return;
  showsBookCoordinates = target.checked;
  setting(coordinatesSetting(bookBoard), showsBookCoordinates ? "book" : "stored");
  showCoordinates();
});

// Layout and notifications: the last move is visible, boards are as large as the window allows, and the title tells a
// user in another tab that it is their turn.

function scrollToEnd(list) {
  [list.scrollLeft, list.scrollTop] = [list.scrollWidth, list.scrollHeight];
}

// Scrolls the list of moves, but not the page, until the shown move is visible.
function scrollToStep(step) {
  const list = step?.closest(".moves");
  if (!list) return;
  const [of, at] = [list.getBoundingClientRect(), step.getBoundingClientRect()];
  // The number of a move and the sign of a mistake are beside its text, so one move more is visible on each side.
  const room = Math.min(at.width, 36, (of.width - at.width) / 2);
  list.scrollLeft += Math.min(0, at.left - room - of.left) + Math.max(0, at.right + room - of.right);
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
  const widths = [...list.children].map((item) => item.getBoundingClientRect().width);
  let [bestSize, bestRows] = [0, widths.length];
  for (let columns = 1; columns <= widths.length; columns++) {
    const rows = Math.ceil(widths.length / columns);
    let totalWidth = 0;
    for (let first = 0; first < widths.length; first += rows) totalWidth += 2 * UNIT + Math.max(...widths.slice(first, first + rows));
    const fittingSize = UNIT * Math.min(list.clientWidth / totalWidth, list.clientHeight / (1.4 * UNIT * rows));
    if (fittingSize > bestSize) [bestSize, bestRows] = [fittingSize, rows];
  }
  const root = parseFloat(getComputedStyle(document.documentElement).fontSize);
  list.style.fontSize = `${Math.min(bestSize, 4 * root)}px`;
  list.style.setProperty("--rows", bestRows);
}

// On the wall, the table is beside or below the boards, whichever makes the boards larger.
function fitLayout() {
  fitLobby();
  fitWall();
  fitNames();
  levelRows();
  const boards = document.querySelector(".wall .boards[data-roomy]");
  if (boards && boards.scrollHeight > boards.clientHeight + 1) {
    delete boards.dataset.roomy; // a name takes more than two lines, and the last boards would be cut: it is shortened
    fitNames();
    levelRows();
  }
  fitTable();
}

// Below the boards, the table has the height that they leave, too.
function fitTable() {
  const wall = document.querySelector(".wall[data-layout=below]");
  const boards = wall?.querySelector(".boards[style*='--board-side']");
  if (!boards) return;
  const [columns, rowHeight] = ["--columns", "--row"].map((name) => parseFloat(boards.style.getPropertyValue(name)));
  const needed = Math.ceil(boards.children.length / columns) * (rowHeight + CARD_GAP) - CARD_GAP;
  wall.style.setProperty("--spare-height", `${Math.max(0, Math.floor(boards.clientHeight - needed))}px`);
}

function fitWall() {
  const wall = document.querySelector(".wall");
  wall?.style.removeProperty("--spare-height");
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
  const resetSize = () => {
    for (const name of ["--columns", "--board-side"]) boards?.style.removeProperty(name);
    return 0;
  };
  if (!count || getComputedStyle(boards.closest(".run, .wall, .class-now")).display !== "grid") return resetSize();
  delete boards.dataset.captions;
  delete boards.dataset.roomy;
  const place = boards.closest(".class-now > section") ?? boards;
  const space = getComputedStyle(place); // the actions on a student take a part of the place
  const wide = place.clientWidth - parseFloat(space.paddingLeft) - parseFloat(space.paddingRight);
  const high = place.clientHeight - parseFloat(space.paddingTop) - parseFloat(space.paddingBottom);
  const captions = [...boards.querySelectorAll(".caption")];
  const highestNames = () =>
    Math.max(...captions.map((one) => one.offsetHeight - (one.closest(".still") ? one.querySelector("small").offsetHeight : 0)));
  const words = highestNames();
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
    const sidesBeside = sidesFor(CAPTION_BESIDE * rem, 0);
    share = 0.85;
    if (share * Math.max(...sidesBeside) > Math.max(...sides)) {
      [sides, share] = [sidesBeside, 1];
      boards.dataset.captions = "beside";
    }
  }
  if (place !== boards && Math.max(...sides) < MIN_BOARD_SIDE) return resetSize();
  const best = sides.findIndex((side) => side >= share * Math.max(...sides));
  boards.style.setProperty("--columns", best + 1);
  const show = (side) => {
    boards.style.setProperty("--board-side", `${Math.max(0, Math.floor(side))}px`);
    const aboveBoards = highestNames(); // the result of a game needs more room than this on its card, but not on others
    for (const one of captions) {
      const height = boards.dataset.captions ? 0 : Math.max(0, one.offsetHeight - aboveBoards);
      one.parentElement.style.setProperty("--result-height", `${height}px`);
    }
  };
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
addEventListener("resize", fitLayout);
fitLayout();

// The wall shows its tables one after another. The table of a class is always shown, in the largest type in which all
// rows have room. If there is no room for the last results, too, they take turns with a part of the table. If there is
// no room for all rows, the first ones stay and the others take turns.

const TURN_MILLISECONDS = 10_000;
const TABLE_SCALES = [2, 1.8, 1.6, 1.4, 1.25, 1.15, 1.08, 1]; // of the font size, which the back of a room can read
const MAX_SIDE_SCALE = 1.15;
const MAX_PODIUM_SCALE = 4;
const LEADERS = 3; // rows that are always shown
let wallTurn = 0;

function fitsTable(table, rows, isInside) {
  const isFinal = Boolean(table.closest(".final"));
  const largest = isFinal ? TABLE_SCALES[0] : MAX_SIDE_SCALE;
  for (const row of rows) row.hidden = false;
  return TABLE_SCALES.some((scale) => {
    if (scale > largest) return false;
    table.style.setProperty("--scale", scale);
    const fits = (isOneColumn) => {
      table.toggleAttribute("data-one-column", isOneColumn);
      return rows.every(isInside);
    };
    return (!isFinal && fits(true)) || fits(false);
  });
}

// The names on the podium are as large as its steps allow; a name with a word that is too long is smaller than others.
function fitPodium() {
  const podium = document.querySelector(".podium");
  const isInside = (step) => {
    const name = step.querySelector("b");
    name.style.removeProperty("font-size");
    const share = (0.95 * step.clientWidth) / name.offsetWidth;
    if (share < 1) name.style.fontSize = `${share * parseFloat(getComputedStyle(name).fontSize)}px`;
    return step.scrollHeight <= step.clientHeight;
  };
  for (let scale = MAX_PODIUM_SCALE; podium && scale >= 0.7; scale *= 0.93) {
    podium.style.setProperty("--scale", scale);
    if ([...podium.children].every(isInside)) return;
  }
}

function rotateWall() {
  const panes = document.querySelectorAll(".wall .pane");
  panes.forEach((pane, number) => pane.classList.toggle("shown", number === wallTurn % panes.length));
  const rows = [...document.querySelectorAll(".wall .standings tbody tr")];
  if (!rows.length) return fitPodium();
  const table = rows[0].closest("table");
  const range = table.parentElement.querySelector(".range");
  const isInside = (row) => {
    const [box, { bottom, right }] = [table.parentElement.getBoundingClientRect(), row.getBoundingClientRect()];
    return bottom <= box.bottom + 1 && right <= box.right + 1;
  };
  const results = table.closest(".final") ? null : document.querySelector(".wall .latest");
  range.textContent = "";
  if (results) results.hidden = false;
  const isFitting = fitsTable(table, rows, isInside);
  fitPodium(); // in the room that the table leaves
  if (isFitting) return;
  if (results) results.hidden = true;
  const isWhole = fitsTable(table, rows, isInside);
  const starts = isWhole ? [0] : []; // the first row of each page; rows with long names are higher than others
  for (let first = LEADERS; first < rows.length && !isWhole; ) {
    starts.push(first);
    rows.forEach((row, number) => (row.hidden = number >= LEADERS && number < first));
    first += Math.max(1, rows.slice(first).filter(isInside).length);
  }
  starts.push(rows.length);
  const page = wallTurn % (starts.length - (results ? 0 : 1));
  if (page === starts.length - 1) {
    results.hidden = false;
    for (const row of rows) row.hidden = false;
    table.style.setProperty("--scale", 1);
    table.removeAttribute("data-one-column");
    const count = rows.filter(isInside).length;
    rows.forEach((row, number) => (row.hidden = number >= count));
    range.textContent = `1 to ${count} of ${rows.length}`;
    return;
  }
  if (isWhole) return;
  let [first, end] = [starts[page], starts[page + 1]];
  const show = (from) => rows.forEach((row, number) => (row.hidden = number >= LEADERS && (number < from || number >= end)));
  show(first);
  // the last page repeats rows of the page before, so that it is full too
  while (first > LEADERS && end === rows.length) {
    show(first - 1);
    if (!rows.slice(first - 1).every(isInside)) break;
    first--;
  }
  show(first);
  range.textContent = `1 to ${first === LEADERS ? end : `${LEADERS} and ${first + 1} to ${end}`} of ${rows.length}`;
}
addEventListener("resize", rotateWall);
if (document.querySelector(".wall")) {
  setInterval(() => {
    wallTurn++;
    rotateWall();
  }, TURN_MILLISECONDS);
  rotateWall();
}

// A text that is longer than its place has a sign, and a click on it shows the rest.
function markCutTexts() {
  for (const place of document.querySelectorAll(".table :is(.said-panel, .told, .status)")) {
    place.classList.toggle("cut", place.scrollHeight - place.clientHeight - place.scrollTop > 4);
  }
}
const table = document.querySelector(".table");
if (table) {
  new MutationObserver(markCutTexts).observe(table, { subtree: true, childList: true, characterData: true });
  new ResizeObserver(markCutTexts).observe(table);
  table.addEventListener("scroll", markCutTexts, true);
  table.addEventListener("click", ({ target }) => {
    const place = target.closest(".cut");
    if (place && !target.closest("a, button")) place.scrollBy({ top: place.clientHeight - 20, behavior: "smooth" });
  });
}

// On the wall, a click on a board enlarges its game until the next click or Escape; so does Enter on its names, or the
// number of the board.

const enlarged = document.getElementById("enlarged");
const wallCards = () => [...document.querySelectorAll(".wall .boards li:not(.free)")];
const gameKey = (card) => card.querySelector(".caption").getAttribute("href").split("/").pop();
let enlargedKey = "";

// While the wall shows a page of other games, the enlarged game stays as it was.
function drawEnlarged() {
  const card = wallCards().find((one) => gameKey(one) === enlargedKey);
  if (!card) return;
  convertTree(card); // before it is copied, since texts that have been converted are not converted again
  const copy = card.cloneNode(true);
  copy.querySelector(".caption").removeAttribute("href");
  const board = copy.querySelector("svg[data-whole]"); // with its coordinates
  board?.setAttribute("viewBox", board.dataset.whole);
  for (const side of ["width", "height"]) board?.removeAttribute(side);
  for (const name of copy.querySelectorAll(".who")) name.removeAttribute("style");
  enlarged.firstElementChild.replaceChildren(copy);
}

function enlarge(card) {
  enlargedKey = gameKey(card);
  drawEnlarged();
  if (!enlarged.open) enlarged.showModal();
}

if (enlarged) {
  live.addEventListener("drawn", () => enlarged.open && drawEnlarged());
  live.addEventListener("click", (event) => {
    const card = event.target.closest(".boards li:not(.free)");
    if (!card || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    enlarge(card);
  });
  enlarged.addEventListener("click", (event) => {
    event.preventDefault();
    enlarged.close();
  });
  document.addEventListener("keydown", (event) => {
    const card = /^[1-9]$/.test(event.key) && wallCards()[event.key - 1];
    if (card) enlarge(card);
  });
}

// While no move can be taken back, the button for it is disabled, and its title says why.
function updateUndoButton() {
  const button = document.querySelector("button.undo");
  if (!button) return;
  const why = live.querySelector(".board")?.dataset.noUndo;
  button.disabled = why !== undefined;
  button.title = why ?? "";
}
updateUndoButton();

let title = document.title;
let titlePlayers = live?.querySelector("[data-names]")?.dataset.names; // the names in the title and in the heading
let audioContext = null;

// Another student of a class may take over a seat, and a student may change the name.
function updateTitle() {
  const players = live.querySelector("[data-names]")?.dataset.names;
  if (!players || players === titlePlayers) return;
  title = title.replace(titlePlayers, () => players);
  document.querySelector("h1").textContent = players;
  titlePlayers = players;
}

function announceTurn(moved) {
  const isYourTurn = document.querySelector(".board[data-turn]");
  const waited = document.querySelector("[data-live] .players .to-move .who")?.textContent;
  document.title = isYourTurn ? `● Your turn – ${title}` : waited ? `${waited} to move – ${title}` : title;
  if (moved && setting("sound") !== "off") playKnock();
}

function playKnock() {
  if (!audioContext || audioContext.state !== "running") return;
  const [tone, volume] = [audioContext.createOscillator(), audioContext.createGain()];
  tone.frequency.value = 420;
  volume.gain.setValueAtTime(0.06, audioContext.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.0001, audioContext.currentTime + 0.09);
  tone.connect(volume).connect(audioContext.destination);
  tone.start();
  tone.stop(audioContext.currentTime + 0.1);
}

// A browser allows sounds only after a click.
addEventListener("click", () => {
  if (!audioContext && live && setting("sound") !== "off" && "AudioContext" in window) audioContext = new AudioContext();
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

// Marks the introductions that the visitor has finished. The browser stores the URLs of the completed steps.
function markLessons() {
  const steps = (setting("steps") ?? "").split(" ");
  for (const link of document.querySelectorAll("[data-lesson]")) {
    const count = steps.filter((step) => step.startsWith(`/learn/${link.dataset.lesson}?`)).length;
    link.classList.toggle("done", count >= Number(link.dataset.steps));
  }
}

markLessons();

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

const closeMenus = (except) => {
  for (const menu of document.querySelectorAll(".menu[open]")) {
    if (menu.contains(except)) continue;
    menu.open = false;
    menu.querySelectorAll("form[data-sure]").forEach(removeQuestion);
  }
};
// A click outside of an open menu closes it. Such a click on the board plays no move.
document.addEventListener(
  "click",
  (event) => {
    const isOutside = [...document.querySelectorAll(".menu[open]")].some((menu) => !menu.contains(event.target));
    closeMenus(event.target);
    if (isOutside && event.target.closest(".board")) event.stopPropagation();
  },
  true,
);
// Escape closes an open menu, or else the actions on a student.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  if (!document.querySelector(".menu[open]")) document.querySelector("#student .close")?.click();
  closeMenus(null);
});

// While the server does not answer, for example because it is started again, a bar says so and the clocks stand still.

const LOST_MILLISECONDS = 1500; // a short interruption is not worth a message
const SILENCE_MILLISECONDS = 12_000; // the server sends an event at least every 4 seconds
let lostTimer = null;
let isLost = false;

function showLost(isLostNow) {
  const update = () => {
    isLost = isLostNow;
    document.getElementById("lost").textContent = isLostNow ? "The server does not answer. This page continues as soon as it does." : "";
  };
  if (isLostNow) {
    lostTimer ??= setTimeout(update, LOST_MILLISECONDS);
  } else {
    clearTimeout(lostTimer);
    lostTimer = null;
    update();
  }
}

// Shows the changed part of the page.
function drawLive(data, lines) {
  const focused = document.activeElement;
  const inside = live.contains(focused);
  const place = inside && (focused.dataset.point || focused.dataset.edge);
  const moves = live.querySelector(".moves");
  const atEnd = !moves || (moves.scrollTop + moves.clientHeight >= moves.scrollHeight - 8 && moves.scrollLeft + moves.clientWidth >= moves.scrollWidth - 8);
  const [left, top] = moves ? [moves.scrollLeft, moves.scrollTop] : [0, 0];
  const before = live.querySelectorAll(".moves li").length;
  removeDrawnMove = null; // the new board replaces the stone that was drawn at once
  hideConfirmation();
  live.innerHTML = lines.join("\n");
  if (bookBoard) convertTree(live); // before the list of moves is scrolled to its end: other names are wider
  const asText = document.getElementById("diagram"); // in the menu, which stays open while the board changes
  if (asText) asText.textContent = live.querySelector("[data-diagram]")?.textContent ?? ""; // none of a deleted game
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
  clockOffset ??= Date.now() / 1000 - data.now;
  const list = live.querySelector(".moves");
  if (list && atEnd) scrollToEnd(list);
  else if (list) [list.scrollLeft, list.scrollTop] = [left, top];
  fitLayout();
  rotateWall();
  updateUndoButton();
  const next = live.querySelector("[data-next]")?.dataset.next;
  if (next && next !== initialNextUrl) whenOnline(() => location.assign(next));
  updateTitle();
  announceTurn(live.querySelectorAll(".moves li").length > before);
  const again = place && findPlace(place);
  if (again && again.getAttribute("role") === "button") focusPlace(again);
  else if (place && list) list.focus({ preventScroll: true }); // the game is over: the focus moves to the list of moves
  // an error message is removed when the board changes
  if (live.dataset.version !== String(data.version) && messageBox && !messageBox.classList.contains("help")) showMessage("");
  showThinkingTime();
  live.dataset.version = data.version;
  live.dispatchEvent(new CustomEvent("drawn", { detail: data }));
}

// Follows a text that changes by server-sent events: first the whole text, then only the lines that change. Calls `draw`
// with the data of each event and all lines. Returns a function that says whether the server answers.

function followEvents(url, draw) {
  let lines = [];
  let source = null;
  let hasEnded = false;
  let lastEventAt = 0; // when the last event arrived

  function open() {
    if (source || hasEnded) return;
    source = new EventSource(url);
    lastEventAt = performance.now();
    for (const event of ["open", "whole", "change", "alive"]) {
      source.addEventListener(event, () => (lastEventAt = performance.now()));
    }
    source.addEventListener("open", () => {
      showLost(false);
      if (messageBox && messageBox.textContent === NO_ANSWER) showMessage("");
    });
    source.addEventListener("whole", (event) => {
      const data = JSON.parse(event.data);
      lines = data.text.split("\n");
      draw(data, lines);
    });
    source.addEventListener("change", (event) => {
      const data = JSON.parse(event.data);
      for (const [from, to, now] of data.hunks) lines.splice(from, to - from, ...now);
      draw(data, lines);
    });
    source.addEventListener("last", () => {
      hasEnded = true;
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
    if (hasEnded || document.hidden) return;
    disconnect();
    showLost(true);
    open();
  }
  addEventListener("offline", reconnect);
  addEventListener("online", reconnect);
  setInterval(() => {
    if (source && performance.now() - lastEventAt > SILENCE_MILLISECONDS) reconnect();
  }, 1000);

  // a browser opens at most six connections to a server, so a hidden page closes its connection
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
  open();
  return () => source !== null && source.readyState === EventSource.OPEN;
}

const initialNextUrl = live?.querySelector("[data-next]")?.dataset.next; // of a finished game; the page opens only a later one
const isConnected = live && live.dataset.live ? followEvents(live.dataset.live, drawLive) : () => true;

// On pages outside the class, too, a student counts as present, and the next game opens by itself.
const classCall = document.getElementById("class-call");
if (classCall) {
  followEvents(classCall.dataset.events, (_, lines) => {
    const next = lines.join("").match(/data-next="([^"]+)"/)?.[1];
    if (next && next !== classCall.dataset.game) whenOnline(() => location.assign(next));
  });
}

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
  // a question that can still be asked stays until it is answered
  const asking = section.querySelector(".sure")?.closest("form").getAttribute("action");
  if (asking && fresh.querySelector(`form[action="${asking}"]`)) return;
  if (withoutOptions(fresh) !== withoutOptions(section)) {
    const [old, field] = [section, fresh].map((place) => place.querySelector("[name=new_name]"));
    const isTyping = old === document.activeElement;
    if (old?.defaultValue === field?.defaultValue) field.value = old.value; // a name that the teacher types stays
    section.replaceChildren(fresh);
    if (isTyping) field.focus();
    return;
  }
  for (const list of section.querySelectorAll("select")) {
    const now = fresh.querySelector(`select[name="${list.name}"]`);
    const { value } = list;
    if (now.innerHTML === list.innerHTML) continue;
    list.replaceChildren(...now.children);
    if ([...list.options].some((one) => one.value === value)) list.value = value;
  }
}
live?.addEventListener("drawn", showStudent);

// A student who is in the class no more has the form that joins it, in place of the one that changes the name.
live?.addEventListener("drawn", () => {
  if (live.querySelector("[data-not-joined]") && document.querySelector("form.rename")) whenOnline(() => location.reload());
});

// The message of the teacher's last action goes when a round ends or begins. The question before a new class follows the
// number of running games, and without one there is none to end.
let isRoundOver = Boolean(document.getElementById("round-over"));

function showClassState() {
  const question = document.getElementById("clear-question");
  if (!question) return;
  document.querySelector('form[action$="/clear"]').dataset.sure = question.content.textContent;
  document.getElementById("end-games").hidden = !("running" in question.dataset);
  const over = document.getElementById("round-over");
  if (Boolean(over) === isRoundOver) return;
  isRoundOver = Boolean(over);
  document.querySelector(".said-now > [role=status]").textContent = over?.content.textContent ?? "";
  document.querySelector(".said-now > .names")?.remove();
}
live?.addEventListener("drawn", showClassState);

// The choices of the teacher can change on another page of the teacher. This page then loads again, but not while the
// teacher answers a question, looks into a menu, or leaves the page.
const choicesState = () => document.getElementById("choices-state")?.content.textContent;
const loadedChoices = choicesState();
let leftAt = -Infinity;
addEventListener("beforeunload", () => (leftAt = performance.now()));

let reloadTimer = null;

function followChoices() {
  clearTimeout(reloadTimer);
  if (choicesState() === loadedChoices) return;
  reloadTimer = setTimeout(() => {
    const isBusy = document.querySelector(".teacher :is(.menu[open], .sure)") || performance.now() - leftAt < 5000;
    if (isBusy || !isConnected()) followChoices();
    else whenOnline(() => location.reload());
  }, 1000);
}
live?.addEventListener("drawn", followChoices);

// Shows how long the agent to move has been thinking.

function showThinkingTime() {
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
setInterval(showThinkingTime, 100);

// The clock of the player to move. The server sends the time that was left at the start of the turn.

function clockText(seconds) {
  if (seconds < 10) return `${Math.max(0, seconds).toFixed(1)} s`;
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, Math.floor(seconds) % 60];
  const twoDigits = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${twoDigits(minutes)}:${twoDigits(rest)}` : `${minutes}:${twoDigits(rest)}`;
}

// Small boards have clocks with the time of their end, by the clock of the server.
let clockOffset = null; // seconds by which this computer's clock is ahead of the server's

function runSmallClocks() {
  if (isLost) return;
  for (const running of document.querySelectorAll(".clock[data-end]")) {
    const secondsLeft = Number(running.dataset.end) - (Date.now() / 1000 - (clockOffset ?? 0));
    running.textContent = clockText(secondsLeft);
    running.classList.toggle("low", secondsLeft < 10);
  }
}
setInterval(runSmallClocks, 200);

function runClock() {
  const running = document.querySelector(".clock[data-left]");
  if (!running || isLost) return;
  const secondsLeft = Number(running.dataset.left) - (performance.now() - clockBegan) / 1000;
  running.textContent = clockText(secondsLeft);
  running.classList.toggle("low", secondsLeft < 10);
}
setInterval(runClock, 100);

// Leaves or reloads the page as soon as the browser is online: offline, the browser would show its own error page, from
// which there is no way back.
function whenOnline(navigate) {
  if (navigator.onLine) navigate();
  else addEventListener("online", navigate, { once: true });
}

// Forms that are sent without loading the page; the response is shown as a message.

let postCount = 0; // number of forms sent so far

async function postForm(action, fields) {
  const mine = ++postCount;
  const response = await fetch(action, {
    method: "POST",
    headers: { Accept: "application/json", "X-Token": token },
    body: new URLSearchParams(fields),
  });
  const answer = await response.json();
  if (answer.go) whenOnline(() => location.assign(answer.go));
  else if (answer.ask) {
    showMessage(`${answer.refused} ${answer.remedy}`);
    if (answer.board) showQuestionBoard(answer.board);
    askToConfirm(answer.remedy.replace("?", ""), () => sendMove(action, { ...fields, sure: "1" }), true);
    document.getElementById("confirm-capture").hidden = !answer.captures;
  } else if (answer.refused) showRefusal(`${answer.refused} ${answer.remedy}`);
  else if (mine === postCount) showMessage(answer.said || "", true); // a late hint must not replace the answer to a later request
  if (mine === postCount && answer.said && action.endsWith("/hint")) markHint(answer.said.split(":")[0]);
  if (response.ok && !answer.go && !answer.ask && !isConnected()) whenOnline(() => location.reload());
  return answer;
}

function showRefusal(words) {
  if (!askedPlace) clearOwnMove(); // a stone that waits for confirmation was not refused
  showMessage(words);
}

// Marks the move of a hint until the board changes. A move without a place on the board is not marked.
function markHint(name) {
  findPlace(name)?.classList.add("hinted");
}

async function sendForm(action, fields) {
  try {
    return await postForm(action, fields);
  } catch {
    showRefusal(NO_ANSWER);
  }
}

// A dangerous form is replaced by a question. Cancel is where the button was, and has the focus, so that a second click
// does no harm.
function askBeforeSending(form) {
  document.querySelectorAll(".sure").forEach((asking) => removeQuestion(asking.closest("form"))); // one question at a time
  const button = form.querySelector("button");
  const asking = document.createElement("div");
  const [words, no, yes] = ["p", "button", "button"].map((name) => asking.appendChild(document.createElement(name)));
  asking.className = "sure";
  asking.setAttribute("role", "group");
  const sure = form.querySelector("option:checked[data-sure]")?.dataset.sure ?? form.dataset.sure;
  asking.setAttribute("aria-label", sure);
  words.textContent = sure;
  Object.assign(no, { type: "button", textContent: "Cancel" });
  Object.assign(yes, { className: "danger", textContent: form.dataset.yes ?? button.textContent.split(" ")[0] });
  const back = (event) => {
    event.stopPropagation(); // so that the menu stays open
    removeQuestion(form);
    button.focus();
    showStudent(); // it may have changed during the question
  };
  no.addEventListener("click", back);
  asking.addEventListener("keydown", (event) => event.key === "Escape" && back(event));
  button.hidden = true;
  form.append(asking);
  no.focus();
}

function removeQuestion(form) {
  form.querySelector(".sure")?.remove();
  form.querySelector("button").hidden = false;
}

// A question names the chosen values of its form, so another choice removes it.
document.addEventListener("change", (event) => {
  if (event.target.form?.querySelector(".sure")) removeQuestion(event.target.form);
});

// Moves are sent one after another: two requests at the same time could arrive in the wrong order. Any other request
// waits for the moves before it, and no move waits for it, because a hint takes time.
let lastMove = Promise.resolve(); // the request of the last move

function sendMove(action, fields) {
  lastMove = lastMove.then(() => sendForm(action, fields));
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  const first = form.dataset.sure && !event.submitter.matches(".sure button");
  if (first || "quiet" in form.dataset) event.preventDefault();
  if (first) return askBeforeSending(form);
  if (!("quiet" in form.dataset)) return;
  const fields = Object.fromEntries(new FormData(form, event.submitter));
  if (form.id === "move") {
    try {
      fields.move = storedMove(fields.move);
    } catch (wrong) {
      return showRefusal(wrong);
    }
  }
  if (form.id === "move" && !fields.move.trim()) return;
  if (!form.querySelector("input:not([type=hidden])")) closeMenus(null);
  const action = event.submitter?.getAttribute("formaction") ?? form.action;
  // The stone that waits for confirmation stays during a hint or an explanation. Any other question is removed, because
  // its buttons would be below the message of another request.
  if (confirmBar && !confirmBar.hidden && !(askedPlace && /\/(hint|explain)$/.test(action))) withdrawQuestion();
  const searchWords = { hint: "Looking for a good move …", explain: "Looking at the position …" };
  showMessage(searchWords[form.action.split("/").pop()] ?? "", true);
  for (const marked of live.querySelectorAll(".hinted")) marked.classList.remove("hinted"); // the words of the hint go, too
  if (form.id === "move" || form.id === "choose") sendMove(action, fields); // a pass, too
  else lastMove.then(() => sendForm(action, fields));
  if (form.id === "move") form.reset();
});

// The board: a click or Enter plays a move, arrow keys move the focus from place to place.

const PLACE_SELECTOR = "[data-point], [data-edge]";

function findPlace(name) {
  return live.querySelector(`[data-point="${CSS.escape(name)}"], [data-edge="${CSS.escape(name)}"]`);
}

function focusPlace(place) {
  if (!place) return;
  for (const other of live.querySelectorAll('[role="button"][tabindex="0"]')) other.setAttribute("tabindex", "-1");
  place.setAttribute("tabindex", "0");
  place.focus({ preventScroll: false });
}

function playMoveAt(place) {
  showMessage("");
  const move = place.dataset.move ?? place.dataset.point ?? place.dataset.edge;
  if (!move) return;
  drawOwnMove(place);
  sendMove(live.dataset.play, { move });
}

// The player's own stone is drawn at once. The server's answer replaces it, or removes it with an error message.

const SVG = "http://www.w3.org/2000/svg";
const STONE_RADIUS = 19; // radius in the units of the picture
let removeDrawnMove = null; // the function that removes the player's stone

// Returns the colour of the player to move; nothing if it is not the visitor's turn in a game.
function turnColour() {
  const { turn, seat, kinds } = live.querySelector(".board")?.dataset ?? {}; // the board for analysis names all colours
  const colour = turn ?? live.dataset.turn ?? kinds?.split(" ")[seat - 1];
  return { x: "black", o: "white" }[colour] ?? colour;
}

function drawOwnMove(place, kind = "laid") {
  clearOwnMove();
  const turn = turnColour();
  if (!turn || place.dataset.move !== undefined) return;
  const line = place.dataset.edge && place.querySelector(".open, .expected");
  if (line) {
    line.setAttribute("class", `drawn latest ${kind}`);
    removeDrawnMove = () => line.setAttribute("class", "open");
  } else if (place.dataset.point && (turn === "black" || turn === "white") && !place.querySelector(".stone:not(.analysed)")) {
    const hit = place.querySelector(".hit");
    const stone = document.createElementNS(SVG, "circle");
    const half = Number(hit.getAttribute("width")) / 2;
    stone.setAttribute("cx", Number(hit.getAttribute("x")) + half);
    stone.setAttribute("cy", Number(hit.getAttribute("y")) + half);
    stone.setAttribute("r", STONE_RADIUS);
    stone.setAttribute("class", `stone ${turn} ${kind}`);
    hit.before(stone);
    const drawn = kind === "ghost" ? [stone, ...drawCrosshair(place)] : [stone];
    removeDrawnMove = () => drawn.forEach((one) => one.remove());
  }
}

function clearOwnMove() {
  if (removeDrawnMove) removeDrawnMove();
  removeDrawnMove = null;
}

// Draws a mark on a place: a circle, a square, or a text. radius: also half the side of a square. aside: its distance
// from the middle, to the right and up.
function drawMark(place, kind, name, radius, aside = 0) {
  const box = place.querySelector(".hit");
  const x = Number(box.getAttribute("x")) + box.getAttribute("width") / 2 + aside;
  const y = Number(box.getAttribute("y")) + box.getAttribute("height") / 2 - aside;
  const mark = document.createElementNS(SVG, kind);
  mark.setAttribute("class", name);
  const attributes = { circle: { cx: x, cy: y, r: radius }, rect: { x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius }, path: { transform: `translate(${x} ${y})` } }[kind] ?? { x, y };
  for (const [key, value] of Object.entries(attributes)) mark.setAttribute(key, value);
  box.before(mark);
  return mark;
}

// Draws the row and the column of a point up to the edges of the board, since a finger covers the point itself.
function drawCrosshair(place) {
  const { x, y, width, height } = place.closest("svg").viewBox.baseVal;
  return [[x, x + width], [y, y + height]].map((ends, axis) => {
    const line = drawMark(place, "line", "crosshair");
    const middle = ["x", "y"].map((name) => line.getAttribute(name));
    for (const end of [0, 1]) {
      line.setAttribute(`x${end + 1}`, axis ? middle[0] : ends[end]);
      line.setAttribute(`y${end + 1}`, axis ? ends[end] : middle[1]);
    }
    return line;
  });
}

// Marks for beginners: liberties, atari, territory, edges that close boxes.

const marksCheckbox = () => document.getElementById("teach"); // searched each time, since a replay replaces it at every step

function drawTeachingMark({ place: name, kind, text }) {
  const place = findPlace(name);
  if (!place) return;
  if (kind === "closes" || kind === "gives") return place.classList.add(kind, "taught-edge");
  const colour = place.querySelector(".stone.black") ? "black" : "white";
  if (kind === "liberties") drawMark(place, "text", `number on-${colour} taught`).textContent = text;
  else if (kind === "atari") drawMark(place, "circle", "atari taught", STONE_RADIUS);
  else if (kind === "link") drawLink(place, findPlace(text));
  else drawMark(place, "circle", `${kind} taught`, 6);
}

function drawLink(firstPlace, secondPlace) {
  if (!secondPlace) return;
  const line = drawMark(firstPlace, "line", "link taught");
  const ends = [firstPlace, secondPlace].map((place) => place.querySelector(".hit"));
  ends.forEach((box, index) => {
    line.setAttribute(`x${index + 1}`, Number(box.getAttribute("x")) + box.getAttribute("width") / 2);
    line.setAttribute(`y${index + 1}`, Number(box.getAttribute("y")) + box.getAttribute("height") / 2);
  });
}

let marksRequestCount = 0; // number of requests so far; an answer to any but the last one is ignored

async function updateTeachingMarks() {
  for (const old of live.querySelectorAll(".taught")) old.remove();
  for (const old of live.querySelectorAll(".taught-edge")) old.classList.remove("taught-edge", "closes", "gives");
  const mine = ++marksRequestCount;
  const asking = marksCheckbox();
  if (asking) asking.checked = setting("teach") === "on";
  if (!asking?.checked) return;
  try {
    const response = await fetch(asking.dataset.marks ?? live.dataset.marks, { headers: { Accept: "application/json" } });
    const signs = response.ok ? await response.json() : [];
    if (mine === marksRequestCount) signs.forEach(drawTeachingMark);
  } catch {} // without an answer the board has no marks
}

if (marksCheckbox()) {
  document.addEventListener("change", ({ target }) => {
    if (target.id !== "teach") return;
    setting("teach", target.checked ? "on" : "off");
    updateTeachingMarks();
  });
  live.addEventListener("drawn", updateTeachingMarks);
  if (marksCheckbox().dataset.marks ?? live.dataset.marks) updateTeachingMarks();
}

// A bar asks for confirmation before a move. On small points a touch is inexact, so the first tap only shows where the
// stone would be.

const MIN_TOUCH_SIZE = 30; // smallest size of a point that a touch plays at once, in CSS pixels; a fingertip covers more
const confirmBar = document.getElementById("confirm");
let askedPlace = null; // the place of the move
let confirmedAction = null; // the function that plays the move
let focusedBefore = null; // the element that had the focus
let boardBefore = null; // the nodes of the board, while a question shows another picture

// Asks after the first tap on a place that is too small for a finger. play: the function that plays a move at a place.
// Returns whether this was that tap.
function asksToConfirmMove(event, place, play) {
  const isFirstTap = place !== askedPlace && isSmallTouch(event, place);
  withdrawQuestion();
  if (!isFirstTap) return false;
  drawOwnMove(place, "ghost");
  if (!removeDrawnMove) return false; // not the player's turn, or an occupied place: the server gives the reason
  askedPlace = place;
  const name = place.dataset.point ?? place.dataset.edge;
  askToConfirm(`Play ${name}`, () => {
    clearOwnMove();
    play(findPlace(name));
  });
  return true;
}

// isLosing: whether the move loses. Then Cancel is first, filled and focused.
function askToConfirm(words, action, isLosing = false) {
  confirmedAction = action;
  document.getElementById("confirm-capture").hidden = true;
  focusedBefore = document.activeElement;
  const [yes, no] = ["yes", "no"].map((name) => document.getElementById(`confirm-${name}`));
  yes.textContent = words;
  confirmBar.classList.toggle("losing", isLosing);
  yes.classList.toggle("go", !isLosing);
  no.classList.toggle("go", isLosing);
  confirmBar.prepend(isLosing ? no : yes);
  confirmBar.hidden = false;
  if (isLosing) no.focus();
}

// Shows another picture of the position until the question is answered: the area as it counts, before a pass.
function showQuestionBoard(picture) {
  const board = live.querySelector(".board");
  boardBefore ??= [...board.childNodes];
  board.innerHTML = picture;
}

function hideConfirmation() {
  askedPlace = null;
  if (boardBefore) {
    live.querySelector(".board").replaceChildren(...boardBefore);
    boardBefore = null;
    if (marksCheckbox()) updateTeachingMarks(); // the marks on these nodes may have been switched off meanwhile
  }
  if (confirmBar) confirmBar.hidden = true;
}

// Withdraws the question before a move, and the stone that it showed.
function withdrawQuestion() {
  hideConfirmation();
  clearOwnMove();
}

if (confirmBar) {
  const no = document.getElementById("confirm-no");
  document.getElementById("confirm-yes").addEventListener("click", () => {
    showMessage("");
    hideConfirmation();
    confirmedAction();
  });
  no.addEventListener("click", () => {
    showMessage("");
    withdrawQuestion();
    focusedBefore.focus({ preventScroll: true });
  });
  confirmBar.addEventListener("keydown", (event) => event.key === "Escape" && no.click());
}

// Before a pass, the computer offers to capture the dead stones for the visitor. It plays the visitor's moves until none
// is left, a pass is better, the game ends, or the visitor touches the page or presses a key.

let isCapturing = false;

async function captureDeadStones() {
  isCapturing = true;
  while (isCapturing) {
    const version = live.dataset.version;
    showMessage("The computer captures the dead stones for you. Touch the page to stop it.", true);
    const answer = await sendForm(live.dataset.play.replace(/move$/, "capture"), {});
    if (!answer || answer.refused || answer.said) isCapturing = false;
    while (isCapturing && (live.dataset.version === version || !turnColour())) {
      await new Promise((resolve) => live.addEventListener("drawn", resolve, { once: true }));
    }
  }
}

document.getElementById("confirm-capture")?.addEventListener("click", () => {
  hideConfirmation();
  captureDeadStones();
});
for (const type of ["pointerdown", "keydown"]) addEventListener(type, () => (isCapturing = false));

function middleOf(place) {
  const box = place.querySelector(".hit").getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
}

function neighbourOf(place, right, down) {
  const [x, y] = middleOf(place);
  let best = null;
  let least = Infinity;
  for (const other of live.querySelectorAll('[role="button"]')) {
    const [otherX, otherY] = middleOf(other);
    const ahead = (otherX - x) * right + (otherY - y) * down;
    const aside = Math.abs((otherX - x) * down) + Math.abs((otherY - y) * right);
    if (ahead > 1 && ahead + 3 * aside < least) {
      least = ahead + 3 * aside;
      best = other;
    }
  }
  return best;
}

// Returns whether a finger touched a place that is too small for it.
function isSmallTouch(event, place) {
  const box = place.querySelector(".hit")?.getBoundingClientRect();
  return box !== undefined && (event.pointerType ?? lastPointerType) === "touch" && Math.min(box.width, box.height) < MIN_TOUCH_SIZE;
}

const ARROW_DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

let lastPointerType = "mouse";
addEventListener("pointerdown", (event) => (lastPointerType = event.pointerType), true);

if (live && live.dataset.play) {
  live.addEventListener("click", (event) => {
    const place = event.target.closest(PLACE_SELECTOR);
    if (!place || place.getAttribute("role") !== "button") return;
    live.dataset.by = "mouse";
    focusPlace(place);
    if (!asksToConfirmMove(event, place, playMoveAt)) playMoveAt(place);
  });
  live.addEventListener("keydown", (event) => {
    live.dataset.by = "keys";
    const place = event.target.closest(PLACE_SELECTOR);
    if (!place || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key in ARROW_DIRECTIONS) {
      event.preventDefault();
      focusPlace(neighbourOf(place, ...ARROW_DIRECTIONS[event.key]));
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      playMoveAt(place);
    }
  });
}

// Stepping through a finished game without loading the whole page. Without scripts, the links step too.

let stepRequestCount = 0;
let drawnStepRequest = 0;
let requestedStepUrl = null; // the URL that was requested last; null once it is shown

async function loadStep(url) {
  const mine = ++stepRequestCount;
  requestedStepUrl = url;
  await requestStep(url, mine).finally(() => mine === stepRequestCount && (requestedStepUrl = null));
}

const MAX_STEP = 9999; // the server limits it to the length of the game or of the line

// Returns the URL of a link of the page. A step back or forward counts from the move that was requested last, so that no
// fast step is lost while the server answers.
function stepUrl(link) {
  const distance = { back: -1, forward: 1 }[link.dataset.step];
  if (!distance || requestedStepUrl === null) return link.getAttribute("href"); // in the graph, which is SVG, `link.href` is an object
  const url = new URL(requestedStepUrl, location.href);
  const counter = url.searchParams.has("better") ? "better" : "move"; // a step in the better line, or in the game
  const lastUrl = new URL(live.querySelector('a[data-step="last"]').href);
  const isShown = lastUrl.searchParams.has("better") === (counter === "better");
  const lastMove = isShown ? Number(lastUrl.searchParams.get(counter)) : MAX_STEP;
  const to = Math.min(lastMove, Math.max(0, Number(url.searchParams.get(counter) ?? lastMove) + distance));
  url.searchParams.set(counter, to);
  if (counter === "better" && !to) url.searchParams.delete(counter); // a step back from the start of the line
  return url.search;
}

// The server names the next mistake with each position. So each press waits for the answer to the press before it, and
// during a review for a position that counts the mistakes found meanwhile.
let mistakeSteps = Promise.resolve();

function stepToNextMistake() {
  const step = async () => {
    if (requestedStepUrl !== null || live.querySelector("[data-reviewing]")) await loadStep(requestedStepUrl ?? location.href);
    const link = live.querySelector('a[data-step="mistake"]');
    if (link) await loadStep(link.getAttribute("href"));
  };
  mistakeSteps = mistakeSteps.then(step, step);
}

// A button that is replaced between the press and the release of the pointer gets no click, so an answer waits for it.
let pointerRelease = Promise.resolve();
live?.addEventListener("pointerdown", () => {
  pointerRelease = new Promise((resolve) => {
    for (const type of ["pointerup", "pointercancel"]) addEventListener(type, () => setTimeout(resolve), { once: true });
  });
});

async function requestStep(url, requestNumber) {
  const response = await fetch(url);
  if (!response.ok) return location.assign(url);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  await pointerRelease;
  if (requestNumber < drawnStepRequest) return; // the answer to a later request is shown already; so a running review does not undo a step
  drawnStepRequest = requestNumber;
  const focused = document.activeElement && document.activeElement.dataset.step;
  const openDetails = new Set(Array.from(live.querySelectorAll("details[open]"), ({ className }) => className)); // their number changes
  const { scrollTop, scrollLeft } = live.querySelector(".moves");
  const speed = document.getElementById("speed").value;
  live.replaceChildren(...page.getElementById("live").childNodes);
  for (const details of live.querySelectorAll("details")) details.open = openDetails.has(details.className);
  Object.assign(live.querySelector(".moves"), { scrollTop, scrollLeft });
  document.getElementById("speed").value = speed;
  if (replayTimer) document.getElementById("run").textContent = "❚❚";
  const currentStep = live.querySelector('[aria-current="step"]');
  scrollToStep(currentStep);
  if (focused) (focused === "to" || focused === "line" ? currentStep : live.querySelector(`[data-step="${focused}"]`))?.focus();
  // the better line has an entry of its own in the browser's history, so that a step back leads to the mistake
  const showsLine = (where) => new URL(where, location.href).searchParams.has("better");
  history[showsLine(url) && !showsLine(location.href) ? "pushState" : "replaceState"](null, "", url);
  live.dispatchEvent(new Event("drawn"));
  showCoordinates();
  scheduleReviewUpdate();
}

// During a review, the page is updated with the new results.
let reviewTimer = null;

function scheduleReviewUpdate() {
  clearTimeout(reviewTimer);
  if (live.querySelector("[data-reviewing]")) reviewTimer = setTimeout(() => loadStep(requestedStepUrl ?? location.href), 700);
}

if (live && "replay" in live.dataset) {
  scheduleReviewUpdate();
  addEventListener("popstate", () => loadStep(location.href));
  live.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-step]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (link.dataset.step === "mistake") stepToNextMistake();
    else loadStep(stepUrl(link));
  });
  for (const [target, type] of [[window, "resize"], [live, "toggle"]]) { // the list changes its layout
    target.addEventListener(type, () => scrollToStep(live.querySelector('[aria-current="step"]')), true);
  }
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input:not([type=checkbox]), select, textarea") || event.ctrlKey || event.altKey || event.metaKey) return;
    const rel = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", Escape: "played" }[event.key];
    const link = rel && live.querySelector(`a[data-step="${rel}"]`);
    if (!link) return;
    event.preventDefault();
    loadStep(stepUrl(link));
  });
}

// Automatic replay of a game.

let replayTimer = null;

function setReplaying(isReplaying) {
  clearInterval(replayTimer);
  replayTimer = null;
  const button = document.getElementById("run");
  if (!button) return;
  if (isReplaying) {
    const speed = Number(document.getElementById("speed").value);
    replayTimer = setInterval(() => {
      if (requestedStepUrl !== null) return; // a slow server: the next move waits for this one
      const link = live.querySelector('a[data-step="forward"]:not([aria-disabled])');
      if (link) loadStep(link.href);
      else setReplaying(false);
    }, speed);
  }
  button.textContent = isReplaying ? "❚❚" : "▶";
  button.setAttribute("aria-pressed", String(isReplaying));
}

if (live && "replay" in live.dataset) {
  live.addEventListener("click", async (event) => {
    if (event.target.id !== "run") return;
    const end = live.querySelector('a[data-step="forward"][aria-disabled]');
    if (!replayTimer && end) await loadStep(live.querySelector('a[data-step="first"]').href);
    setReplaying(!replayTimer);
  });
  live.addEventListener("change", (event) => {
    if (event.target.id !== "speed") return;
    setting("speed", event.target.value);
    if (replayTimer) setReplaying(true);
  });
}

// The form for a game of Go shows the komi that the server will use while the field is empty.
const newGameForm = document.querySelector("form.new, form#pair");
if (newGameForm) {
  const form = newGameForm;
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

// Each other form of the teacher loads the page again. Choices for the next games that were not sent are then restored.
// If games have begun from another page of the teacher meanwhile, a line says so and offers their choices.
const pairForm = document.getElementById("pair");
if (pairForm) {
  const key = `choices ${location.pathname}`;
  const unsent = sessionStorage.getItem(key);
  const choicesNow = () => {
    const choices = new URLSearchParams(new FormData(pairForm));
    choices.delete("token");
    return choices;
  };
  const sent = `${choicesNow()}`; // the choices of the last pairing, as the server sent them
  const sentWords = ["game", "clock"].map((name) => pairForm.elements.namedItem(name).selectedOptions[0].text).join(", ");
  let base = sent; // what the unsent choices were changed from
  const announce = () => pairForm.dispatchEvent(new Event("input")); // it shows the rules of the chosen game
  if (unsent !== null) {
    const choices = new URLSearchParams(unsent);
    base = choices.get("base") ?? sent;
    const game = pairForm.elements.namedItem("game");
    game.value = choices.get("game") ?? game.value;
    announce();
    for (const field of pairForm.querySelectorAll("select, input:not([type=hidden])")) {
      if (field.matches("[type=checkbox], [type=radio]")) field.checked = choices.getAll(field.name).includes(field.value);
      else field.value = choices.get(field.name) ?? field.value;
    }
    announce();
    const note = document.getElementById("paired-elsewhere");
    note.hidden = base === sent || `${choicesNow()}` === sent;
    note.querySelector("b").textContent = sentWords;
    note.querySelector("button").addEventListener("click", () => {
      sessionStorage.removeItem(key);
      location.reload();
    });
  }
  pairForm.addEventListener("input", () => {
    const choices = choicesNow();
    choices.set("base", base);
    sessionStorage.setItem(key, choices);
  });
  pairForm.addEventListener("submit", () => sessionStorage.removeItem(key));
}

// The board beside the form has the chosen size. The server draws it, as in the form that it sends.
const preview = document.querySelector("form.new + .preview:not(.continued)");
if (preview) {
  const form = document.querySelector("form.new");
  let drawnQuery = null;
  const draw = async () => {
    const fields = [...new FormData(form)].filter(([name]) => /^(game|size|option-.*)$/.test(name));
    const query = `${new URLSearchParams(fields)}`;
    if (query === drawnQuery) return;
    drawnQuery = query;
    const response = await fetch(`/?${query}`).catch(() => null);
    if (!response?.ok || query !== drawnQuery) return; // no answer, or another size was chosen meanwhile
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    preview.replaceChildren(...page.querySelector(".preview").childNodes);
  };
  form.addEventListener("change", draw);
  if ([...form.elements].some((field) => field.checked !== field.defaultChecked)) draw(); // choices that the browser restored after a step back
}

// In a game for several players, only as many turns are offered as there are players.
const opponentLists = [...document.querySelectorAll('select[name="opponent"]')];
if (opponentLists.length) {
  const { form } = opponentLists[0];
  const showTurns = () => {
    const players = 2 + opponentLists.filter((list) => list.value !== "nobody").length;
    for (const turn of form.querySelectorAll('[name="seat"]:not([value="random"])')) {
      turn.parentElement.hidden = Number(turn.value) > players;
      if (turn.checked && turn.parentElement.hidden) form.querySelector('[name="seat"]').checked = true;
    }
  };
  form.addEventListener("input", showTurns);
  showTurns();
}

// Above the button that begins a game, a phone shows the name and the side, whose fields are farther down.
const summaryLine = document.getElementById("announced");
if (summaryLine) {
  const { form } = summaryLine.closest("p").querySelector("button");
  const show = () => {
    const side = form.querySelector('[name="seat"]:checked').parentElement.textContent.trim().toLowerCase();
    summaryLine.textContent = `You: ${form.elements.namedItem("name").value}, ${side}`;
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

for (const list of document.querySelectorAll(".moves")) scrollToEnd(list);
scrollToStep(live?.querySelector('[aria-current="step"]'));
announceTurn(false);

// A page that must wait, such as a review during a game that resembles it, is requested until the server has it.
async function awaitPage() {
  if (!document.querySelector("[data-must-wait]")) return;
  await new Promise((then) => setTimeout(then, 3000));
  if (await fetch(location.href).then((response) => response.ok).catch(() => false)) location.reload();
  else awaitPage();
}
awaitPage();

// A review in words is updated until it is complete.
async function updateReview() {
  if (live || !document.querySelector("[data-reviewing]")) return;
  await new Promise((then) => setTimeout(then, 1000));
  const page = await fetch(location.href).then((response) => response.text()).catch(() => "");
  const main = new DOMParser().parseFromString(page, "text/html").getElementById("main");
  if (main) document.getElementById("main").replaceChildren(...main.childNodes);
  showCoordinates();
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
