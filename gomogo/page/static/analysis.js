// The analysis board: a tree of variations, live analysis, SGF. Loaded after page.js, whose helpers it uses.
"use strict";

(() => {
const asked = live.dataset;
const options = JSON.parse(asked.options);
const rules = JSON.stringify([asked.game, options]);
const [candidates, legend, effort, comment] = ["candidates", "candidates-legend", "effort", "comment"].map((id) => document.getElementById(id));
const MAX_GHOSTS = 8; // transparent stones that show a line of moves
const bar = document.getElementById("evaluation"); // only in games for two
let tree = [{ parent: -1, move: "", comment: "" }];
let now = 0;
let opened = false; // whether the tree was just read from a file
let best = [];
let scores = {};

// The tree of moves. Each node has the index of its parent; -1 is the parent of the root, and -2 that of a removed node.

const children = (number) => tree.flatMap((node, at) => (node.parent === number ? [at] : []));
const line = (number) => (number > 0 ? [...line(tree[number].parent), tree[number].move] : []);

function query(number, more = {}) {
  const set = Object.entries(options).map(([name, value]) => [`option-${name}`, value]);
  return new URLSearchParams([["game", asked.game], ...set, ["moves", line(number).join(" ")], ...Object.entries(more)]);
}

function child(parent, move) {
  const known = children(parent).find((at) => tree[at].move === move);
  return known ?? tree.push({ parent, move, comment: "" }) - 1;
}

function remember() {
  try {
    sessionStorage.setItem("analysis", JSON.stringify({ rules, tree }));
  } catch {} // the browser does not allow storage
}

function recall() {
  const moves = asked.moves.split(" ").filter(Boolean);
  try {
    const held = JSON.parse(sessionStorage.getItem("analysis"));
    if (held?.rules === rules) ({ tree, opened = false } = held);
  } catch {}
  let at = 0;
  moves.forEach((move, number) => {
    at = child(at, move);
    if (number < Number(asked.at)) now = at;
  });
}

// The server draws the board. This script draws the marks of the analysis.

async function go(number) {
  let answer = {};
  try {
    const response = await fetch(`/analysis/board?${query(number)}`, { headers: { Accept: "application/json" } });
    answer = await response.json();
  } catch {} // no answer, or an answer that is not JSON
  if (!answer.part) {
    say(answer.refused ? `${answer.refused} ${answer.remedy}` : "The server did not answer. Try again.");
    return false;
  }
  say("");
  now = number;
  const held = live.contains(document.activeElement) && document.activeElement.closest(places);
  document.getElementById("part").innerHTML = answer.part;
  if (held) focusOn(pick(held.dataset.point ?? held.dataset.edge));
  const play = document.getElementById("play-here");
  play.hidden = !answer.play;
  play.href = answer.play;
  best = [];
  scores = {};
  drawn();
  if (analysing) begin();
  return true;
}

async function add(move) {
  const before = tree.length;
  const number = child(now, move);
  if (!(await go(number)) && tree.length > before) tree.pop();
}

function drawn() {
  const where = `/analysis?${query(now)}`;
  document.getElementById("link").href = where;
  history.replaceState(null, "", where);
  comment.value = tree[now].comment;
  document.getElementById("cut").disabled = now === 0;
  drawTree();
  drawCandidates();
  remember();
  live.dataset.marks = `/analysis/marks?${query(now)}`;
  live.dispatchEvent(new Event("drawn"));
}

function drawTree() {
  const list = document.getElementById("tree");
  list.replaceChildren();
  const write = (number, depth, into) => {
    let at = number;
    while (at !== undefined) {
      const link = document.createElement("a");
      link.href = `/analysis?${query(at)}`;
      link.dataset.node = at;
      link.textContent = `${depth} ${tree[at].move}`;
      if (tree[at].comment) link.title = link.textContent += " …";
      if (at === now) link.setAttribute("aria-current", "step");
      into.append(link, " ");
      const [, ...others] = children(tree[at].parent);
      if (others.length && at === children(tree[at].parent)[0]) {
        for (const other of others) {
          const inner = document.createElement("div");
          inner.className = "variation";
          into.append(inner);
          write(other, depth, inner);
        }
      }
      at = children(at)[0];
      depth++;
    }
  };
  if (children(0).length) write(children(0)[0], 1, list);
  const current = list.querySelector("[aria-current]");
  if (current) list.scrollTop = Math.max(0, current.offsetTop - list.offsetTop - list.clientHeight / 2);
  else list.scrollTop = 0;
}

// The players as the list of best moves names them, the player to move first.
function players() {
  const { seat, kinds } = live.querySelector(".board").dataset;
  const names = kinds.split(" ").map((kind, at) => ({ black: "Black", white: "White" })[kind] ?? `Player ${at + 1}`);
  return { first: names[0], mover: names[seat - 1], other: names[seat === "1" ? 1 : 0], moverIsFirst: seat === "1" };
}

// Returns the first player's win chance in percent. score: the advantage of the player to move, from -1 to 1.
const firstChance = (score) => Math.round(50 + 50 * (players().moverIsFirst ? score : -score));

// Returns a score in words that name the better player. words: for the player to move, such as "slightly worse".
function namedScore(words) {
  const { mover, other } = players();
  if (/^(loses|.*worse)/.test(words)) return `${other} ${words.replace("loses", "wins").replace("worse", "better")}`;
  return words === "even" ? words : `${mover} ${words}`;
}

function drawCandidates(shown = 0) {
  const { first, mover } = players();
  const scored = best.some((one) => one.score !== undefined && one.score !== null);
  legend.textContent = best.length ? `Best for ${mover}${scored && bar ? `, with ${first}'s win chance` : ""}` : "";
  candidates.replaceChildren(
    ...best.map((one, number) => {
      const item = document.createElement("li");
      const button = document.createElement("button");
      const [rank, move, words, score, rest] = ["span", "b", "span", "span", "span"].map((name) => document.createElement(name));
      rank.textContent = `${number + 1}.`;
      rank.className = "rest";
      move.textContent = one.move;
      words.textContent = bar ? namedScore(one.words) : one.words;
      score.textContent = bar && typeof one.score === "number" ? `${firstChance(one.score)} %` : "";
      score.className = "number";
      rest.textContent = one.line.slice(1).join(" ");
      rest.className = "rest";
      button.type = "button";
      button.append(rank, move, score, words, rest);
      button.addEventListener("click", () => add(one.move));
      button.addEventListener("pointerenter", () => mark_line(number));
      button.addEventListener("pointerleave", () => mark_line(0));
      item.append(button);
      return item;
    }),
  );
  mark_line(shown);
  drawBar();
}

// The bar beside the board. The part at its bottom is the first player's win chance. During a search of the next position
// the bar keeps its value.
function drawBar() {
  const score = best[0]?.score ?? null;
  if (!bar || score === null) {
    if (bar && (best.length || !analysing)) bar.hidden = true;
    return;
  }
  const chance = firstChance(score);
  const [first, second] = live.querySelector(".board").dataset.kinds.split(" ");
  bar.className = `evaluation ${second}`;
  bar.firstChild.className = first;
  bar.firstChild.style.height = `${chance}%`;
  bar.setAttribute("aria-valuenow", chance);
  bar.setAttribute("aria-valuetext", `${chance} %; ${namedScore(best[0].words)}`);
  bar.title = `${players().first}'s win chance: ${chance} %`;
  bar.hidden = false;
}

// Draws the moves of one line as numbered, transparent stones, and the values of other moves as spots: larger is better.
function mark_line(number) {
  for (const old of live.querySelectorAll(".analysed")) old.remove();
  for (const old of live.querySelectorAll(".edge .expected")) old.setAttribute("class", "open");
  const stones = best[number]?.stones.slice(0, MAX_GHOSTS) ?? [];
  const laid = new Set();
  stones.forEach(([name, sign], at) => {
    const place = pick(name);
    if (!place || laid.has(name) || place.querySelector(".stone, .drawn")) return;
    laid.add(name);
    place.querySelector(".open")?.setAttribute("class", "drawn expected");
    const colour = { x: "black", o: "white" }[sign];
    if (place.dataset.point && colour) spot(place, "circle", `stone ${colour} ghost analysed`, STONE);
    spot(place, "text", `number ${place.dataset.point && colour ? `on-${colour}` : "on-edge"} analysed`).textContent = at + 1;
  });
  for (const [name, score] of Object.entries(scores)) {
    const place = pick(name);
    if (!place || laid.has(name) || !place.dataset.point || place.querySelector(".stone")) continue;
    spot(place, "circle", "heat analysed", 3 + 6 * (score + 1));
  }
}

// Live analysis: one request, whose response continues until the user stops it.

const engine = document.getElementById("engine");
let analysing = false;
let request = null;

async function begin() {
  request?.abort();
  const mine = (request = new AbortController());
  effort.textContent = "";
  const fields = query(now, { agent: document.getElementById("agent").value, lines: document.getElementById("lines").value });
  try {
    const headers = { "X-Token": token, Accept: "application/json" };
    const response = await fetch("/analysis/start", { method: "POST", headers, body: fields, signal: mine.signal });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const texts = (rest + value).split("\n");
      rest = texts.pop();
      if (mine === request && texts.length) found(JSON.parse(texts.at(-1)));
    }
    if (rest && mine === request) found(JSON.parse(rest));
  } catch (fault) {
    if (fault.name !== "AbortError") say(noAnswer);
  }
}

function found(answer) {
  if (answer.refused) {
    say(`${answer.refused} ${answer.remedy}`);
    stop();
  } else if (answer.words) {
    effort.textContent = answer.words;
  } else if (answer.lines) {
    [best, scores] = [answer.lines, answer.scores];
    const parts = [`${answer.seconds.toFixed(1)} s`];
    if (answer.nodes !== null) parts.unshift(`${answer.nodes.toLocaleString("en")} nodes`);
    if (answer.depth !== null) parts.unshift(`depth ${answer.depth}`);
    const effortWords = parts.join(", ");
    const end = answer.done ? " The analysis is complete." : "";
    effort.textContent = `${effortWords[0].toUpperCase()}${effortWords.slice(1)}.${end}`;
    drawCandidates();
  }
}

function stop() {
  analysing = false;
  request?.abort();
  request = null;
  fetch("/analysis/stop", { method: "POST", headers: { "X-Token": token, Accept: "application/json" } }).catch(() => {});
  press();
}

function press() {
  engine.textContent = analysing ? "Stop" : "Analyse";
  engine.setAttribute("aria-pressed", String(analysing));
  drawBar();
}

engine.addEventListener("click", () => {
  if (analysing) return stop();
  analysing = true;
  press();
  begin();
});
for (const id of ["agent", "lines"]) document.getElementById(id).addEventListener("change", () => analysing && begin());
addEventListener("pagehide", () => analysing && stop());

// Clicks and Enter play moves; arrow keys step through the moves.

live.addEventListener("click", (event) => {
  const [choice, node, step] = ["[data-choice]", "[data-node]", "[data-go]"].map((kind) => event.target.closest(kind));
  const place = event.target.closest(places);
  if (choice ?? node ?? step) event.preventDefault();
  if (place && setup?.open) return change(place.dataset.point);
  if (choice) add(choice.dataset.choice);
  else if (node) go(Number(node.dataset.node));
  else if (step) take(step.dataset.go);
  else if (place?.getAttribute("role") === "button") {
    live.dataset.by = "mouse";
    const move = place.dataset.move ?? place.dataset.point ?? place.dataset.edge;
    if (move) add(move);
  }
});

// Setting up a position: the two fields hold the points with stones; a click on a point changes them.

const setup = document.getElementById("setup");
const fields = ["black", "white"].map((colour) => document.getElementById(`setup-${colour}`));
const points = (field) => field.value.split(" ").filter(Boolean);

function change(name) {
  const [black, white] = fields.map(points);
  const without = (list) => list.filter((one) => one !== name);
  fields[0].value = (black.includes(name) || white.includes(name) ? without(black) : [...black, name]).join(" ");
  fields[1].value = (black.includes(name) ? [...white, name] : without(white)).join(" ");
  lay_out();
}

function lay_out() {
  for (const old of live.querySelectorAll(".placed")) old.remove();
  live.classList.toggle("setting-up", setup.open);
  if (!setup.open) return;
  fields.forEach((field, at) => {
    for (const place of points(field).map(pick)) {
      if (place) spot(place, "circle", `stone ${["black", "white"][at]} placed`, STONE);
    }
  });
}

setup?.addEventListener("toggle", () => {
  if (analysing) stop();
  if (setup.open) {
    fields.forEach((field, at) => {
      const stones = live.querySelectorAll(`[data-point]:has(.stone.${["black", "white"][at]}:not(.ghost))`);
      field.value = [...stones].map((place) => place.dataset.point).join(" ");
    });
    mark_line(-1);
  }
  lay_out();
});
for (const field of setup ? fields : []) field.addEventListener("input", lay_out);
setup?.querySelector("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  const response = await fetch(`${form.action}?${new URLSearchParams(new FormData(form))}`, { headers: { Accept: "application/json" } });
  const answer = await response.json();
  if (answer.refused) say(`${answer.refused} ${answer.remedy}`);
  else location.assign(answer.go);
});

