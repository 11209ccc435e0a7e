// The page that scripts/view.py writes: a run in 3D, drawn by three.js.
//
// #run holds the description of the run (JSON), #data its arrays (base64, little-endian): see `describe` in __init__.py.
// Lengths are scaled so that the longest side of the domain is SIZE.
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
const solid = new Uint8Array(data, run.solid, run.grains);  // 0: a sphere, k: run.solids[k - 1]
const shade = new Uint8Array(data, run.shade, run.grains);  // brightness of a member of a clump, in 1/255
const ids = new Float64Array(data, run.ids, run.grains);

/** Rows of the entries of a frame in the arrays above: [count]. */
const rowsOf = (frame) => new Uint32Array(data, frame.rows, frame.count);
/** Positions as fractions of the domain along each axis, in 1/65535: [count, 3]. */
const placesOf = (frame) => new Uint16Array(data, frame.places, 3 * frame.count);
/** Quaternions x y z w, in 1/32767, if there are solids: [count, 4]. */
const turnsOf = (frame) => frame.turns === undefined ? null : new Int16Array(data, frame.turns, 4 * frame.count);
/** A field's values, fractions of its range in 1/65535 or indices of kinds: [count], or [grains] if constant. */
const valuesOf = (frame, field) => field.constant === null
  ? new Uint16Array(data, frame.fields[field.name], frame.count) : new Uint16Array(data, field.constant, run.grains);

// ---- the scene

const renderer = new THREE.WebGLRenderer({ canvas: element("scene"), antialias: false });
renderer.setClearColor(0xffffff);
renderer.localClippingEnabled = true;
const scene = new THREE.Scene();
const camera = new THREE.PerspectiveCamera(35, 1, 0.01 * SIZE, 20 * SIZE);
camera.up.fromArray(run.up);
const controls = new THREE.OrbitControls(camera, renderer.domElement);
scene.add(new THREE.AmbientLight(0xffffff, 0.6));
const lamp = new THREE.DirectionalLight(0xffffff, 0.55);
scene.add(lamp);

/** Converts a position relative to the domain's lower corner to scene coordinates. */
const toScene = (x, y, z) => new THREE.Vector3((x - middle[0]) * scale, (y - middle[1]) * scale, (z - middle[2]) * scale);

// ---- grains: impostors, which are squares that face the viewer and contain the visible circle of a sphere
//
// All squares together are one mesh, with four vertices for each square. Instances would be slower, because software
// renderers draw them one by one.
//
// A square has the depth of the sphere's centre, which is enough for disjoint spheres. Members of clumps overlap, so their
// pixels have the depth of the surface, which is slower.

const vertexShader = `
attribute vec4 place;  // position as a fraction of the domain, radius as a fraction of the largest
attribute vec4 tint;
uniform vec4 extent;   // domain [3] and largest radius, in scene coordinates
varying vec2 across;   // offset from the centre of the circle, in its radii
varying vec3 colour;
varying vec2 depths;   // in camera coordinates: z of the square, z component of the radius that points to the viewer
void main() {
  float size = place.w * extent.w;
  vec3 centre = (viewMatrix * vec4((place.xyz - 0.5) * extent.xyz, 1.0)).xyz;
  float distance = length(centre);
  vec3 towards = -centre / distance;
  vec3 right = normalize(vec3(towards.z, 0.0, -towards.x)), up = cross(towards, right);
  float visible = size / sqrt(max(1.0 - size * size / (distance * distance), 0.01));  // radius of the visible circle
  vec3 corner = centre + visible * (position.x * right + position.y * up);
  across = position.xy;
  colour = tint.rgb;
  depths = vec2(corner.z, size * towards.z);
  gl_Position = projectionMatrix * vec4(corner, 1.0);
}`;
const fragmentShader = `
uniform vec2 lens;  // parameters of the projection: the depth is (x z + y) / -z
varying vec2 across;
varying vec3 colour;
varying vec2 depths;
void main() {
  float square = dot(across, across);
  if (square > 1.0) discard;
  float facing = sqrt(1.0 - square);
  gl_FragColor = vec4(colour * min(0.5 + 0.6 * facing, 1.0), 1.0);
#ifdef OVERLAPPING
  float z = depths.x + facing * depths.y;
  gl_FragDepthEXT = 0.5 - 0.5 * (lens.x * z + lens.y) / z;
#endif
}`;

const largest = radius.reduce((largestSoFar, value) => Math.max(largestSoFar, value), 0) || 1;
const extentUniform = { value: new THREE.Vector4(...run.extent.map((side) => side * scale), largest * scale) };

