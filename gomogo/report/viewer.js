"use strict";
// Steps through the games of a page. The page has the changes of each move; the script only draws them.

const SVG = "http://www.w3.org/2000/svg";
const COLOUR_OF_SIGN = { x: "black", o: "white" };
const OWNER_COLOURS = 6;
const byId = (id) => document.getElementById(id);
const svgElement = (name, attributes = {}, text = "") => {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.textContent = text;
  return element;
};
const htmlElement = (name, text = "") => {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
};

let lines = null; // one game per line, parsed when the visitor opens it
let game = null; // the game that is shown
let moveNumber = 0; // the number of its moves on the board
// the page has the moves of the latest games only; the first link is that of the first of them
const firstGameNumber = Number(document.querySelector("#games a")?.textContent ?? 1);

const readGame = (number) => {
  lines ??= byId("played").textContent.trim().split("\n");
  if (!lines[number]) return null;
  const plain = JSON.parse(lines[number]);
  const moves = plain.moves ? plain.moves.split(" ") : [];
  return {
    opening: 0, taken: {}, won: [], placesOfMoves: plain.places ?? [], seconds: [], scores: [], lines: {}, thoughts: {}, values: {}, warnings: [], ...plain, moves,
    seats: [...(plain.seats ?? "")].map((seat) => parseInt(seat, 36)),
    changes: plain.changes ? plain.changes.split(";") : moves.map(() => ""),
  };
};

// The board

const createBoard = () => {
  const template = byId(`board-${game.board}`);
  const svg = document.importNode(template.content.firstElementChild, true);
  svg.querySelector("title")?.remove();
  const { kind, cell, margin, columns, rows } = template.dataset;
  game.kind = kind;
  game.cell = Number(cell);
  game.margin = Number(margin);
  game.columns = Number(columns);
  game.svg = svg;
  game.places = new Map();
  for (const group of svg.querySelectorAll("[data-point]")) game.places.set(group.dataset.point, group);
  for (const group of svg.querySelectorAll("[data-edge]")) game.places.set(group.dataset.edge, group);
  game.boxes = svgElement("g");
  if (kind === "boxes") svg.querySelector(".edge").before(game.boxes);
  game.initialSigns = new Map();
  for (const [name, group] of game.places) {
    const stone = group.querySelector(".stone");
    if (stone) game.initialSigns.set(name, stone.classList.contains("black") ? "x" : "o");
  }
  (rows ?? "").split("\n").forEach((row, down) => [...row].forEach((sign, across) => game.initialSigns.set(`${down}.${across}`, sign)));
  byId("board").replaceChildren(svg);
};

const signsAfter = (count) => {
  const signs = new Map(game.initialSigns);
  for (const change of game.changes.slice(0, count)) {
    for (const group of change ? change.split("|") : []) {
      for (const place of group.slice(1).split(",")) signs.set(place, group[0]); // #4 is box number 4
    }
  }
  return signs;
};

const drawRows = (signs) => {
  const texts = [];
  for (const [name, sign] of signs) {
    const [down, across] = name.split(".").map(Number);
    if (sign.trim()) texts.push(svgElement("text", { class: "sign", x: game.cell * (across + 1), y: game.cell * (down + 1) }, sign));
  }
  for (const text of game.svg.querySelectorAll("text.sign")) text.remove();
  game.svg.append(...texts);
};

const drawPoints = (signs, last) => {
  const won = moveNumber === game.moves.length ? game.won : [];
  for (const [name, group] of game.places) {
    const colour = COLOUR_OF_SIGN[signs.get(name)];
    const place = {
      cx: game.margin + game.cell * (name.charCodeAt(0) - 97),
      cy: game.margin + game.cell * (Number(name.slice(1)) - 1),
    };
    const parts = [];
    if (colour) parts.push(svgElement("circle", { ...place, r: 19, class: `stone ${colour}` }));
    else if (![undefined, "."].includes(signs.get(name))) parts.push(svgElement("text", { x: place.cx, y: place.cy, class: "owner" }, signs.get(name)));
    if (colour && name === last) parts.push(svgElement("circle", { ...place, r: 8, class: "last" }));
    if (won.includes(name)) parts.push(svgElement("circle", { ...place, r: 19, class: "won" }));
    group.replaceChildren(...parts, group.querySelector(".hit"));
    group.setAttribute("aria-label", `${spokenPoint(name)}, ${colour ?? "empty"}`);
  }
};

const spokenPoint = (name) => `${name[0]} ${name.slice(1)}`; // with a space, so that a screen reader names the letter

