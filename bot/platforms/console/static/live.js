// Keeps the page fresh: hears what changed, reads the page again, replaces only what differs.
import { takeToken } from "./post.js";
import { sync } from "./sync.js";
import { showTimes, takeNow } from "./times.js";

const BACKOFF = [500, 1000, 2000, 4000, 8000, 15000];
let failures = 0;
let source = null;
let retry = 0;
let reading = null;
let again = false;
let calmUntil = 0;
let soon = 0;

const LOOK_AGAIN = 60_000;
const CALM = 300; // ms between two readings that nobody asked for; longer where a reading takes long
const SHARE = 4; // a page reads for at most this part of its time

export function startLive() {
  listen();
  document.addEventListener("visibilitychange", () => {
    // a browser allows a site six connections in all, so only pages that are looked at hold one
    if (document.hidden) source?.close();
    else listen();
  });
  setInterval(() => document.hidden && refresh(), LOOK_AGAIN);
  addEventListener("pagehide", () => source?.close());
  addEventListener("pageshow", (event) => event.persisted && (listen(), refresh()));
  addEventListener("online", () => source?.readyState === EventSource.CLOSED && listen());
}

function listen() {
  source?.close();
  const asked = { after: document.body.dataset.at, live: document.getElementById("live")?.dataset.task ?? "" };
  source = new EventSource(`/changes?${new URLSearchParams(asked)}`);
  source.onopen = () => {
    failures = 0;
    document.getElementById("connection").hidden = true;
  };
  source.onerror = reconnect;
  source.addEventListener("all", (event) => hear(event, true));
  source.addEventListener("change", (event) => hear(event, JSON.parse(event.data).some(isWatched)));
  source.addEventListener("needs", (event) => takeCount(parsed(JSON.parse(event.data)).getElementById("needs-count")));
  source.addEventListener("live", (event) => takePart(parsed(JSON.parse(event.data)).getElementById("live")));
}

function reconnect() {
  source.close();
  if (document.hidden) return;
  document.getElementById("connection").hidden = false;
  const wait = BACKOFF[Math.min(failures, BACKOFF.length - 1)];
  failures += 1;
  clearTimeout(retry);
  retry = setTimeout(listen, wait * (0.75 + Math.random() / 2));
}

function hear(event, concerned) {
  document.body.dataset.at = event.lastEventId;
  if (concerned) refreshCalmly();
}

/** At once if the page has been quiet; else what comes meanwhile shares one reading a little later. */
function refreshCalmly() {
  const wait = calmUntil - performance.now();
  if (wait <= 0) return refresh();
  soon ||= setTimeout(() => ((soon = 0), refresh()), wait);
}

function isWatched(name) {
  const watched = document.body.dataset.watch.split(" ");
  return watched.some((want) => (want.endsWith("*") ? name.startsWith(want.slice(0, -1)) : name === want));
}

/** Read the page again. Calls that come meanwhile share one more reading. */
export function refresh() {
  again = true;
  reading ??= readWhileWanted().finally(() => (reading = null));
  return reading;
}

async function readWhileWanted() {
  while (again) {
    again = false;
    const began = performance.now();
    try {
      const response = await fetch(location.href, { headers: { Accept: "text/html" } });
      if (response.redirected && new URL(response.url).pathname === "/login") return location.reload();
      if (response.ok) take(parsed(await response.text()));
    } catch {
      return; // offline: the stream notices too, says so, and asks for everything when it is back
    } finally {
      const took = performance.now() - began;
      calmUntil = performance.now() + Math.max(CALM, took * (SHARE - 1));
    }
  }
}

function take(fresh) {
  document.title = fresh.title;
  document.body.dataset.watch = fresh.body.dataset.watch;
  takeToken(fresh.body.dataset.csrf);
  takeNow(fresh.body.dataset.now);
  const outermost = [...fresh.querySelectorAll("[data-live], [data-hash]")].filter(
    (part) => !part.parentElement.closest("[data-live], [data-hash]"),
  );
  // what runs now comes with the stream alone: a page that was asked for earlier may be behind it
  for (const part of outermost) if (part.id !== "live") takePart(part);
  showTimes();
}

function takeCount(part) {
  takePart(part);
  const count = Number(part.dataset.hash);
  document.title = (count ? `(${count}) ` : "") + document.title.replace(/^\(\d+\) /, "");
}

function takePart(part) {
  const known = document.getElementById(part.id);
  if (known) sync(known, part);
}

function parsed(html) {
  return new DOMParser().parseFromString(html, "text/html");
}
