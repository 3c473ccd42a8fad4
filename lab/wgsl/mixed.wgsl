// A chain of f16 beside every chain of f32: two kinds of multiply-add that a core may issue side by side.
struct Run { n: u32, a: f32, b: f32, zero: u32 }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<uniform> run: Run;

@compute @workgroup_size(${GROUP})
fn main(@builtin(global_invocation_id) at: vec3u) {
  let a = run.a;
  let b = run.b;
  let a16 = f16(a);
  let b16 = f16(b);
  //for i HALF
  var v${i} = f32((at.x & 7u) + 2u * ${i}u);
  var h${i} = f16(f32((at.x & 7u) + 2u * ${i}u + 1u));
  //end
  for (var k = 0u; k < run.n; k++) {
    //for s STEPS
    //for i HALF
    v${i} = fma(v${i}, a, b);
    h${i} = fma(h${i}, a16, b16);
    //end
    //end
  }
  var sum = 0;
  //for i HALF
  sum += i32(v${i}) + i32(h${i});
  //end
  out[at.x % arrayLength(&out)] = bitcast<u32>(sum);
}
