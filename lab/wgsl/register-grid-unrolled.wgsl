// Rung 3 of the ladder with its loops over the grid written out: sixteen variables where the rung has an array.
@group(0) @binding(0) var<storage, read> A: array<f32>;              // M x K, row by row
@group(0) @binding(1) var<storage, read> B: array<f32>;              // K x N
@group(0) @binding(2) var<storage, read_write> C: array<f32>;        // M x N
@group(0) @binding(3) var<uniform> size: vec3u;                      // M, N, K

const BM = 64u; const BN = 64u; const BK = 16u; const TM = 4u; const TN = 4u; const THREADS = 256u;
var<workgroup> a: array<array<f32, BK>, BM>;
var<workgroup> b: array<array<f32, BN>, BK>;

@compute @workgroup_size(THREADS)
fn gemm(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) t: u32) {
  let M = size.x; let N = size.y; let K = size.z;
  let row0 = group.y * BM; let col0 = group.x * BN;
  let r = t / 16u * TM; let c = t % 16u * TN;  // this invocation's corner of the tile
  //for i GRID
  //for j GRID
  var acc${i}${j} = 0.0;
  //end
  //end
  for (var k0 = 0u; k0 < K; k0 += BK) {
    for (var i = t; i < BM * BK; i += THREADS) {
      let y = row0 + i / BK; let x = k0 + i % BK;
      var v = 0.0;
      if (y < M && x < K) { v = A[y * K + x]; }
      a[i / BK][i % BK] = v;
    }
    for (var i = t; i < BK * BN; i += THREADS) {
      let y = k0 + i / BN; let x = col0 + i % BN;
      var v = 0.0;
      if (y < K && x < N) { v = B[y * N + x]; }
      b[i / BN][i % BN] = v;
    }
    workgroupBarrier();
    for (var k = 0u; k < BK; k++) {
      //for i GRID
      let u${i} = a[r + ${i}u][k];
      let v${i} = b[k][c + ${i}u];
      //end
      //for i GRID
      //for j GRID
      acc${i}${j} += u${i} * v${j};
      //end
      //end
    }
    workgroupBarrier();
  }
  //for i GRID
  //for j GRID
  if (row0 + r + ${i}u < M && col0 + c + ${j}u < N) { C[(row0 + r + ${i}u) * N + col0 + c + ${j}u] = acc${i}${j}; }
  //end
  //end
}
