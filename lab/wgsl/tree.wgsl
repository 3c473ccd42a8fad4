// The sum of a workgroup through workgroup memory: eight halvings, a barrier after each.
struct Run { n: u32, a: f32, b: f32, zero: u32 }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<uniform> run: Run;
var<workgroup> part: array<u32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) at: vec3u, @builtin(local_invocation_index) t: u32) {
  var total = 1u;
  for (var k = 0u; k < run.n; k++) {
    //for s STEPS
    part[t] = total ^ t;
    workgroupBarrier();
    for (var half = 128u; half > 0u; half >>= 1u) {
      if (t < half) { part[t] += part[t + half]; }
      workgroupBarrier();
    }
    total = part[0];
    workgroupBarrier();
    //end
  }
  out[at.x % arrayLength(&out)] = total;
}
