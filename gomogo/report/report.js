// Sorts and filters the tables of a report. It follows viewer.js, whose helpers it uses.

// Tables: a click on a title sorts the rows; a text filters the games

const cellValue = (row, column) => {
  const text = row.cells[column].textContent;
  const number = Number.parseFloat(text.replace(/^at (?:least|most) /, "").replace("−", "-"));
  return Number.isNaN(number) ? text : number;
};

const compare = (first, second) => {
  if (typeof first === "number" && typeof second === "number") return first - second;
  if (typeof first === typeof second) return first.localeCompare(second);
  return typeof first === "number" ? 1 : -1;
};

const sortRows = (title) => {
  const isDescending = title.getAttribute("aria-sort") !== "descending";
  const table = title.closest("table");
  const rows = [...table.tBodies[0].rows];
  rows.sort((first, second) => compare(cellValue(first, title.cellIndex), cellValue(second, title.cellIndex)));
  if (isDescending) rows.reverse();
  for (const heading of title.parentNode.cells) heading.removeAttribute("aria-sort");
  title.setAttribute("aria-sort", isDescending ? "descending" : "ascending");
  table.tBodies[0].append(...rows);
};

for (const title of document.querySelectorAll("table[data-sortable] thead th")) {
  const button = htmlElement("button", title.textContent);
  button.type = "button";
  button.addEventListener("click", () => sortRows(title));
  title.replaceChildren(button);
}

// A table that is wider than its place fades at the right edge, until it is scrolled to its end
for (const region of document.querySelectorAll(".scroll")) {
  const markEdge = () =>
    region.classList.toggle("continues", region.scrollLeft + region.clientWidth < region.scrollWidth - 2);
  region.addEventListener("scroll", markEdge);
  new ResizeObserver(markEdge).observe(region);
}

// The games that are shown have each word of the search text or, after a click on a cell, belong to that cell. The text
// that the click writes cannot decide this, because the name of a player may be part of another player's name.
let belongsToCell = null;

// Tables show "Łukasz Żak" as "Lukasz-Zak", so letters with a stroke or an accent are equal to their base letters
const BASE_LETTERS = { æ: "ae", ð: "d", đ: "d", ħ: "h", ı: "i", ł: "l", ŋ: "ng", ø: "o", œ: "oe", ß: "ss", þ: "th", ŧ: "t" };
const foldLetters = (text) =>
  text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "").replace(/[^\x00-\x7f]/g, (letter) => BASE_LETTERS[letter] ?? letter);

const filterGames = () => {
  const words = foldLetters(byId("wanted").value).split(/\s+/).filter(Boolean);
  const hasWords = (row) => words.every((word) => foldLetters(row.textContent).includes(word));
  const rows = [...byId("games").tBodies[0].rows];
  for (const row of rows) row.hidden = !(belongsToCell ?? hasWords)(row);
  const shownCount = rows.filter((row) => !row.hidden).length;
  byId("found").textContent = words.length ? `${shownCount} of ${rows.length} games` : "";
};
byId("filter").hidden = false;
byId("wanted").addEventListener("input", () => {
  belongsToCell = null;
  filterGames();
});

const createFilterButton = (cell, searchText, belongs) => {
  const button = htmlElement("button", cell.textContent);
  button.type = "button";
  button.title = `Show the games with ${searchText}`;
  button.addEventListener("click", () => {
    byId("wanted").value = searchText;
    belongsToCell = belongs;
    filterGames();
    byId("all").scrollIntoView();
  });
  cell.replaceChildren(button);
};

for (const cell of document.querySelectorAll("[data-reason]")) {
  const { reason } = cell.dataset;
  createFilterButton(cell, reason, (row) => row.cells[3].textContent === reason);
}
const playerNames = Array.from(document.querySelectorAll("th[data-players]"), (cell) => cell.textContent);
for (const cell of document.querySelectorAll("[data-players]")) {
  const players = cell.dataset.players.split(" ");
  const searchText = players.map((player) => playerNames[player]).join(" ");
  createFilterButton(cell, searchText, (row) => players.every((player) => row.dataset.seats.split(" ").includes(player)));
}
