// What a kernel asks of the machine below it: who am I, wait for the others, give me the tile. See runtime.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace msl {

constexpr int LANES = 32;

// One thread's place, in the words of the language's attributes.
struct Place {
  uint32_t thread_position_in_grid[3], threads_per_grid[3], thread_position_in_threadgroup[3], threads_per_threadgroup[3],
      threadgroup_position_in_grid[3], threadgroups_per_grid[3], thread_index_in_threadgroup,
      simdgroup_index_in_threadgroup, thread_index_in_simdgroup, simdgroups_per_threadgroup, threads_per_simdgroup;
};

const Place &place();

// A barrier of the threadgroup or of one simdgroup. `fences` says whether threadgroup memory is ordered by it.
enum class Scope { threadgroup, simdgroup };
void barrier(Scope scope, bool fences, const void *site);

// Every lane of the simdgroup brings `size` bytes and leaves with those of all lanes, LANES apart `stride` bytes.
// A lane that has returned brings nothing: `present` has a bit for each that came. With `all`, each must come.
constexpr size_t STRIDE = 16;
const char *meet(const void *mine, size_t size, bool all, const void *site, uint32_t *present);

// Threadgroup memory of one declaration, the same for all threads of the group, with nothing of its neighbors near.
void *tile(size_t size, const char *name, int line);

enum class Fragment { load, store, multiply };
void count(Fragment what);

template <class Vector>
Vector position(const uint32_t (&three)[3]) {
  if constexpr (std::is_arithmetic_v<Vector>) return Vector(three[0]);
  else if constexpr (requires(Vector v) { v.z; }) return Vector(three[0], three[1], three[2]);
  else return Vector(three[0], three[1]);
}

template <class Scalar>
Scalar position(const uint32_t &one) { return Scalar(one); }

template <class T>
T &variable(const char *name, int line) { return *(T *)tile(sizeof(T), name, line); }

}  // namespace msl
