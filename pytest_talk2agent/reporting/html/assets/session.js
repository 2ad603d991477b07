// Sessions with a recording: what stands at a moment plays it from there, and a line shows where it is.

function sounding(session) {
  const audio = session.querySelector("audio[data-audio]");
  const drawing = session.querySelector("svg.timeline[data-scale]");
  if (!audio || !drawing) return;
  const head = drawing.querySelector(".head");
  const left = Number(drawing.dataset.left);
  const scale = Number(drawing.dataset.scale);

  function load() {
    if (audio.hasAttribute("src")) return;
    const held = document.getElementById(`audio-${audio.dataset.audio}`);
    audio.src = `data:audio/flac;base64,${held.textContent}`;
  }

  function draw() {
    const x = left + audio.currentTime * 1000 * scale;
    head.removeAttribute("hidden");
    head.setAttribute("x1", x);
    head.setAttribute("x2", x);
    if (!audio.paused) requestAnimationFrame(draw);
  }

  function jump(ms) {
    load();
    const seek = () => { audio.currentTime = Math.max(0, ms / 1000); draw(); };
    if (audio.readyState >= 1) seek();
    else {
      audio.addEventListener("loadedmetadata", seek, { once: true });
      audio.load();
    }
    audio.play().catch(() => {});  // a browser may refuse, or the file be gone; the controls say so
  }

  session.addEventListener("toggle", () => { if (session.open) load(); });
  if (session.open) load();
  audio.addEventListener("play", draw);
  audio.addEventListener("seeked", draw);
  session.addEventListener("click", (event) => {
    const place = event.target.closest("[data-at]");
    if (place) return jump(Number(place.dataset.at));
    if (!drawing.contains(event.target)) return;
    const box = drawing.getBoundingClientRect();
    const x = (event.clientX - box.left) * drawing.viewBox.baseVal.width / box.width;
    if (x >= left) jump((x - left) / scale);
  });
  drawing.addEventListener("keydown", (event) => {
    const place = event.target.closest("g[data-at]");
    if (!place || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    jump(Number(place.dataset.at));
  });
}

for (const session of document.querySelectorAll("details.session")) sounding(session);
