// Start: fill the filters, follow the address, switch the theme.

const FILTERS = {
  outcome: index.outcomes,
  condition: index.conditions.map((condition) => condition.label),
  suite: index.suites,
  kind: index.kinds,
};

function showState() {
  document.getElementById("q").value = state.q;
  for (const name of Object.keys(FILTERS)) document.getElementById(name).value = state[name];
  list();
}

function follow() {
  const given = new URLSearchParams(location.hash.slice(1));
  const known = [...given.keys()].filter((name) => name in START);
  if (location.hash && !known.length) return;  // a place on the page, which the browser finds itself
  state = { ...START, ...Object.fromEntries(known.map((name) => [name, given.get(name)])) };
  showState();
  if (!known.length) return;
  const open = document.querySelector("#body .open");
  if (state.task && view.length === 1) open.click();
  (open ?? document.getElementById("items")).scrollIntoView({ block: open ? "center" : "start" });
  if (state.task && view.length === 1) open.closest("tr").scrollIntoView({ block: "start" });
}

function start() {
  for (const [name, values] of Object.entries(FILTERS)) {
    const choices = [...values].sort().map((value) => el("option", { value }, value));
    document.getElementById(name).append(el("option", { value: "" }, name === "kind" ? "any" : "all"), ...choices);
    document.getElementById(name).addEventListener("change", (event) => changeState({ [name]: event.target.value }));
  }
  let waiting = 0;
  document.getElementById("q").addEventListener("input", (event) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => changeState({ q: event.target.value }), 150);
  });
  document.getElementById("filters").addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("clear").addEventListener("click", () => changeState({ ...START, sort: state.sort, down: state.down }));
  document.getElementById("more").addEventListener("click", more);
  new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting) && shown < view.length) more();
  }, { rootMargin: "600px" }).observe(document.getElementById("more"));
  window.addEventListener("hashchange", follow);
  window.addEventListener("resize", () => {
    for (const cell of document.querySelectorAll(".detail > td")) cell.colSpan = columnsShown();
  });
  document.getElementById("rows").classList.toggle("compared", Boolean(index.before));
  theme();
  list();
  follow();
}

function theme() {
  const button = document.getElementById("theme");
  const wanted = window.matchMedia("(prefers-color-scheme: dark)");
  const draw = () => {
    const dark = (document.documentElement.dataset.theme ?? (wanted.matches ? "dark" : "light")) === "dark";
    button.textContent = dark ? "Light" : "Dark";
    button.setAttribute("aria-pressed", String(dark));
    return dark;
  };
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = draw() ? "light" : "dark";
    draw();
  });
  wanted.addEventListener("change", draw);
  draw();
}

start();
