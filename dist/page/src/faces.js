// Prepared records as pictures: closed curves about the nose tip, from the inside out, shaded. Drawn only; nothing is measured here.

/** The shape and the numbers of an .npy file of doubles. */
export function npy(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const wide = bytes[6] > 1, length = wide ? view.getUint32(8, true) : view.getUint16(8, true), start = (wide ? 12 : 10) + length;
  const head = new TextDecoder().decode(bytes.subarray(wide ? 12 : 10, start));
  const shape = /'shape': \(([^)]*)\)/.exec(head)[1].split(",").map((part) => part.trim()).filter(Boolean).map(Number);
  if (!head.includes("'<f8'") || !head.includes("'fortran_order': False")) throw new Error("an array of another type");
  return { shape, data: new Float64Array(bytes.slice(start).buffer) };
}

/** Draws the surface between neighbouring curves on a canvas, turned by two angles. */
export function draw(canvas, { shape: [curves, samples], data }, [yaw, pitch] = [0, 0]) {
  const context = canvas.getContext("2d"), { width, height } = canvas, count = curves * samples;
  const [cy, sy, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
  const centre = [0, 1, 2].map((k) => { let sum = 0; for (let i = 0; i < count; i++) sum += data[3 * i + k]; return sum / count; });
  const at = new Float64Array(3 * count);
  let reach = 0;
  for (let i = 0; i < count; i++) {
    const [x, y, z] = [0, 1, 2].map((k) => data[3 * i + k] - centre[k]);
    reach = Math.max(reach, Math.hypot(x, y, z));
    const u = cy * x + sy * z, w = cy * z - sy * x;
    at.set([u, cp * y - sp * w, sp * y + cp * w], 3 * i);
  }
  const scale = (0.48 * Math.min(width, height)) / reach;
  const quads = [];
  // What lies within the first curve is drawn to its middle.
  const middle = [0, 1, 2].map((k) => { let sum = 0; for (let m = 0; m < samples; m++) sum += at[3 * m + k]; return sum / samples; });
  const corner = (j, m) => j < 0 ? middle : at.subarray(3 * (j * samples + m), 3 * (j * samples + m) + 3);
  for (let j = -1; j + 1 < curves; j++) {
    for (let m = 0; m < samples; m++) {
      const next = (m + 1) % samples;
      const corners = [corner(j, m), corner(j, next), corner(j + 1, next), corner(j + 1, m)];
      const [p, q, r, s] = corners, a = [0, 1, 2].map((d) => r[d] - p[d]), b = [0, 1, 2].map((d) => s[d] - q[d]);
      const n = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
      const long = Math.hypot(...n) || 1, facing = n[2] < 0 ? -1 : 1;
      const light = Math.max(0, facing * (-0.35 * n[0] + 0.5 * n[1] + 0.79 * n[2]) / long);
      quads.push({ corners, light, depth: p[2] + q[2] + r[2] + s[2] });
    }
  }
  quads.sort((one, other) => one.depth - other.depth);
  context.clearRect(0, 0, width, height);
  context.lineWidth = 0.7;
  for (const { corners, light } of quads) {
    const tone = 0.32 + 0.68 * light;
    context.fillStyle = context.strokeStyle = `rgb(${Math.round(232 * tone)} ${Math.round(198 * tone)} ${Math.round(172 * tone)})`;
    context.beginPath();
    corners.forEach(([x, y], k) => context[k ? "lineTo" : "moveTo"](width / 2 + scale * x, height / 2 - scale * y));
    context.closePath();
    context.fill();
    context.stroke();
  }
}
