// Dependent reads of workgroup memory, lanes STRIDE words apart. Every word holds the place 2,048 words further, so a
// chain goes back and forth between two words that lie in the same bank for any power of two of banks.
struct Run { n: u32, a: f32, b: f32, zero: u32 }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<uniform> run: Run;
var<workgroup> words: array<u32, 4096>;

@compute @workgroup_size(${GROUP})
fn main(@builtin(global_invocation_id) at: vec3u, @builtin(local_invocation_index) t: u32) {
  for (var i = t; i < 4096u; i += ${GROUP}u) { words[i] = (i + 2048u + run.zero) & 4095u; }
  workgroupBarrier();
  //for i CHAINS
  var v${i} = (t & 31u) * ${STRIDE}u + ${i}u;
  //end
  for (var k = 0u; k < run.n; k++) {
    //for s STEPS
    //for i CHAINS
    v${i} = words[v${i} & 4095u];
    //end
    //end
  }
  var sum = 0u;
  //for i CHAINS
  sum += v${i};
  //end
  out[at.x % arrayLength(&out)] = sum;
}
