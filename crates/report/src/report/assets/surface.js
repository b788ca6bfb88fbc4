// Surfaces to turn: unpacks what surface_view.rs packed and draws it with WebGL. Nothing is loaded, nothing is sent.
"use strict";
(() => {
  const VERTEX = `
    attribute vec3 position, normal, colour;
    attribute float sky;
    uniform mat3 turn;
    uniform vec2 zoom, pan;
    uniform float lift;
    varying vec3 n, base;
    varying float open;
    void main() {
      vec3 p = turn * position;
      n = turn * normal;
      base = colour;
      open = sky;
      gl_Position = vec4((p.xy + pan) * zoom, -0.25 * p.z - lift, 1.0);
    }`;
  // Sky, key light from the upper left, weak fill from the right, a little sheen: as in the still pictures.
  const SKIN = `
    precision mediump float;
    varying vec3 n, base;
    varying float open;
    uniform float plain;
    void main() {
      vec3 m = normalize(n);
      float side = 1.0;
      if (m.z < 0.0) { m = -m; side = 0.45; }
      if (plain > 0.5) {
        gl_FragColor = vec4(base * side * (0.58 + 0.42 * m.z) * (0.72 + 0.28 * open), 1.0);
        return;
      }
      vec3 key = normalize(vec3(-0.48, 0.58, 0.66)), fill = normalize(vec3(0.75, 0.05, 0.42));
      float wrapped = max((dot(m, key) + 0.12) / 1.12, 0.0);
      float arriving = smoothstep(0.30, 0.80, open);
      float diffuse = open * (0.20 + 0.10 * m.y + 0.17 * max(dot(m, fill), 0.0))
        + (0.4 + 0.6 * open) * (0.35 + 0.65 * arriving) * 0.80 * wrapped;
      float sheen = 0.07 * arriving * pow(max(dot(m, normalize(key + vec3(0.0, 0.0, 1.0))), 0.0), 24.0);
      vec3 glow = vec3(0.045, 0.018, 0.009) * (1.0 - open);
      vec3 linear = side * (pow(base, vec3(2.2)) * diffuse + sheen + glow * base);
      gl_FragColor = vec4(pow(clamp(linear, 0.0, 1.0), vec3(1.0 / 2.2)), 1.0);
    }`;
  const CLAY = [0.86, 0.71, 0.61], INK = [0.05, 0.20, 0.42], GROUND = 0.97;

  function unpack(script) {
    const head = JSON.parse(script.dataset.head);
    const text = atob(script.textContent.trim().replace(/^base64,/, ""));
    const bytes = Uint8Array.from(text, c => c.charCodeAt(0));
    let at = 0;
    const take = (Type, count) => {
      const part = new Type(bytes.buffer.slice(at, at + count * Type.BYTES_PER_ELEMENT));
      at += count * Type.BYTES_PER_ELEMENT;
      return part;
    };
    const points = head.vertices + head.curves.reduce((a, b) => a + b, 0);
    const places = Float32Array.from(take(Uint16Array, 3 * points), c => c / 32767.5 - 1);
    at = 4 * Math.ceil(at / 4);
    const triangles = take(head.wide ? Uint32Array : Uint16Array, 3 * head.triangles);
    const sky = take(Uint8Array, head.vertices);
    const fields = head.palettes.map(() => take(Uint8Array, head.vertices));
    const sliders = head.sliders.map(s => ({...s,
      fields: s.scales.map(scale => Float32Array.from(take(Int16Array, 3 * head.vertices), d => d * scale))}));
    return {head, points, triangles, sky, fields, sliders,
      positions: places.subarray(0, 3 * head.vertices), curvePoints: places.subarray(3 * head.vertices)};
  }

  // The factors of a slider's fields where it stands: linear between the given positions.
  function factorsAt({values, weights}, at) {
    let k = 0;
    while (k < values.length - 2 && at > values[k + 1]) k++;
    const s = Math.max(0, Math.min(1, (at - values[k]) / (values[k + 1] - values[k])));
    return weights[k].map((w, f) => (1 - s) * w + s * weights[k + 1][f]);
  }

  // Positions with the displacements of all sliders added.
  function bent({positions, sliders}, places) {
    const p = positions.slice();
    sliders.forEach((slider, k) => factorsAt(slider, places[k]).forEach((w, f) => {
      const field = slider.fields[f];
      if (w) for (let i = 0; i < p.length; i++) p[i] += w * field[i];
    }));
    return p;
  }

  function saidAt({values, labels}, at) {
    if (!labels.length) return String(Math.round(at * 100) / 100);
    let k = 0;
    values.forEach((v, i) => { if (Math.abs(v - at) < Math.abs(values[k] - at)) k = i; });
    return labels[k];
  }

  // Curves lie on the surface: every point goes with the vertex it is nearest to.
  function nearestVertices({head, positions, curvePoints}) {
    return Uint32Array.from({length: curvePoints.length / 3}, (_, c) => {
      let best = 0, least = Infinity;
      for (let i = 0; i < head.vertices; i++) {
        let d = 0;
        for (let j = 0; j < 3; j++) d += (positions[3 * i + j] - curvePoints[3 * c + j]) ** 2;
        if (d < least) [best, least] = [i, d];
      }
      return best;
    });
  }

  // Sums of the triangles' area vectors at their corners.
  function normalsOf(p, {triangles: t}) {
    const n = new Float32Array(p.length);
    for (let k = 0; k < t.length; k += 3) {
      const [a, b, c] = [3 * t[k], 3 * t[k + 1], 3 * t[k + 2]];
      const u = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
      const v = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
      const w = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
      for (const i of [a, b, c]) for (let j = 0; j < 3; j++) n[i + j] += w[j];
    }
    for (let i = 0; i < n.length; i += 3) {
      const length = Math.hypot(n[i], n[i + 1], n[i + 2]) || 1;
      for (let j = 0; j < 3; j++) n[i + j] /= length;
    }
    return n;
  }

  function coloursOf({head, fields}, field) {
    const colours = new Float32Array(3 * head.vertices);
    for (let i = 0; i < head.vertices; i++) {
      if (field < 0) { colours.set(CLAY, 3 * i); continue; }
      const palette = head.palettes[field], place = fields[field][i] / 255 * (palette.length - 1);
      const low = Math.min(Math.floor(place), palette.length - 2), s = place - low;
      for (let j = 0; j < 3; j++) colours[3 * i + j] = (palette[low][j] * (1 - s) + palette[low + 1][j] * s) / 255;
    }
    return colours;
  }

  // Every curve as closed segments.
  function segmentsOf({head}, curvePoints) {
    const ends = [];
    let start = 0;
    for (const length of head.curves) {
      for (let k = 0; k < length; k++) ends.push(start + k, start + (k + 1) % length);
      start += length;
    }
    const out = new Float32Array(3 * ends.length);
    ends.forEach((e, k) => out.set(curvePoints.subarray(3 * e, 3 * e + 3), 3 * k));
    return out;
  }

  function show(figure) {
    const canvas = figure.querySelector("canvas");
    const options = {antialias: true, alpha: false, powerPreference: "low-power"};
    const gl = canvas.getContext("webgl2", options) || canvas.getContext("webgl", options);
    if (!gl) return;
    const data = unpack(figure.querySelector("script.packed"));
    if (data.head.wide && !(window.WebGL2RenderingContext && gl instanceof WebGL2RenderingContext)
        && !gl.getExtension("OES_element_index_uint")) return;
    // What is drawn: as the sliders stand.
    let places = data.sliders.map(s => s.start), nearest = null;
    let positions, normals, segments;
    function bend() {
      positions = bent(data, places);
      normals = normalsOf(positions, data);
      let points = data.curvePoints;
      if (data.sliders.length && points.length) {
        nearest = nearest || nearestVertices(data);
        points = points.map((x, i) => {
          const v = 3 * nearest[Math.floor(i / 3)] + i % 3;
          return x + positions[v] - data.positions[v];
        });
      }
      segments = segmentsOf(data, points);
    }
    bend();
    const state = {yaw: 20, pitch: 3, zoom: 1, x: 0, y: 0, field: -1, curves: false};
    // report.html#view=40,5 opens with this yaw and pitch.
    const wanted = /view=(-?[0-9.]+),(-?[0-9.]+)/.exec(location.hash);
    if (wanted) [state.yaw, state.pitch] = [Number(wanted[1]) || 0, Number(wanted[2]) || 0];
    let scene = null, waiting = false;

    function compile(type, source) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      return shader;
    }
    function buffer(content, target = gl.ARRAY_BUFFER) {
      const made = gl.createBuffer();
      gl.bindBuffer(target, made);
      gl.bufferData(target, content, gl.STATIC_DRAW);
      return made;
    }
    function prepare() {
      const program = gl.createProgram();
      gl.attachShader(program, compile(gl.VERTEX_SHADER, VERTEX));
      gl.attachShader(program, compile(gl.FRAGMENT_SHADER, SKIN));
      gl.linkProgram(program);
      if (!gl.getProgramParameter(program, gl.LINK_STATUS)) return false;
      gl.useProgram(program);
      gl.enable(gl.DEPTH_TEST);
      gl.clearColor(GROUND, GROUND, GROUND, 1);
      const place = {}, uniform = {};
      for (const a of ["position", "normal", "colour", "sky"]) place[a] = gl.getAttribLocation(program, a);
      for (const u of ["turn", "zoom", "pan", "lift", "plain"]) uniform[u] = gl.getUniformLocation(program, u);
      scene = {place, uniform, positions: buffer(positions), normals: buffer(normals), sky: buffer(data.sky),
        colours: buffer(coloursOf(data, state.field)), segments: buffer(segments),
        triangles: buffer(data.triangles, gl.ELEMENT_ARRAY_BUFFER)};
      return true;
    }
    function attribute(name, source, size, type = gl.FLOAT, normalized = false) {
      gl.bindBuffer(gl.ARRAY_BUFFER, source);
      gl.enableVertexAttribArray(scene.place[name]);
      gl.vertexAttribPointer(scene.place[name], size, type, normalized, 0, 0);
    }
    function draw() {
      waiting = false;
      if (!scene) return;
      const ratio = Math.min(window.devicePixelRatio || 1, 2);
      const [w, h] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
      if (!w || !h) return;
      if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
      gl.viewport(0, 0, w, h);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      const [a, b] = [state.yaw * Math.PI / 180, state.pitch * Math.PI / 180];
      const [ca, sa, cb, sb] = [Math.cos(a), Math.sin(a), Math.cos(b), Math.sin(b)];
      const {uniform} = scene;
      // Columns: about the vertical axis first, then the tilt.
      gl.uniformMatrix3fv(uniform.turn, false, [ca, sb * sa, -cb * sa, 0, cb, sb, sa, -sb * ca, cb * ca]);
      const fit = 0.92 * state.zoom * Math.min(w, h);
      gl.uniform2f(uniform.zoom, fit / w, fit / h);
      gl.uniform2f(uniform.pan, state.x, state.y);
      gl.uniform1f(uniform.lift, 0);
      gl.uniform1f(uniform.plain, state.field < 0 ? 0 : 1);
      attribute("position", scene.positions, 3);
      attribute("normal", scene.normals, 3);
      attribute("colour", scene.colours, 3);
      attribute("sky", scene.sky, 1, gl.UNSIGNED_BYTE, true);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, scene.triangles);
      gl.drawElements(gl.TRIANGLES, data.triangles.length, data.head.wide ? gl.UNSIGNED_INT : gl.UNSIGNED_SHORT, 0);
      if (state.curves) {
        attribute("position", scene.segments, 3);
        for (const name of ["normal", "colour", "sky"]) gl.disableVertexAttribArray(scene.place[name]);
        // Turned back by the vertex program, the normal of a line faces the viewer.
        gl.vertexAttrib3f(scene.place.normal, -cb * sa, sb, cb * ca);
        gl.vertexAttrib3f(scene.place.colour, ...INK);
        gl.vertexAttrib1f(scene.place.sky, 1);
        gl.uniform1f(uniform.plain, 1);
        gl.uniform1f(uniform.lift, 0.004);
        gl.drawArrays(gl.LINES, 0, segments.length / 3);
      }
      for (const key of ["yaw", "pitch", "zoom", "field"]) canvas.dataset[key] = state[key];
      canvas.dataset.drawn = Number(canvas.dataset.drawn || 0) + 1;
    }
    // Surfaces of one group turn together.
    const linked = figure.closest(".linked");
    const seen = ["yaw", "pitch", "zoom", "x", "y"];
    function change(update) {
      take(update);
      if (!linked || !seen.some(key => key in update)) return;
      const view = Object.fromEntries(seen.map(key => [key, state[key]]));
      linked.dispatchEvent(new CustomEvent("turned", {detail: {figure, view}}));
    }
    if (linked) linked.addEventListener("turned", event => {
      if (event.detail.figure !== figure) take(event.detail.view);
    });
    function take(update) {
      Object.assign(state, update);
      state.pitch = Math.max(-90, Math.min(90, state.pitch));
      state.zoom = Math.max(0.3, Math.min(20, state.zoom));
      if (!waiting) { waiting = true; requestAnimationFrame(draw); }
    }
    if (!prepare()) return;
    figure.hidden = false;

    const fingers = new Map();
    canvas.addEventListener("pointerdown", event => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, event);
    });
    canvas.addEventListener("pointermove", event => {
      const before = fingers.get(event.pointerId);
      if (!before) return;
      const [dx, dy] = [event.clientX - before.clientX, event.clientY - before.clientY];
      const unit = 2 / (0.92 * state.zoom * Math.min(canvas.clientWidth, canvas.clientHeight));
      if (fingers.size > 1) {
        const others = [...fingers.values()].filter(f => f.pointerId !== event.pointerId);
        const gap = f => Math.hypot(f.clientX - others[0].clientX, f.clientY - others[0].clientY);
        change({zoom: state.zoom * (gap(event) / Math.max(gap(before), 1))});
      } else if (event.buttons & 6 || event.shiftKey || event.ctrlKey) {
        change({x: state.x + dx * unit, y: state.y - dy * unit});
      } else {
        change({yaw: state.yaw + 0.5 * dx, pitch: state.pitch + 0.5 * dy});
      }
      fingers.set(event.pointerId, event);
    });
    for (const end of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(end, event => fingers.delete(event.pointerId));
    }
    canvas.addEventListener("contextmenu", event => event.preventDefault());
    // The wheel scrolls the page until the surface has been clicked or tabbed to.
    canvas.addEventListener("wheel", event => {
      if (document.activeElement !== canvas) return;
      event.preventDefault();
      change({zoom: state.zoom * Math.exp(-0.0015 * event.deltaY)});
    }, {passive: false});
    const start = {yaw: 0, pitch: 0, zoom: 1, x: 0, y: 0};
    canvas.addEventListener("dblclick", () => change(start));
    canvas.addEventListener("keydown", event => {
      const keys = {
        ArrowLeft: {yaw: state.yaw - 5}, ArrowRight: {yaw: state.yaw + 5},
        ArrowUp: {pitch: state.pitch - 5}, ArrowDown: {pitch: state.pitch + 5},
        "+": {zoom: state.zoom * 1.15}, "=": {zoom: state.zoom * 1.15}, "-": {zoom: state.zoom / 1.15},
        "0": start, Home: start,
      };
      if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      change(keys[event.key]);
    });
    const buttons = [...figure.querySelectorAll("button")], scales = [...figure.querySelectorAll(".scale")];
    for (const button of buttons) {
      button.addEventListener("click", () => {
        const {view, zoom, field, curves} = button.dataset;
        if (view) {
          const [yaw, pitch] = view.split(",").map(Number);
          change({...start, yaw, pitch});
        }
        if (zoom) change({zoom: state.zoom * Number(zoom)});
        if (curves !== undefined) {
          change({curves: !state.curves});
          button.setAttribute("aria-pressed", state.curves);
        }
        if (field !== undefined) {
          change({field: Number(field)});
          scene.colours = buffer(coloursOf(data, state.field));
          for (const other of buttons) {
            if (other.dataset.field) other.setAttribute("aria-pressed", other === button);
          }
          scales.forEach((scale, k) => { scale.hidden = k !== state.field; });
        }
      });
    }
    const first = figure.querySelector("button[data-first]");
    if (first) first.click();
    const ranges = [...figure.querySelectorAll("input[data-slider]")];
    let moved = false;
    function shape() {
      moved = false;
      bend();
      if (scene) {
        for (const name of ["positions", "normals", "segments"]) gl.deleteBuffer(scene[name]);
        Object.assign(scene, {positions: buffer(positions), normals: buffer(normals), segments: buffer(segments)});
      }
      canvas.dataset.shape = places.join(",");
      change({});
    }
    function slide(k, at) {
      places[k] = at;
      ranges[k].nextElementSibling.textContent = saidAt(data.sliders[k], at);
      // As often as there is something to see, however fast it is dragged.
      if (!moved) { moved = true; requestAnimationFrame(shape); }
    }
    ranges.forEach((range, k) => range.addEventListener("input", () => slide(k, Number(range.value))));
    const reset = figure.querySelector("button[data-reset]");
    if (reset) reset.addEventListener("click", () => ranges.forEach((range, k) => {
      range.value = data.sliders[k].start;
      slide(k, data.sliders[k].start);
    }));
    // A browser that reloads a page puts controls back where they were.
    ranges.forEach((range, k) => { range.value = data.sliders[k].start; });
    canvas.addEventListener("webglcontextlost", event => { event.preventDefault(); scene = null; });
    canvas.addEventListener("webglcontextrestored", () => { prepare(); change({}); });
    new ResizeObserver(() => change({})).observe(canvas);
    change({});
  }

  for (const figure of document.querySelectorAll("figure.surface")) show(figure);
})();
