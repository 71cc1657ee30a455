"use strict";
{
  const box = document.getElementById("search");
  const words = document.getElementById("words");
  const written = document.getElementById("written");
  const count = document.getElementById("count");
  const rows = Array.from(document.querySelectorAll("#table tbody tr"));
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const look = () => {
    const asked = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach((row, at) => {
      const is = asked.every((word) => texts[at].includes(word)) && !(written.checked && row.classList.contains("default"));
      row.hidden = !is;
      shown += is ? 1 : 0;
    });
    count.textContent = shown + " of " + rows.length;
  };
  if (box) {
    box.hidden = false;
    words.addEventListener("input", look);
    written.addEventListener("change", look);
    look();
  }
}
