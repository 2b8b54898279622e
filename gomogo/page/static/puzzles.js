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
    const storedProgress = JSON.parse(setting("puzzles"));
    if (storedProgress?.solved && storedProgress?.streak) return { own: {}, ...storedProgress };
  } catch {} // the stored value is invalid
  return { solved: {}, streak: [0, 0], own: {} };
}

// Stores the URL of the puzzle on this page, if it is one from a game.
function rememberOwn(progress, key) {
  if (!live.dataset.others) progress.own[key] = live.dataset.puzzle.replace("&due=1", "");
  for (const oldKey of Object.keys(progress.own).slice(0, -MAX_OWN)) {
    delete progress.own[oldKey];
    delete progress.solved[oldKey];
  }
}

// A puzzle counts as solved if its first attempt on a day has no mistake. A shown move is a mistake, too.
function recordResult(key, solved) {
  const progress = readProgress();
  const [times = 0] = progress.solved[key] ?? [];
  progress.solved[key] = solved ? [times + 1, today() + INTERVALS[Math.min(times, INTERVALS.length - 1)]] : [0, today() + INTERVALS[0], today()];
  rememberOwn(progress, key);
  const [day, days] = progress.streak;
  if (solved && day !== today()) progress.streak = [today(), day === today() - 1 ? days + 1 : 1];
  setting("puzzles", JSON.stringify(progress));
}

