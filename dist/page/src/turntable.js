// A released face turning once, as a GIF: its curves drawn from all sides, with the band of what must not be published.
import { draw } from "./faces.js";
import { gif } from "./gif.js";

const WIDTH = 320, HEIGHT = 360, FRAMES = 48, HUNDREDTHS = 8;
const RED = [176, 0, 32], SKIN = [232, 198, 172], RED_AT = 255;

const luma = ([r, g, b]) => 0.299 * r + 0.587 * g + 0.114 * b;

/** By luma: shades of skin up to its own, then towards white; the last is the band's red. */
function palette() {
  const own = luma(SKIN), colours = [];
  for (let level = 0; level < 256; level++) {
    const share = Math.max(0, (level - own) / (255 - own));
    colours.push(...SKIN.map((c) => Math.round(level < own ? (c * level) / own : c + (255 - c) * share)));
  }
  return [...colours.slice(0, 3 * RED_AT - 3), 255, 255, 255, ...RED];
}

/** The frame as it is on the canvas, in indices. */
function indices(context) {
  const { data } = context.getImageData(0, 0, WIDTH, HEIGHT), found = new Uint8Array(WIDTH * HEIGHT);
  for (let i = 0; i < found.length; i++) {
    const colour = data.subarray(4 * i, 4 * i + 3);
    found[i] = colour[0] > 120 && colour[1] < 60 ? RED_AT : Math.min(RED_AT - 1, Math.round(luma(colour)));
  }
  return found;
}

/** The GIF of curves (J, m, 3); `band` is what stands on it, or nothing. */
export function turntable(curves, band) {
  const face = document.createElement("canvas"), all = document.createElement("canvas");
  for (const canvas of [face, all]) [canvas.width, canvas.height] = [WIDTH, HEIGHT];
  const context = all.getContext("2d", { willReadFrequently: true }), frames = [];
  for (let k = 0; k < FRAMES; k++) {
    draw(face, curves, [(2 * Math.PI * k) / FRAMES, 0]);
    context.fillStyle = "#fff";
    context.fillRect(0, 0, WIDTH, HEIGHT);
    context.drawImage(face, 0, 0);
    if (band) {
      context.fillStyle = `rgb(${RED})`;
      context.fillRect(0, 0, WIDTH, 24);
      context.fillStyle = "#fff";
      context.font = "bold 13px sans-serif";
      context.textAlign = "center";
      context.fillText(band, WIDTH / 2, 17);
    }
    frames.push(indices(context));
  }
  return gif(WIDTH, HEIGHT, palette(), frames, HUNDREDTHS);
}
