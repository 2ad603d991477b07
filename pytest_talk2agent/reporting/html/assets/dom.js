// Nodes are made here and nowhere else, and every text goes in as text.

function el(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(key, value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

// Words of unknown script and origin, kept apart from the direction of what stands around them.
function words(text, attributes) {
  return el("bdi", attributes, text);
}

function block(id) {
  return JSON.parse(document.getElementById(id).textContent);
}

function lazily(make) {
  let value = null;
  return () => (value ??= make());
}

const number = (value) => value.toLocaleString("en");
const percent = (value) => `${(100 * value).toFixed(1)} %`;
