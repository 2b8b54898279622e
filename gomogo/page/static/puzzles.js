// Puzzles and introductions. Loaded after page.js, whose helpers it uses. The browser stores which puzzles were solved.
"use strict";

(() => {
const DAY = 86_400_000;
const INTERVALS = [1, 3, 7, 16, 35, 90]; // days until a solved puzzle is due again
const SLOW_MILLISECONDS = 200; // milliseconds after which the visitor sees that a move is being judged
const today = () => Math.floor((Date.now() - new Date().getTimezoneOffset() * 60_000) / DAY);

// The stored progress. solved: by the key of a puzzle, [how often it was solved in a row, the day on which it is due, the
// day of the last mistake if it was not solved since].
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

// A puzzle counts as solved if its first attempt on a day has no mistake. A shown move is a mistake, too.
function recordResult(key, solved) {
  const held = readProgress();
  const [times = 0] = held.solved[key] ?? [];
  held.solved[key] = solved ? [times + 1, today() + INTERVALS[Math.min(times, INTERVALS.length - 1)]] : [0, today() + INTERVALS[0], today()];
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
  const [times = 0, , missed] = held.solved[key] ?? [];
  held.solved[key] = [times, today() + 1, ...(missed ? [missed] : [])];
  setting("puzzles", JSON.stringify(held));
}

// Returns "solved", "missed", or nothing.
function resultOf(key) {
  const [times, , missed] = readProgress().solved[key] ?? [];
  return times > 0 ? "solved" : missed ? "missed" : "";
}

// Returns the result of several puzzles in words, such as "3 of 40 solved, 1 missed, 2 due today".
function progressText(keys) {
  const { solved } = readProgress();
  const missed = keys.filter((key) => resultOf(key) === "missed").length;
  const due = keys.filter((key) => solved[key]?.[1] <= today()).length;
  return `${keys.filter((key) => resultOf(key) === "solved").length} of ${keys.length} solved${missed ? `, ${missed} missed` : ""}${due ? `, ${due} due today` : ""}`;
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
  card.querySelector("progress").value = keys.filter((key) => resultOf(key) === "solved").length;
  card.querySelector("[data-progress]").textContent = `${progressText(keys)}.`;
  card.querySelector("[data-next]").href = `/puzzle/${nextPuzzle(keys)}`;
}
for (const link of document.querySelectorAll("[data-of]")) {
  link.href = `/puzzle/${nextPuzzle(splitWords(link.dataset.of))}?level=${link.dataset.level}`;
}
const ownPanel = document.getElementById("own");
const ownKeys = Object.keys(readProgress().own);
if (ownPanel && ownKeys.length) {
  ownPanel.hidden = false;
  ownPanel.querySelector("[data-progress]").textContent = `${progressText(ownKeys)}.`;
  ownPanel.querySelector("[data-next]").href = readProgress().own[nextPuzzle(ownKeys)];
}
for (const item of document.querySelectorAll("[data-solved-key]")) {
  const result = resultOf(item.dataset.solvedKey);
  if (result) item.querySelector("small").textContent += `, ${result}`;
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
  for (const [key, [times, day, missed]] of Object.entries(other.solved)) {
    if (!(held.solved[key]?.[1] >= day)) held.solved[key] = [Number(times), Number(day), ...(missed ? [Number(missed)] : [])];
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
const [timesSolved = 0, dueDay = 0, missedDay] = readProgress().solved[key] ?? [];
const isPractice = timesSolved > 0 && dueDay > today(); // a solved puzzle that is not due yet: nothing is recorded
let wasMissed = missedDay === today(); // a mistake on this day, or a right move was shown
let shownAnswer = null; // the moves of the answer (line), its boards (parts) and the number of moves played (at)
let isSending = false;

// The mistakes of reviewed games that the visitor has corrected: by the path of a retry, the numbers of the moves.
const MAX_RETRIED = 100;

function readRetried() {
  try {
    return JSON.parse(setting("retried")) ?? {};
  } catch {
    return {}; // the stored value is invalid
  }
}

// Returns the number of the mistake on this page, and the numbers of the mistakes not yet corrected: those that follow,
// then those before.
function mistakesLeft() {
  const [own, all] = [Number(new URLSearchParams(query).get("move")), splitWords(live.dataset.mistakes).map(Number)];
  const corrected = readRetried()[base] ?? [];
  const left = all.filter((number) => !corrected.includes(number));
  return { own, all, left: [...left.filter((number) => number > own), ...left.filter((number) => number <= own)] };
}

function retryUrl(number) {
  const fields = new URLSearchParams(query);
  fields.set("move", number);
  return `${base}?${fields}`;
}

// Leads to the next mistake not yet corrected, or to the review.
function showNextMistake() {
  const { own, left } = mistakesLeft();
  const number = left.find((one) => one !== own);
  const [list, isLast] = [document.getElementById("list"), number === undefined];
  next.href = isLast ? list.href : retryUrl(number);
  next.dataset.after = isLast ? "Back to the review" : "Next mistake";
  next.textContent = isOver || isLast ? next.dataset.after : "Skip";
  list.hidden = isLast; // the other link leads there
}

function recordCorrected(numbers) {
  const { [base]: _, ...held } = readRetried();
  held[base] = numbers; // the last key
  for (const old of Object.keys(held).slice(0, -MAX_RETRIED)) delete held[old];
  setting("retried", JSON.stringify(held));
}

function recordCorrection() {
  recordCorrected([...new Set([...(readRetried()[base] ?? []), mistakesLeft().own])]);
  showNextMistake();
}

// Returns a sentence on the mistakes corrected so far; with a space before it.
function correctedWords() {
  const { all, left } = mistakesLeft();
  if (all.length < 2) return "";
  return left.length ? ` ${all.length - left.length} of ${all.length} mistakes corrected.` : ` All ${all.length} mistakes are corrected.`;
}

// Marks the completed steps of an introduction. done: the URL of a step that has just been completed.
function showSteps(done) {
  const completed = new Set(splitWords(setting("steps") ?? ""));
  if (done && !completed.has(done)) setting("steps", [...completed.add(done)].join(" "));
  markLessons();
  const items = [...document.querySelectorAll("[data-step]")].filter((item) => completed.has(item.dataset.step));
  for (const item of items) item.classList.add("done");
  const bar = document.getElementById("steps-done");
  if (!bar) return;
  bar.value = items.length;
  const finished = document.getElementById("finished");
  if (!finished) return;
  const left = bar.max - items.length;
  finished.querySelector("h2").textContent = left ? `Last step done, ${left} of ${bar.max} steps left` : "Introduction finished";
}
showProgress();
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
  const finished = document.getElementById("finished");
  if (finished) finished.hidden = false;
  const onward = document.getElementById("first-game") ?? next;
  onward.classList.add("go");
  onward.focus({ preventScroll: true });
  finished?.scrollIntoView({ block: "nearest" });
}

function recordMistake() {
  if (key && !isPractice && !wasMissed) recordResult(key, false);
  wasMissed = true;
  showProgress();
}

// Returns the sentence on a mistake in a puzzle that could count as solved; with a space before it.
const missedWords = () => key && !isPractice && wasMissed ? " After a mistake it does not count as solved; it comes back tomorrow." : "";

function showProgress() {
  const result = document.getElementById("result");
  const keys = splitWords(live.dataset.others);
  if (result && keys.length) result.textContent = ` · ${progressText(keys)}`;
  else if (result) result.textContent = { solved: " · solved", missed: " · missed" }[resultOf(key)] ?? "";
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
      recordMistake();
      drawRefutation(found, move);
      return;
    }
    tried = found.tried;
    drawBoard(found.part, found.line);
    analysis.href = found.analysis;
    again.hidden = false;
    if (found.verdict === "solved") {
      if (key && !isPractice && !wasMissed) recordResult(key, true);
      showProgress();
      if ("mistakes" in live.dataset) recordCorrection();
      showVerdict(found.words + ("mistakes" in live.dataset ? correctedWords() : missedWords()), found.verdict);
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
  if (second) recordMistake();
  showVerdict(second ? `A right move is ${found.move}.${missedWords()}` : "A right move is in the marked area. Another hint shows the move.", "hint");
}

function clearHint() {
  for (const old of live.querySelectorAll(".hint-area, .hinted")) old.classList.remove("hint-area", "hinted");
}

async function showAnswer() {
  showMessage("");
  const found = await fetchJson(actionUrl("answer", tried));
  if (found.refused) return showMessage(`${found.refused} ${found.remedy}`);
  recordMistake();
  shownAnswer = found;
  stepAnswer(found.start);
  showVerdict(`The answer: ${found.line.join(" ")}.${found.words ? ` ${found.words}` : ""}${missedWords()}`, "answer");
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

if ("mistakes" in live.dataset) {
  if (!mistakesLeft().left.length) recordCorrected([]); // all were corrected earlier, so this is a new round
  showNextMistake();
} else if (next && !("here" in next.dataset)) {
  const other = nextPuzzle(splitWords(live.dataset.others), key);
  const { level } = live.dataset;
  if (other) next.href = `/puzzle/${other}${level ? `?level=${level}` : ""}`;
}
next?.addEventListener("click", () => !isOver && key && postponePuzzle(key));
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
  if (event.key === "n") document.querySelector("#next, #finished [data-lesson]:not(.done)")?.click();
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
