// The machine below a kernel: threads as fibers, memory that is watched, and what is counted and found on the way.
//
// A kernel is compiled with -fsanitize=thread and linked with this file in place of the sanitizer's library, so every
// load and store of the source calls a function here first. The address tells the address space.
#include "include/msl_runtime.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

using msl::LANES;
using Site = const void *;

constexpr size_t DEVICE_ROOM = size_t(8) << 30, GROUP_ROOM = size_t(64) << 20, GAP = 1 << 20, GROUP_GAP = 4096;
constexpr size_t STACK = 128 << 10, LINE = 128, GRAIN = 2, PAGE = 4096;

struct Counts {
  uint64_t device_reads, device_read_bytes, device_read_lines, device_writes, device_write_bytes, device_write_lines,
      constant_reads, threadgroup_reads, threadgroup_read_bytes, threadgroup_writes, threadgroup_write_bytes,
      threadgroup_bytes, barriers, simdgroup_barriers, fragment_loads, fragment_stores, fragment_multiplies, exchanges,
      threadgroups, threads;
};

struct Finding {
  std::string kind, detail;
  std::vector<Site> where, other;
};

// One access that others may race with.
struct Access {
  uint32_t thread, epoch, simd_epoch;
  Site site;
};

struct Cell {
  bool written = false;
  Access writer{};
  std::vector<Access> readers;
};

struct Region {
  char *begin;
  size_t size;
  bool constant = false;
  std::string name;
  int line = 0;
  std::vector<Cell> cells;
};

enum class State { ready, barrier, simd_barrier, meeting, done };

struct Fiber {
  jmp_buf at;
  ucontext_t start;
  char *stack = nullptr;
  State state = State::done;
  msl::Place place{};
  Site site = nullptr;
  bool fences = false, needs_all = false, fresh = true;
  std::vector<Site> calls;
  std::unordered_map<Site, uint32_t> visits;
};

struct Simdgroup {
  uint32_t epoch = 0, present = 0;
  char brought[LANES * msl::STRIDE], taken[LANES * msl::STRIDE];
  std::unordered_map<uint64_t, std::vector<uint64_t>> reads, writes;  // request: the lines that it touches
};

struct Machine {
  char *device = nullptr, *group = nullptr;
  size_t device_used = 0, group_used = 0;
  std::vector<Region> buffers, tiles;
  std::vector<std::unique_ptr<Fiber>> fibers;
  std::vector<Simdgroup> simdgroups;
  Fiber *running = nullptr;
  jmp_buf scheduler;
  bool stopped = false;
  uint32_t epoch = 0;
  uint64_t groups_run = 0;
  Counts counts{};
  std::vector<Finding> findings;
  void (*enter)(void **) = nullptr;
  void **arguments = nullptr;
} m;

void leave() {
  if (!_setjmp(m.running->at)) _longjmp(m.scheduler, 1);
}

std::vector<Site> trace(Site site) {
  std::vector<Site> all{site};
  if (m.running) all.insert(all.end(), m.running->calls.rbegin(), m.running->calls.rend());
  return all;
}

void note(const char *kind, std::string detail, std::vector<Site> where, std::vector<Site> other = {}) {
  for (const Finding &f : m.findings)
    if (f.kind == kind && f.where[0] == where[0] && f.other == other) return;
  if (m.findings.size() < 100) m.findings.push_back({kind, std::move(detail), std::move(where), std::move(other)});
}

[[noreturn]] void stop(const char *kind, std::string detail, Site site) {
  note(kind, std::move(detail), trace(site));
  m.stopped = true;
  _longjmp(m.scheduler, 1);
}

