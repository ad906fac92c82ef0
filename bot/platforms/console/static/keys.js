// Keys: j and k or the arrows, / to write, ? for the list, Esc to leave.

export function startKeys() {
  const button = document.querySelector("[data-shortcuts]");
  const list = document.getElementById("shortcuts");
  if (!button) return;
  button.hidden = false;
  button.addEventListener("click", () => list.showModal());
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
    const typing = event.target.closest("input, textarea");
    const act = event.key === "Escape" ? leave : typing ? null : ACTS[event.key];
    if (act && act(event) !== false) event.preventDefault();
  });
}

const ACTS = {
  j: () => move(1),
  k: () => move(-1),
  ArrowDown: (event) => (isBetween(event.target) ? move(1) : false),
  ArrowUp: (event) => (isBetween(event.target) ? move(-1) : false),
  "/": () => document.getElementById("composer")?.focus(),
  "?": () => document.getElementById("shortcuts").showModal(),
  Enter: open,
};

/** Arrows still scroll where something that scrolls has the focus. */
function isBetween(element) {
  return element === document.body || element.matches("[data-stop], .message, #main");
}

function stops() {
  const marked = [...document.querySelectorAll("[data-stop]")];
  return marked.length ? marked : [...document.querySelectorAll(".log > .message")];
}

function move(step) {
  const all = stops();
  if (!all.length) return false;
  const at = all.indexOf(document.activeElement.closest("[data-stop]") ?? document.activeElement.closest(".message"));
  // the newest is at the end, so that is where one enters from
  const chat = document.querySelector(".chat");
  const to = at === -1 ? (chat ? all.length - 1 : 0) : Math.max(0, Math.min(all.length - 1, at + step));
  all[to].tabIndex = -1;
  all[to].focus({ focusVisible: true });
  all[to].scrollIntoView({ block: "nearest" });
}

function open(event) {
  if (!event.target.matches("[data-stop]")) return false;
  event.target.querySelector("[data-open]")?.click();
}

function leave() {
  const menu = document.activeElement.closest("details.menu[open]") ?? document.querySelector("details.menu[open]");
  if (menu) {
    menu.open = false;
    menu.querySelector("summary").focus();
  } else if (document.activeElement.closest("input, textarea")) {
    document.activeElement.blur();
  } else return false;
}
