// The page that scripts/view.py writes: a run in 3D, drawn by three.js.
//
// #run holds what view.py tells of the run (JSON), #data the arrays of its frames (base64, little-endian);
// both are described in view.py. Lengths are scaled so that the domain's longest side is SIZE.
"use strict";

const SIZE = 10.0;
const run = JSON.parse(document.getElementById("run").textContent);
const data = decoded(document.getElementById("data").textContent).buffer;
const scale = SIZE / Math.max(...run.extent);
const middle = run.extent.map((side) => 0.5 * side);
const element = (id) => document.getElementById(id);

function decoded(text) {
  const bytes = atob(text.trim());
  const array = new Uint8Array(bytes.length);
  for (let k = 0; k < bytes.length; ++k) array[k] = bytes.charCodeAt(k);
  return array;
}

// ---- arrays of the run

const radius = new Float32Array(data, run.radius, run.grains);
const material = new Uint8Array(data, run.material, run.grains);
const ids = new Float64Array(data, run.ids, run.grains);
const colours = decoded(run.colours); // [256, 3]

/** Rows of the grains of a frame: [count]. */
const rowsOf = (frame) => new Uint32Array(data, frame.rows, frame.count);
/** Shares of the domain along each axis, of 65535: [count, 3]. */
const placesOf = (frame) => new Uint16Array(data, frame.places, 3 * frame.count);
/** A field's values as shares of its range, of 65535: [count]. */
const valuesOf = (frame, field) => new Uint16Array(data, frame.fields[field.name], frame.count);

// ---- the scene

const renderer = new THREE.WebGLRenderer({ canvas: element("scene"), antialias: true, preserveDrawingBuffer: true });
renderer.setClearColor(0xffffff);
renderer.localClippingEnabled = true;
const scene = new THREE.Scene();
const camera = new THREE.PerspectiveCamera(35, 1, 0.01 * SIZE, 20 * SIZE);
camera.up.fromArray(run.up);
const controls = new THREE.OrbitControls(camera, renderer.domElement);
scene.add(new THREE.AmbientLight(0xffffff, 0.6));
const lamp = new THREE.DirectionalLight(0xffffff, 0.55);
scene.add(lamp);

/** Where a place in the domain, from its lower corner, is drawn. */
const drawn = (x, y, z) => new THREE.Vector3((x - middle[0]) * scale, (y - middle[1]) * scale, (z - middle[2]) * scale);

const sides = run.most > 5000 ? [10, 7] : run.most > 500 ? [16, 11] : [32, 24];
const ball = new THREE.SphereBufferGeometry(1, ...sides);
const tint = new THREE.InstancedBufferAttribute(new Uint8Array(3 * run.most), 3, true);
ball.setAttribute("color", tint);
const balls = new THREE.InstancedMesh(ball, new THREE.MeshLambertMaterial({ vertexColors: THREE.VertexColors }), run.most);
balls.frustumCulled = false;
scene.add(balls);

const ring = new THREE.Mesh(
  new THREE.SphereBufferGeometry(1, 24, 16),
  new THREE.MeshBasicMaterial({ color: 0xd1242f, wireframe: true, transparent: true, opacity: 0.7 }),
);
ring.visible = false;
scene.add(ring);

const frameLines = new THREE.LineSegments(
  new THREE.EdgesGeometry(new THREE.BoxBufferGeometry(...run.extent.map((side) => side * scale))),
  new THREE.LineBasicMaterial({ color: 0x8c959f }),
);
scene.add(frameLines);

// ---- walls: translucent, cut off at the domain's faces, moved with the frames

const faces = [];
for (let axis = 0; axis < 3; ++axis) {
  for (const sign of [1, -1]) {
    const normal = new THREE.Vector3().setComponent(axis, sign);
    faces.push(new THREE.Plane(normal, 0.5 * run.extent[axis] * scale * 1.002));
  }
}
const wallMaterial = new THREE.MeshLambertMaterial({
  color: 0x6b7683, transparent: true, opacity: 0.25, side: THREE.DoubleSide, depthWrite: false, clippingPlanes: faces,
});