/** A mesh for up to `capacity` spheres; `count` of them are drawn. */
function impostors(capacity) {
  const squares = new THREE.BufferGeometry();
  const add = (name, array) => {
    const attribute = new THREE.BufferAttribute(array, 4, name !== "position");
    squares.setAttribute(name, attribute.setUsage(THREE.DynamicDrawUsage));
    return array;
  };
  const corners = add("position", new Int8Array(16 * capacity)), indices = new Uint32Array(6 * capacity);
  for (let k = 0; k < capacity; ++k) {
    corners.set([-1, -1, 0, 1, 1, -1, 0, 1, 1, 1, 0, 1, -1, 1, 0, 1], 16 * k);
    indices.set([0, 1, 2, 0, 2, 3].map((corner) => 4 * k + corner), 6 * k);
  }
  squares.setIndex(new THREE.BufferAttribute(indices, 1));
  const place = add("place", new Uint16Array(16 * capacity)), tint = add("tint", new Uint8Array(16 * capacity));
  const material = new THREE.ShaderMaterial({
    vertexShader, fragmentShader,
    defines: run.overlapping ? { OVERLAPPING: 1 } : {}, extensions: { fragDepth: run.overlapping },
    uniforms: {
      extent: extentUniform,
      lens: { value: new THREE.Vector2() },
    },
  });
  const mesh = new THREE.Mesh(squares, material);
  mesh.frustumCulled = false;
  mesh.onBeforeRender = () => {
    const { elements } = camera.projectionMatrix;
    material.uniforms.lens.value.set(elements[10], elements[14]);
  };
  scene.add(mesh);
  const tints = new Uint32Array(tint.buffer);
  return {
    count: 0,
    put(k, x, y, z, size, colour) {
      const entry = 16 * k, fraction = Math.round((65535 * size) / largest);
      for (let vertex = entry; vertex < entry + 16; vertex += 4) {
        place[vertex] = x;
        place[vertex + 1] = y;
        place[vertex + 2] = z;
        place[vertex + 3] = fraction;
      }
      tints.fill(colour, 4 * k, 4 * k + 4);
    },
    show(count) {
      this.count = count;
      squares.setDrawRange(0, 6 * count);
      squares.attributes.place.needsUpdate = squares.attributes.tint.needsUpdate = true;
    },
  };
}
const balls = impostors(run.most);

// ---- solids: polyhedra. Each shape is a mesh of flat-shaded triangles; bodies are its instances

const solidVertexShader = `
attribute vec4 place;  // as for impostors
attribute vec4 turn;   // quaternion x y z w of the body
attribute vec4 tint;
uniform vec4 extent;
varying vec3 colour;
vec3 turned(vec3 arm) { return arm + 2.0 * cross(turn.xyz, cross(turn.xyz, arm) + turn.w * arm); }
void main() {
  vec3 corner = (place.xyz - 0.5) * extent.xyz + place.w * extent.w * turned(position);
  // The lamp is above and to the right of the viewer, so that adjacent faces differ in brightness.
  float facing = dot(mat3(viewMatrix) * turned(normal), normalize(vec3(0.35, 0.6, 1.0)));
  colour = tint.rgb * (0.45 + 0.6 * max(facing, 0.0));
  gl_Position = projectionMatrix * viewMatrix * vec4(corner, 1.0);
}`;
const solidFragmentShader = `
varying vec3 colour;
void main() { gl_FragColor = vec4(min(colour, 1.0), 1.0); }`;

