// The view of a page that can be turned: reads the body from #body and takes the place of the picture in #view. Where
// there is no WebGL 2 the picture stays.
(() => {
  const view = document.getElementById("view"), body = JSON.parse(document.getElementById("body").textContent);
  const canvas = document.createElement("canvas"), gl = canvas.getContext("webgl2", {antialias: true, preserveDrawingBuffer: true});
  if (!gl) return;
  const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer;
  const whole = text => new Uint32Array(bytes(text)), real = text => new Float32Array(bytes(text));
  const points = real(body.points), triangles = whole(body.triangles), segments = whole(body.segments), edges = whole(body.edges);
  const corners = new Uint32Array(triangles.length + segments.length + edges.length);
  corners.set(triangles);
  corners.set(segments, triangles.length);
  corners.set(edges, triangles.length + segments.length);
  const owners = new Uint32Array(corners.length);
  whole(body.triangle_cells).forEach((cell, i) => owners.fill(cell, 3 * i, 3 * i + 3));
  whole(body.segment_cells).forEach((cell, i) => owners.fill(cell, triangles.length + 2 * i, triangles.length + 2 * i + 2));

  const compile = (kind, text) => {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, "#version 300 es\nprecision highp float;\n" + text);
    gl.compileShader(shader);
    return shader;
  };
  const program = gl.createProgram();
  gl.attachShader(program, compile(gl.VERTEX_SHADER, `
    in vec3 point, move; in float value;
    uniform mat3 turn; uniform vec2 scale, shift; uniform float factor, depth, nearer;
    out vec3 seen; out float shade;
    void main() {
      seen = turn * (point + factor * move);
      shade = value;
      gl_Position = vec4(seen.xy * scale + shift, -seen.z * depth - nearer, 1);
    }`));
  gl.attachShader(program, compile(gl.FRAGMENT_SHADER, `
    in vec3 seen; in float shade;
    uniform float offset, slope, row; uniform bool flat_light, is_edge; uniform sampler2D maps;
    out vec4 colour;
    void main() {
      vec3 normal = cross(dFdx(seen), dFdy(seen));
      float light = flat_light ? 1.0 : 0.55 + 0.45 * abs(normal.z) / max(length(normal), 1e-30);
      float part = clamp(offset + slope * shade, 0.0, 1.0);
      vec3 paint = texture(maps, vec2((255.0 * part + 0.5) / 256.0, (row + 0.5) / 2.0)).rgb;
      colour = is_edge ? vec4(0.15, 0.15, 0.15, 1) : vec4((isnan(shade) ? vec3(0.6) : paint) * light, 1);
    }`));
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) return;
  gl.useProgram(program);
  gl.enable(gl.DEPTH_TEST);
  gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGB, 256, 2, 0, gl.RGB, gl.UNSIGNED_BYTE, new Uint8Array(bytes(body.maps)));
  for (const way of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, way, gl.CLAMP_TO_EDGE);
  for (const size of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, size, gl.NEAREST);
  const give = (name, width, numbers) => {  // numbers of each corner
    const place = gl.getAttribLocation(program, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffers[name] ??= gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, width, gl.FLOAT, false, 0, 0);
  };
  const buffers = {}, uniform = name => gl.getUniformLocation(program, name);
  const spread = (numbers, width, of, take = width) => {  // from nodes or cells to corners
    const result = new Float32Array(corners.length * take);
    of.forEach((entry, i) => { for (let c = 0; c < Math.min(width, take); ++c) result[take * i + c] = numbers[width * entry + c]; });
    return result;
  };
  give("point", 3, spread(points, 3, corners));

  // The choice of step and field, and the tools that change it.
  const make = (tag, parent, more = {}) => parent.appendChild(Object.assign(document.createElement(tag), more));
  const tools = document.createElement("div"), bar = document.createElement("div");
  tools.className = "tools";
  bar.className = "bar";
  const choice = (label, names, chosen, change) => {
    const select = make("select", make("label", tools, {textContent: label + " "}));
    select.fill = (texts, at) => {
      select.replaceChildren(...texts.map((text, i) => new Option(text, i, i === at, i === at)));
      select.parentNode.hidden = texts.length < 2;
    };
    select.fill(names, chosen);
    select.onchange = change;
    return select;
  };
  const step = () => body.steps[steps.value], fields = () => step().fields, moves = () => fields().filter(f => !f.cells && !f.labels.some(l => l.length > 1) && [2, 3].includes(f.components));
  const last = body.steps.length - 1, first = body.steps[last].fields[body.look.field];
  const steps = choice("load case", body.steps.map(s => s.name || "last step"), last, () => { keep(); colour(); });
  const field = choice("field", fields().map(f => f.name + (f.cells ? " (cells)" : "")), body.look.field, () => { move_along(); name_components(0); colour(); });
  const component = choice("component", [], 0, () => colour());
  const warp = choice("moved by", ["nothing", ...moves().map(f => f.name)], 1 + moves().findIndex(f => f.name === body.look.warp), () => colour());
  const factor = make("input", make("label", tools, {textContent: "times "}), {type: "number", step: "any", value: body.look.factor ? body.look.factor.toPrecision(4) : ""});
  const animate = make("input", make("label", tools, {textContent: "animate "}), {type: "checkbox"});
  const reset = make("button", tools, {textContent: "reset view", type: "button"});
  const low = make("input", bar, {type: "number", step: "any"});
  make("i", bar);
  const high = make("input", bar, {type: "number", step: "any"});
  const values_of = f => f.numbers ??= real(f.values);
  const chosen = () => fields()[field.value];
  // The names of a field's components; before those of a vector its magnitude.
  const is_vector = f => f.vector;
  function name_components(at) {
    const {components, labels} = chosen();
    component.fill(components === 1 ? [""] : [...(is_vector(chosen()) ? ["magnitude"] : []), ...Array.from({length: components}, (_, i) => labels[i] ?? String(i))], at);
  }
  let before = chosen();
  function move_along() {  // points that the field before has moved, as the modes of a vibration do
    const by = moves().indexOf(chosen());
    if (by >= 0 && moves()[warp.value - 1] === before) {
      warp.value = by + 1;
      factor.value = "";
    }
    before = chosen();
  }
  function keep() {  // the field of the same name in another load case
    const at = fields().findIndex(f => f.name === field.selectedOptions[0].text.replace(/ \(cells\)$/, ""));
    field.fill(fields().map(f => f.name + (f.cells ? " (cells)" : "")), Math.max(at, 0));
  }
  name_components(first.components === 1 ? 0 : body.look.component + (is_vector(first) ? 1 : 0));

  function colour() {
    const f = chosen(), numbers = values_of(f), n = f.components, at = Number(component.value) - (is_vector(f) ? 1 : 0);
    const one = new Float32Array(numbers.length / n);
    for (let i = 0; i < one.length; ++i) {
      if (n === 1 || at >= 0) one[i] = numbers[n * i + Math.max(at, 0)];
      else for (let c = 0, sum = 0; c < n; ++c) one[i] = Math.sqrt(sum += numbers[n * i + c] ** 2);
    }
    let least = Infinity, most = -Infinity;
    for (const v of one) if (v < least) least = v; else if (v > most) most = v;
    for (const v of one) if (v > most) most = v;
    low.value = least.toPrecision(5);
    high.value = most.toPrecision(5);
    give("value", 1, spread(one, 1, f.cells ? owners : corners));
    const by = moves()[warp.value - 1];
    give("move", 3, by ? spread(values_of(by), by.components, corners, 3) : new Float32Array(3 * corners.length));
    if (by && !factor.value) {
      let largest = 0;
      for (let i = 0, v = values_of(by); i < v.length; i += by.components) largest = Math.max(largest, Math.hypot(...v.subarray(i, i + by.components)));
      factor.value = (largest > 0 ? 0.1 * body.size / largest : 1).toPrecision(4);
    }
    factor.parentNode.hidden = animate.parentNode.hidden = !by;
    draw();
  }

  // The view: rows of `turn` are right, up and towards the eye.
  const unit = a => a.map(x => x / Math.hypot(...a)), cross = (a, b) => [0, 1, 2].map(i => a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3]);
  let turn, zoom, shift;
  function start() {
    const eye = body.flat ? [0, 0, 1] : unit([1, -1, 0.8]), right = body.flat ? [1, 0, 0] : unit(cross([0, 0, 1], eye));
    turn = [right, cross(eye, right), eye];
    zoom = 1;
    shift = [0, 0];
  }
  function rotate(about, angle) {  // about the axis of the screen with this number
    const [c, s] = [Math.cos(angle), Math.sin(angle)], a = (about + 1) % 3, b = (about + 2) % 3, [p, q] = [turn[a], turn[b]];
    turn[a] = p.map((x, i) => c * x - s * q[i]);
    turn[b] = p.map((x, i) => s * x + c * q[i]);
  }
  let swing = 1;  // part of the motion
  function move_on(milliseconds) {
    swing = animate.checked ? Math.sin(milliseconds / 300) : 1;
    draw();
    if (animate.checked) requestAnimationFrame(move_on);
  }
  animate.onchange = () => requestAnimationFrame(move_on);

  // Places of values in the map of colours (ColourScale of colour_scale.hpp).
  const maps = new Uint8Array(bytes(body.maps));
  function colours() {
    const from = Number(low.value), to = Number(high.value), largest = Math.max(-from, to);
    if (!(to > from)) return {offset: 0.5, slope: 0, row: 0};
    if (Math.min(-from, to) > 0.05 * largest) return {offset: 0.5, slope: 0.5 / largest, row: 1};
    return {offset: -from / (to - from), slope: 1 / (to - from), row: 0};
  }
  function paint_bar({offset, slope, row}) {
    const stops = Array.from({length: 33}, (_, i) => {
      const value = Number(low.value) + i / 32 * (Number(high.value) - Number(low.value));
      const at = 3 * (256 * row + Math.round(255 * Math.min(1, Math.max(0, offset + slope * value))));
      return `rgb(${maps[at]}, ${maps[at + 1]}, ${maps[at + 2]})`;
    });
    bar.querySelector("i").style.background = `linear-gradient(to right, ${stops})`;
  }

  function draw() {
    const width = Math.min(960, view.clientWidth || 960), height = Math.round(0.66 * width), fine = window.devicePixelRatio || 1;
    canvas.style.width = width + "px";
    const map = colours();
    paint_bar(map);
    canvas.width = width * fine;
    canvas.height = height * fine;
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(1, 1, 1, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const scale = 1.7 * zoom / Math.max(body.size, 1e-30);
    gl.uniformMatrix3fv(uniform("turn"), true, turn.flat());
    gl.uniform2f(uniform("scale"), scale * height / width, scale);
    gl.uniform1f(uniform("depth"), 0.2 / Math.max(body.size, 1e-30));
    gl.uniform1f(uniform("factor"), swing * (Number(factor.value) || 0));
    for (const name of ["offset", "slope", "row"]) gl.uniform1f(uniform(name), map[name]);
    gl.uniform1i(uniform("flat_light"), 0);
    gl.uniform1i(uniform("is_edge"), 0);
    gl.uniform1f(uniform("nearer"), 0);
    gl.uniform2f(uniform("shift"), ...shift);
    gl.drawArrays(gl.TRIANGLES, 0, triangles.length);
    gl.uniform1i(uniform("is_edge"), 1);
    gl.uniform1f(uniform("nearer"), 0.001);
    gl.drawArrays(gl.LINES, triangles.length + segments.length, edges.length);
    gl.uniform1i(uniform("is_edge"), 0);
    gl.uniform1f(uniform("nearer"), 0);
    gl.uniform1i(uniform("flat_light"), 1);
    for (let i = 0; i < 9 && segments.length; ++i) {  // lines of three pixels
      gl.uniform2f(uniform("shift"), shift[0] + 2 * (i % 3 - 1) / width, shift[1] + 2 * (Math.floor(i / 3) - 1) / height);
      gl.drawArrays(gl.LINES, triangles.length, segments.length);
    }
  }
  canvas.onpointerdown = event => canvas.setPointerCapture(event.pointerId);
  canvas.onpointermove = event => {
    if (!event.buttons) return;
    if (event.shiftKey || event.buttons > 1) {
      shift[0] += 2 * event.movementX / canvas.clientWidth;
      shift[1] -= 2 * event.movementY / canvas.clientHeight;
    } else {
      rotate(1, event.movementX / 150);
      rotate(0, event.movementY / 150);
    }
    draw();
  };
  canvas.oncontextmenu = event => event.preventDefault();
  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    zoom *= Math.exp(-event.deltaY / 600);
    draw();
  }, {passive: false});
  reset.onclick = () => { start(); draw(); };
  for (const input of [low, high, factor]) input.onchange = draw;
  window.addEventListener("resize", draw);
  const hint = document.createElement("figcaption");
  hint.textContent = "Drag to turn, with Shift to move, wheel to zoom.";
  view.querySelector("img").replaceWith(tools, canvas, bar, hint);
  start();
  colour();
})();
