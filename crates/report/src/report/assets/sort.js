// Tables whose columns sort at a click or key press on their heading. Numbers sort as numbers, blanks last.
"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const rising = head.getAttribute("aria-sort") !== "ascending";
      for (const other of heads) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", rising ? "ascending" : "descending");
      const keyed = [...body.rows].map(row => [row.cells[column].textContent.trim(), row]);
      keyed.sort(([a], [b]) => {
        if (a === "" || b === "") return (a === "") - (b === "");
        const [x, y] = [Number(a), Number(b)];
        const order = Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b, undefined, {numeric: true}) : x - y;
        return rising ? order : -order;
      });
      body.append(...keyed.map(([, row]) => row));
    });
  });
}
