// Buttons on cards. One that asks or wants to be sure opens a dialog first.
import { refresh } from "./live.js";
import { numberFor, post, renew, tell } from "./post.js";

let asking = null; // what the open dialog will send

export function startPresses() {
  document.addEventListener("submit", (event) => {
    const { target: form, submitter: button } = event;
    if (form.matches("[data-ask]")) {
      event.preventDefault();
      answer(form);
    } else if (form.matches("[data-card]") && button && button.dataset.table === undefined) {
      event.preventDefault();
      closeMenu(form);
      if (button.dataset.asks || button.dataset.confirm) open(form, button);
      else press(form, button);
    }
  });
  document.addEventListener("toggle", showMenu, true); // it does not bubble
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
    if (event.target.closest("[data-told]")) say("");
    if (event.target.closest("[data-close]")) event.target.closest("dialog").close();
  });
}

function showMenu(event) {
  if (event.target.matches("details.menu[open]")) {
    event.target.querySelector(".menu-list").scrollIntoView({ block: "nearest" });
  }
}

function closeMenu(form) {
  for (const menu of form.querySelectorAll("details.menu[open]")) menu.open = false;
}

function contents(form, token, words = "") {
  numberFor(form, `${token}\n${words}`);
  const data = new FormData(form);
  data.set("token", token);
  data.set("words", words);
  return data;
}

async function press(form, button) {
  if (form.ariaBusy === "true") return;
  form.ariaBusy = button.ariaDisabled = "true";
  tell(form, "");
  try {
    arrived(form, await post("/press", contents(form, button.value)));
  } catch (failure) {
    tell(form, failure.message);
  } finally {
    form.ariaBusy = button.ariaDisabled = null;
  }
}

function arrived(form, answer) {
  renew(form);
  say(answer.told);
  if (answer.told) return refresh();
  // a page that shows the ledger says what came of a press; its address tells it which
  const see = new URL(answer.see, location.href);
  if (see.pathname === location.pathname && see.search) history.replaceState(null, "", see);
  return refresh();
}

/** An answer that belongs to nobody but the reader, and to no thread that this page shows. */
function say(words) {
  const place = document.getElementById("told");
  place.hidden = !words;
  place.querySelector("p").textContent = words;
}

function open(form, button) {
  const dialog = document.getElementById("ask");
  const { asks, confirm, lines } = button.dataset;
  const label = button.querySelector("[data-label]").textContent;
  asking = { form, token: button.value, asks };
  document.getElementById("ask-title").textContent = label;
  document.getElementById("ask-about").textContent = button.querySelector(".unseen").textContent.replace(/^, /, "");
  document.getElementById("ask-confirm").textContent = confirm ?? "";
  document.getElementById("ask-question").textContent = asks ?? "";
  document.getElementById("ask-words").hidden = !asks;
  const sender = document.getElementById("ask-send");
  sender.textContent = label;
  sender.className = `button ${button.classList.contains("danger") ? "danger" : "primary"}`;
  const area = document.getElementById("ask-text");
  area.value = lines ?? "";
  area.rows = lines ? 12 : 4;
  area.classList.toggle("lines-of-text", Boolean(lines));
  area.required = Boolean(asks);
  tell(dialog, "");
  dialog.showModal();
  (asks ? area : dialog.querySelector("[data-close]")).focus();
}

async function answer(dialogForm) {
  const { form, token, asks } = asking;
  const words = document.getElementById("ask-text").value.trim();
  if (asks && !words) return tell(dialogForm, "Write a few words first.");
  const sender = document.getElementById("ask-send");
  if (sender.ariaDisabled === "true") return;
  sender.ariaDisabled = "true";
  try {
    const told = await post("/press", contents(form, token, words));
    document.getElementById("ask").close();
    await arrived(form, told);
  } catch (failure) {
    tell(dialogForm, failure.message);
  } finally {
    sender.ariaDisabled = null;
  }
}
