// What a page can do beyond being read: sort tables, hand out tables as CSV and pictures as PNG and SVG, and show pictures
// larger. The page is whole without it; every control is made here, so that none stands there that does nothing.
"use strict";
(() => {
  const SCALES = {
    "µs": ["µs", 1], ms: ["µs", 1e3], s: ["µs", 1e6], min: ["µs", 6e7], h: ["µs", 3.6e9],
    B: ["B", 1], KiB: ["B", 2 ** 10], MiB: ["B", 2 ** 20], GiB: ["B", 2 ** 30], TiB: ["B", 2 ** 40],
  };
  const NUMBER = /([-+]?\d[\d,]*(?:\.\d+)?)\s*([^\d\s]*)/g;
  const SVG = "http://www.w3.org/2000/svg";

  const make = (tag, attributes, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const button = (text, about, act) => {
    const made = make("button", { type: "button" }, text);
    if (about) made.setAttribute("aria-label", `${text}: ${about}`);
    made.addEventListener("click", act);
    return made;
  };
  const plain = element => element.textContent.replace(/\s+/g, " ").trim();
  const isUnknown = text => ["", "–", "unknown"].includes(text);
  const fileName = (text, ending) =>
    `${text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60) || "plimsoll"}.${ending}`;
  const save = (name, type, content) => {
    const url = URL.createObjectURL(new Blob([content], { type }));
    make("a", { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
  };

  // Figures as the page prints them: `1.2 ms`, `54,300`, `≥ 2 KiB`, `3 min 20 s`.
  const parts = text => [...text.matchAll(NUMBER)].map(([, figure, unit]) => [Number(figure.replace(/,/g, "")), unit]);
  const isSpan = found => found.length === 2 && found.every(([, unit]) => ["h", "min", "s"].includes(unit));
  const size = text => {
    const found = parts(text);
    return (isSpan(found) ? found : found.slice(0, 1))
      .reduce((sum, [figure, unit]) => sum + figure * (SCALES[unit] || ["", 1])[1], found.length ? 0 : NaN);
  };

  const sortable = table => {
    const body = table.tBodies[0], printed = [...body.rows];
    const heads = [...table.tHead.rows[0].cells];
    const key = (row, index) => {
      const text = plain(row.cells[index]);
      return heads[index].classList.contains("n") ? size(text) : isUnknown(text) ? NaN : text;
    };
    const compare = (one, other) =>
      typeof one === "string" && typeof other === "string" ? one.localeCompare(other, "en", { numeric: true }) : one - other;
    const sort = index => {
      const next = { ascending: "descending", descending: "none" }[heads[index].getAttribute("aria-sort")] || "ascending";
      heads.forEach(head => head.removeAttribute("aria-sort"));
      if (next !== "none") heads[index].setAttribute("aria-sort", next);
      const keyed = printed.map(row => [key(row, index), row]), sign = next === "descending" ? -1 : 1;
      const known = keyed.filter(([value]) => value === value), unknown = keyed.filter(([value]) => value !== value);
      known.sort(([one], [other]) => sign * compare(one, other));
      body.append(...(next === "none" ? printed : [...known, ...unknown].map(([, row]) => row)));
    };
    heads.forEach((head, index) => {
      if (!plain(head)) return;
      const made = button("", "", () => sort(index));
      made.append(...head.childNodes);
      head.append(made);
    });
  };

  // A column of figures becomes numbers with their unit in the heading; one that holds anything else stays as it is printed.
  const asNumbers = (name, cells) => {
    const found = cells.map(text => (isUnknown(text) ? null : parts(text)));
    const known = found.filter(cell => cell !== null);
    const bare = cells.every(text => isUnknown(text) || /^[-+]?\d[\d,]*(\.\d+)?(\s[^\d\s]+)?$/.test(text));
    const units = new Set(known.map(([first]) => first[1])), bases = new Set([...units].map(unit => (SCALES[unit] || [unit])[0]));
    if (!bare || !known.length || bases.size > 1) return [name, ...cells.map(text => (text === "unknown" ? "" : text))];
    const scale = unit => (units.size > 1 ? SCALES[unit][1] : 1);
    const unit = units.size > 1 ? [...bases][0] : [...units][0];
    const value = cell => (cell === null ? "" : String(Number((cell[0][0] * scale(cell[0][1])).toPrecision(12))));
    return [unit ? `${name} (${unit})` : name, ...found.map(value)];
  };
  const quoted = text => {
    const harmless = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
    return /[",\r\n]/.test(harmless) ? `"${harmless.replace(/"/g, '""')}"` : harmless;
  };
  const csv = table => {
    const heads = [...table.tHead.rows[0].cells], rows = [...table.tBodies[0].rows];
    const columns = heads.map((head, index) => {
      const cells = rows.map(row => plain(row.cells[index]));
      return head.classList.contains("n") ? asNumbers(plain(head), cells) : [plain(head), ...cells];
    });
    return columns[0].map((_, row) => columns.map(column => quoted(column[row])).join(",") + "\r\n").join("");
  };
  const csvButton = (table, about) => button("CSV", about, () => save(fileName(about, "csv"), "text/csv", csv(table)));

  // The picture by itself: on white, with its own size and font, in the colours of paper.
  const alone = (figure, about) => {
    const svg = figure.querySelector(".wide svg").cloneNode(true);
    const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
    const paper = document.createElementNS(SVG, "rect"), title = document.createElementNS(SVG, "title");
    Object.entries({ width, height, fill: "#ffffff" }).forEach(([name, value]) => paper.setAttribute(name, value));
    title.textContent = about;
    svg.prepend(title, paper);
    svg.removeAttribute("style");
    svg.removeAttribute("aria-hidden");
    Object.entries({ width, height, "font-family": "Liberation Sans, Arial, Helvetica, sans-serif" })
      .forEach(([name, value]) => svg.setAttribute(name, value));
    return { text: new XMLSerializer().serializeToString(svg), width, height };
  };
  const png = (figure, about) => {
    const { text, width, height } = alone(figure, about), image = new Image();
    image.addEventListener("load", () => {
      const canvas = make("canvas", { width: Math.ceil(2 * width), height: Math.ceil(2 * height) });
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob(content => save(fileName(about, "png"), "image/png", content));
    });
    image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
  };

  const zoom = (figure, about) => {
    const drawn = figure.querySelector(".wide svg").cloneNode(true);
    const words = plain(figure.querySelector("figcaption"));
    drawn.innerHTML = drawn.innerHTML.replace(/(id="|url\(#)([^")]+)/g, "$1zoomed-$2");
    const place = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `${about}, larger` },
      make("div", { class: "chart", role: "img", "aria-label": words }, drawn));
    let factor = 1;
    const scale = by => {
      factor = Math.min(8, Math.max(0.5, factor * by));
      drawn.style.cssText = `max-width:none;width:${Math.round(factor * Math.max(766, place.clientWidth))}px`;
    };
    const dialog = make("dialog", { class: "zoom", "aria-label": about });
    dialog.append(make("div", { class: "tools" }, button("Larger", "", () => scale(1.5)), button("Smaller", "", () => scale(1 / 1.5)),
      button("Close", "", () => dialog.close())), place);
    dialog.addEventListener("keydown", event => {
      if (event.key === "+") scale(1.5);
      if (event.key === "-") scale(1 / 1.5);
    });
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    scale(1);
  };

  document.querySelectorAll("table").forEach(table => {
    sortable(table);
    const place = table.parentElement;
    if (!place.closest("figure")) place.after(make("div", { class: "tools" }, csvButton(table, place.getAttribute("aria-label"))));
  });
  document.querySelectorAll("figure").forEach(figure => {
    const table = figure.querySelector("table"), about = table.parentElement.getAttribute("aria-label");
    figure.querySelector("figcaption").after(make("div", { class: "tools" },
      button("Zoom", about, () => zoom(figure, about)), button("PNG", about, () => png(figure, about)),
      button("SVG", about, () => save(fileName(about, "svg"), "image/svg+xml", alone(figure, about).text)), csvButton(table, about)));
  });
})();
