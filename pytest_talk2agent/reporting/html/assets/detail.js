// One item, opened.

const described = lazily(() => block("tasks"));
const termLists = lazily(() => block("terms"));
const chunks = new Map();

function recordOf(row) {
  const place = Math.floor(row / index.chunk);
  if (!chunks.has(place)) chunks.set(place, block(`chunk-${place}`));
  return chunks.get(place)[row % index.chunk];
}

function detail(row) {
  const record = recordOf(row), task = described()[rows.task[row]];
  const said = taskOf(row)[2], heard = rows.heard[row];
  const box = el("div", { class: "box" });
  box.append(
    reasons(record, row),
    part("Said and heard", "speech", [player(record), aligned(said, heard, record.differs ?? []), evidence(record, task, heard)]),
    part("Grader", "tree-part", [grader(task, record.tree ?? [])]),
    part("Intentions", "intentions", [intentions(record, task, box)]),
    part("Facts", "facts-part", [facts(record, row, task)]),
    ...[earlier(record, row, task, said), repaired(record, heard), terms(record), others(row)].filter(Boolean),
  );
  return box;
}

function part(title, name, content) {
  return el("section", { class: name }, el("h3", null, title), content);
}

function reasons(record, row) {
  const here = { ...START, task: taskOf(row)[0], take: index.takes[rows.take[row]], condition: conditionOf(row).label };
  const link = el("a", { href: `#${address(here)}`, class: "permalink" }, "link to this item");
  return el("p", { class: "why" }, words((record.reasons ?? []).join("; ") || index.outcomes[rows.outcome[row]]), " ", link);
}

function player(record) {
  if (record.audio === undefined) {
    return record.missing ? el("p", { class: "note" }, "The recording was not found where the run read it.") : null;
  }
  const source = index.audio.sources[record.audio];
  const audio = el("audio", { controls: true, preload: "none", "aria-label": "recording" });
  audio.src = index.audio.mode === "link" ? source : `data:${source};base64,${document.getElementById(`audio-${record.audio}`).textContent}`;
  return audio;
}

// Both texts in one flow: each word above its counterpart. A reader of speech gets the two texts as they are.
function aligned(said, heard, differs) {
  const flow = el("div", { class: "aligned", dir: "auto", "aria-hidden": "true" });
  const pair = (above, below, name) =>
    flow.append(el("span", { class: `pair ${name}` }, el("span", null, above || "\u00a0"), el("span", null, below || "\u00a0")), " ");
  const equal = (above, below) => {
    const left = above.match(/\S+/g) ?? [], right = below.match(/\S+/g) ?? [];
    if (left.length === right.length) left.forEach((word, place) => pair(word, right[place], "same"));
    else pair(above.trim(), below.trim(), "same");
  };
  let s = 0, h = 0;
  for (const [a, b, c, d] of [...differs, [said.length, said.length, heard.length, heard.length]]) {
    equal(said.slice(s, a), heard.slice(h, c));
    if (a < b || c < d) pair(said.slice(a, b), heard.slice(c, d), "other");
    [s, h] = [b, d];
  }
  return el("div", null,
    el("p", { class: "hidden", dir: "auto" }, `Said: ${said}`),
    flow,
    el("p", { class: "note key", "aria-hidden": "true" }, "said above, heard below"));
}

// The transcript with the spans that the labels rest on; where spans overlap the worst label colours them.
function evidence(record, task, heard) {
  const spans = record.findings
    .map(([label, , , start, end], place) => ({ label, start, end, place }))
    .filter((span) => Number.isInteger(span.start) && span.end > span.start);
  const cuts = [...new Set([0, heard.length, ...spans.flatMap((span) => [span.start, span.end])])].sort((a, b) => a - b);
  const text = el("p", { class: "heard", dir: "auto" }, el("span", { class: "hidden" }, "Heard: "));
  for (let at = 0; at + 1 < cuts.length; at++) {
    const [start, end] = [cuts[at], cuts[at + 1]];
    const inside = spans.filter((span) => span.start <= start && end <= span.end);
    const piece = heard.slice(start, end);
    if (!inside.length) { text.append(piece); continue; }
    const names = inside.map((span) => `${task.intentions[span.place][0]}: ${index.labels[span.label]}`).join(", ");
    const worst = ["changed", "omitted", "unresolved", "retained"].find((label) => inside.some((span) => index.labels[span.label] === label));
    text.append(el("mark", { class: worst, title: names, "data-of": inside.map((span) => span.place).join(" ") }, piece));
  }
  if (!heard) text.append(el("em", null, "nothing"));
  return text;
}

