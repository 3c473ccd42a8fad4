// A workgroup stages 16 x 16 of each operand, then every invocation reads the tiles 16 times.
@group(0) @binding(0) var<storage, read> A: array<f32>;              // M x K, row by row
@group(0) @binding(1) var<storage, read> B: array<f32>;              // K x N
@group(0) @binding(2) var<storage, read_write> C: array<f32>;        // M x N
@group(0) @binding(3) var<uniform> size: vec3u;                      // M, N, K

const T = 16u;
var<workgroup> a: array<array<f32, T>, T>;
var<workgroup> b: array<array<f32, T>, T>;

@compute @workgroup_size(16, 16)
fn gemm(@builtin(global_invocation_id) at: vec3u, @builtin(local_invocation_id) t: vec3u) {
  let M = size.x; let N = size.y; let K = size.z;
  let row = at.y; let col = at.x;
  var sum = 0.0;
  for (var k0 = 0u; k0 < K; k0 += T) {
    var u = 0.0;
    var v = 0.0;
    if (row < M && k0 + t.x < K) { u = A[row * K + k0 + t.x]; }
    if (k0 + t.y < K && col < N) { v = B[(k0 + t.y) * N + col]; }
    a[t.y][t.x] = u;
    b[t.y][t.x] = v;
    workgroupBarrier();
    for (var k = 0u; k < T; k++) { sum += a[t.y][k] * b[k][t.x]; }
    workgroupBarrier();
  }
  if (row < M && col < N) { C[row * N + col] = sum; }
}
