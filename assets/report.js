// Tooltips, and one variant chosen by mouse or keyboard. SPDX-License-Identifier: Apache-2.0
(() => {
  const tip = document.getElementById("tip");
  const show = (target, x, y) => {
    const title = target.querySelector("title");
    if (!title) return;
    tip.textContent = title.textContent;
    tip.hidden = false;
    tip.style.left = Math.min(x + 12, innerWidth - 360) + "px";
    tip.style.top = Math.min(y + 12, innerHeight - 60) + "px";
  };
  const hide = () => { tip.hidden = true; };
  for (const point of document.querySelectorAll(".point, svg.forest")) {
    point.addEventListener("mousemove", (e) => show(point, e.clientX, e.clientY));
    point.addEventListener("mouseleave", hide);
    point.addEventListener("focus", () => {
      const box = point.getBoundingClientRect();
      show(point, box.right, box.bottom);
    });
    point.addEventListener("blur", hide);
  }
  const choose = (section, variant) => {
    for (const e of section.querySelectorAll("[data-variant]")) {
      const other = variant !== null && e.dataset.variant !== variant;
      e.classList.toggle("dim", other && e.classList.contains("point"));
      e.classList.toggle("chosen", variant !== null && !other && !e.classList.contains("point"));
    }
  };
  for (const section of document.querySelectorAll(".case")) {
    let chosen = null;
    const toggle = (e) => {
      const of = e.target.closest("[data-variant]");
      if (!of) return;
      chosen = chosen === of.dataset.variant ? null : of.dataset.variant;
      choose(section, chosen);
    };
    section.addEventListener("click", toggle);
    section.addEventListener("keydown", (e) => {
      if (e.key === "Enter" || e.key === " ") { toggle(e); e.preventDefault(); }
      if (e.key === "Escape") { chosen = null; choose(section, null); hide(); }
    });
  }
  addEventListener("beforeprint", () => {
    for (const d of document.querySelectorAll("details")) d.open = true;
  });
})();
