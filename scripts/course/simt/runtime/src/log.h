// The log of one warp: which access each of its lanes made, in order, until all have stopped.
// A site is an instruction: where it is, how wide, and what it does.
#pragma once

#include <cstdint>

namespace simt {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;

enum Kind : u32 { kRead, kWrite, kAtomic, kMark };

constexpr u32 kSharedBit = 1u << 30;  // in a word: shared memory, not global
constexpr u32 kLoopEnd = 1u << 2;     // in a mark's site: the loop is over

constexpr u32 site_code(Kind kind, u32 log2_bytes) { return log2_bytes << 2 | kind; }
constexpr Kind kind_of(u32 site) { return Kind(site & 3u); }
constexpr u32 bytes_of(u32 site) { return 1u << (site >> 2 & 7u); }
constexpr u32 words_of(u32 site) { return bytes_of(site) > 4 ? bytes_of(site) / 4 : 1; }
constexpr u32 pc_of(u32 site) { return site >> 5; }

constexpr u32 kWarp = 32;
constexpr u32 kCapacity = 1u << 14;  // entries a lane logs before the other lanes get their turn

// Two columns a lane. The odd stride keeps 32 lanes from meeting on the same cache sets.
constexpr u32 kWords = kCapacity + 16;
constexpr u32 kStride = kWords + kCapacity + 32;

}  // namespace simt
