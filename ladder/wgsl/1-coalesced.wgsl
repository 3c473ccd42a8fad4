// One invocation for each element of C. Neighboring lanes take neighboring columns.
@group(0) @binding(0) var<storage, read> A: array<f32>;              // M x K, row by row
@group(0) @binding(1) var<storage, read> B: array<f32>;              // K x N
@group(0) @binding(2) var<storage, read_write> C: array<f32>;        // M x N
@group(0) @binding(3) var<uniform> size: vec3u;                      // M, N, K

@compute @workgroup_size(32, 8)
fn gemm(@builtin(global_invocation_id) at: vec3u) {
  let M = size.x; let N = size.y; let K = size.z;
  let row = at.y; let col = at.x;
  if (row >= M || col >= N) { return; }
  var sum = 0.0;
  for (var k = 0u; k < K; k++) { sum += A[row * K + k] * B[k * N + col]; }
  C[row * N + col] = sum;
}