function take(where) {
  let to = now;
  if (where === "back") to = Math.max(0, tree[now].parent);
  else if (where === "forward") to = children(now)[0] ?? now;
  else if (where === "first") to = 0;
  else while (children(to).length) to = children(to)[0];
  if (to !== now) go(to);
}

document.addEventListener("keydown", (event) => {
  if (event.target.closest("input:not([type=checkbox]), select, textarea") || event.ctrlKey || event.altKey || event.metaKey) return;
  const place = event.target.closest(places);
  if (event.key === "Tab") live.dataset.by = "keys";
  if (place && (event.key === "Enter" || event.key === " ")) {
    event.preventDefault();
    if (setup?.open) change(place.dataset.point);
    else add(place.dataset.move ?? place.dataset.point ?? place.dataset.edge);
  } else if (place && live.dataset.by === "keys" && event.key in arrows) {
    event.preventDefault();
    focusOn(beside(place, ...arrows[event.key]));
  } else {
    const where = { ArrowLeft: "back", ArrowRight: "forward", ArrowUp: "first", ArrowDown: "last", Home: "first", End: "last" }[event.key];
    if (!where) return;
    event.preventDefault();
    place?.blur(); // the arrow key steps through the moves and does not move the focus
    take(where);
  }
});

comment.addEventListener("input", () => {
  tree[now].comment = comment.value;
  remember();
});
comment.addEventListener("change", drawTree);