const drawBoxes = (signs, last) => {
  for (const [name, group] of game.places) {
    const line = group.querySelector("line");
    const isDrawn = signs.has(name);
    line.setAttribute("class", !isDrawn ? "open" : name === last ? "drawn latest" : "drawn");
    group.querySelector(".author")?.remove();
    if (name === last) {
      const author = line.cloneNode();
      author.setAttribute("class", `author owner-${(game.seats[moveNumber - 1] - 1) % OWNER_COLOURS}`);
      line.after(author);
    }
    const label = group.querySelector("text");
    if (label) label.style.display = isDrawn ? "none" : "";
    group.setAttribute("aria-label", `${spokenPoint(name)}, ${isDrawn ? "drawn" : "open"}`);
  }
  const boxes = [];
  for (const [name, mark] of signs) {
    if (!name.startsWith("#")) continue;
    const number = Number(name.slice(1));
    const x = game.margin + game.cell * (number % game.columns);
    const y = game.margin + game.cell * Math.floor(number / game.columns);
    const owner = game.marks.indexOf(mark) % OWNER_COLOURS;
    boxes.push(svgElement("rect", { x, y, width: game.cell, height: game.cell, class: `box owner-${owner}` }));
    boxes.push(svgElement("text", { x: x + game.cell / 2, y: y + game.cell / 2, class: "owner" }, mark));
  }
  game.boxes.replaceChildren(...boxes);
};

// The values that the player to move reported for its moves: the better the move, the larger its spot

const middleOf = (name, group) => {
  if (game.kind === "points") {
    return [game.margin + game.cell * (name.charCodeAt(0) - 97), game.margin + game.cell * (Number(name.slice(1)) - 1)];
  }
  const coordinate = (end) => Number(group.querySelector("line").getAttribute(end));
  return [(coordinate("x1") + coordinate("x2")) / 2, (coordinate("y1") + coordinate("y2")) / 2];
};

const drawHeat = () => {
  game.heat?.remove();
  game.heat = null;
  const reported = byId("heat").checked ? game.values[moveNumber] : undefined; // "h8 0.4 c3 0.1"
  if (!reported || game.kind === "rows") return;
  const values = Array.from(reported.matchAll(/(\S+) (\S+)/g), ([, name, value]) => [name, Number(value)]);
  game.heat = svgElement("g");
  const all = values.map(([, value]) => value);
  const low = Math.min(...all);
  const span = Math.max(...all) - low;
  const widest = game.kind === "points" ? 18 : 14;
  for (const [name, value] of values) {
    const group = game.places.get(name);
    if (!group || group.querySelector(".stone, .drawn")) continue;
    const [cx, cy] = middleOf(name, group);
    const r = widest * (0.6 + 0.4 * (span ? (value - low) / span : 1));
    game.heat.append(svgElement("circle", { cx, cy, r, class: "heat" }));
    const rounded = Math.abs(value) < 1 ? value.toFixed(2) : Math.abs(value) < 10 ? value.toFixed(1) : value.toFixed(0);
    game.heat.append(svgElement("text", { x: cx, y: cy, class: "value" }, String(Number(rounded))));
  }
  game.svg.append(game.heat);
};

// The texts beside the board

const clockText = (seconds) => {
  if (seconds < 10) return `${Math.max(0, seconds).toFixed(1)} s`;
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
};

const clockOfSeat = (seat) => {
  if (!game.clocks) return "";
  let secondsLeft = game.total?.[seat - 1] ?? null;
  for (let move = game.opening; move < moveNumber; move++) {
    if (game.seats[move] === seat) secondsLeft = game.clocks[move - game.opening] ?? secondsLeft;
  }
  return secondsLeft === null ? "" : `, ${clockText(secondsLeft)} left`;
};

const scoreText = (seat, signs) => {
  if (game.kind === "boxes") {
    const boxCount = [...signs].filter(([name, mark]) => name.startsWith("#") && mark === game.marks[seat - 1]).length;
    return `, ${boxCount} ${boxCount === 1 ? "box" : "boxes"}`;
  }
  const counts = Object.keys(game.taken).map(Number).filter((move) => move <= moveNumber);
  if (!Object.keys(game.taken).length) return "";
  return `, ${counts.length ? game.taken[Math.max(...counts)][seat - 1] : 0} captured`;
};

