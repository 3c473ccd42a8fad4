// The machine below a kernel: threads as fibers, memory that is watched, and what is counted and found on the way.
//
// A kernel is compiled with -fsanitize=thread and linked with this file in place of the sanitizer's library, so every
// load and store of the source calls a function here first. The address tells the address space.
#include "fibers.h"
#include "memory.h"

#include <dlfcn.h>

namespace msl {

const Place &place() { return m.running->place; }

void barrier(Scope scope, bool fences, const void *site) {
  m.running->state = scope == Scope::threadgroup ? State::barrier : State::simd_barrier;
  m.running->site = site, m.running->fences = fences;
  leave();
}

const char *meet(const void *mine_, size_t size, bool all, const void *site, uint32_t *present) {
  const uint32_t lane = m.running->place.thread_index_in_simdgroup;
  std::memcpy(mine().brought + lane * STRIDE, mine_, size);
  m.running->state = State::meeting, m.running->site = site, m.running->needs_all = all;
  if (lane == 0 && size) m.counts.exchanges++;
  leave();
  *present = mine().present;
  return mine().taken;
}

void *tile(size_t size, const char *name, int line) {
  for (const Region &t : m.tiles)
    if (t.line == line && t.name == name) return t.begin;
  char *at = carve(m.group, m.group_used, size, GROUP_GAP);
  m.tiles.push_back({at, size, false, name, line, std::vector<Cell>(size / GRAIN + 1)});
  return at;
}

void count(Fragment what) {
  if (m.running->place.thread_index_in_simdgroup) return;
  (what == Fragment::load ? m.counts.fragment_loads
   : what == Fragment::store ? m.counts.fragment_stores : m.counts.fragment_multiplies)++;
}

}  // namespace msl

// What the sanitizer's instrumentation calls.
#define MSL_SITE __builtin_return_address(0)
#define MSL_ACCESS(size)                                                                   \
  void __tsan_read##size(void *at) { access(at, size, false, MSL_SITE); }                  \
  void __tsan_write##size(void *at) { access(at, size, true, MSL_SITE); }                  \
  void __tsan_unaligned_read##size(void *at) { access(at, size, false, MSL_SITE); }        \
  void __tsan_unaligned_write##size(void *at) { access(at, size, true, MSL_SITE); }
extern "C" {
MSL_ACCESS(1) MSL_ACCESS(2) MSL_ACCESS(4) MSL_ACCESS(8) MSL_ACCESS(16)
void __tsan_read_range(void *at, size_t size) { access(at, size, false, MSL_SITE); }
void __tsan_write_range(void *at, size_t size) { access(at, size, true, MSL_SITE); }
void __tsan_vptr_update(void **, void *) {}
void __tsan_init() {}
void __tsan_func_entry(void *caller) { if (m.running) m.running->calls.push_back(caller); }
void __tsan_func_exit() { if (m.running && !m.running->calls.empty()) m.running->calls.pop_back(); }

// What shim.py calls.
void msl_begin() {
  if (!m.device) m.device = reserve(DEVICE_ROOM), m.group = reserve(GROUP_ROOM);
  m.buffers.clear(), m.findings.clear(), m.device_used = 0, m.counts = {}, m.stopped = false;
}

void *msl_buffer(const char *name, size_t size, int constant) {
  char *at = carve(m.device, m.device_used, size, GAP);
  m.buffers.push_back({at, size, bool(constant), name, 0, {}});
  return at;
}

const Counts *msl_launch(void (*enter)(void **), void **arguments, const uint32_t *groups, const uint32_t *size) {
  const uint32_t threads = size[0] * size[1] * size[2], simdgroups = (threads + LANES - 1) / LANES;
  for (auto &f : m.fibers) munmap(f->stack, STACK);
  m.fibers.clear(), m.simdgroups = std::vector<Simdgroup>(simdgroups);
  m.enter = enter, m.arguments = arguments;
  for (uint32_t t = 0; t < threads; t++) {
    auto f = std::make_unique<Fiber>();
    f->stack = (char *)mmap(nullptr, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    msl::Place &p = f->place;
    p.thread_index_in_threadgroup = t, p.simdgroup_index_in_threadgroup = t / LANES, p.thread_index_in_simdgroup = t % LANES;
    p.simdgroups_per_threadgroup = simdgroups, p.threads_per_simdgroup = LANES;
    const uint32_t at[3] = {t % size[0], t / size[0] % size[1], t / size[0] / size[1]};
    for (int i = 0; i < 3; i++) {
      p.thread_position_in_threadgroup[i] = at[i], p.threads_per_threadgroup[i] = size[i];
      p.threadgroups_per_grid[i] = groups[i], p.threads_per_grid[i] = groups[i] * size[i];
    }
    m.fibers.push_back(std::move(f));
  }
  for (uint32_t g = 0; g < groups[0] * groups[1] * groups[2] && !m.stopped; g++) {
    const uint32_t at[3] = {g % groups[0], g / groups[0] % groups[1], g / groups[0] / groups[1]};
    for (auto &f : m.fibers)
      for (int i = 0; i < 3; i++) {
        f->place.threadgroup_position_in_grid[i] = at[i];
        f->place.thread_position_in_grid[i] = at[i] * size[i] + f->place.thread_position_in_threadgroup[i];
      }
    run_group();
    m.counts.threadgroups++, m.counts.threads += threads;
  }
  m.running = nullptr;
  return &m.counts;
}

int msl_findings() { return int(m.findings.size()); }
const char *msl_kind(int i) { return m.findings[i].kind.c_str(); }
const char *msl_detail(int i) { return m.findings[i].detail.c_str(); }

// Place n of the trace of finding i as an offset in this library, or 0 past its end. `other`: of the access it met.
size_t msl_where(int i, int other, int n) {
  const auto &sites = other ? m.findings[i].other : m.findings[i].where;
  Dl_info info;
  if (n >= int(sites.size()) || !dladdr(sites[n], &info)) return 0;
  return size_t((const char *)sites[n] - (const char *)info.dli_fbase) - 1;  // the call, not what follows it
}
}