function wallMesh(corners) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(corners), 3));
  geometry.computeVertexNormals();
  const mesh = new THREE.Mesh(geometry, wallMaterial);
  mesh.matrixAutoUpdate = false;
  mesh.frustumCulled = false;
  scene.add(mesh);
  return mesh;
}
const walls = run.walls.map((wall) => wallMesh(wall.triangles));

/** Puts the walls where they are in a frame: x at time zero is at R x + d, from the domain's lower corner. */
function moveWalls(frame) {
  frame.walls.forEach((pose, k) => {
    const mesh = walls[k];
    mesh.visible = pose !== null;
    if (!pose) return;
    const [r, d] = [pose.turn, pose.displacement];
    const shift = drawn(...d);
    mesh.matrix.set(
      r[0] * scale, r[1] * scale, r[2] * scale, shift.x,
      r[3] * scale, r[4] * scale, r[5] * scale, shift.y,
      r[6] * scale, r[7] * scale, r[8] * scale, shift.z,
      0, 0, 0, 1,
    );
    mesh.matrixWorldNeedsUpdate = true;
  });
}

// ---- what is shown

const state = { frame: 0, field: 0, cut: { axis: -1, place: 1, flip: false }, picked: -1, playing: false, rate: 10 };

/** Whether the cut takes a grain away; u is its place in shares of the domain. */
function isCut(u) {
  const { axis, place, flip } = state.cut;
  return axis >= 0 && (flip ? u[axis] < place : u[axis] > place);
}

function show(number) {
  state.frame = number;
  const frame = run.frames[number];
  const rows = rowsOf(frame), places = placesOf(frame);
  const field = run.fields[state.field];
  const values = field.kind === "constant" ? null : valuesOf(frame, field);
  const matrices = balls.instanceMatrix.array;
  const u = [0, 0, 0];
  let count = 0;
  for (let k = 0; k < frame.count; ++k) {
    for (let axis = 0; axis < 3; ++axis) u[axis] = places[3 * k + axis] / 65535;
    if (isCut(u)) continue;
    const row = rows[k], size = radius[row] * scale, at = 16 * count;
    matrices[at] = matrices[at + 5] = matrices[at + 10] = size;
    matrices[at + 15] = 1;
    for (let axis = 0; axis < 3; ++axis) matrices[at + 12 + axis] = (u[axis] - 0.5) * run.extent[axis] * scale;
    paint(count, field, values ? values[k] / 65535 : field.of(row));
    ++count;
  }
  balls.count = count;
  balls.instanceMatrix.needsUpdate = tint.needsUpdate = true;
  moveWalls(frame);
  element("slider").value = number;
  element("time").textContent = `t = ${frame.time.toPrecision(5).replace(/\.?0+$/, "")} s`;
  tellPicked();
  dirty = true;
}

/** Colours an instance by a share of the field's range, or by a kind. */
function paint(instance, field, value) {
  const array = tint.array;
  if (field.names) {
    const hex = parseInt(run.kinds[value % run.kinds.length].slice(1), 16);
    array[3 * instance] = hex >> 16;
    array[3 * instance + 1] = (hex >> 8) & 255;
    array[3 * instance + 2] = hex & 255;
    return;
  }
  const share = (value * (field.high - field.low)) / (field.top - field.low || 1);
  const entry = 3 * Math.min(255, Math.max(0, Math.floor(256 * share)));
  for (let k = 0; k < 3; ++k) array[3 * instance + k] = colours[entry + k];
}

