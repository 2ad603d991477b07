// The list of items: what is shown, in which order, and how the address keeps it.

const index = block("index");
const rows = index.rows;
const total = rows.task?.length ?? 0;
const STEP = 100;

const taskOf = (row) => index.tasks[rows.task[row]];
const conditionOf = (row) => index.conditions[rows.condition[row]];
const scoreOf = (name, row) => index.scores[rows[name][row]] ?? null;
const change = (row) => {
  const now = scoreOf("shapley", row), before = scoreOf("before", row);
  return now && before ? now[1] + now[2] - before[1] - before[2] : null;
};

// What fails stands first, then what is undecided. A Shapley value lies far within 100.
const RANKS = ["failed", "inconclusive", "passed"];
const rank = (row) => (RANKS.indexOf(index.outcomes[rows.outcome[row]]) + 4) % 4;

const COLUMNS = [
  { name: "task", key: (row) => taskOf(row)[0] },
  { name: "take", key: (row) => index.takes[rows.take[row]] },
  { name: "condition", key: (row) => conditionOf(row).label },
  { name: "outcome", key: (row) => rank(row) + (scoreOf("shapley", row)?.[1] ?? 9) / 100, title: "failed first; in each the lowest Shapley" },
  { name: "native", key: (row) => scoreOf("native", row)?.[1] ?? null, right: true },
  { name: "shapley", key: (row) => scoreOf("shapley", row)?.[1] ?? null, right: true },
  { name: "before", key: change, right: true, title: "Shapley before; sorted by the change" },
  { name: "lost", key: (row) => rows.lost[row], right: true },
  { name: "wer", label: "WER", key: (row) => rows.wer[row], right: true },
  { name: "heard", key: (row) => rows.heard[row] },
].filter((column) => column.name !== "before" || index.before);

const START = { q: "", outcome: "", condition: "", suite: "", kind: "", task: "", take: "", sort: "outcome", down: "" };
let state = { ...START };
let view = [];
let shown = 0;

const searched = lazily(() =>
  rows.heard.map((heard, row) =>
    [taskOf(row)[0], index.takes[rows.take[row]], conditionOf(row).label, taskOf(row)[2], heard].join("\n").toLowerCase(),
  ),
);

function select() {
  const needles = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  const kind = index.kinds.indexOf(state.kind);
  view = [];
  for (let row = 0; row < total; row++) {
    if (state.task && taskOf(row)[0] !== state.task) continue;
    if (state.take && index.takes[rows.take[row]] !== state.take) continue;
    if (state.condition && conditionOf(row).label !== state.condition) continue;
    if (state.outcome && index.outcomes[rows.outcome[row]] !== state.outcome) continue;
    if (state.suite && index.suites[taskOf(row)[1]] !== state.suite) continue;
    if (state.kind && !rows.kinds[row].includes(kind)) continue;
    if (!needles.every((needle) => searched()[row].includes(needle))) continue;
    view.push(row);
  }
  const column = COLUMNS.find((one) => one.name === state.sort) ?? COLUMNS[0];
  const keys = new Map(view.map((row) => [row, column.key(row)]));
  const sign = state.down ? -1 : 1;
  view.sort((a, b) => compare(keys.get(a), keys.get(b), sign) || a - b);
}

// What has no value stands last, in whichever direction.
function compare(a, b, sign) {
  if (a === null || b === null) return (a === null) - (b === null);
  return sign * (typeof a === "string" ? (a < b ? -1 : a > b ? 1 : 0) : a - b);
}

function list() {
  select();
  shown = 0;
  document.getElementById("body").replaceChildren();
  drawHead();
  more();
}

function more() {
  const next = view.slice(shown, shown + STEP);
  document.getElementById("body").append(...next.map(drawRow));
  shown += next.length;
  document.getElementById("more").hidden = shown >= view.length;
  const some = shown < view.length ? `, the first ${number(shown)} listed` : "";
  document.getElementById("count").replaceChildren(`${number(view.length)} of ${number(total)} items${some}`, chips());
}

function chips() {
  const set = ["task", "take"].filter((name) => state[name]);
  return el("span", { class: "chips" }, set.map((name) =>
    el("button", { type: "button", class: "chip", click: () => changeState({ [name]: "" }) },
      `${name} `, words(state[name]), el("span", { "aria-hidden": "true" }, " ×"), el("span", { class: "hidden" }, " remove")),
  ));
}

function drawHead() {
  document.getElementById("head").replaceChildren(...COLUMNS.map((column) => {
    const sorted = column.name === state.sort;
    const down = sorted && !state.down ? "1" : "";
    const direction = sorted ? (state.down ? "descending" : "ascending") : null;
    const button = el("button", { type: "button", click: () => changeState({ sort: column.name, down }), title: column.title },
      column.label ?? column.name, el("span", { "aria-hidden": "true" }, sorted ? (state.down ? " ↓" : " ↑") : ""));
    return el("th", { scope: "col", "aria-sort": direction, class: `c-${column.name}${column.right ? " n" : ""}` }, button);
  }));
}

function drawRow(row) {
  const outcome = index.outcomes[rows.outcome[row]];
  const open = el("button", { type: "button", class: "open", "aria-expanded": "false" }, words(taskOf(row)[0]));
  const score = (name) => scoreOf(name, row)?.[0] ?? "undefined";
  const cells = {
    task: open,
    take: words(index.takes[rows.take[row]]),
    condition: words(conditionOf(row).label),
    outcome: el("span", { class: `state ${outcome}` }, outcome),
    native: score("native"),
    shapley: score("shapley"),
    before: before(row),
    lost: rows.open[row] ? `${rows.lost[row]} to ${rows.lost[row] + rows.open[row]}` : String(rows.lost[row]),
    wer: rows.wer[row] === null ? "-" : percent(rows.wer[row]),
    heard: words(rows.heard[row] || "nothing", { dir: "auto" }),
  };
  const line = el("tr", { "data-row": row, class: "item" }, COLUMNS.map((column) =>
    el(column.name === "task" ? "th" : "td",
      { scope: column.name === "task" ? "row" : null, class: `c-${column.name}${column.right ? " n" : ""}` },
      cells[column.name]),
  ));
  line.addEventListener("click", (event) => {
    if (event.target.closest("button") === open || !event.target.closest("button, a")) toggle(line, open, row);
  });
  return line;
}

// Marked only where the two differ whatever is unresolved.
function before(row) {
  const score = scoreOf("before", row);
  if (rows.before[row] === null) return "-";
  if (score === null) return "undefined";
  const now = scoreOf("shapley", row);
  if (now && now[2] < score[1]) return el("span", { class: "fell" }, "▼ ", score[0]);
  if (now && now[1] > score[2]) return el("span", { class: "rose" }, "▲ ", score[0]);
  return score[0];
}

function toggle(line, button, row) {
  const next = line.nextElementSibling;
  const isOpen = button.getAttribute("aria-expanded") === "true";
  button.setAttribute("aria-expanded", String(!isOpen));
  if (isOpen) next.remove();
  else line.after(el("tr", { class: "detail" }, el("td", { colspan: columnsShown() }, detail(row))));
}

// A narrow screen leaves columns out, and a cell that spans more columns than there are would make another.
function columnsShown() {
  return [...document.getElementById("head").children].filter((cell) => cell.offsetWidth).length || 1;
}

function changeState(changes) {
  state = { ...state, ...changes };
  history.replaceState(null, "", `#${address(state)}`);
  showState();
}

function address(wanted) {
  const set = Object.entries(wanted).filter(([name, value]) => value !== START[name]);
  return new URLSearchParams(set).toString() || "all";
}
