"use strict";
// Steps through the games of a report. The page has the changes of each move; the script only draws them.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const COLOURS = { x: "black", o: "white" };
  const OWNERS = 6;
  const find = (id) => document.getElementById(id);
  const made = (name, attributes = {}, text = "") => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.textContent = text;
    return element;
  };
  const html = (name, text = "") => {
    const element = document.createElement(name);
    element.textContent = text;
    return element;
  };

  let lines = null; // one game per line, read when it is opened
  let game = null; // the open game
  let at = 0; // number of its moves on the board

  const read = (number) => {
    lines ??= find("played").textContent.trim().split("\n");
    if (!lines[number]) return null;
    const plain = JSON.parse(lines[number]);
    const moves = plain.moves ? plain.moves.split(" ") : [];
    return {
      opening: 0, taken: {}, won: [], places_of_moves: plain.places ?? [], seconds: [], scores: [], lines: {}, thoughts: {}, values: {}, warnings: [], ...plain, moves,
      seats: [...(plain.seats ?? "")].map((seat) => parseInt(seat, 36)),
      changes: plain.changes ? plain.changes.split(";") : moves.map(() => ""),
    };
  };

  // The board

  const layBoard = () => {
    const template = find(`board-${game.board}`);
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
    game.boxes = made("g");
    if (kind === "boxes") svg.querySelector(".edge").before(game.boxes);
    game.start = new Map();
    for (const [name, group] of game.places) {
      const stone = group.querySelector(".stone");
      if (stone) game.start.set(name, stone.classList.contains("black") ? "x" : "o");
    }
    (rows ?? "").split("\n").forEach((row, down) => [...row].forEach((sign, across) => game.start.set(`${down}.${across}`, sign)));
    find("board").replaceChildren(svg);
  };

  const signsAfter = (count) => {
    const signs = new Map(game.start);
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
      if (sign.trim()) texts.push(made("text", { class: "sign", x: game.cell * (across + 1), y: game.cell * (down + 1) }, sign));
    }
    for (const text of game.svg.querySelectorAll("text.sign")) text.remove();
    game.svg.append(...texts);
  };

  const drawPoints = (signs, last) => {
    const won = at === game.moves.length ? game.won : [];
    for (const [name, group] of game.places) {
      const colour = COLOURS[signs.get(name)];
      const place = {
        cx: game.margin + game.cell * (name.charCodeAt(0) - 97),
        cy: game.margin + game.cell * (Number(name.slice(1)) - 1),
      };
      const parts = [];
      if (colour) parts.push(made("circle", { ...place, r: 19, class: `stone ${colour}` }));
      else if (![undefined, "."].includes(signs.get(name))) parts.push(made("text", { x: place.cx, y: place.cy, class: "owner" }, signs.get(name)));
      if (colour && name === last) parts.push(made("circle", { ...place, r: 8, class: "last" }));
      if (won.includes(name)) parts.push(made("circle", { ...place, r: 19, class: "won" }));
      group.replaceChildren(...parts, group.querySelector(".hit"));
      group.setAttribute("aria-label", `${spoken(name)}, ${colour ?? "empty"}`);
    }
  };

  const spoken = (name) => `${name[0]} ${name.slice(1)}`; // as a screen reader says it

  const drawBoxes = (signs, last) => {
    for (const [name, group] of game.places) {
      const line = group.querySelector("line");
      const drawn = signs.has(name);
      line.setAttribute("class", !drawn ? "open" : name === last ? "drawn latest" : "drawn");
      const label = group.querySelector("text");
      if (label) label.style.display = drawn ? "none" : "";
      group.setAttribute("aria-label", `${spoken(name)}, ${drawn ? "drawn" : "open"}`);
    }
    const boxes = [];
    for (const [name, mark] of signs) {
      if (!name.startsWith("#")) continue;
      const number = Number(name.slice(1));
      const x = game.margin + game.cell * (number % game.columns);
      const y = game.margin + game.cell * Math.floor(number / game.columns);
      const owner = game.marks.indexOf(mark) % OWNERS;
      boxes.push(made("rect", { x, y, width: game.cell, height: game.cell, class: `box owner-${owner}` }));
      boxes.push(made("text", { x: x + game.cell / 2, y: y + game.cell / 2, class: "owner" }, mark));
    }
    game.boxes.replaceChildren(...boxes);
  };

  // The values that the player to move reported for its moves: a better move has a larger spot

  const middleOf = (name, group) => {
    if (game.kind === "points") {
      return [game.margin + game.cell * (name.charCodeAt(0) - 97), game.margin + game.cell * (Number(name.slice(1)) - 1)];
    }
    const at = (end) => Number(group.querySelector("line").getAttribute(end));
    return [(at("x1") + at("x2")) / 2, (at("y1") + at("y2")) / 2];
  };

  const drawHeat = () => {
    game.heat?.remove();
    game.heat = null;
    const told = find("heat").checked ? game.values[at] : undefined; // "h8 0.4 c3 0.1"
    if (!told || game.kind === "rows") return;
    const values = Array.from(told.matchAll(/(\S+) (\S+)/g), ([, name, value]) => [name, Number(value)]);
    game.heat = made("g");
    const all = values.map(([, value]) => value);
    const low = Math.min(...all);
    const span = Math.max(...all) - low;
    const widest = game.kind === "points" ? 18 : 14;
    for (const [name, value] of values) {
      const group = game.places.get(name);
      if (!group || group.querySelector(".stone, .drawn")) continue;
      const [cx, cy] = middleOf(name, group);
      const r = widest * (0.6 + 0.4 * (span ? (value - low) / span : 1));
      game.heat.append(made("circle", { cx, cy, r, class: "heat" }));
      const short = Math.abs(value) < 1 ? value.toFixed(2) : Math.abs(value) < 10 ? value.toFixed(1) : value.toFixed(0);
      game.heat.append(made("text", { x: cx, y: cy, class: "value" }, String(Number(short))));
    }
    game.svg.append(game.heat);
  };

  // The texts beside the board

  const clock = (seconds) => {
    if (seconds < 10) return `${Math.max(0, seconds).toFixed(1)} s`;
    const whole = Math.floor(seconds);
    return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
  };

  const clockOf = (seat) => {
    if (!game.clocks) return "";
    let left = game.total?.[seat - 1] ?? null;
    for (let move = game.opening; move < at; move++) {
      if (game.seats[move] === seat) left = game.clocks[move - game.opening] ?? left;
    }
    return left === null ? "" : `, ${clock(left)} left`;
  };

  const counted = (seat, signs) => {
    if (game.kind === "boxes") {
      const own = [...signs].filter(([name, mark]) => name.startsWith("#") && mark === game.marks[seat - 1]).length;
      return `, ${own} ${own === 1 ? "box" : "boxes"}`;
    }
    const counts = Object.keys(game.taken).map(Number).filter((move) => move <= at);
    if (!Object.keys(game.taken).length) return "";
    return `, ${counts.length ? game.taken[Math.max(...counts)][seat - 1] : 0} captured`;
  };

  const showPlayers = (signs) => {
    const items = game.names.map((name, number) => {
      const mark = COLOURS[game.marks[number]] && game.kind === "points" ? COLOURS[game.marks[number]] : game.marks[number];
      const item = html("li", `${name} (${mark})${counted(number + 1, signs)}${clockOf(number + 1)}`);
      if (game.seats[at - 1] === number + 1) item.setAttribute("aria-current", "true");
      return item;
    });
    find("players").replaceChildren(...items);
  };

  const status = () => {
    if (!at) return "Start of the game.";
    const who = game.names[game.seats[at - 1] - 1];
    const move = game.moves[at - 1];
    const did = move === "resign" ? "resigns" : `plays ${move}`;
    const seconds = game.seconds[at - 1 - game.opening];
    const how = at <= game.opening ? ", of the opening" : seconds === undefined ? "" : `, ${seconds} s`;
    return `Move ${at} of ${game.moves.length}: ${who} ${did}${how}.`;
  };

  const thoughts = () => {
    const score = game.scores[at - 1 - game.opening];
    return [
      ...(typeof score === "number" ? [`Evaluation ${score}`] : []),
      ...(game.lines[at] ? [`Expects ${game.lines[at]}`] : []),
      ...(game.thoughts[at] ? [game.thoughts[at]] : []),
      ...game.warnings.filter(([move]) => move === at).map(([, name, what]) => `${name}: ${what}`),
    ].join("\n");
  };

  // The curve of each player's evaluations, in the player's own unit; above the middle is good for that player

  const WIDE = 360;
  const HIGH = 120;
  const across = (move) => 8 + (WIDE - 16) * (move / Math.max(1, game.moves.length));

  const layCurve = () => {
    const shown = [];
    game.names.forEach((_, number) => {
      const scored = game.scores
        .map((score, index) => [index + game.opening + 1, score])
        .filter(([move, score]) => typeof score === "number" && game.seats[move - 1] === number + 1);
      if (!scored.length) return;
      const most = Math.log1p(Math.max(...scored.map(([, score]) => Math.abs(score)))) || 1;
      const points = scored.map(([move, score]) => {
        const up = (Math.sign(score) * Math.log1p(Math.abs(score))) / most;
        return `${across(move).toFixed(1)},${(HIGH / 2 - up * (HIGH / 2 - 8)).toFixed(1)}`;
      });
      shown.push([number, points.join(" ")]);
    });
    find("curve").replaceChildren();
    if (!shown.length) return;
    const high = HIGH + 20 * shown.length;
    const names = shown.map(([number]) => game.names[number]).join(" and ");
    const label = `Evaluations by ${names} after each move; above the middle is good for the player of the line`;
    const svg = made("svg", { class: "chart", viewBox: `0 0 ${WIDE} ${high}`, role: "img", "aria-label": label });
    svg.append(made("line", { class: "zero", x1: 8, y1: HIGH / 2, x2: WIDE - 8, y2: HIGH / 2 }));
    shown.forEach(([number, points], row) => {
      svg.append(made("polyline", { class: `line line-${number % 8}`, points }));
      const y = HIGH + 20 * row + 12;
      svg.append(made("line", { class: `line line-${number % 8}`, x1: 8, y1: y - 4, x2: 48, y2: y - 4 }));
      svg.append(made("text", { x: 56, y }, game.names[number]));
    });
    game.now = made("line", { class: "now", y1: 0, y2: HIGH });
    svg.append(game.now);
    find("curve").replaceChildren(html("h3", "Evaluations"), svg);
  };

  const layMoves = () => {
    const items = game.moves.map((move, index) => {
      const item = html("li");
      const button = html("button", `${index + 1} ${move}`);
      button.type = "button";
      button.addEventListener("click", () => go(index + 1));
      item.append(button);
      return item;
    });
    find("moves").replaceChildren(...items);
  };

  const showMove = () => {
    const list = find("moves");
    list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const button = at ? list.children[at - 1].firstElementChild : null;
    button?.setAttribute("aria-current", "true");
    if (button) list.scrollTop = button.offsetTop - list.offsetTop - list.clientHeight / 2;
  };

  const go = (count) => {
    at = Math.min(Math.max(0, count), game.moves.length);
    const signs = signsAfter(at);
    const last = game.places_of_moves[at - 1] ?? game.moves[at - 1];
    if (game.kind === "rows") drawRows(signs);
    if (game.kind === "points") drawPoints(signs, last);
    if (game.kind === "boxes") drawBoxes(signs, last);
    drawHeat();
    showPlayers(signs);
    const said = status();
    find("status").textContent = at === game.moves.length ? `${said} ${game.ending}` : said;
    game.svg.setAttribute("aria-label", `The board. ${said}`);
    find("thoughts").textContent = thoughts();
    find("slider").value = String(at);
    find("slider").setAttribute("aria-valuetext", said);
    find("first").disabled = find("back").disabled = at === 0;
    find("forward").disabled = find("last").disabled = at === game.moves.length;
    for (const end of ["x1", "x2"]) game.now?.setAttribute(end, String(across(at)));
    showMove();
  };

  // Automatic replay

  let timer = null;

  const playing = (on) => {
    clearInterval(timer);
    timer = on ? setInterval(next, Number(find("speed").value)) : null;
    find("play").textContent = on ? "Pause" : "Play";
    find("play").setAttribute("aria-pressed", String(on));
  };

  const next = () => {
    go(at + 1);
    if (at === game.moves.length) playing(false);
  };

  // Opening and closing a game

  const open = (number) => {
    const found = read(number);
    if (!found) return;
    playing(false);
    game = found;
    layBoard();
    layCurve();
    layMoves();
    find("viewer-title").textContent = `Game ${numbered(number)}: ${game.names.join(" – ")}`;
    find("turning").hidden = game.turning === undefined;
    find("heat-option").hidden = !Object.keys(game.values).length;
    find("slider").max = String(game.moves.length);
    find("viewer").hidden = false;
    document.querySelector("#games tr.open")?.classList.remove("open");
    document.querySelector(`a[href="#game-${number}"]`)?.closest("tr").classList.add("open");
    go(game.moves.length);
    find("viewer-title").focus({ preventScroll: true });
    find("viewer").scrollIntoView();
  };

  const numbered = (number) => document.querySelector(`a[href="#game-${number}"]`)?.textContent ?? String(number + 1);

  const follow = () => {
    const asked = /^#game-(\d+)$/.exec(location.hash);
    if (asked) open(Number(asked[1]));
    else {
      playing(false);
      find("viewer").hidden = true;
    }
  };

  const keys = {
    ArrowLeft: () => go(at - 1),
    ArrowRight: () => go(at + 1),
    Home: () => go(0),
    End: () => go(game.moves.length),
  };
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof Element && event.target.closest("input:not([type=checkbox]), .scroll");
    if (find("viewer").hidden || typing || event.altKey || event.ctrlKey || event.metaKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  find("first").addEventListener("click", keys.Home);
  find("back").addEventListener("click", keys.ArrowLeft);
  find("forward").addEventListener("click", keys.ArrowRight);
  find("last").addEventListener("click", keys.End);
  find("turning").addEventListener("click", () => go(game.turning));
  find("play").addEventListener("click", () => {
    if (timer === null && at === game.moves.length) go(0);
    playing(timer === null);
  });
  find("speed").addEventListener("change", () => timer !== null && playing(true));
  find("heat").addEventListener("change", () => go(at));
  find("slider").addEventListener("input", (event) => go(Number(event.target.value)));
  find("close").addEventListener("click", () => {
    const number = /\d+/.exec(location.hash)?.[0];
    location.hash = "#all";
    document.querySelector(`a[href="#game-${number}"]`)?.focus();
  });

  // Tables: a click on a title sorts the rows; a text filters the games

  const value = (row, column) => {
    const text = row.cells[column].textContent;
    const number = Number.parseFloat(text.replace("−", "-"));
    return Number.isNaN(number) ? text : number;
  };

  const compare = (one, other) => {
    if (typeof one === "number" && typeof other === "number") return one - other;
    if (typeof one === typeof other) return one.localeCompare(other);
    return typeof one === "number" ? 1 : -1;
  };

  const sort = (title) => {
    const down = title.getAttribute("aria-sort") !== "descending";
    const table = title.closest("table");
    const rows = [...table.tBodies[0].rows];
    rows.sort((one, other) => compare(value(one, title.cellIndex), value(other, title.cellIndex)));
    if (down) rows.reverse();
    for (const other of title.parentNode.cells) other.removeAttribute("aria-sort");
    title.setAttribute("aria-sort", down ? "descending" : "ascending");
    table.tBodies[0].append(...rows);
  };

  for (const title of document.querySelectorAll("table[data-sortable] thead th")) {
    const button = html("button", title.textContent);
    button.type = "button";
    button.addEventListener("click", () => sort(title));
    title.replaceChildren(button);
  }

  const filter = () => {
    const asked = find("wanted").value.trim().toLowerCase();
    const rows = [...find("games").tBodies[0].rows];
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(asked);
    const shown = rows.filter((row) => !row.hidden).length;
    find("found").textContent = asked ? `${shown} of ${rows.length} games` : "";
  };
  find("filter").hidden = false;
  find("wanted").addEventListener("input", filter);

  for (const cell of document.querySelectorAll("[data-reason]")) {
    const button = html("button", cell.dataset.reason);
    button.type = "button";
    button.addEventListener("click", () => {
      find("wanted").value = cell.dataset.reason;
      filter();
      find("all").scrollIntoView();
    });
    cell.replaceChildren(button);
  }

  window.addEventListener("hashchange", follow);
  follow();
})();