function intentions(record, task, box) {
  const raw = record.raw?.labels ?? null, before = labelsBefore(record.earlier, task);
  const head = ["intention", "label", raw && "before repair", before && "before", "wanted", "heard", "share", "why"].filter(Boolean);
  const body = record.findings.map(([label, reason, heard], place) => {
    const [name, kind, wanted, share] = task.intentions[place];
    const light = (on) => () => box.querySelectorAll("mark").forEach((mark) => {
      if (mark.dataset.of.split(" ").includes(String(place))) mark.classList.toggle("on", on);
    });
    return el("tr", { mouseenter: light(true), mouseleave: light(false) },
      el("th", { scope: "row" }, words(name), el("small", null, ` ${kind}`)),
      el("td", null, badge(index.labels[label])),
      raw ? el("td", null, badge(index.labels[raw[place]])) : null,
      before ? el("td", null, before[name] ? badge(before[name]) : "-") : null,
      el("td", null, words(wanted, { dir: "auto" })),
      el("td", null, heard === null ? el("span", { class: "muted" }, "nothing") : words(heard, { dir: "auto" })),
      el("td", { class: "share-cell" }, shareBar(share)),
      el("td", { class: "muted" }, words(reason)));
  });
  return el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "intentions" },
    el("table", null, el("thead", null, el("tr", null, head.map((name) => el("th", { scope: "col" }, name)))), el("tbody", null, body)));
}

// Another run has its labels; a baseline names what was lost and what was unresolved.
function labelsBefore(earlier, task) {
  if (!earlier?.lost || !earlier.open) return earlier?.labels ?? null;
  const label = (name) => (earlier.lost.includes(name) ? "lost" : earlier.open.includes(name) ? "unresolved" : "retained");
  return earlier.labels ?? Object.fromEntries(task.intentions.map(([name]) => [name, label(name)]));
}

function badge(label) {
  return el("span", { class: `state ${label}` }, label);
}

function shareBar(share) {
  if (share === null) return "undefined";
  const fill = el("span");
  fill.style.width = `${100 * Math.min(Math.max(share, 0), 1)}%`;
  return [el("span", { class: "meter", "aria-hidden": "true" }, fill), el("span", { class: "n" }, ` ${share.toFixed(3)}`)];
}

function facts(record, row, task) {
  const condition = conditionOf(row);
  const [wrong, count, wrongVerbatim, countVerbatim, wrongCharacters, characters] = record.rates;
  const score = (name, place) => [scoreOf(name, row)?.[0] ?? "undefined", ...(record.limits[place] ?? [])].join(", ");
  const rate = (errors, of, what) => (of ? `${percent(errors / of)}, ${errors} of ${of} ${what}` : `no reference ${what}; ${errors} inserted`);
  const list = [
    ["native", score("native", 0)],
    ["shapley", score("shapley", 1)],
    ["flat", record.flat],
    ["undefined because", record.why],
    ["WER", rate(wrong, count, "words")],
    ["verbatim", rate(wrongVerbatim, countVerbatim, "words as they stand")],
    ["CER", rate(wrongCharacters, characters, "characters")],
    ["polarity", task.polarity === "normal" ? null : `${task.polarity}: left out of means`],
    ["transcript", record.state],
    ["flags", record.flags?.join(", ")],
    ["audio", record.seconds === undefined ? null : `${record.seconds} s${record.elapsed === undefined ? "" : `, transcribed in ${record.elapsed} s`}`],
    ["notes", record.notes?.join("; ")],
    ["judge", condition.judge],
  ];
  return [
    pairs(list),
    el("details", null, el("summary", null, "interface ", el("code", null, condition.spec)),
      pairs([["fingerprint", condition.fingerprint], ...Object.entries(condition.identity)])),
    el("p", { class: "rerun" }, el("span", { class: "muted" }, "run it again "), el("code", null, ["pytest", record.again, condition.option, ...index.rerun].join(" "))),
  ];
}

