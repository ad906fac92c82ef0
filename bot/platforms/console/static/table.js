// Rows of a table are moved on the page itself; without this script the server moves them.
const form = document.querySelector("[data-rows]");

function endings() {
  const rows = [...form.querySelectorAll(".form-rows > li")];
  rows.forEach((row, at) => {
    const [up, down] = row.querySelectorAll(".row-tools button");
    up.disabled = at === 0;
    down.disabled = at === rows.length - 1;
  });
}

form.addEventListener("submit", (event) => {
  const button = event.submitter;
  if (button?.name !== "move") return;
  event.preventDefault();
  const row = button.closest("li");
  if (!row) return; // the Enter key
  const up = button.value.startsWith("up-");
  const other = up ? row.previousElementSibling : row.nextElementSibling;
  if (!other) return;
  if (up) other.before(row);
  else other.after(row);
  endings();
  const place = [...row.parentElement.children].indexOf(row) + 1;
  document.getElementById("announce").textContent = `${row.querySelector("legend").textContent} stands at place ${place} now`;
  (button.disabled ? row.querySelector(".row-tools button:enabled") : button).focus();
});
