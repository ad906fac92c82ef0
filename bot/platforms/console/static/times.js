// Times in the reader's own zone, ages that grow, clocks that run.

let ahead = 0; // how far the server's clock is ahead of this one

export function startTimes() {
  takeNow(document.body.dataset.now);
  showTimes();
  setInterval(showClocks, 1000);
  setInterval(showAges, 15_000);
}

export function takeNow(text) {
  ahead = Date.parse(text) - Date.now();
}

export function showTimes() {
  for (const time of document.querySelectorAll("time[data-moment]:not([title])")) {
    const at = new Date(time.dateTime);
    time.textContent = moment(at);
    time.title = at.toLocaleString([], { dateStyle: "full", timeStyle: "long" });
  }
  showAges();
  showClocks();
}

function moment(at) {
  const today = new Date(Date.now() + ahead).toDateString() === at.toDateString();
  const clock = { hour: "2-digit", minute: "2-digit" };
  return at.toLocaleString([], today ? clock : { day: "numeric", month: "short", ...clock });
}

function showAges() {
  for (const time of document.querySelectorAll("time[data-age]")) time.textContent = age(Date.parse(time.dateTime));
}

function age(at) {
  const seconds = Math.max(0, Math.floor((Date.now() + ahead - at) / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

function showClocks() {
  for (const clock of document.querySelectorAll("[data-until]")) {
    clock.textContent = `(${left(Math.ceil((Date.parse(clock.dataset.until) - Date.now() - ahead) / 1000))})`;
  }
}

function left(seconds) {
  if (seconds <= 0) return "any moment now";
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (hours) return `in ${hours} h ${minutes} min`;
  return minutes ? `in ${minutes} min ${seconds % 60} s` : `in ${seconds} s`;
}