/** A mesh for up to `capacity` bodies of a shape.  triangles: coordinates of three corners each */
function instances({ triangles }, capacity) {
  const bodies = new THREE.InstancedBufferGeometry();
  bodies.setAttribute("position", new THREE.BufferAttribute(new Float32Array(triangles), 3));
  bodies.computeVertexNormals();  // normals of faces, because triangles share no vertices
  const add = (name, array) => {
    const attribute = new THREE.InstancedBufferAttribute(array, 4, true);
    bodies.setAttribute(name, attribute.setUsage(THREE.DynamicDrawUsage));
    return array;
  };
  const place = add("place", new Uint16Array(4 * capacity)), turn = add("turn", new Int16Array(4 * capacity));
  const tints = new Uint32Array(add("tint", new Uint8Array(4 * capacity)).buffer);
  const mesh = new THREE.Mesh(bodies, new THREE.ShaderMaterial({
    vertexShader: solidVertexShader, fragmentShader: solidFragmentShader, uniforms: { extent: extentUniform },
  }));
  mesh.frustumCulled = false;
  scene.add(mesh);
  // Plane of each triangle abc: its normal, and its distance from the centre.
  const [a, b, c] = [0, 1, 2].map((corner) => (k) => new THREE.Vector3().fromArray(triangles, 9 * k + 3 * corner));
  const planes = Array.from({ length: triangles.length / 9 }, (_, k) => {
    const normal = b(k).sub(a(k)).cross(c(k).sub(a(k))).normalize();
    return { normal, offset: normal.dot(a(k)) };
  });
  return {
    count: 0,
    planes,
    put(x, y, z, size, quaternion, colour) {
      const k = this.count++;
      place.set([x, y, z, Math.round((65535 * size) / largest)], 4 * k);
      turn.set(quaternion, 4 * k);
      tints[k] = colour;
    },
    show() {
      bodies.maxInstancedCount = this.count;
      mesh.visible = this.count > 0;
      for (const name of ["place", "turn", "tint"]) bodies.attributes[name].needsUpdate = true;
    },
  };
}
const polyhedra = run.solids.map((shape, k) => instances(shape, solid.reduce((sum, number) => sum + (number === k + 1), 0)));

const marker = new THREE.Mesh(
  new THREE.SphereBufferGeometry(1, 24, 16),
  new THREE.MeshBasicMaterial({ color: 0xd1242f, wireframe: true, transparent: true, opacity: 0.7 }),
);
marker.visible = false;
scene.add(marker);

const frameLines = new THREE.LineSegments(
  new THREE.EdgesGeometry(new THREE.BoxBufferGeometry(...run.extent.map((side) => side * scale))),
  new THREE.LineBasicMaterial({ color: 0x8c959f }),
);
scene.add(frameLines);

// ---- walls: translucent and cut off at the faces of the domain

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

/** Moves the walls from x at time zero to R x + d in a frame, relative to the lower corner of the domain. */
function moveWalls(frame) {
  frame.walls.forEach((pose, k) => {
    const mesh = walls[k];
    mesh.visible = pose !== null;
    if (!pose) return;
    const [r, d] = [pose.turn, pose.displacement];
    const shift = toScene(...d);
    mesh.matrix.set(
      r[0] * scale, r[1] * scale, r[2] * scale, shift.x,
      r[3] * scale, r[4] * scale, r[5] * scale, shift.y,
      r[6] * scale, r[7] * scale, r[8] * scale, shift.z,
      0, 0, 0, 1,
    );
    mesh.matrixWorldNeedsUpdate = true;
  });
}

// ---- the displayed frame

const state = {
  frame: run.opens, field: 0, cut: { axis: -1, place: 1, flip: false }, picked: -1, playing: false, rate: 10,
};

/** Whether the cut hides a grain; u is its position as a fraction of the domain. */
function isCut(u) {
  const { axis, place, flip } = state.cut;
  return axis >= 0 && (flip ? u[axis] < place : u[axis] > place);
}

/** A colour of four bytes, darkened to `brightness`/255. */
function darkened(colour, brightness) {
  if (brightness === 255) return colour;
  const channel = (shift) => Math.round(((colour >>> shift) & 255) * brightness / 255) << shift;
  return ((colour & 0xff000000) | channel(16) | channel(8) | channel(0)) >>> 0;
}

function show(number) {
  state.frame = number;
  const frame = run.frames[number];
  const rows = rowsOf(frame), places = placesOf(frame);
  const field = run.fields[state.field], values = valuesOf(frame, field), isConstant = field.constant !== null;
  const turns = turnsOf(frame), u = [0, 0, 0];
  let count = 0;
  for (const shape of polyhedra) shape.count = 0;
  for (let k = 0; k < frame.count; ++k) {
    for (let axis = 0; axis < 3; ++axis) u[axis] = places[3 * k + axis] / 65535;
    if (isCut(u)) continue;
    const row = rows[k], colour = darkened(field.palette[field.entryOf(values[isConstant ? row : k])], shade[row]);
    const x = places[3 * k], y = places[3 * k + 1], z = places[3 * k + 2];
    if (solid[row]) polyhedra[solid[row] - 1].put(x, y, z, radius[row], turns.subarray(4 * k, 4 * k + 4), colour);
    else balls.put(count++, x, y, z, radius[row], colour);
  }
  balls.show(count);
  for (const shape of polyhedra) shape.show();
  moveWalls(frame);
  element("slider").value = number;
  element("time").textContent = `t = ${frame.time.toPrecision(5).replace(/\.?0+$/, "")} s`;
  showPicked();
  dirty = true;
}

