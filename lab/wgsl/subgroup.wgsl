// Chains of one subgroup operation. Lane and size of the subgroup travel with the result, since the CPU knows neither.
struct Run { n: u32, a: f32, b: f32, zero: u32 }
@group(0) @binding(0) var<storage, read_write> out: array<vec2u>;
@group(0) @binding(1) var<uniform> run: Run;

@compute @workgroup_size(${GROUP})
fn main(@builtin(global_invocation_id) at: vec3u, @builtin(subgroup_size) size: u32,
        @builtin(subgroup_invocation_id) lane: u32) {
  //for i CHAINS
  var v${i} = lane * 3u + ${i}u;
  //end
  for (var k = 0u; k < run.n; k++) {
    //for s STEPS
    //for i CHAINS
    v${i} = ${OP};
    //end
    //end
  }
  var sum = 0u;
  //for i CHAINS
  sum += v${i};
  //end
  out[at.x % arrayLength(&out)] = vec2u(sum, lane | (size << 16u));
}
