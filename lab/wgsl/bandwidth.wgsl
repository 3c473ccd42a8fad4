// Whole passes over a buffer, 16 bytes for each thread, four loads in flight. From pass to pass every piece of 4 KiB
// moves to another workgroup, by a number that no pattern of cores follows, so that no core meets its own piece again in
// its first cache.
struct Run { n: u32, a: f32, b: f32, zero: u32 }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<uniform> run: Run;
@group(0) @binding(2) var<storage, read> data: array<vec4u>;
@group(0) @binding(3) var<storage, read_write> other: array<vec4u>;

const LOG = ${LOG}u;  // the buffer has 2^LOG pieces of 16 bytes
const MASK = (1u << LOG) - 1u;

fn place(i: u32) -> u32 { return (i + (((i >> LOG) * 2654435761u) >> 22u) * 256u) & MASK; }
struct Four { v0: vec4u, v1: vec4u, v2: vec4u, v3: vec4u }

// The piece i and three more, each a grid behind the last; zero behind the end.
fn four(i: u32, threads: u32, total: u32) -> Four {
  var v = Four(data[place(i)], vec4u(), vec4u(), vec4u());
  if (i + threads < total) { v.v1 = data[place(i + threads)]; }
  if (i + 2u * threads < total) { v.v2 = data[place(i + 2u * threads)]; }
  if (i + 3u * threads < total) { v.v3 = data[place(i + 3u * threads)]; }
  return v;
}

fn fold(v: vec4u) -> u32 { return v.x + v.y + v.z + v.w; }

@compute @workgroup_size(256)
fn prepare(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
  for (var i = at.x; i <= MASK; i += groups.x * 256u) {
    // Scattered values: a driver may compress what is regular.
    let w = (i & 1023u) * 4u;
    other[i] = vec4u(w, w + 1u, w + 2u, w + 3u) * 2654435761u;
  }
}

// For the check alone, untimed: every piece counts with its place, so that one in another's place shows.
@compute @workgroup_size(256)
fn weigh_all(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
  var sum = 0u;
  for (var i = at.x; i <= MASK; i += groups.x * 256u) { sum += fold(data[i]) * ((i & 1023u) + 1u); }
  out[at.x] = sum;
}

@compute @workgroup_size(256)
fn read_all(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let threads = groups.x * 256u;
  let total = run.n << LOG;
  var sum = 0u;
  for (var i = at.x; i < total; i += 4u * threads) {
    let v = four(i, threads, total);
    sum += fold(v.v0) + fold(v.v1) + fold(v.v2) + fold(v.v3);
  }
  out[at.x] = sum;
}

@compute @workgroup_size(256)
fn copy_all(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let threads = groups.x * 256u;
  let total = run.n << LOG;
  for (var i = at.x; i < total; i += 4u * threads) {
    let v = four(i, threads, total);
    other[place(i)] = v.v0;
    if (i + threads < total) { other[place(i + threads)] = v.v1; }
    if (i + 2u * threads < total) { other[place(i + 2u * threads)] = v.v2; }
    if (i + 3u * threads < total) { other[place(i + 3u * threads)] = v.v3; }
  }
}
