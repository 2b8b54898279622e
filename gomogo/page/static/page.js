// What the page does beside being read: live boards, moves by click and key, stepping through a game.
"use strict";

const token = document.querySelector('meta[name="token"]').content;
const live = document.getElementById("live");
const said = document.getElementById("said");
const away = "The server does not answer. The game is kept: try again in a moment.";

// help: whether it is an answer to who asked for one, and no refusal
function say(words, help = false) {
  if (!said) return;
  said.textContent = words;
  said.classList.toggle("help", help);
}

// A live piece: the whole text once, then the lines that change.

function follow(element) {
  let lines = [];
  let source = null;
  let ended = false;

  function draw(data) {
    const focused = document.activeElement;
    const inside = element.contains(focused);
    const place = inside && (focused.dataset.point || focused.dataset.edge);
    const moves = element.querySelector(".moves");
    const atEnd = !moves || moves.scrollTop + moves.clientHeight >= moves.scrollHeight - 8;
    const top = moves ? moves.scrollTop : 0;
    element.innerHTML = lines.join("\n");
    const words = document.getElementById("status-words");
    if (words && words.textContent !== data.status) words.textContent = data.status;
    const thinking = document.getElementById("thinking");
    if (thinking) {
      if (data.thinking === null) delete thinking.dataset.thinking;
      else thinking.dataset.thinking = data.thinking;
      thinking.dataset.since = performance.now();
    }
    const list = element.querySelector(".moves");
    if (list) list.scrollTop = atEnd ? list.scrollHeight : top;
    const again = place && pick(place);
    if (again && again.getAttribute("role") === "button") focusOn(again);
    else if (place && list) list.focus({ preventScroll: true }); // the game is over: whoever plays by keys stays near
    // a refusal is about the board that it was given for
    if (element.dataset.version !== String(data.version) && said && !said.classList.contains("help")) say("");
    tick();
    element.dataset.version = data.version;
    element.dispatchEvent(new CustomEvent("drawn", { detail: data }));
  }

  function open() {
    if (source || ended) return;
    source = new EventSource(element.dataset.live);
    source.addEventListener("open", () => {
      if (said && said.textContent === away) say("");
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
      if (source && source.readyState === EventSource.CLOSED) {
        source = null;
        setTimeout(open, 2000);
      }
    });
  }

  function close() {
    if (source) source.close();
    source = null;
  }

  // a browser keeps six lines to one server: pages that nobody sees leave theirs to others
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
  open();
  return () => source !== null && source.readyState === EventSource.OPEN;
}

const connected = live && live.dataset.live ? follow(live) : () => true;

// How long somebody has been thinking.

function tick() {
  const thinking = document.getElementById("thinking");
  if (!thinking) return;
  if (thinking.dataset.thinking === undefined) {
    if (thinking.textContent) thinking.textContent = "";
    return;
  }
  const since = Number(thinking.dataset.since || 0);
  const seconds = Number(thinking.dataset.thinking) + (performance.now() - since) / 1000;
  thinking.textContent = ` ${seconds.toFixed(1)} s`;
}
setInterval(tick, 100);

// Forms that answer in words.

async function post(action, fields) {
  const response = await fetch(action, {
    method: "POST",
    headers: { Accept: "application/json", "X-Token": token },
    body: new URLSearchParams(fields),
  });
  const answer = await response.json();
  if (answer.go) location.assign(answer.go);
  else if (answer.ask && confirm(`${answer.refused} ${answer.remedy}`)) await post(action, { ...fields, sure: "1" });
  else if (answer.refused) say(`${answer.refused} ${answer.remedy}`);
  else say(answer.said || "", true);
  if (answer.said && action.endsWith("/hint")) mark(answer.said.split(":")[0]);
  if (response.ok && !answer.go && !answer.ask && !connected()) location.reload();
}

// A hint begins with its move: where that is a place on the board, it is marked until the board changes.
function mark(name) {
  for (const marked of live.querySelectorAll(".hinted")) marked.classList.remove("hinted");
  pick(name)?.classList.add("hinted");
}

async function send(action, fields) {
  try {
    await post(action, fields);
  } catch {
    say(away);
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!("quiet" in form.dataset)) return;
  event.preventDefault();
  if (form.dataset.sure && !confirm(form.dataset.sure)) return;
  const fields = Object.fromEntries(new FormData(form, event.submitter));
  if (form.id === "move" && !fields.move.trim()) return;
  say(form.action.endsWith("/hint") ? "Looking for a good move …" : "", true);
  send(form.action, fields);
  if (form.id === "move") form.reset();
});

// The board: a click or Enter plays, arrow keys go from place to place.

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
  if (move) send(live.dataset.play, { move });
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

if (live && live.dataset.play) {
  live.addEventListener("click", (event) => {
    const place = event.target.closest(places);
    if (!place || place.getAttribute("role") !== "button") return;
    live.dataset.by = "mouse";
    focusOn(place);
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

// Stepping through a game that is over: the links do it too, without this.

async function step(where) {
  const response = await fetch(where);
  if (!response.ok) return location.assign(where);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const focused = document.activeElement && document.activeElement.dataset.step;
  const moves = live.querySelector(".moves").scrollTop;
  live.replaceChildren(...page.getElementById("live").childNodes);
  live.querySelector(".moves").scrollTop = moves;
  const now = live.querySelector('[aria-current="step"]');
  if (now) now.scrollIntoView({ block: "nearest" });
  if (focused) (focused === "to" ? now : live.querySelector(`[data-step="${focused}"]`))?.focus();
  history.replaceState(null, "", where);
}

if (live && "replay" in live.dataset) {
  live.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-step]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    step(link.href);
  });
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, select, textarea") || event.ctrlKey || event.altKey || event.metaKey) return;
    const rel = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" }[event.key];
    const link = rel && live.querySelector(`a[data-step="${rel}"]`);
    if (!link) return;
    event.preventDefault();
    step(link.href);
  });
}

for (const field of document.querySelectorAll(".invite input")) field.addEventListener("focus", () => field.select());
