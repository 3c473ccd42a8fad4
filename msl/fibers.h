// Threads as fibers: each runs until it returns or waits for others. Part of runtime.cpp.
#pragma once

#include "machine.h"

namespace {

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

}  // namespace