document.getElementById("cut").addEventListener("click", () => {
  const above = tree[now].parent;
  tree[now].parent = -2;
  go(above);
});

// SGF

function compact() {
  const kept = [];
  const numbers = new Map();
  tree.forEach((node, at) => {
    if (at && !numbers.has(node.parent)) return;
    numbers.set(at, kept.length);
    kept.push({ ...node, parent: at ? numbers.get(node.parent) : -1 });
  });
  return kept;
}

document.getElementById("save").addEventListener("click", () => {
  const form = document.getElementById("download");
  form.querySelectorAll(":not([name=token])").forEach((old) => old.remove());
  for (const [name, value] of [...query(0), ["tree", JSON.stringify(compact())]]) {
    const field = document.createElement("input");
    Object.assign(field, { type: "hidden", name, value });
    form.append(field);
  }
  form.submit();
});

document.getElementById("open").addEventListener("change", async (event) => {
  const sgf = await event.target.files[0].text();
  event.target.value = "";
  const headers = { "X-Token": token, Accept: "application/json" };
  const response = await fetch("/analysis/read", { method: "POST", headers, body: new URLSearchParams({ sgf }) });
  const answer = await response.json();
  if (answer.refused) return say(`${answer.refused} ${answer.remedy}`);
  const held = { rules: JSON.stringify([answer.game, answer.options]), tree: answer.tree, opened: true };
  sessionStorage.setItem("analysis", JSON.stringify(held));
  location.assign(answer.where);
});

// A file that was just opened is shown at the end of its main line, with a sentence on its content.
async function showOpened() {
  let last = 0;
  let length = 0;
  for (; children(last).length; length++) last = children(last)[0];
  await go(last);
  const branches = tree.filter((node, at) => at && children(node.parent)[0] !== at).length;
  const more = branches ? ` and ${branches} variation${branches === 1 ? "" : "s"}` : "";
  say(`The file has ${length} move${length === 1 ? "" : "s"}${more}. The board shows the last one; the arrow keys step through them.`, true);
}

recall();
drawn();
if (opened) showOpened();
})();
