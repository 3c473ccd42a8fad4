// The same in workgroup memory.
struct Run { n: u32, a: f32, b: f32, zero: u32 }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<uniform> run: Run;
var<workgroup> words: array<atomic<u32>, ${GROUP}>;

@compute @workgroup_size(${GROUP})
fn main(@builtin(global_invocation_id) at: vec3u, @builtin(local_invocation_index) t: u32) {
  atomicStore(&words[t], 0u);  // the language promises zeros; llvmpipe 22.3 does not keep the promise
  workgroupBarrier();
  let mine = t % ${WORDS};
  let one = run.zero + 1u;
  for (var k = 0u; k < run.n; k++) {
    //for s STEPS
    atomicAdd(&words[mine], one);
    //end
  }
  workgroupBarrier();
  out[at.x % arrayLength(&out)] = atomicLoad(&words[t]);
}