/** Decodes the palette of a field to colours of four bytes, and adds functions of stored values: `valueOf`, `entryOf`. */
function prepare(field) {
  field.palette = new Uint32Array(decoded(field.palette).buffer);
  field.valueOf = (value) => field.names ? field.names[value] : field.low + (value / 65535) * (field.high - field.low);
  const fractionOf = (value) => (field.valueOf(value) - field.bottom) / (field.top - field.bottom || 1);
  field.entryOf = (value) => field.names ? value : Math.min(255, Math.max(0, Math.floor(256 * fractionOf(value))));
}

/** An entry of a palette as a CSS colour. */
const styleOf = (palette, entry) => `rgb(${new Uint8Array(palette.buffer, 4 * entry, 3).join()})`;

function drawLegend() {
  const field = run.fields[state.field];
  element("kinds").innerHTML = "";
  element("gradient").hidden = element("ends").hidden = Boolean(field.names);
  (field.present || []).forEach((k) => {
    const entry = document.createElement("span"), dot = document.createElement("i");
    dot.style.background = styleOf(field.palette, k);
    entry.append(dot, field.names[k]);
    element("kinds").append(entry);
  });
  if (field.names) return;
  const pen = element("gradient").getContext("2d");
  for (let k = 0; k < 256; ++k) {
    pen.fillStyle = styleOf(field.palette, k);
    pen.fillRect(k, 0, 1, 1);
  }
  element("low").textContent = (field.low < field.bottom ? "≤ " : "") + text(field.bottom);
  element("high").textContent = (field.high > field.top ? "≥ " : "") + text(field.top);
}

const text = (value) => (Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4))));

// ---- picking

/** Distance along a ray from the origin to a sphere; Infinity if the ray misses the sphere. */
function distanceToBall(centre, size, direction) {
  const along = centre.dot(direction), across = centre.lengthSq() - along * along;
  return across < size * size ? along - Math.sqrt(size * size - across) : Infinity;
}

/** Distance along a ray from the origin to a polyhedron with these planes; Infinity if the ray misses it. */
function distanceToSolid(centre, size, direction, { planes }, turn) {
  const inverse = new THREE.Quaternion(-turn[0], -turn[1], -turn[2], turn[3]).normalize();
  const start = centre.clone().multiplyScalar(-1 / size).applyQuaternion(inverse);
  const ray = direction.clone().applyQuaternion(inverse);
  let [entry, exit] = [-Infinity, Infinity];
  for (const { normal, offset } of planes) {
    const slope = ray.dot(normal), height = offset - start.dot(normal);
    if (slope < 0) entry = Math.max(entry, height / slope);
    else if (slope > 0) exit = Math.min(exit, height / slope);
    else if (height < 0) return Infinity;
  }
  return entry < exit ? entry * size : Infinity;
}

/** Index in the frame of the grain that is visible at a point of the canvas; -1 if there is none. */
function grainAt(x, y) {
  const bounds = renderer.domElement.getBoundingClientRect();
  const pointer = new THREE.Vector2(
    (2 * (x - bounds.left)) / bounds.width - 1, 1 - (2 * (y - bounds.top)) / bounds.height);
  const caster = new THREE.Raycaster();
  caster.setFromCamera(pointer, camera);
  const frame = run.frames[state.frame], rows = rowsOf(frame), places = placesOf(frame);
  const { origin, direction } = caster.ray, turns = turnsOf(frame);
  let nearest = Infinity, found = -1;
  for (let k = 0; k < frame.count; ++k) {
    const u = [0, 1, 2].map((axis) => places[3 * k + axis] / 65535);
    if (isCut(u)) continue;
    const centre = new THREE.Vector3(...u.map((fraction, axis) => (fraction - 0.5) * run.extent[axis] * scale)).sub(origin);
    const size = radius[rows[k]] * scale, shape = polyhedra[solid[rows[k]] - 1];
    const hit = shape ? distanceToSolid(centre, size, direction, shape, turns.subarray(4 * k, 4 * k + 4))
      : distanceToBall(centre, size, direction);
    if (hit > 0 && hit < nearest) [nearest, found] = [hit, k];
  }
  return found;
}

function pick(x, y) {
  const found = grainAt(x, y);
  state.picked = found < 0 ? -1 : rowsOf(run.frames[state.frame])[found];
  showPicked();
  dirty = true;
}

