// Writing: the composer, suggestions that fill it, and changing one's own message.
import { refresh } from "./live.js";
import { numberFor, post, renew, tell } from "./post.js";

export function startComposers() {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    const act = form.matches("[data-composer]") ? send : form.matches("[data-edit]") ? change : null;
    if (!act) return;
    event.preventDefault();
    act(form);
  });
  document.addEventListener("keydown", (event) => {
    const form = event.target.form;
    if (event.key !== "Enter" || event.isComposing || !form || event.target.tagName !== "TEXTAREA") return;
    const forced = event.ctrlKey || event.metaKey;
    const sends = form.matches("[data-composer]") ? !event.shiftKey || forced : forced;
    if (!sends) return;
    event.preventDefault();
    form.requestSubmit();
  });
  document.addEventListener("click", (event) => {
    const chip = event.target.closest("[data-fill]");
    if (!chip) return;
    event.preventDefault();
    fill(chip.dataset.fill);
  });
  const composer = document.querySelector("[data-composer]");
  if (composer) keepDraft(composer);
}

async function send(form) {
  const area = form.elements.text;
  const button = form.querySelector(".send");
  const text = area.value;
  const byKey = document.activeElement === area; // then only the writer's own Esc takes the focus from there
  if (button.ariaDisabled === "true") return;
  const problem = unsendable(text, form.dataset);
  tell(form, problem);
  if (problem) return area.focus();
  button.ariaDisabled = "true";
  numberFor(form, text);
  try {
    await post(form.action, new FormData(form));
    renew(form);
    if (area.value === text) empty(area, form.dataset.opening);
    await refresh();
    document.querySelector(".scroll").scrollTop = 0; // the newest: the list runs from its end
  } catch (failure) {
    tell(form, failure.message);
  } finally {
    button.ariaDisabled = null;
    if (!byKey && isIdle(button)) area.focus();
  }
}

function unsendable(text, { opening, limit }) {
  const words = text.trim();
  if (!words || words === opening.trim()) return "There is nothing to send yet. Write what you would like, then send it.";
  const over = words.length - Number(limit);
  return over > 0 ? `This is ${over.toLocaleString("en")} characters too long. Shorten it, or send it in parts.` : "";
}

function empty(area, opening) {
  area.value = opening;
  area.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Whether nobody has moved the focus to something else meanwhile. */
function isIdle(button) {
  return [document.body, document.getElementById("main"), button].includes(document.activeElement);
}

/** A suggestion goes into the box: it is read, changed and sent by a person. */
function fill(words) {
  const area = document.querySelector("[data-composer]").elements.text;
  area.value = words;
  area.dispatchEvent(new Event("input", { bubbles: true }));
  area.focus();
  area.setSelectionRange(words.length, words.length);
}

async function change(form) {
  numberFor(form, form.elements.text.value);
  try {
    await post(form.action, new FormData(form));
    const details = form.closest("details");
    form.elements.text.defaultValue = form.elements.text.value;
    details.open = false;
    details.querySelector("summary").focus();
    renew(form);
    await refresh();
  } catch (failure) {
    tell(form, failure.message);
  }
}

/** Half-typed words survive a reload and a look at another page. */
function keepDraft(form) {
  const area = form.elements.text;
  const key = `draft:${location.pathname}`;
  const draft = sessionStorage.getItem(key);
  if (draft) area.value = draft;
  area.setSelectionRange(area.value.length, area.value.length);
  const fit = () => {
    if (CSS.supports("field-sizing", "content")) return;
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight}px`;
  };
  area.addEventListener("input", () => {
    fit();
    if (area.value.trim()) tell(form, "");
    if (area.value.trim() && area.value !== form.dataset.opening) sessionStorage.setItem(key, area.value);
    else sessionStorage.removeItem(key);
  });
  fit();
}
