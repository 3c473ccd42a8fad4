// Chains of multiply-adds, each link on its own result. The factors are -1 and 1 and come from outside: no compiler can
// work the chain out, and its end says whether an odd or an even number of links ran.
struct Run { n: u32, a: f32, b: f32, zero: u32 }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<uniform> run: Run;

@compute @workgroup_size(${GROUP})
fn main(@builtin(global_invocation_id) at: vec3u) {
  let a = ${T}(${IN}(run.a));
  let b = ${T}(${IN}(run.b));
  //for i CHAINS
  var v${i} = ${T}(${IN}((at.x & 7u) + ${i}u));
  //end
  for (var k = 0u; k < run.n; k++) {
    //for s STEPS
    //for i CHAINS
    v${i} = fma(v${i}, a, b);
    //end
    //end
  }
  var sum = 0;
  //for i CHAINS
  sum += i32(v${i}${PART});
  //end
  out[at.x % arrayLength(&out)] = bitcast<u32>(sum);
}
