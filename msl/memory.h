// Device and threadgroup memory: where it lies, who touched it last, what is out of bounds. Part of runtime.cpp.
#pragma once

#include "machine.h"

#include <sys/mman.h>

namespace {

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

}  // namespace
