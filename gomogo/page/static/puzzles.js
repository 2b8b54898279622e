// Puzzles and introductions. Loaded after page.js, whose helpers it uses. The browser stores which puzzles were solved.
"use strict";

(() => {
const DAY = 86_400_000;
const INTERVALS = [1, 3, 7, 16, 35, 90]; // days until a solved puzzle is due again
const SLOW_MILLISECONDS = 200; // milliseconds after which the visitor sees that a move is being judged
const today = () => Math.floor((Date.now() - new Date().getTimezoneOffset() * 60_000) / DAY);

// The stored progress. solved: by the key of a puzzle, [how often it was solved in a row, the day on which it is due].
// streak: [the last day with a solved puzzle, the number of such days in a row]. own: by key, the URLs of puzzles from
// games, which are not in the server's list.
const MAX_OWN = 500;

function readProgress() {
  try {
    const held = JSON.parse(setting("puzzles"));
    if (held?.solved && held?.streak) return { own: {}, ...held };
  } catch {} // the stored value is invalid
  return { solved: {}, streak: [0, 0], own: {} };
}

function recordResult(key, solved) {
  const held = readProgress();
  const times = solved ? (held.solved[key]?.[0] ?? 0) + 1 : 0;
  held.solved[key] = [times, today() + INTERVALS[Math.min(Math.max(times - 1, 0), INTERVALS.length - 1)]];
  if (!live.dataset.others) held.own[key] = live.dataset.puzzle;
  for (const old of Object.keys(held.own).slice(0, -MAX_OWN)) {
    delete held.own[old];
    delete held.solved[old];
  }
  const [day, days] = held.streak;
  if (solved && day !== today()) held.streak = [today(), day === today() - 1 ? days + 1 : 1];
  setting("puzzles", JSON.stringify(held));
}

// A skipped puzzle comes back tomorrow.
function postponePuzzle(key) {
  const held = readProgress();
  held.solved[key] = [held.solved[key]?.[0] ?? 0, today() + 1];
  setting("puzzles", JSON.stringify(held));
}

// Returns the key of the next puzzle: the one that has been due longest, else a new one, else the one that is due first.
function nextPuzzle(keys, except) {
  const { solved } = readProgress();
  const others = keys.filter((key) => key !== except);
  const day = (key) => solved[key]?.[1] ?? Infinity;
  const due = others.filter((key) => day(key) <= today());
  const [first] = due.sort((one, other) => day(one) - day(other));
  return first ?? others.find((key) => !(key in solved)) ?? others.sort((one, other) => day(one) - day(other))[0];
}

const splitWords = (text) => text.split(" ").filter(Boolean);

for (const card of document.querySelectorAll("[data-keys]")) {
  const keys = splitWords(card.dataset.keys);
  const { solved } = readProgress();
  const done = keys.filter((key) => solved[key]?.[0] > 0).length;
  const due = keys.filter((key) => solved[key]?.[1] <= today()).length;
  card.querySelector("progress").value = done;
  card.querySelector("[data-progress]").textContent = `${done} of ${keys.length} solved${due ? `, ${due} due today` : ""}.`;
  card.querySelector("[data-next]").href = `/puzzle/${nextPuzzle(keys)}`;
}
for (const link of document.querySelectorAll("[data-of]")) {
  link.href = `/puzzle/${nextPuzzle(splitWords(link.dataset.of))}?level=${link.dataset.level}`;
}
const ownPanel = document.getElementById("own");
const ownKeys = Object.keys(readProgress().own);
if (ownPanel && ownKeys.length) {
  const due = ownKeys.filter((key) => readProgress().solved[key]?.[1] <= today()).length;
  ownPanel.hidden = false;
  ownPanel.querySelector("[data-progress]").textContent = `${ownKeys.length} tried, ${due} due today.`;
  ownPanel.querySelector("[data-next]").href = readProgress().own[nextPuzzle(ownKeys)];
}
for (const item of document.querySelectorAll("[data-solved-key]")) {
  if (readProgress().solved[item.dataset.solvedKey]?.[0] > 0) item.querySelector("small").textContent += ", solved";
}
if (document.querySelector("[data-searching]")) setTimeout(() => whenOnline(() => location.reload()), 2000);
const streak = document.getElementById("streak");
if (streak) {
  const [day, days] = readProgress().streak;
  if (days > 1 && day >= today() - 1) streak.textContent = `Solved on ${days} days in a row.`;
}

// A file takes the progress to another browser. Of two results for a puzzle, the one that is due later counts.
function mergeProgress(other) {
  const held = readProgress();
  for (const [key, [times, day]] of Object.entries(other.solved)) {
    if (!(held.solved[key]?.[1] >= day)) held.solved[key] = [Number(times), Number(day)];
  }
  for (const [key, where] of Object.entries(other.own)) if (where.startsWith("/puzzle")) held.own[key] ??= where;
  if (other.streak[0] > held.streak[0]) held.streak = other.streak.slice(0, 2).map(Number);
  setting("puzzles", JSON.stringify(held));
}

const save = document.getElementById("save-progress");
if (save) {
  save.href = URL.createObjectURL(new Blob([JSON.stringify(readProgress())], { type: "application/json" }));
  document.getElementById("open-progress").addEventListener("change", async ({ target }) => {
    try {
      mergeProgress(JSON.parse(await target.files[0].text()));
      location.reload();
    } catch {
      document.getElementById("progress-said").textContent = "This file holds no progress. Choose a file that was saved here.";
    }
  });
}

if (!live || !("puzzle" in live.dataset)) return;

// One puzzle

const [base, query] = live.dataset.puzzle.split("?");
const { key } = live.dataset;
const [verdict, next, again, answer, hint, lineText, analysis, part, answerBack, answerForward] = ["verdict", "next", "again", "answer", "hint", "line", "analysis", "part", "answer-back", "answer-forward"].map((id) => document.getElementById(id));
let tried = splitWords(live.dataset.tried);
let isOver = ["solved", "answer"].includes(live.dataset.verdict);
let isFaultless = true; // no mistake so far, and the answer was not shown
let shownAnswer = null; // the moves of the answer (line), its boards (parts) and the number of moves played (at)
let isSending = false;

// Marks the completed steps of an introduction. done: the URL of a step that has just been completed.
function showSteps(done) {
  const completed = new Set(splitWords(setting("steps") ?? ""));
  if (done && !completed.has(done)) setting("steps", [...completed.add(done)].join(" "));
  const items = [...document.querySelectorAll("[data-step]")].filter((item) => completed.has(item.dataset.step));
  for (const item of items) item.classList.add("done");
  const bar = document.getElementById("steps-done");
  if (bar) bar.value = items.length;
}
const isLesson = document.getElementById("steps-done") !== null;
showSteps(isOver && isLesson ? live.dataset.puzzle : "");

const actionUrl = (what, moves) => `${base}/${what}?${new URLSearchParams([...new URLSearchParams(query), ["tried", moves.join(" ")]])}`;

function showVerdict(text, kind) {
  verdict.textContent = text;
  verdict.className = `verdict ${kind}`;
}

function drawBoard(html, moves) {
  const focused = part.contains(document.activeElement) && document.activeElement.closest(PLACE_SELECTOR);
  part.innerHTML = html;
  if (lineText) lineText.textContent = moves.join(" ");
  if (focused) focusPlace(findPlace(focused.dataset.point ?? focused.dataset.edge));
}

function finishPuzzle() {
  isOver = true;
  if (answer) {
    answer.hidden = hint.hidden = true;
    for (const button of live.querySelectorAll("button[data-move]")) button.hidden = true;
    next.textContent = next.dataset.after;
  }
  const onward = document.getElementById("first-game") ?? next;
  onward.classList.add("go");
  onward.focus({ preventScroll: true });
}

async function fetchJson(where) {
  const response = await fetch(where, { headers: { Accept: "application/json" } });
  return response.json();
}

async function tryMove(move) {
  if (isOver || isSending) return;
  isSending = true;
  showMessage("");
  const slowTimer = setTimeout(() => showVerdict(`Judging ${move} …`, "busy"), SLOW_MILLISECONDS);
  try {
    const found = await fetchJson(actionUrl("try", [...tried, move]));
    if (found.refused) return showMessage(`${found.refused} ${found.remedy}`);
    showVerdict(found.words, found.verdict);
    if (found.verdict === "wrong") {
      if (isFaultless && key) recordResult(key, false);
      isFaultless = false;
      drawRefutation(found, move);
      return;
    }
    tried = found.tried;
    drawBoard(found.part, found.line);
    analysis.href = found.analysis;
    again.hidden = false;
    if (found.verdict === "solved") {
      if (isFaultless && key) recordResult(key, true);
      if (isLesson) showSteps(live.dataset.puzzle);
      finishPuzzle();
    }
  } catch {
    showMessage(NO_ANSWER);
  } finally {
    clearTimeout(slowTimer);
    if (verdict.classList.contains("busy")) showVerdict("", "open");
    isSending = false;
  }
}

// Marks a wrong move and draws its refutation until the next try. Marks of a hint stay.
function drawRefutation(found, move) {
  const hints = ["hint-area", "hinted"].map((kind) => [kind, [...live.querySelectorAll(`.${kind}`)]]);
  drawBoard(found.part, found.line);
  for (const [kind, places] of hints) {
    for (const { dataset } of places) findPlace(dataset.point ?? dataset.edge)?.classList.add(kind);
  }
  findPlace(move)?.classList.add("wrong-move");
}

// A hint has two steps: first it marks the area of a right move, then the move. Only the second one counts as a mistake.
async function showHint() {
  showMessage("");
  const found = await fetchJson(actionUrl("hint", tried));
  if (found.refused) return showMessage(`${found.refused} ${found.remedy}`);
  const second = !found.area.length || live.querySelector(".hint-area") !== null; // a pass has no area
  clearHint();
  for (const name of second ? [found.move] : found.area) findPlace(name)?.classList.add(second ? "hinted" : "hint-area");
  if (second && isFaultless && key) recordResult(key, false);
  isFaultless &&= !second;
  showVerdict(second ? `A right move is ${found.move}.` : "A right move is in the marked area. Another hint shows the move.", "hint");
}

function clearHint() {
  for (const old of live.querySelectorAll(".hint-area, .hinted")) old.classList.remove("hint-area", "hinted");
}

async function showAnswer() {
  if (isFaultless && key) recordResult(key, false);
  isFaultless = false;
  showMessage("");
  const found = await fetchJson(actionUrl("answer", tried));
  if (found.refused) return showMessage(`${found.refused} ${found.remedy}`);
  shownAnswer = found;
  stepAnswer(found.start);
  showVerdict(`The answer: ${found.line.join(" ")}.`, "answer");
  again.hidden = answerBack.hidden = answerForward.hidden = false;
  finishPuzzle();
}

// Shows the board after a number of moves of the answer.
function stepAnswer(at) {
  const { line, parts, start } = shownAnswer;
  if (at < 0 || at > line.length) return;
  shownAnswer.at = at;
  drawBoard(parts[at], at === start ? line : line.slice(0, at)); // the board at the start shows the rest as ghosts
  answerBack.disabled = at === 0;
  answerForward.disabled = at === line.length;
}

if (!("here" in next.dataset)) {
  const other = nextPuzzle(splitWords(live.dataset.others), key);
  const { level } = live.dataset;
  if (other) next.href = `/puzzle/${other}${level ? `?level=${level}` : ""}`;
}
next.addEventListener("click", () => !isOver && key && postponePuzzle(key));
answer?.addEventListener("click", (event) => {
  event.preventDefault();
  showAnswer().catch(() => showMessage(NO_ANSWER));
});
answerBack?.addEventListener("click", () => stepAnswer(shownAnswer.at - 1));
answerForward?.addEventListener("click", () => stepAnswer(shownAnswer.at + 1));
hint?.addEventListener("click", () => {
  if (!isOver && !isSending) showHint().catch(() => showMessage(NO_ANSWER));
});
live.addEventListener("click", (event) => {
  const place = event.target.closest(`${PLACE_SELECTOR}, button[data-move]`);
  if (!place?.matches("button, [role=button]")) return;
  live.dataset.by = "mouse";
  const wasAsked = place.classList.contains("asked");
  for (const other of live.querySelectorAll(".asked")) other.classList.remove("asked");
  if (!isOver && !isSending && !wasAsked && isSmallTouch(event, place)) {
    place.classList.add("asked");
    return showVerdict(`Tap ${place.dataset.point ?? place.dataset.edge} again to play it.`, "open");
  }
  tryMove(place.dataset.move ?? place.dataset.point ?? place.dataset.edge);
});
document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, select, textarea") || event.ctrlKey || event.altKey || event.metaKey) return;
  const place = event.target.closest(PLACE_SELECTOR);
  if (event.key === "n") next.click();
  else if (event.key === "b") document.getElementById("previous")?.click();
  else if (shownAnswer && event.key === "ArrowLeft") answerBack.click();
  else if (shownAnswer && event.key === "ArrowRight") answerForward.click();
  else if (place && (event.key === "Enter" || event.key === " ")) {
    event.preventDefault();
    tryMove(place.dataset.move ?? place.dataset.point ?? place.dataset.edge);
  } else if (place && event.key in ARROW_DIRECTIONS) {
    event.preventDefault();
    live.dataset.by = "keys";
    focusPlace(neighbourOf(place, ...ARROW_DIRECTIONS[event.key]));
  }
});
})();