/** Fields that do not change: value of a grain as a share of the range, or its kind. */
function prepareFields() {
  for (const field of run.fields) {
    if (field.kind !== "constant") continue;
    const span = field.high - field.low || 1;
    if (field.name === "material") field.of = (row) => material[row];
    if (field.name === "size") field.of = (row) => (2e3 * radius[row] - field.low) / span;
    if (field.name === "id") field.of = (row) => (ids[row] - field.low) / span;
  }
}

function drawLegend() {
  const field = run.fields[state.field];
  element("kinds").innerHTML = "";
  element("gradient").hidden = Boolean(field.names);
  element("ends").hidden = Boolean(field.names);
  if (field.names) {
    field.names.forEach((name, k) => {
      const entry = document.createElement("span");
      const dot = document.createElement("i");
      dot.style.background = run.kinds[k % run.kinds.length];
      entry.append(dot, name);
      element("kinds").append(entry);
    });
    return;
  }
  const pen = element("gradient").getContext("2d");
  for (let k = 0; k < 256; ++k) {
    pen.fillStyle = `rgb(${colours[3 * k]},${colours[3 * k + 1]},${colours[3 * k + 2]})`;
    pen.fillRect(k, 0, 1, 1);
  }
  element("low").textContent = text(field.low);
  element("high").textContent = text(field.top);
}

const text = (value) => (Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4))));

// ---- picking

/** The grain that is seen at a place of the canvas, as its number in the frame; -1: none. */
function grainAt(x, y) {
  const bounds = renderer.domElement.getBoundingClientRect();
  const pointer = new THREE.Vector2(
    (2 * (x - bounds.left)) / bounds.width - 1, 1 - (2 * (y - bounds.top)) / bounds.height);
  const caster = new THREE.Raycaster();
  caster.setFromCamera(pointer, camera);
  const frame = run.frames[state.frame], rows = rowsOf(frame), places = placesOf(frame);
  const { origin, direction } = caster.ray;
  let nearest = Infinity, found = -1;
  for (let k = 0; k < frame.count; ++k) {
    const u = [0, 1, 2].map((axis) => places[3 * k + axis] / 65535);
    if (isCut(u)) continue;
    const centre = new THREE.Vector3(...u.map((share, axis) => (share - 0.5) * run.extent[axis] * scale)).sub(origin);
    const along = centre.dot(direction), size = radius[rows[k]] * scale;
    const beside = centre.lengthSq() - along * along;
    const hit = along - Math.sqrt(Math.max(size * size - beside, 0));
    if (beside < size * size && hit > 0 && hit < nearest) [nearest, found] = [hit, k];
  }
  return found;
}

function pick(x, y) {
  const found = grainAt(x, y);
  state.picked = found < 0 ? -1 : rowsOf(run.frames[state.frame])[found];
  tellPicked();
  dirty = true;
}

/** What is known of the picked grain in this frame: [[name, value, unit]], null if it is not there. */
function values() {
  const frame = run.frames[state.frame];
  const k = rowsOf(frame).indexOf(state.picked);
  if (state.picked < 0 || k < 0) return null;
  const row = state.picked;
  const rest = [0, 1, 2].map((axis) => [
    "xyz"[axis], run.lower[axis] + (placesOf(frame)[3 * k + axis] / 65535) * run.extent[axis], "m"]);
  for (const field of run.fields) {
    if (field.kind === "constant") continue;
    rest.push([field.name, field.low + (valuesOf(frame, field)[k] / 65535) * (field.high - field.low), field.unit]);
  }
  return [["id", ids[row], ""], ["material", run.materials[material[row]] ?? material[row], ""],
    ["diameter", 2e3 * radius[row], "mm"], ...rest];
}