// A skipped puzzle comes back tomorrow.
function postponePuzzle(key) {
  const progress = readProgress();
  const [times = 0, , missed] = progress.solved[key] ?? [];
  progress.solved[key] = [times, today() + 1, ...(missed ? [missed] : [])];
  rememberOwn(progress, key);
  setting("puzzles", JSON.stringify(progress));
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
function nextPuzzle(keys, excludedKey) {
  const { solved } = readProgress();
  const otherKeys = keys.filter((key) => key !== excludedKey);
  const dueDay = (key) => solved[key]?.[1] ?? Infinity;
  const dueKeys = otherKeys.filter((key) => dueDay(key) <= today());
  const [firstDue] = dueKeys.sort((key, otherKey) => dueDay(key) - dueDay(otherKey));
  return firstDue ?? otherKeys.find((key) => !(key in solved)) ?? otherKeys.sort((key, otherKey) => dueDay(key) - dueDay(otherKey))[0];
}

const splitWords = (text) => text.split(" ").filter(Boolean);

// Returns the keys of the puzzles of all games and from games that are due, the one that has been due longest first.
// shipped: the keys in the server's list, with spaces between them.
function duePuzzles(shipped) {
  const { solved, own } = readProgress();
  const keys = [...new Set([...splitWords(shipped), ...Object.keys(own)])].filter((key) => solved[key]?.[1] <= today());
  return keys.sort((one, other) => solved[one][1] - solved[other][1]);
}

function reviewUrl(key) {
  const url = readProgress().own[key] ?? `/puzzle/${key}`;
  return `${url}${url.includes("?") ? "&" : "?"}due=1`;
}

const review = document.getElementById("review");
if (review) {
  const [due, link] = [duePuzzles(review.dataset.shipped), review.querySelector("a")];
  review.hidden = !due.length;
  link.textContent = `Review due: ${due.length}`;
  if (due.length) link.href = reviewUrl(due[0]);
}

for (const card of document.querySelectorAll("[data-keys]")) {
  const keys = splitWords(card.dataset.keys);
  card.querySelector("progress").value = keys.filter((key) => resultOf(key) === "solved").length;
  card.querySelector("[data-progress]").textContent = `${progressText(keys)}.`;
  card.querySelector("[data-next]").href = `/puzzle/${nextPuzzle(keys)}`;
}
for (const link of document.querySelectorAll("[data-of]")) {
  link.href = `/puzzle/${nextPuzzle(splitWords(link.dataset.of))}?${link.dataset.choice}`;
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
function mergeProgress(imported) {
  const progress = readProgress();
  for (const [key, [times, day, missed]] of Object.entries(imported.solved)) {
    if (!(progress.solved[key]?.[1] >= day)) progress.solved[key] = [Number(times), Number(day), ...(missed ? [Number(missed)] : [])];
  }
  for (const [key, url] of Object.entries(imported.own)) if (url.startsWith("/puzzle")) progress.own[key] ??= url;
  if (imported.streak[0] > progress.streak[0]) progress.streak = imported.streak.slice(0, 2).map(Number);
  setting("puzzles", JSON.stringify(progress));
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
let whyMissed = missedDay === today() ? "You missed this puzzle earlier today:" : ""; // nothing without a mistake or a shown move on this day
let shownAnswer = null; // the moves of the answer or of the rest of the game (line), its boards (parts) and the number of moves played (at)
let isSending = false;
let wasHintGiven = false; // for the next move
let showsRefutation = false;

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
  const [ownNumber, all] = [Number(new URLSearchParams(query).get("move")), splitWords(live.dataset.mistakes).map(Number)];
  const corrected = readRetried()[base] ?? [];
  const uncorrected = all.filter((number) => !corrected.includes(number));
  return { ownNumber, all, left: [...uncorrected.filter((number) => number > ownNumber), ...uncorrected.filter((number) => number <= ownNumber)] };
}

function retryUrl(number) {
  const fields = new URLSearchParams(query);
  fields.set("move", number);
  return `${base}?${fields}`;
}

// Leads to the next mistake not yet corrected, or to the review.
function showNextMistake() {
  const { ownNumber, left } = mistakesLeft();
  const number = left.find((candidate) => candidate !== ownNumber);
  const [list, isLast] = [document.getElementById("list"), number === undefined];
  next.href = isLast ? list.href : retryUrl(number);
  next.dataset.after = isLast ? "Back to the review" : "Next mistake";
  next.textContent = isOver || isLast ? next.dataset.after : "Skip";
  list.hidden = isLast; // the other link leads there
}

function recordCorrected(numbers) {
  const { [base]: _, ...retried } = readRetried();
  retried[base] = numbers; // the last key
  for (const oldUrl of Object.keys(retried).slice(0, -MAX_RETRIED)) delete retried[oldUrl];
  setting("retried", JSON.stringify(retried));
}

function recordCorrection() {
  recordCorrected([...new Set([...(readRetried()[base] ?? []), mistakesLeft().ownNumber])]);
  showNextMistake();
}

// Returns a sentence on the mistakes corrected so far; with a space before it.
function correctedWords() {
  const { all, left } = mistakesLeft();
  if (all.length < 2) return "";
  return left.length ? ` ${all.length - left.length} of ${all.length} mistakes corrected.` : ` All ${all.length} mistakes are corrected.`;
}

// Marks the completed steps of an introduction. done: the URL of a step that has just been completed.
function showSteps(doneUrl) {
  const completed = new Set(splitWords(setting("steps") ?? ""));
  if (doneUrl && !completed.has(doneUrl)) setting("steps", [...completed.add(doneUrl)].join(" "));
  markLessons();
  const items = [...document.querySelectorAll("[data-step]")].filter((item) => completed.has(item.dataset.step));
  for (const item of items) item.classList.add("done");
  const bar = document.getElementById("steps-done");
  if (!bar) return;
  bar.value = items.length;
  const finished = document.getElementById("finished");
  if (!finished) return;
  const stepsLeft = bar.max - items.length;
  finished.querySelector("h2").textContent = stepsLeft ? `Last step done, ${stepsLeft} of ${bar.max} steps left` : "Introduction finished";
}
showProgress();
document.querySelector(".steps-list [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" }); // on a phone, a long list scrolls sideways
const isLesson = document.getElementById("steps-done") !== null;
showSteps(isOver && isLesson ? live.dataset.puzzle : "");

const actionUrl = (action, moves) => `${base}/${action}?${new URLSearchParams([...new URLSearchParams(query), ["tried", moves.join(" ")]])}`;

function showVerdict(text, kind) {
  verdict.textContent = text;
  verdict.className = `verdict ${kind}`;
}

function drawBoard(html, moves) {
  withdrawQuestion();
  const focused = part.contains(document.activeElement) && document.activeElement.closest(PLACE_SELECTOR);
  part.innerHTML = html;
  if (lineText) lineText.textContent = moves.join(" ");
  if (focused) focusPlace(findPlace(focused.dataset.point ?? focused.dataset.edge));
}

function finishPuzzle() {
  isOver = true;
  hint.hidden = true;
  for (const button of live.querySelectorAll("button[data-move]")) button.hidden = true;
  if (answer) {
    answer.hidden = true;
    next.textContent = next.dataset.after;
  }
  const finished = document.getElementById("finished");
  if (finished) finished.hidden = false;
  const onward = document.getElementById("first-game") ?? next;
  onward.classList.add("go");
  onward.focus({ preventScroll: true });
  finished?.scrollIntoView({ block: "nearest" });
}

// reason: the beginning of a sentence, for example "After a mistake".
function recordMissed(reason) {
  if (key && !isPractice && !whyMissed) recordResult(key, false);
  whyMissed ||= reason;
  showProgress();
}

// Returns the sentence on a missed puzzle that could count as solved; with a space before it.
const missedWords = () => key && !isPractice && whyMissed ? ` ${whyMissed} it does not count as solved; it comes back tomorrow.` : "";

function showProgress() {
  const result = document.getElementById("result");
  const keys = splitWords(live.dataset.others);
  if (result && keys.length) result.textContent = ` · ${progressText(keys)}`;
  else if (result) result.textContent = { solved: " · solved", missed: " · missed" }[resultOf(key)] ?? "";
}

async function fetchJson(url) {
  const response = await fetch(url, { headers: { Accept: "application/json" } });
  return response.json();
}

const TAKEN_SELECTOR = ".stone:not(.ghost), .drawn:not(.ghost)";

function tryMoveAt(place) {
  const isTaken = !isOver && place.querySelector(TAKEN_SELECTOR);
  if (isTaken) return showMessage(place.dataset.edge ? "This edge is drawn." : "This point is occupied.");
  return tryMove(place.dataset.move ?? place.dataset.point ?? place.dataset.edge);
}

async function tryMove(move) {
  if (isOver) return;
  if (isSending) return showMessage("Wait for the verdict on your last move.");
  isSending = true;
  showMessage("");
  const slowTimer = setTimeout(() => showVerdict(`Judging ${move} …`, "busy"), SLOW_MILLISECONDS);
  try {
    const judgement = await fetchJson(actionUrl("try", [...tried, move]));
    if (judgement.refused) return showMessage(`${judgement.refused} ${judgement.remedy}`);
    showMessage("");
    showVerdict(judgement.words, judgement.verdict);
    if (judgement.verdict === "wrong") {
      recordMissed("After a mistake");
      drawRefutation(judgement, move);
      return;
    }
    tried = judgement.tried;
    wasHintGiven = false;
    showsRefutation = false;
    drawBoard(judgement.part, judgement.line);
    analysis.href = judgement.analysis;
    again.hidden = false;
    if (judgement.verdict === "solved") {
      if (key && !isPractice && !whyMissed) recordResult(key, true);
      showProgress();
      if ("mistakes" in live.dataset) recordCorrection();
      showVerdict(judgement.words + ("mistakes" in live.dataset ? correctedWords() : missedWords()), judgement.verdict);
      if (isLesson) showSteps(live.dataset.puzzle);
      if (judgement.continuation) stepThrough(judgement.continuation, judgement.line.length);
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

// Marks a wrong move and draws its refutation until the next try or hint. Marks of a hint stay.
function drawRefutation(judgement, move) {
  showsRefutation = true;
  const hints = ["hint-area", "hinted"].map((kind) => [kind, [...live.querySelectorAll(`.${kind}`)]]);
  drawBoard(judgement.part, judgement.line);
  for (const [kind, places] of hints) {
    for (const { dataset } of places) findPlace(dataset.point ?? dataset.edge)?.classList.add(kind);
  }
  findPlace(move)?.classList.add("wrong-move");
}

// A hint has two steps: first it marks the area of a right move, then the move. Only the second one counts as a mistake.
async function showHint() {
  showMessage("");
  const hintData = await fetchJson(actionUrl("hint", tried));
  if (hintData.refused) return showMessage(`${hintData.refused} ${hintData.remedy}`);
  const isSecondStep = wasHintGiven || (!hintData.words && !hintData.area.length); // a pass has no area
  if (showsRefutation) {
    const before = await fetchJson(actionUrl("try", tried));
    if (before.refused) return showMessage(`${before.refused} ${before.remedy}`);
    drawBoard(before.part, before.line);
    showsRefutation = false;
  }
  clearHint();
  for (const name of isSecondStep ? [hintData.move] : hintData.area) findPlace(name)?.classList.add(isSecondStep ? "hinted" : "hint-area");
  wasHintGiven = true;
  if (isSecondStep) recordMissed("The move was shown, so");
  showVerdict(isSecondStep ? `A right move is ${hintData.move}.${missedWords()}` : `${hintData.words ?? "A right move is in the marked area."} Another hint shows the move.`, "hint");
}

function clearHint() {
  for (const place of live.querySelectorAll(".hint-area, .hinted")) place.classList.remove("hint-area", "hinted");
}

async function showAnswer() {
  showMessage("");
  const answerData = await fetchJson(actionUrl("answer", tried));
  if (answerData.refused) return showMessage(`${answerData.refused} ${answerData.remedy}`);
  recordMissed("The answer was shown, so");
  stepThrough(answerData, answerData.start);
  showVerdict(answerData.words + missedWords(), "answer");
  again.hidden = false;
  finishPuzzle();
}

// Shows the buttons that step through a line, and its board after a number of moves.
function stepThrough(line, moveCount) {
  shownAnswer = line;
  answerBack.hidden = answerForward.hidden = false;
  stepAnswer(moveCount);
}

// Shows the board after a number of moves of the answer.
function stepAnswer(moveCount) {
  const { line, parts, start } = shownAnswer;
  if (moveCount < 0 || moveCount > line.length) return;
  shownAnswer.at = moveCount;
  drawBoard(parts[moveCount], moveCount === start ? line : line.slice(0, moveCount)); // the board at the start, if any, shows the rest as ghosts
  answerBack.disabled = moveCount === 0;
  answerForward.disabled = moveCount === line.length;
}

if ("mistakes" in live.dataset) {
  if (!mistakesLeft().left.length) recordCorrected([]); // all were corrected earlier, so this is a new round
  showNextMistake();
} else if ("shipped" in live.dataset) {
  const due = duePuzzles(live.dataset.shipped).filter((other) => other !== key);
  next.href = due.length ? reviewUrl(due[0]) : "/puzzles";
  next.dataset.after = due.length ? `Next of ${due.length} due` : "Review finished";
} else if (next && !("here" in next.dataset)) {
  const other = nextPuzzle(splitWords(live.dataset.others), key);
  const { choice } = live.dataset;
  if (other) next.href = `/puzzle/${other}${choice ? `?${choice}` : ""}`;
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
  if (isOver || isSending || !asksToConfirmMove(event, place, tryMoveAt)) tryMoveAt(place);
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
    tryMoveAt(place);
  } else if (place && event.key in ARROW_DIRECTIONS) {
    event.preventDefault();
    live.dataset.by = "keys";
    focusPlace(neighbourOf(place, ...ARROW_DIRECTIONS[event.key]));
  }
});
})();
