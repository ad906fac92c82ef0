// Makes one part of the page like a fresh copy of it, leaving alone what did not change: focus, caret, open menus.

export function sync(old, fresh) {
  if (fresh.dataset.hash !== undefined && old.dataset.hash === fresh.dataset.hash) return old;
  if (!("live" in old.dataset && "live" in fresh.dataset)) return replace(old, fresh);
  if (fresh.dataset.hash !== undefined) old.dataset.hash = fresh.dataset.hash;
  syncChildren(old, fresh);
  return old;
}

function syncChildren(old, fresh) {
  const known = new Map([...old.children].map((child) => [child.id, child]));
  const wanted = new Set([...fresh.children].map((child) => child.id));
  const strays = [...old.children].filter((child) => !wanted.has(child.id));
  const focusLost = strays.some((child) => child.contains(document.activeElement));
  for (const child of strays) child.remove();
  let last = null;
  for (const child of [...fresh.children]) {
    const existing = known.get(child.id);
    const place = last ? last.nextElementSibling : old.firstElementChild;
    if (existing && existing !== place) old.insertBefore(existing, place);
    last = existing ? sync(existing, child) : old.insertBefore(arrival(child), place);
  }
  if (focusLost) focusOn(old.querySelector("[data-stop]") ?? document.getElementById("main"));
}

function arrival(child) {
  const node = document.importNode(child, true);
  node.classList.add("is-new");
  if (node.dataset.says && !("mine" in node.dataset)) announce(node.dataset.says);
  return node;
}

function announce(words) {
  document.getElementById("announce").textContent = words;
}

function replace(old, fresh) {
  const node = document.importNode(fresh, true);
  const find = focusInside(old);
  keepOpen(old, node);
  keepWords(old, node);
  old.replaceWith(node);
  if (find) focusOn(find(node) ?? node);
  return node;
}

/** How to find, in a fresh copy, the thing that has the focus now; null if the focus is elsewhere. */
function focusInside(old) {
  const active = document.activeElement;
  if (!old.contains(active)) return null;
  if (active === old) return (node) => node;
  const { id, value, tagName } = active;
  const href = active.getAttribute("href");
  if (id) return (node) => node.querySelector(`#${CSS.escape(id)}`);
  if (href) return (node) => [...node.querySelectorAll("a")].find((link) => link.getAttribute("href") === href);
  if (tagName === "BUTTON" && value) return (node) => node.querySelector(`button[value="${CSS.escape(value)}"]`);
  const at = [...old.querySelectorAll(tagName)].indexOf(active);
  return (node) => node.querySelectorAll(tagName)[at];
}

function focusOn(element) {
  if (!element.matches("a[href], button, input, textarea, summary, [tabindex]")) element.tabIndex = -1;
  element.focus({ preventScroll: true });
}

function keepOpen(old, node) {
  const before = [...old.querySelectorAll("details")];
  const after = [...node.querySelectorAll("details")];
  if (before.length === after.length) before.forEach((details, at) => (after[at].open = details.open));
}

function keepWords(old, node) {
  for (const area of old.querySelectorAll("textarea[id]")) {
    const copy = node.querySelector(`#${CSS.escape(area.id)}`);
    if (!copy || area.value === area.defaultValue) continue;
    copy.value = area.value;
    copy.setSelectionRange(area.selectionStart, area.selectionEnd);
  }
}
