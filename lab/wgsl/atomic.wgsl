// Atomic additions whose result nobody reads, on WORDS words of device memory.
struct Run { n: u32, a: f32, b: f32, zero: u32 }
@group(0) @binding(0) var<storage, read_write> out: array<atomic<u32>>;
@group(0) @binding(1) var<uniform> run: Run;

@compute @workgroup_size(${GROUP})
fn main(@builtin(global_invocation_id) at: vec3u) {
  let mine = at.x % ${WORDS};
  let one = run.zero + 1u;
  for (var k = 0u; k < run.n; k++) {
    //for s STEPS
    atomicAdd(&out[mine], one);
    //end
  }
}
