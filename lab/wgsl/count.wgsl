// The smallest dispatch that can be checked: one thread adds one to one word.
struct Run { n: u32, a: f32, b: f32, zero: u32 }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<uniform> run: Run;

@compute @workgroup_size(1)
fn main() {
  out[0] += run.zero + 1u;
}