function pairs(list) {
  const given = list.filter(([, value]) => value);
  return el("dl", { class: "facts-list" }, given.map(([name, value]) => el("div", null, el("dt", null, name), " ", el("dd", null, words(value)))));
}

function earlier(record, row, task, said) {
  const found = record.earlier;
  if (!found) return null;
  const score = (place) => index.scores[place]?.[0] ?? "undefined";
  const now = (name) => scoreOf(name, row)?.[0] ?? "undefined";
  const lost = record.findings.flatMap(([label], place) => ["changed", "omitted"].includes(index.labels[label]) ? [task.intentions[place][0]] : []);
  const compared = [["native", score(found.native), now("native")], ["shapley", score(found.shapley), now("shapley")]];
  if (found.lost) compared.push(["lost", found.lost.join(", ") || "nothing", lost.join(", ") || "nothing"]);
  const lines = [el("table", null,
    el("thead", null, el("tr", null, ["", "before", "now"].map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", null, compared.map(([name, ...both]) => el("tr", null, el("th", { scope: "row" }, name), both.map((text) => el("td", null, words(text)))))))];
  if (typeof found.heard === "string") lines.push(aligned(said, found.heard, found.differs ?? []));
  return part(`Before: ${index.before}`, "earlier", lines);
}

function repaired(record, heard) {
  if (!record.raw) return null;
  return part("Before its repair", "repaired", [
    el("p", { class: "note" }, record.raw.text === heard ? "The repair changed nothing." : "Raw transcript above, repaired below."),
    aligned(record.raw.text, heard, record.raw.differs),
  ]);
}

function terms(record) {
  if (record.sent === undefined && record.inserted === undefined) return null;
  const content = [];
  if (record.inserted) {
    content.push(el("p", null, "Heard though nobody said them: ", record.inserted.map(([term, decoy]) => [words(term, { class: "term" }), decoy ? " (decoy) " : " "])));
  }
  if (record.sent !== undefined) {
    const sent = termLists()[record.sent];
    content.push(el("details", null, el("summary", null, `${number(sent.length)} terms sent`), el("p", { class: "terms" }, sent.map((term) => [words(term, { class: "term" }), " "]))));
  }
  return part("Terms", "terms-part", content);
}

function others(row) {
  const same = [];
  for (let other = 0; other < total; other++) {
    if (other !== row && rows.take[other] === rows.take[row] && taskOf(other)[0] === taskOf(row)[0]) same.push(other);
  }
  if (!same.length) return null;
  const line = (other) => {
    const label = conditionOf(other).label;
    const link = { ...START, task: taskOf(other)[0], take: index.takes[rows.take[other]], condition: label };
    return el("tr", null,
      el("th", { scope: "row" }, el("a", { href: `#${address(link)}` }, words(label))),
      el("td", null, badge(index.outcomes[rows.outcome[other]])),
      el("td", { class: "n" }, scoreOf("shapley", other)?.[0] ?? "undefined"),
      el("td", null, words(rows.heard[other] || "nothing", { dir: "auto" })));
  };
  const head = ["condition", "outcome", "shapley", "heard"].map((name) => el("th", { scope: "col", class: name === "shapley" ? "n" : null }, name));
  return part("The same recording under other conditions", "others", [
    el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "other conditions" },
      el("table", null, el("thead", null, el("tr", null, head)), el("tbody", null, same.map(line)))),
  ]);
}