const showPlayers = (signs) => {
  const items = game.names.map((name, number) => {
    const mark = COLOUR_OF_SIGN[game.marks[number]] && game.kind === "points" ? COLOUR_OF_SIGN[game.marks[number]] : game.marks[number];
    const item = htmlElement("li", `${name} (${mark})${scoreText(number + 1, signs)}${clockOfSeat(number + 1)}`);
    if (game.seats[moveNumber - 1] === number + 1) item.setAttribute("aria-current", "true");
    return item;
  });
  byId("players").replaceChildren(...items);
};

const statusText = () => {
  if (!moveNumber) return "Start of the game.";
  const name = game.names[game.seats[moveNumber - 1] - 1];
  const move = game.moves[moveNumber - 1];
  const action = move === "resign" ? "resigns" : `plays ${move}`;
  const seconds = game.seconds[moveNumber - 1 - game.opening];
  const time = moveNumber <= game.opening ? ", of the opening" : seconds === undefined ? "" : `, ${seconds} s`;
  return `Move ${moveNumber} of ${game.moves.length}: ${name} ${action}${time}.`;
};

const answersText = () => {
  const line = (game.lines[moveNumber] ?? "").split(" ");
  return (line[0] === game.moves[moveNumber - 1] ? line.slice(1) : line).join(" "); // a line begins with its own move
};

const thoughtsText = () => {
  const score = game.scores[moveNumber - 1 - game.opening];
  return [
    ...(typeof score === "number" ? [`Evaluation ${score}, in the player's own unit`] : []),
    ...(answersText() ? [`Expected answers: ${answersText()}`] : []),
    ...(game.thoughts[moveNumber] ? [game.thoughts[moveNumber]] : []),
    ...game.warnings.filter(([move]) => move === moveNumber).map(([, name, what]) => `${name}: ${what}`),
  ].join("\n");
};

// The curve of each player's evaluations, in the player's own unit. A point above the middle is good for that player.

const CHART_WIDTH = 360;
const CHART_HEIGHT = 120;
const chartX = (move) => 8 + (CHART_WIDTH - 16) * (move / Math.max(1, game.moves.length));

const drawCurve = () => {
  const curves = [];
  game.names.forEach((_, number) => {
    const scoredMoves = game.scores
      .map((score, index) => [index + game.opening + 1, score])
      .filter(([move, score]) => typeof score === "number" && game.seats[move - 1] === number + 1);
    if (!scoredMoves.length) return;
    const largestHeight = Math.log1p(Math.max(...scoredMoves.map(([, score]) => Math.abs(score)))) || 1;
    const points = scoredMoves.map(([move, score]) => {
      const height = (Math.sign(score) * Math.log1p(Math.abs(score))) / largestHeight;
      return `${chartX(move).toFixed(1)},${(CHART_HEIGHT / 2 - height * (CHART_HEIGHT / 2 - 8)).toFixed(1)}`;
    });
    curves.push([number, points.join(" ")]);
  });
  byId("curve").replaceChildren();
  if (!curves.length) return;
  const height = CHART_HEIGHT + 20 * curves.length;
  const names = curves.map(([number]) => game.names[number]).join(" and ");
  const label = `Evaluations by ${names} after each move; above the middle is good for the player of the line`;
  const svg = svgElement("svg", { class: "chart", viewBox: `0 0 ${CHART_WIDTH} ${height}`, role: "img", "aria-label": label });
  svg.append(svgElement("line", { class: "zero", x1: 8, y1: CHART_HEIGHT / 2, x2: CHART_WIDTH - 8, y2: CHART_HEIGHT / 2 }));
  curves.forEach(([number, points], row) => {
    svg.append(svgElement("polyline", { class: `line line-${number % 8}`, points }));
    const y = CHART_HEIGHT + 20 * row + 12;
    svg.append(svgElement("line", { class: `line line-${number % 8}`, x1: 8, y1: y - 4, x2: 48, y2: y - 4 }));
    svg.append(svgElement("text", { x: 56, y }, game.names[number]));
  });
  game.moveMarker = svgElement("line", { class: "now", y1: 0, y2: CHART_HEIGHT });
  svg.append(game.moveMarker);
  byId("curve").replaceChildren(htmlElement("h3", "Evaluations"), svg);
};

const listMoves = () => {
  const items = game.moves.map((move, index) => {
    const item = htmlElement("li");
    const button = htmlElement("button", `${index + 1} ${move}`);
    button.type = "button";
    button.addEventListener("click", () => showPosition(index + 1));
    item.append(button);
    return item;
  });
  byId("moves").replaceChildren(...items);
};

const markMove = () => {
  const list = byId("moves");
  list.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const button = moveNumber ? list.children[moveNumber - 1].firstElementChild : null;
  button?.setAttribute("aria-current", "true");
  if (button) list.scrollTop = button.offsetTop - list.offsetTop - list.clientHeight / 2;
};

