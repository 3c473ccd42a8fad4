// Chains of one slow function. Each chain runs to the function's fixed point, which the CPU knows.
struct Run { n: u32, a: f32, b: f32, zero: u32 }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<uniform> run: Run;

@compute @workgroup_size(${GROUP})
fn main(@builtin(global_invocation_id) at: vec3u) {
  //for i CHAINS
  var v${i} = 0.75 + 0.0625 * f32((at.x & 3u) + ${i}u);
  //end
  for (var k = 0u; k < run.n; k++) {
    //for s STEPS
    //for i CHAINS
    v${i} = ${OP};
    //end
    //end
  }
  var sum = 0.0;
  //for i CHAINS
  sum += v${i};
  //end
  out[at.x % arrayLength(&out)] = bitcast<u32>(sum);
}