std::string text(const char *format, auto... values) {
  char buffer[400];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

uint32_t me() { return m.running->place.thread_index_in_threadgroup; }
Simdgroup &mine() { return m.simdgroups[m.running->place.simdgroup_index_in_threadgroup]; }

// Lanes of a simdgroup that run the same line the same number of times make one request.
void touch_lines(std::unordered_map<uint64_t, std::vector<uint64_t>> &requests, const char *at, size_t size, Site site) {
  const uint64_t key = uint64_t(uintptr_t(site)) << 24 | m.running->visits[site]++;
  std::vector<uint64_t> &lines = requests[key];
  for (uint64_t line = uintptr_t(at) / LINE; line <= (uintptr_t(at) + size - 1) / LINE; line++)
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
}

bool unordered(const Access &a) {
  if (a.thread == me() || a.epoch != m.epoch) return false;
  return a.thread / LANES != me() / LANES || a.simd_epoch == mine().epoch;
}

void race(const Region &tile, size_t offset, const char *what, const Access &other, Site site) {
  note("race", text("%s, byte %zu of '%s' (declared in line %d): threads %u and %u", what, offset, tile.name.c_str(),
                    tile.line, other.thread, me()), trace(site), {other.site});
}

void touch_tile(Region &tile, size_t offset, size_t size, bool write, Site site) {
  const Access now{me(), m.epoch, mine().epoch, site};
  for (size_t g = offset / GRAIN; g <= (offset + size - 1) / GRAIN; g++) {
    Cell &cell = tile.cells[g];
    if (cell.written && unordered(cell.writer))
      race(tile, g * GRAIN, write ? "two writes" : "a read after a write", cell.writer, site);
    if (!cell.readers.empty() && cell.readers[0].epoch != m.epoch) cell.readers.clear();
    if (write) {
      for (const Access &reader : cell.readers)
        if (unordered(reader)) race(tile, g * GRAIN, "a write after a read", reader, site);
      cell.written = true, cell.writer = now;
      continue;
    }
    if (!cell.written)
      note("unwritten", text("byte %zu of '%s' (declared in line %d) is read before anyone wrote it", g * GRAIN,
                             tile.name.c_str(), tile.line), trace(site));
    auto same = std::find_if(cell.readers.begin(), cell.readers.end(), [&](const Access &a) { return a.thread == now.thread; });
    if (same == cell.readers.end()) cell.readers.push_back(now);
    else *same = now;
  }
}

Region *region_of(std::vector<Region> &regions, const char *at) {
  for (Region &r : regions)
    if (at >= r.begin && at < r.begin + r.size) return &r;
  return nullptr;
}

// The nearest region below, to say how far off an address is.
std::string nearby(const std::vector<Region> &regions, const char *at, size_t size, bool write) {
  const Region *below = nullptr;
  for (const Region &r : regions)
    if (r.begin <= at && (!below || r.begin > below->begin)) below = &r;
  const char *did = write ? "written" : "read";
  if (!below) return text("%zu bytes %s before the first buffer", size, did);
  return text("%zu bytes %s at byte %zu of '%s', which has %zu", size, did, size_t(at - below->begin), below->name.c_str(),
              below->size);
}

void access(void *address, size_t size, bool write, Site site) {
  char *at = (char *)address;
  if (!m.running) return;
  if (at >= m.device && at < m.device + DEVICE_ROOM) {
    Region *buffer = region_of(m.buffers, at);
    if (!buffer || at + size > buffer->begin + buffer->size)
      stop("out-of-bounds", nearby(m.buffers, at, size, write), site);
    if (buffer->constant) return void(m.counts.constant_reads++);
    (write ? m.counts.device_writes : m.counts.device_reads)++;
    (write ? m.counts.device_write_bytes : m.counts.device_read_bytes) += size;
    touch_lines(write ? mine().writes : mine().reads, at, size, site);
  } else if (at >= m.group && at < m.group + GROUP_ROOM) {
    Region *tile = region_of(m.tiles, at);
    if (!tile || at + size > tile->begin + tile->size)
      stop("out-of-bounds", nearby(m.tiles, at, size, write), site);
    (write ? m.counts.threadgroup_writes : m.counts.threadgroup_reads)++;
    (write ? m.counts.threadgroup_write_bytes : m.counts.threadgroup_read_bytes) += size;
    touch_tile(*tile, at - tile->begin, size, write, site);
  } else if (uintptr_t(at) < 1 << 16) {
    stop("out-of-bounds", text("%zu bytes %s through a null pointer", size, write ? "written" : "read"), site);
  }
}

void trampoline() {
  for (;;) {
    m.enter(m.arguments);
    m.running->state = State::done;
    leave();
  }
}

void resume(Fiber &fiber) {
  m.running = &fiber;
  if (!_setjmp(m.scheduler)) {
    if (!fiber.fresh) _longjmp(fiber.at, 1);
    fiber.fresh = false;
    getcontext(&fiber.start);
    fiber.start.uc_stack.ss_sp = fiber.stack, fiber.start.uc_stack.ss_size = STACK, fiber.start.uc_link = nullptr;
    makecontext(&fiber.start, trampoline, 0);
    setcontext(&fiber.start);
  }
}

// Whether all fibers from `first` to `last` wait in `state` at one place; those that returned are allowed if `without`.
bool together(size_t first, size_t last, State state, bool without) {
  Site site = nullptr;
  for (size_t i = first; i < last; i++) {
    const Fiber &f = *m.fibers[i];
    if (f.state == State::done && without) continue;
    if (f.state != state || (site && f.site != site)) return false;
    site = f.site;
  }
  return site;
}

void release(size_t first, size_t last) {
  for (size_t i = first; i < last; i++)
    if (m.fibers[i]->state != State::done) m.fibers[i]->state = State::ready;
}

// Lets a simdgroup go on if it can. Returns whether it did.
bool settle(size_t number, size_t first, size_t last) {
  Simdgroup &group = m.simdgroups[number];
  const Fiber *waiting = nullptr;
  for (size_t i = first; i < last; i++)
    if (m.fibers[i]->state != State::done) waiting = m.fibers[i].get();
  if (!waiting) return false;
  if (together(first, last, State::meeting, !waiting->needs_all)) {
    group.present = 0;
    for (size_t i = first; i < last; i++) group.present |= uint32_t(m.fibers[i]->state == State::meeting) << (i - first);
    std::memcpy(group.taken, group.brought, sizeof group.taken);
  } else if (together(first, last, State::simd_barrier, false)) {
    m.counts.simdgroup_barriers++;
    group.epoch += waiting->fences;
  } else {
    return false;
  }
  release(first, last);
  return true;
}

void diverged() {
  size_t counts[5] = {};
  for (const auto &f : m.fibers) counts[size_t(f->state)]++;
  for (const auto &f : m.fibers) {
    if (f->state == State::done) continue;
    const bool barrier = f->state != State::meeting;
    size_t here = 0;
    for (const auto &other : m.fibers) here += other->state == f->state && other->site == f->site;
    m.running = f.get();
    note("divergence", text("%s that %zu of %zu threads reach; %zu have returned and %zu wait elsewhere",
                            barrier ? "a barrier" : "an operation of the whole simdgroup", here, m.fibers.size(),
                            counts[size_t(State::done)], m.fibers.size() - here - counts[size_t(State::done)]),
         trace(f->site));
  }
  m.stopped = true;
}

void run_group() {
  const size_t threads = m.fibers.size();
  for (auto &f : m.fibers) f->state = State::ready, f->calls.clear(), f->visits.clear();
  for (auto &s : m.simdgroups) s.epoch = 0;
  m.tiles.clear(), m.group_used = 0, m.epoch++;
  for (;;) {
    bool moved = false;
    for (size_t s = 0; s < m.simdgroups.size(); s++) {
      const size_t first = s * LANES, last = std::min(threads, first + LANES);
      do {
        for (size_t i = first; i < last && !m.stopped; i++)
          if (m.fibers[i]->state == State::ready) resume(*m.fibers[i]), moved = true;
        if (m.stopped) return;
      } while (settle(s, first, last));
    }
    if (std::all_of(m.fibers.begin(), m.fibers.end(), [](auto &f) { return f->state == State::done; })) break;
    if (together(0, threads, State::barrier, false)) {
      m.counts.barriers++;
      m.epoch += m.fibers[0]->fences;
      release(0, threads);
    } else if (!moved) {
      return diverged();
    }
  }
  size_t bytes = 0;
  for (const Region &tile : m.tiles) bytes += tile.size;
  m.counts.threadgroup_bytes = std::max<uint64_t>(m.counts.threadgroup_bytes, bytes);
  for (Simdgroup &s : m.simdgroups) {
    for (const auto &[key, lines] : s.reads) m.counts.device_read_lines += lines.size();
    for (const auto &[key, lines] : s.writes) m.counts.device_write_lines += lines.size();
    s.reads.clear(), s.writes.clear();
  }
}

char *reserve(size_t room) {
  void *at = mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) std::perror("mmap"), std::abort();
  return (char *)at;
}

// `size` bytes with `gap` bytes of nothing before them, filled with NaNs so that what nobody wrote shows.
char *carve(char *room, size_t &used, size_t size, size_t gap) {
  char *at = room + used + gap;
  const size_t pages = (size + PAGE - 1) / PAGE * PAGE;
  if (mprotect(at, pages, PROT_READ | PROT_WRITE)) std::perror("mprotect"), std::abort();
  std::memset(at, 0xff, pages);
  used += gap + pages;
  return at;
}

}  // namespace

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
