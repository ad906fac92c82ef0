// Questions that a page must answer well. Each returns a list of complaints; an empty list is praise.
window.judge = {
  names() {
    const named = (e) =>
      (e.getAttribute("aria-label") || "").trim() ||
      (e.getAttribute("aria-labelledby") || "").split(" ").map((id) => document.getElementById(id)?.textContent || "").join(" ").trim() ||
      [...(e.labels || [])].map((l) => l.textContent).join(" ").trim() ||
      (/^(A|BUTTON|SUMMARY)$/.test(e.tagName) ? e.textContent.trim() : "");
    return [...document.querySelectorAll("a[href], button, summary, textarea, input:not([type=hidden]), [role=region], [role=log], dialog, nav, table")]
      .filter((e) => e.checkVisibility() && !named(e) && !(e.tagName === "TABLE" && e.caption))
      .map((e) => e.outerHTML.slice(0, 120));
  },
  structure() {
    const complaints = [];
    const count = (selector, wanted) => {
      const found = document.querySelectorAll(selector).length;
      if (found !== wanted) complaints.push(`${found} of ${selector}`);
    };
    count("h1", 1);
    count("main", 1);
    count("html[lang]", 1);
    const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
    complaints.push(...ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `id twice: ${id}`));
    let level = 0;
    for (const heading of document.querySelectorAll("main :is(h1, h2, h3, h4)")) {
      const now = Number(heading.tagName[1]);
      if (now > level + 1) complaints.push(`${heading.tagName} after H${level}: ${heading.textContent.slice(0, 40)}`);
      level = now;
    }
    for (const e of document.querySelectorAll("[style]")) complaints.push(`inline style: ${e.outerHTML.slice(0, 80)}`);
    return complaints;
  },
  drawings() {
    const outside = (text, box) =>
      text.right > box.right + 1 || text.left < box.left - 1 || text.bottom > box.bottom + 1 || text.top < box.top - 1;
    return [...document.querySelectorAll(".picture g")].flatMap((group) => {
      const box = group.querySelector("rect").getBoundingClientRect();
      return [...group.querySelectorAll("text")]
        .filter((text) => outside(text.getBoundingClientRect(), box))
        .map((text) => `leaves its box: ${text.textContent}`);
    });
  },
  pictures() {
    // a picture speaks for itself, or is hidden beside words that say what it shows; the mark of the house says nothing
    const told = (e) =>
      e.getAttribute("alt") || e.getAttribute("aria-label") ||
      (e.ariaHidden === "true" && (e.matches(".mark") || (e.closest("figure")?.querySelector("figcaption") ?? e.parentElement).textContent.trim()));
    return [...document.querySelectorAll("img, svg, canvas")].filter((e) => !told(e)).map((e) => `no words: ${e.outerHTML.slice(0, 100)}`);
  },
  contrast() {
    const parse = (text) => {
      const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
      canvas.fillStyle = text;
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
      return [r, g, b, a / 255];
    };
    const light = ([r, g, b]) => {
      const part = (c) => ((c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
      return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
    };
    const behind = (e) => {
      for (; e; e = e.parentElement) {
        const colour = parse(getComputedStyle(e).backgroundColor);
        if (colour[3] > 0.99) return colour;
      }
      return [255, 255, 255, 1];
    };
    const complaints = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode()); ) {
      const e = node.parentElement;
      if (!node.textContent.trim() || !e.checkVisibility({ visibilityProperty: true }) || e.closest(".unseen, .seen, script, noscript")) continue;
      const style = getComputedStyle(e);
      const [one, two] = [light(parse(style.color)), light(behind(e))].sort((a, b) => b - a);
      const ratio = (one + 0.05) / (two + 0.05);
      const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
      if (ratio < (large ? 3 : 4.5)) complaints.add(`${ratio.toFixed(2)} ${e.className || e.tagName}: ${node.textContent.trim().slice(0, 40)}`);
    }
    return [...complaints];
  },
  overflow() {
    const wide = document.documentElement.clientWidth;
    const page = document.documentElement.scrollWidth > wide ? [`page is ${document.documentElement.scrollWidth} wide`] : [];
    // what nobody sees must not make a page longer than what they see
    const high = document.documentElement.scrollHeight, body = Math.max(document.body.scrollHeight, document.documentElement.clientHeight);
    if (high > body + 1) page.push(`page is ${high} high, what is on it ${body}`);
    const parts = [...document.querySelectorAll("main, main *")].filter((e) => {
      const box = e.getBoundingClientRect();
      return box.width && box.right > wide + 1 && e.checkVisibility() && !e.closest(".unseen, .picture > svg, .diff-lines > table, .kept > code");
    });
    return [...page, ...parts.map((e) => `${e.tagName}.${e.className} ends at ${e.getBoundingClientRect().right}`)];
  },
  targets() {
    return [...document.querySelectorAll("button, summary, .places a, .open, .back")]
      .filter((e) => e.checkVisibility())
      .map((e) => [e, e.getBoundingClientRect()])
      .filter(([, box]) => box.height && (box.height < 20 || box.width < 24))
      .map(([e, box]) => `${Math.round(box.width)}×${Math.round(box.height)} ${e.textContent.trim().slice(0, 40)}`);
  },
};
