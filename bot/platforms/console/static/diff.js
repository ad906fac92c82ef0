// A diff: copying it, and comments beside its lines. Reading works without this.
const review = document.getElementById("review");

for (const button of document.querySelectorAll("[data-copy]")) button.hidden = false;
document.querySelectorAll(".diff-file").forEach(addCopyButton);
document.addEventListener("click", (event) => {
  const copying = event.target.closest("[data-copy]");
  if (copying) copy(copying);
  const adding = event.target.closest("[data-add]");
  if (adding) comment(adding.closest("tr"));
  const removing = event.target.closest("[data-remove]");
  if (removing) remove(removing.closest("tr"));
});
if (review) startComments();

/** Each file's own part of the diff. */
function addCopyButton(file) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet copy";
  button.dataset.copy = `${file.closest("[data-diff]").dataset.diff}?plain=${file.id.slice(1)}`;
  button.textContent = "Copy";
  button.ariaLabel = `Copy the changes of ${file.querySelector("summary code")?.textContent ?? "this file"}`;
  file.querySelector("summary").after(button); // not in it: there a press would fold the file
}

async function copy(button) {
  const label = button.textContent;
  try {
    const answer = await fetch(button.dataset.copy);
    if (!answer.ok) throw new Error();
    await write(await answer.text());
    button.textContent = "Copied";
  } catch {
    button.textContent = "Could not copy";
  }
  setTimeout(() => (button.textContent = label), 2000);
}

/** The clipboard of today is there on https and on this machine alone. */
async function write(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (!done) throw new Error();
}

function startComments() {
  for (const hint of document.querySelectorAll("[data-by-line]")) hint.hidden = false;
  const lines = document.querySelector("[data-diff]");
  for (const name of ["mouseover", "focusin", "click"]) lines.addEventListener(name, offer);
}

/** One button, which goes along with the line that is looked at. */
const plus = document.createElement("button");
plus.type = "button";
plus.className = "add-comment";
plus.dataset.add = "";
plus.textContent = "+";

function offer(event) {
  const row = event.target.closest("tr[id]");
  if (!row || plus.closest("tr") === row) return;
  plus.ariaLabel = `Comment on line ${row.id.replace(/^f\d+[LR]/, "")}`;
  row.querySelector(".sign").append(plus);
}

function comment(row) {
  const open = row.nextElementSibling;
  if (open?.matches(".comment")) return open.querySelector("textarea").focus();
  const [, file, side, line] = row.id.match(/^f(\d+)([LR])(\d+)$/);
  const made = document.createElement("tr");
  made.className = "comment";
  const cell = document.createElement("td");
  cell.colSpan = 4;
  const area = document.createElement("textarea");
  Object.assign(area, { name: "note", rows: 2, dir: "auto", ariaLabel: `Comment on line ${line}` });
  const away = document.createElement("button");
  Object.assign(away, { type: "button", className: "button plain", textContent: "Remove" });
  away.dataset.remove = "";
  cell.append(field("file", file), field("line", `${side}${line}`), area, away);
  for (const each of cell.children) each.setAttribute("form", "review");
  made.append(cell);
  row.after(made);
  area.focus();
  count();
}

function field(name, value) {
  const made = document.createElement("input");
  Object.assign(made, { type: "hidden", name, value });
  return made;
}

function remove(row) {
  row.remove();
  count();
}

/** The form is far below: it says what will be sent with it. */
function count() {
  const comments = document.querySelectorAll("tr.comment").length;
  const button = review.querySelector(".button.primary");
  button.dataset.label ??= button.textContent;
  button.textContent = comments ? `${button.dataset.label} (${comments} comment${comments > 1 ? "s" : ""})` : button.dataset.label;
}
