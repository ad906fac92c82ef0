// Sends a form and says in words why it could not. The form's number makes a second try harmless.

const PATIENCE = 20_000;

const LOST =
  "Not sent: Overlord cannot be reached. Your words are still here; send them again when it is back. They cannot arrive twice.";
const SLOW = "No answer yet. Send it again if you like: it cannot arrive twice.";

export function newNonce() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The number for this attempt: kept while the same thing is tried again, new when something else is sent. */
export function numberFor(form, content) {
  const field = form.elements.nonce;
  if (form.dataset.tried !== undefined && form.dataset.tried !== content) field.value = newNonce();
  form.dataset.tried = content;
  return field.value;
}

export function renew(form) {
  delete form.dataset.tried;
  form.elements.nonce.value = newNonce();
}

/** Resolves to the server's answer, or throws an Error whose message is meant for the person. */
export async function post(action, data) {
  let response;
  try {
    response = await fetch(action, {
      method: "POST",
      body: data,
      headers: { Accept: "application/json" },
      signal: AbortSignal.timeout(PATIENCE),
    });
  } catch (problem) {
    throw new Error(problem.name === "TimeoutError" ? SLOW : LOST);
  }
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  if (answer.csrf) takeToken(answer.csrf);
  throw new Error(answer.error || `Not sent: Overlord answered ${response.status}. Try again in a moment.`);
}

export function takeToken(token) {
  document.body.dataset.csrf = token;
  for (const field of document.querySelectorAll('input[name="csrf"]')) field.value = token;
}

export function tell(form, words) {
  const place = form.querySelector(".form-problem");
  place.textContent = words;
  place.hidden = !words;
}
