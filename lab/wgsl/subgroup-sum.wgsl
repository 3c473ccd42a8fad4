// The sum of a workgroup through its subgroups: one operation, one word for each subgroup, and one more operation.
struct Run { n: u32, a: f32, b: f32, zero: u32 }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<uniform> run: Run;
var<workgroup> part: array<u32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) at: vec3u, @builtin(local_invocation_index) t: u32,
        @builtin(subgroup_size) size: u32, @builtin(subgroup_invocation_id) lane: u32) {
  let groups = 256u / size;
  var total = 1u;
  for (var k = 0u; k < run.n; k++) {
    //for s STEPS
    let sum${s} = subgroupAdd(total ^ t);
    if (lane == 0u) { part[t / size] = sum${s}; }
    workgroupBarrier();
    var mine${s} = 0u;
    for (var i = lane; i < groups; i += size) { mine${s} += part[i]; }
    total = subgroupAdd(mine${s});
    workgroupBarrier();
    //end
  }
  out[at.x % arrayLength(&out)] = total;
}
