
"use strict";
const data = JSON.parse(document.getElementById("records").textContent);
const fields = [...document.querySelectorAll("fieldset")];
const chosen = (field) => field.querySelector("input[type=radio]:checked");
let saved = true;

document.querySelector("main").addEventListener("change", () => {
  saved = false;
  fields.forEach((field) => field.classList.toggle("answered", chosen(field) !== null));
  document.getElementById("count").textContent = `${fields.filter(chosen).length} answered`;
});

const line = (field) => {
  const record = { ...data.records[Number(field.dataset.index)], label: chosen(field).value };
  const extras = {
    by: document.getElementById("by").value.trim(),
    at: document.getElementById("at").value.trim(),
    note: field.querySelector(".note").value.trim(),
  };
  Object.entries(extras).forEach(([name, value]) => { if (value) record[name] = value; });
  return `${JSON.stringify(record)}\n`;
};

document.getElementById("save").addEventListener("click", () => {
  const blob = new Blob(fields.filter(chosen).map(line), { type: "application/jsonl" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = data.file;
  link.click();
  URL.revokeObjectURL(link.href);
  saved = true;
});

window.addEventListener("beforeunload", (event) => { if (!saved) event.preventDefault(); });
