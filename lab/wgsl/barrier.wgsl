// Barriers, and around them one exchange between the threads of the workgroup that shows whether they held.
struct Run { n: u32, a: f32, b: f32, zero: u32 }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<uniform> run: Run;
var<workgroup> slot: array<u32, ${GROUP}>;

@compute @workgroup_size(${GROUP})
fn main(@builtin(global_invocation_id) at: vec3u, @builtin(local_invocation_index) t: u32) {
  var v = t;
  for (var k = 0u; k < run.n; k++) {
    slot[t] = v;
    //for s STEPS
    workgroupBarrier();
    //end
    v = slot[(t + 33u) % ${GROUP}u];
    workgroupBarrier();
  }
  out[at.x % arrayLength(&out)] = v;
}
