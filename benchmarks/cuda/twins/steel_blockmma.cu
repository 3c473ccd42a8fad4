// The block multiply of docs/kernels/steel-blockmma.md in a GEMM of one 64 x 64 tile a block, four warps in 2 x 2.
#include "twin.cuh"

// --8<-- [start:twin]
struct Mma16x8x8 {                                 // tf32 in, fp32 out
  static __device__ int2 a(int lane, int i) { return {lane / 4 + i % 2 * 8, lane % 4 + i / 2 * 4}; }
  static __device__ int2 b(int lane, int i) { return {lane % 4 + i * 4, lane / 4}; }
  static __device__ int2 c(int lane, int i) { return {lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2}; }

  static __device__ void mma(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
        "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

__device__ inline unsigned tf32(float x) {
  unsigned r;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
  return r;
}

// As and Bs point at the warp's corner; LDA and LDB are padded pitches
template <int TM, int TN, int BK, int WM, int WN, int LDA, int LDB>
__device__ void block_mma(float (&acc)[TM][TN][4], const float* As, const float* Bs, int lane) {
#pragma unroll
  for (int kk = 0; kk < BK; kk += 8) {
    unsigned a[TM][4], b[TN][2];
#pragma unroll
    for (int m = 0; m < TM; ++m)
      for (int i = 0; i < 4; ++i) {
        int2 p = Mma16x8x8::a(lane, i);
        a[m][i] = tf32(As[(m * 16 * WM + p.x) * LDA + kk + p.y]);
      }
#pragma unroll
    for (int n = 0; n < TN; ++n)
      for (int i = 0; i < 2; ++i) {
        int2 p = Mma16x8x8::b(lane, i);
        b[n][i] = tf32(Bs[(kk + p.x) * LDB + n * 8 * WN + p.y]);
      }
#pragma unroll
    for (int m = 0; m < TM; ++m)
      for (int n = 0; n < TN; ++n) {
        const int s = m % 2 ? TN - 1 - n : n;                 // serpentine
        Mma16x8x8::mma(acc[m][s], a[m], b[s]);
      }
  }
}
// --8<-- [end:twin]

constexpr int BK = 16, LDA = BK + 4, LDB = 64 + 8;

// A warp owns every second strip of 16 rows and every second strip of 8 columns of the tile.
__global__ void __launch_bounds__(128) gemm(const float* A, const float* B, float* C, int k, int m) {
  __shared__ float As[64 * LDA], Bs[BK * LDB];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, wm = warp / 2, wn = warp % 2;
  const int r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
  float acc[2][4][4] = {};
  for (int k0 = 0; k0 < k; k0 += BK) {
    for (int i = threadIdx.x; i < 64 * BK; i += 128) {
      As[i / BK * LDA + i % BK] = A[size_t(r0 + i / BK) * k + k0 + i % BK];
      Bs[i / 64 * LDB + i % 64] = B[size_t(k0 + i / 64) * m + c0 + i % 64];
    }
    __syncthreads();
    block_mma<2, 4, BK, 2, 2, LDA, LDB>(acc, As + wm * 16 * LDA, Bs + wn * 8, lane);
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      for (int e = 0; e < 4; ++e) {
        int2 p = Mma16x8x8::c(lane, e);
        C[size_t(r0 + i * 32 + wm * 16 + p.x) * m + c0 + j * 16 + wn * 8 + p.y] = acc[i][j][e];
      }
}

int main() {
  constexpr int n = 256, k = 304, m = 320;
  Matrix a(n, k, 1), b(k, m, 2);
  Buffer<float> da(a.values), db(b.values), c(size_t(n) * m);
  c.poison();
  gemm<<<dim3(m / 64, n / 64), 128>>>(da.data, db.data, c.data, k, m);
  agree("steel_blockmma", c.get(), product(a.rounded(tf32_of), b.rounded(tf32_of)), 2e-6,
        "256 x 304 times 304 x 320, inputs rounded to tf32; TM 2, TN 4, BK 16, WM 2, WN 2", (const void*)gemm);
}