function tellPicked() {
  const told = values();
  ring.visible = Boolean(told);
  element("picked").innerHTML = "";
  if (!told) {
    element("hint").textContent = state.picked >= 0 ? "The picked grain is not there now." : "Click a grain to read its values.";
    return;
  }
  const table = document.createElement("table");
  for (const [name, value, unit] of told) {
    const line = table.insertRow();
    line.insertCell().textContent = name;
    line.insertCell().textContent = `${typeof value === "number" ? text(value) : value} ${unit}`;
  }
  element("picked").append(table);
  element("hint").textContent = "";
  const [x, y, z] = told.slice(3, 6).map((entry, axis) => entry[1] - run.lower[axis]);
  ring.position.copy(drawn(x, y, z));
  ring.scale.setScalar(1.08 * radius[state.picked] * scale);
}

// ---- controls

function addControls() {
  const options = (id, names) => names.forEach((name, k) => element(id).add(new Option(name, k)));
  options("colour", run.fields.map((field) => field.label));
  element("colour").onchange = () => { state.field = Number(element("colour").value); drawLegend(); show(state.frame); };
  const cut = () => {
    state.cut = { axis: Number(element("axis").value), place: element("place").value / 1000, flip: element("flip").checked };
    show(state.frame);
  };
  for (const id of ["axis", "place", "flip"]) element(id).oninput = cut;
  element("walls").oninput = () => {
    wallMaterial.opacity = element("walls").value / 100;
    wallMaterial.visible = wallMaterial.opacity > 0;
    dirty = true;
  };
  element("slider").max = run.frames.length - 1;
  element("slider").oninput = () => show(Number(element("slider").value));
  element("play").onclick = () => play(!state.playing);
  element("bar").hidden = run.frames.length < 2;
  let down = null;
  const canvas = renderer.domElement;
  canvas.addEventListener("pointerdown", (event) => { down = [event.clientX, event.clientY]; }, true);
  canvas.addEventListener("pointerup", (event) => {
    if (down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < 4) pick(...down);
    down = null;
  }, true);
  window.addEventListener("keydown", (event) => {
    if (event.target.tagName === "SELECT") return;
    if (event.key === " " && event.target.tagName !== "BUTTON") play(!state.playing);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step && event.target.type !== "range") show(Math.min(run.frames.length - 1, Math.max(0, state.frame + step)));
  });
  controls.addEventListener("change", () => { dirty = true; });
  window.addEventListener("resize", resize);
}

function play(playing) {
  state.playing = playing;
  state.since = performance.now();
  element("play").textContent = playing ? "Pause" : "Play";
}

function resize() {
  const { clientWidth, clientHeight } = renderer.domElement;
  renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
  renderer.setSize(clientWidth, clientHeight, false);
  camera.aspect = clientWidth / clientHeight;
  camera.updateProjectionMatrix();
  dirty = true;
}

/** Puts the camera where all of the domain is seen, from the direction that view.py chose. */
function placeCamera() {
  const half = 0.5 * scale * Math.hypot(...run.extent);
  const narrow = Math.min(1, camera.aspect);
  const distance = half / Math.sin((0.5 * camera.fov * Math.PI) / 180) / narrow;
  camera.position.fromArray(run.towards).multiplyScalar(1.12 * distance);
  controls.update();
}

let dirty = true;
let drawnAt = 0;
function loop(now) {
  requestAnimationFrame(loop);
  if (state.playing && now - state.since >= 1000 / state.rate) {
    state.since = now;
    show((state.frame + 1) % run.frames.length);
  }
  controls.update();
  if (!dirty) return;
  dirty = false;
  lamp.position.copy(camera.position);
  renderer.render(scene, camera);
  const spent = now - drawnAt;
  drawnAt = now;
  state.drawn = (state.drawn || 0) + 1;
  if (spent < 1000) state.fps = 0.9 * (state.fps || 1000 / spent) + (0.1 * 1000) / spent;
  const rate = spent < 1000 ? Math.round(state.fps) : "less than 1";
  if (state.playing) element("fps").textContent = `${rate} pictures a second`;
}

prepareFields();
addControls();
drawLegend();
resize();
placeCamera();
show(0);
requestAnimationFrame(loop);
window.scree = { run, state, show, play, grainAt, values, camera, balls };
