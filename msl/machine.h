// What is known while a kernel runs, what it is counted in, and how a finding is noted. Part of runtime.cpp.
#pragma once

#include "include/msl_runtime.h"

#include <setjmp.h>
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

}  // namespace