/** Data of the picked grain in the displayed frame, [[name, value, unit]]; null if the frame does not have it. */
function values() {
  const frame = run.frames[state.frame];
  const k = rowsOf(frame).indexOf(state.picked);
  if (state.picked < 0 || k < 0) return null;
  const row = state.picked;
  const rest = [0, 1, 2].map((axis) => [
    "xyz"[axis], run.lower[axis] + (placesOf(frame)[3 * k + axis] / 65535) * run.extent[axis], "m"]);
  for (const field of run.fields) {
    if (field.constant === null) rest.push([field.name, field.valueOf(valuesOf(frame, field)[k]), field.unit]);
  }
  return [["id", ids[row], ""], ["material", run.materials[material[row]] ?? material[row], ""],
    [solid[row] ? "bounding diameter" : "diameter", 2e3 * radius[row], "mm"], ...rest];
}

function showPicked() {
  const picked = values();
  marker.visible = Boolean(picked);
  element("picked").innerHTML = "";
  if (!picked) {
    element("hint").textContent = state.picked >= 0 ? "The picked grain is not there now." : "Click a grain to read its values.";
    return;
  }
  const table = document.createElement("table");
  for (const [name, value, unit] of picked) {
    const line = table.insertRow();
    line.insertCell().textContent = name;
    line.insertCell().textContent = `${typeof value === "number" ? text(value) : value} ${unit}`;
  }
  element("picked").append(table);
  element("hint").textContent = "";
  const [x, y, z] = picked.slice(3, 6).map((entry, axis) => entry[1] - run.lower[axis]);
  marker.position.copy(toScene(x, y, z));
  marker.scale.setScalar(1.08 * radius[state.picked] * scale);
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
  new ResizeObserver(() => resize(false)).observe(canvas);
}

function play(playing) {
  state.playing = playing;
  state.since = performance.now();
  element("play").textContent = playing ? "Pause" : "Play";
}

/** Fits the picture to its element.  isStill: twice the resolution, for smooth edges */
function resize(isStill) {
  const { clientWidth, clientHeight } = renderer.domElement;
  state.isStill = isStill;
  renderer.setPixelRatio(isStill ? 2 : state.isSlow ? 1 : Math.min(window.devicePixelRatio, 2));
  renderer.setSize(clientWidth, clientHeight, false);
  camera.aspect = clientWidth / clientHeight;
  camera.updateProjectionMatrix();
  dirty = true;
}

/** Moves the camera so that the whole domain is visible from the direction in `run.towards`. */
function placeCamera() {
  camera.position.fromArray(run.towards);
  camera.lookAt(0, 0, 0);
  camera.updateMatrixWorld();
  const slope = Math.tan((0.5 * camera.fov * Math.PI) / 180);
  let distance = 0;
  for (let corner = 0; corner < 8; ++corner) {
    const position = toScene(...run.extent.map((side, axis) => (corner >> axis) & 1 ? side : 0));
    const [x, y, z] = [0, 1, 2].map((axis) => position.dot(new THREE.Vector3().setFromMatrixColumn(camera.matrixWorld, axis)));
    distance = Math.max(distance, z + Math.abs(y) / slope, z + Math.abs(x) / (slope * camera.aspect));
  }
  camera.position.multiplyScalar(1.05 * distance);
  controls.update();
}

let dirty = true;
let drawnAt = 0;
const STILL = 300; // time without a change until the picture is redrawn at twice the resolution [ms]
const SLOW = 50; // if a picture takes longer, moving pictures have one pixel per CSS pixel [ms]
function loop(now) {
  requestAnimationFrame(loop);
  if (state.playing && now - state.since >= 1000 / state.rate) {
    state.since = now;
    show((state.frame + 1) % run.frames.length);
  }
  controls.update();
  const spent = now - drawnAt;
  if (!dirty && !state.isStill && !state.playing && spent > STILL) resize(true);
  else if (dirty && state.isStill) resize(false);
  if (!dirty) return;
  dirty = false;
  lamp.position.copy(camera.position);
  renderer.render(scene, camera);
  drawnAt = now;
  state.drawn = (state.drawn || 0) + 1;
  if (spent > STILL) return;
  state.isSlow = state.isSlow || spent > SLOW;
  state.fps = 0.9 * (state.fps || 1000 / spent) + (0.1 * 1000) / spent;
  if (state.playing) element("fps").textContent = `${Math.round(state.fps)} pictures a second`;
}

run.fields.forEach(prepare);
addControls();
drawLegend();
resize(false);
placeCamera();
show(run.opens);
requestAnimationFrame(loop);
window.scree = { run, state, show, play, grainAt, values, camera, balls, polyhedra };
