// Threads part into WAYS ways by BY, and every way is the same number of multiply-adds. Each sits in a loop of one
// trip, whose length comes from outside, so that no compiler folds the ways into one.
struct Run { n: u32, a: f32, b: f32, zero: u32 }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<uniform> run: Run;

@compute @workgroup_size(${GROUP})
fn main(@builtin(global_invocation_id) at: vec3u, @builtin(workgroup_id) group: vec3u) {
  let a = run.a;
  let way = (${BY}) % ${WAYS}u;
  let trips = run.zero + 1u;
  //for i CHAINS
  var v${i} = f32((at.x & 7u) + ${i}u);
  //end
  for (var k = 0u; k < run.n; k++) {
    //for w WAYS
    if (way == ${w}u) {
      let b = run.b + f32(${w}u);
      for (var j = 0u; j < trips; j++) {
        //for s STEPS
        //for i CHAINS
        v${i} = fma(v${i}, a, b);
        //end
        //end
      }
    }
    //end
  }
  var sum = 0;
  //for i CHAINS
  sum += i32(v${i});
  //end
  out[at.x % arrayLength(&out)] = bitcast<u32>(sum);
}
