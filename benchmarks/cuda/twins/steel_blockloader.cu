// The tile loader of docs/kernels/steel-blockloader.md: it carries a ragged half matrix through two stages of shared memory.
#include "twin.cuh"

// --8<-- [start:twin]
#include <cuda_pipeline.h>

template <typename T, int BROWS, int BCOLS, int LD, int THREADS>
struct TileLoader {
  static constexpr int RUN = BROWS * BCOLS / THREADS;
  static constexpr int TCOLS = BCOLS / RUN;
  static_assert(RUN * sizeof(T) == 16, "one copy per thread");
  const int row = threadIdx.x / TCOLS, col = RUN * (threadIdx.x % TCOLS);
  const T* src;
  T* dst;

  __device__ TileLoader(const T* g, int ld, T* s)
      : src(g + size_t(row) * ld + col), dst(s + row * LD + col) {}

  __device__ void load(int stage, int rows, int cols) {
    int valid = row < rows ? max(0, min(RUN, cols - col)) : 0;
    __pipeline_memcpy_async(dst + stage * BROWS * LD, src, 16,
                            16 - valid * sizeof(T));   // zero-filled bytes
  }
};
// --8<-- [end:twin]

constexpr int ROWS = 64, COLS = 16, LD = COLS + 8, THREADS = 128;
using Loader = TileLoader<__half, ROWS, COLS, LD, THREADS>;

// One block takes a strip of 64 rows. Tile t + 1 is on its way while tile t goes out; what lies past the edge must be zero.
__global__ void __launch_bounds__(THREADS) strip(const __half* in, int pitch, int rows, int cols, int tiles, float* out) {
  __shared__ alignas(16) __half tile[2 * ROWS * LD];
  Loader loader(in + size_t(blockIdx.x) * ROWS * pitch, pitch, tile);
  const int left = rows - blockIdx.x * ROWS;
  loader.load(0, left, cols);
  __pipeline_commit();
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) {
      loader.src += COLS;
      loader.load((t + 1) & 1, left, cols - (t + 1) * COLS);
    }
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int i = threadIdx.x; i < ROWS * COLS; i += THREADS)
      out[size_t(blockIdx.x * ROWS + i / COLS) * tiles * COLS + t * COLS + i % COLS] =
          __half2float(tile[(t & 1) * ROWS * LD + i / COLS * LD + i % COLS]);
    __syncthreads();
  }
}

int main() {
  constexpr int rows = 150, cols = 75, pitch = 80, blocks = 3, tiles = 5;  // both edges fall inside a tile
  Matrix a(blocks * ROWS, pitch, 1);
  Buffer<__half> in(halves(a.values));
  Buffer<float> out(size_t(blocks) * ROWS * tiles * COLS);
  out.poison();
  strip<<<blocks, THREADS>>>(in.data, pitch, rows, cols, tiles, out.data);
  std::vector<double> want(out.size);
  for (size_t i = 0; i < want.size(); i++) {
    size_t r = i / (tiles * COLS), c = i % (tiles * COLS);
    want[i] = r < rows && c < cols ? half_of(a.values[r * pitch + c]) : 0;
  }
  agree("steel_blockloader", out.get(), want, 0, "150 x 75 halves in tiles of 64 x 16, zeros past both edges", (const void*)strip);
}
