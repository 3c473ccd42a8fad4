// One thread follows the places that the words name, each load waiting for the one before, and goes on where the last
// dispatch ended. EXTRA repeats the step that bounds an index, so that its price can be measured and taken off.
struct Run { n: u32, a: f32, b: f32, zero: u32 }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<uniform> run: Run;
@group(0) @binding(2) var<storage, read> data: array<u32>;

@compute @workgroup_size(1)
fn main() {
  let last = arrayLength(&data) - 1u;
  var at = out[0];
  for (var k = 0u; k < run.n; k++) {
    //for s STEPS
    at = data[at];
    //for e EXTRA
    at = min(at + run.zero, last);
    //end
    //end
  }
  out[0] = at;
}
