// The next slab travels to registers while this one is multiplied.
// WGSL cannot read an array<f32> as vec4f, so the loads from A and B stay scalar here.
@group(0) @binding(0) var<storage, read> A: array<f32>;              // M x K, row by row
@group(0) @binding(1) var<storage, read> B: array<f32>;              // K x N
@group(0) @binding(2) var<storage, read_write> C: array<f32>;        // M x N
@group(0) @binding(3) var<uniform> size: vec3u;                      // M, N, K

const BM = 64u; const BN = 64u; const BK = 16u; const TM = 4u;
var<workgroup> a: array<array<vec4f, BK / 4u + 1u>, BM>;
var<workgroup> b: array<array<vec4f, BN / 4u + 1u>, BK>;

fn load_a(y: u32, x: u32) -> vec4f {
  var v = vec4f();
  for (var i = 0u; i < 4u; i++) { if (y < size.x && x + i < size.z) { v[i] = A[y * size.z + x + i]; } }
  return v;
}

fn load_b(y: u32, x: u32) -> vec4f {
  var v = vec4f();
  for (var i = 0u; i < 4u; i++) { if (y < size.z && x + i < size.y) { v[i] = B[y * size.y + x + i]; } }
  return v;
}

@compute @workgroup_size(256)
fn gemm(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) t: u32) {
  let M = size.x; let N = size.y; let K = size.z;
  let row0 = group.y * BM; let col0 = group.x * BN;
  let r = t / 16u * TM; let c = t % 16u;  // rows r to r + 3, columns 4c to 4c + 3
  var acc: array<vec4f, TM>;
  var next_a = load_a(row0 + t / 4u, t % 4u * 4u);
  var next_b = load_b(t / 16u, col0 + t % 16u * 4u);
  for (var k0 = 0u; k0 < K; k0 += BK) {
    a[t / 4u][t % 4u] = next_a;
    b[t / 16u][t % 16u] = next_b;
    workgroupBarrier();
    if (k0 + BK < K) {
      next_a = load_a(row0 + t / 4u, k0 + BK + t % 4u * 4u);
      next_b = load_b(k0 + BK + t / 16u, col0 + t % 16u * 4u);
    }
    for (var k = 0u; k < BK; k += 4u) {
      var u: array<vec4f, TM>;
      for (var i = 0u; i < TM; i++) { u[i] = a[r + i][k / 4u]; }
      for (var s = 0u; s < 4u; s++) {
        let v = b[k + s][c];
        for (var i = 0u; i < TM; i++) { acc[i] += u[i][s] * v; }
      }
    }
    workgroupBarrier();
  }
  for (var i = 0u; i < TM; i++) {
    for (var j = 0u; j < 4u; j++) {
      if (row0 + r + i < M && col0 + c * 4u + j < N) { C[(row0 + r + i) * N + col0 + c * 4u + j] = acc[i][j]; }
    }
  }
}