const showPosition = (count) => {
  moveNumber = Math.min(Math.max(0, count), game.moves.length);
  const signs = signsAfter(moveNumber);
  const lastPlace = game.placesOfMoves[moveNumber - 1] ?? game.moves[moveNumber - 1];
  if (game.kind === "rows") drawRows(signs);
  if (game.kind === "points") drawPoints(signs, lastPlace);
  if (game.kind === "boxes") drawBoxes(signs, lastPlace);
  drawHeat();
  showPlayers(signs);
  const status = statusText();
  byId("status").textContent = moveNumber === game.moves.length ? `${status} ${game.ending}` : status;
  game.svg.setAttribute("aria-label", `The board. ${status}`);
  byId("thoughts").textContent = thoughtsText();
  byId("slider").value = String(moveNumber);
  byId("slider").setAttribute("aria-valuetext", status);
  byId("first").disabled = byId("back").disabled = moveNumber === 0;
  byId("forward").disabled = byId("last").disabled = moveNumber === game.moves.length;
  for (const end of ["x1", "x2"]) game.moveMarker?.setAttribute(end, String(chartX(moveNumber)));
  markMove();
};

// Automatic replay

let timer = null;

const setPlaying = (isPlaying) => {
  clearInterval(timer);
  timer = isPlaying ? setInterval(playNext, Number(byId("speed").value)) : null;
  byId("play").textContent = isPlaying ? "Pause" : "Play";
  byId("play").setAttribute("aria-pressed", String(isPlaying));
};

const playNext = () => {
  showPosition(moveNumber + 1);
  if (moveNumber === game.moves.length) setPlaying(false);
};

// Opening and closing a game

const openGame = (number) => {
  const openedGame = readGame(number - firstGameNumber);
  if (!openedGame) return;
  setPlaying(false);
  game = openedGame;
  createBoard();
  drawCurve();
  listMoves();
  byId("viewer-title").textContent = `Game ${number}: ${game.names.join(" – ")}`;
  byId("turning").hidden = game.turning === undefined;
  byId("heat-option").hidden = !Object.keys(game.values).length;
  byId("slider").max = String(game.moves.length);
  byId("viewer").hidden = false;
  document.querySelector("#games tr.open")?.classList.remove("open");
  document.querySelector(`a[href="#game-${number}"]`)?.closest("tr")?.classList.add("open");
  showPosition(game.moves.length);
  byId("viewer-title").focus({ preventScroll: true });
  byId("viewer").scrollIntoView();
};

const openLinkedGame = () => {
  const match = /^#game-(\d+)$/.exec(location.hash);
  if (match) openGame(Number(match[1]));
  else {
    setPlaying(false);
    byId("viewer").hidden = true;
  }
};

const keyActions = {
  ArrowLeft: () => showPosition(moveNumber - 1),
  ArrowRight: () => showPosition(moveNumber + 1),
  Home: () => showPosition(0),
  End: () => showPosition(game.moves.length),
  Escape: () => closeGame(),
};
document.addEventListener("keydown", (event) => {
  const keepsKey = event.key === "Escape" ? "[type=search]" : "input:not([type=checkbox]), .scroll";
  const isTyping = event.target instanceof Element && event.target.closest(keepsKey);
  if (byId("viewer").hidden || isTyping || event.altKey || event.ctrlKey || event.metaKey || !keyActions[event.key]) return;
  event.preventDefault();
  keyActions[event.key]();
});
byId("first").addEventListener("click", keyActions.Home);
byId("back").addEventListener("click", keyActions.ArrowLeft);
byId("forward").addEventListener("click", keyActions.ArrowRight);
byId("last").addEventListener("click", keyActions.End);
byId("turning").addEventListener("click", () => showPosition(game.turning));
byId("play").addEventListener("click", () => {
  if (timer === null && moveNumber === game.moves.length) showPosition(0);
  setPlaying(timer === null);
});
byId("speed").addEventListener("change", () => timer !== null && setPlaying(true));
byId("heat").addEventListener("change", () => showPosition(moveNumber));
byId("slider").addEventListener("input", (event) => showPosition(Number(event.target.value)));
const closeGame = () => {
  const link = document.querySelector(`a[href="${location.hash}"]`);
  location.hash = "#all";
  link?.focus();
};
byId("close").addEventListener("click", closeGame);

window.addEventListener("hashchange", openLinkedGame);
queueMicrotask(openLinkedGame); // after the scripts that follow
