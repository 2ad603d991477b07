// The grader as a tree: branches that lost nothing are folded, the others stand open.

function grader(task, losses) {
  if (!task.tree) return el("pre", { class: "source" }, task.value);
  const lost = new Map(losses.map(([place, state, value]) => [place, { state, value }]));
  let place = 0;

  function draw([kind, role, caption, source, full, children]) {
    const found = lost.get(place++);
    const state = found?.state ?? "kept";
    const drawn = children.map(draw);
    const head = [
      role ? el("span", { class: "role" }, `${role} `) : null,
      kind === "number" ? null : el("span", { class: `mark ${state}`, title: state }, { kept: "✓", lost: "✗", open: "?" }[state]),
    ];
    const value = kind === "number" ? null : el("span", { class: "value" }, found ? `${found.value} instead of ${full}` : full);
    if (!drawn.length) {
      const note = caption || (kind === "fixed" ? "out of the interface's reach" : "");
      return el("li", { class: `${state} ${kind}` }, head, el("code", null, source), note ? el("small", null, ` ${note}`) : null, value);
    }
    const summary = el("summary", null, head, el("span", { class: "caption" }, `${caption} `), el("code", null, source), value);
    return el("li", { class: `${state} ${kind}` }, el("details", { open: Boolean(found) }, summary, el("ul", null, drawn)));
  }

  const roots = task.tree.map(([name, node]) => [el("dt", null, name), el("dd", null, el("ul", { class: "tree" }, draw(node)))]);
  return el("dl", { class: "grader" }, roots);
}
