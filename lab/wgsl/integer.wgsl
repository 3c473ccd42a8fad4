// Chains of 32-bit multiply-adds modulo 2^32, with a multiplier from outside.
struct Run { n: u32, a: f32, b: f32, zero: u32 }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<uniform> run: Run;

@compute @workgroup_size(${GROUP})
fn main(@builtin(global_invocation_id) at: vec3u) {
  let y = run.zero + 1000003u;
  //for i CHAINS
  var v${i} = (at.x & 255u) * 77u + ${i}u;
  //end
  for (var k = 0u; k < run.n; k++) {
    //for s STEPS
    //for i CHAINS
    v${i} = v${i} * y + 12345u;
    //end
    //end
  }
  var sum = 0u;
  //for i CHAINS
  sum += v${i};
  //end
  out[at.x % arrayLength(&out)] = sum;
}
