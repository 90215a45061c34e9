/**
 * The arithmetic of the figures: plain functions of plain numbers, with no page in sight.
 * The tests hold it against the formulas of program.yml and the counters of the CPU check.
 */

export const FLOAT_BYTES = 4;
export const WARP = 32;
export const BANKS = 32;
export const SECTOR_BYTES = 32;
const FLOATS_PER_SECTOR = SECTOR_BYTES / FLOAT_BYTES;

/** @typedef {{m: number, n: number, k: number}} Size  A is m × k, B is k × n, C is m × n. */
/** @typedef {{x: number, y: number}} Lane  A thread's place in its block. */
/** @typedef {{name: string, fp32_tflops: number, bandwidth_gbs: number}} Card */

// ---- Tiles along one axis

export const ceilDiv = (a, b) => Math.floor((a + b - 1) / b);
export const remainder = (size, tile) => size % tile;
export const tileSteps = (k, tile) => ceilDiv(k, tile);
export const lastStepFirst = (k, tile) => tile * (tileSteps(k, tile) - 1);
export const lastStepLast = (k, tile) => tile * tileSteps(k, tile) - 1;
/** Columns of the last tile that lie beyond K: stale without an else, zero with one. */
export const paddedCells = (k, tile) => tile * tileSteps(k, tile) - k;

// ---- Loads and intensity

export const loadsNaive = (k) => 2 * k;
export const loadsTiled = (k, tile) => 2 * tileSteps(k, tile);
export const loadRatio = (k, tile) => loadsNaive(k) / loadsTiled(k, tile);
export const intensityNaive = (k) => (2 * k) / (FLOAT_BYTES * loadsNaive(k));
export const intensityTiled = (k, tile) => (2 * k) / (FLOAT_BYTES * loadsTiled(k, tile));
export const threadsPerBlock = (tile) => tile * tile;
export const sharedBytes = (tile) => 2 * tile * tile * FLOAT_BYTES;
export const elements = (m, n) => m * n;

/** Elements of C in blocks that reach past its edge. */
export const edgeElements = (m, n, tile) =>
  m * n - (m - remainder(m, tile)) * (n - remainder(n, tile));

/** Multiply-adds on zero padding over the useful ones. */
export function paddingOverhead(m, n, k, tile) {
  const blocks = ceilDiv(m, tile) * ceilDiv(n, tile) * ceilDiv(k, tile);
  return (tile * tile * tile * blocks) / (m * n * k) - 1;
}

/** FLOP that a card can do for each byte its memory delivers. @param {Card} card */
export const ridge = (card) => (1000 * card.fp32_tflops) / card.bandwidth_gbs;

/** The roof over an intensity, in GFLOP/s. @param {Card} card */
export const attainable = (card, intensity) =>
  Math.min(1000 * card.fp32_tflops, card.bandwidth_gbs * intensity);

// ---- Matrices of small whole numbers, none of them zero, so that no stale cell can hide

export const valueA = (row, p) => 1 + (((row * 3 + p * 5 + row * p) % 7) % 2);
export const valueB = (p, col) => 1 + (((p * 4 + col * 3 + p * col) % 11) % 3);

/** The sum of A[row][p] · B[p][col] for p from `from` up to, not including, `to`. */
export function dot(row, col, from, to) {
  let sum = 0;
  for (let p = from; p < to; p += 1) sum += valueA(row, p) * valueB(p, col);
  return sum;
}

// ---- What the tiled kernel does, phase by phase

/**
 * The phases of one block: four a step, and the store.
 * @returns {{kind: "load"|"full"|"multiply"|"free"|"store", step: number}}
 */
export function phase(index, k, tile) {
  const steps = tileSteps(k, tile);
  if (index >= 4 * steps) return { kind: "store", step: steps - 1 };
  return {
    kind: /** @type {const} */ (["load", "full", "multiply", "free"])[index % 4],
    step: Math.floor(index / 4),
  };
}

export const phaseCount = (k, tile) => 4 * tileSteps(k, tile) + 1;

/** How many products of the sum a thread has added when phase `index` is done. */
export function productsDone(index, k, tile) {
  const { kind, step } = phase(index, k, tile);
  const done = kind === "load" || kind === "full" ? step : step + 1;
  return Math.min(done * tile, k);
}

// ---- The last step under each guard

/** What a load leaves in its cell. A null value is one that nobody can tell. */
const LEFT = {
  /** The guard's else writes the zero. */
  ternary: () => ({ value: 0, origin: "zero" }),
  /** Nothing is written: the float of the step before stays, if there was such a step. */
  "no-else": (before) =>
    before === null ? { value: null, origin: "unwritten" } : { value: before, origin: "stale" },
  /** The load reads whatever lies there. */
  none: (before, beyond) =>
    beyond === null ? { value: null, origin: "outside" } : { value: beyond, origin: "beyond" },
};

/** The float behind the end of a row of A: the next row's, or nothing that belongs to A. */
function beyondA(row, p, { m, k }) {
  const index = row * k + p;
  return index < m * k ? valueA(Math.floor(index / k), index % k) : null;
}

/**
 * The last step as one thread sees it: the cells that it multiplies, each with where its value
 * came from, and the sum it ends with beside the right one. `sum` is null when it cannot be told.
 * @param {{a: string, b: string}} guards  each "none", "no-else" or "ternary"
 * @param {Size} size
 */
export function lastStep(guards, size, row, col, tile) {
  const first = lastStepFirst(size.k, tile);
  const cells = Array.from({ length: tile }, (_, i) => {
    const p = first + i;
    if (p < size.k) {
      const a = { value: valueA(row, p), origin: "fresh" };
      return product(p, a, { value: valueB(p, col), origin: "fresh" });
    }
    const before = p - tile; // the same cell, one step earlier
    const had = before >= 0;
    const a = LEFT[guards.a](had ? valueA(row, before) : null, beyondA(row, p, size));
    const b = LEFT[guards.b](had ? valueB(before, col) : null, null); // B has no row beyond K
    return product(p, a, b);
  });
  const right = dot(row, col, 0, size.k);
  const known = cells.every((cell) => cell.product !== null);
  const before = dot(row, col, 0, first);
  const added = known ? cells.reduce((sum, cell) => sum + cell.product, 0) : null;
  return { cells, before, right, sum: added === null ? null : before + added };
}

function product(p, a, b) {
  const known = a.value !== null && b.value !== null;
  return { p, a, b, product: known ? a.value * b.value : null };
}

// ---- One access of a warp

/** The lanes of a warp in a block of that shape, x first. @returns {Lane[]} */
export function warpLanes([width, height], warp) {
  const first = warp * WARP;
  const count = Math.max(0, Math.min(WARP, width * height - first));
  return Array.from({ length: count }, (_, i) => ({
    x: (first + i) % width,
    y: Math.floor((first + i) / width),
  }));
}

export const warpsOf = ([width, height]) => ceilDiv(width * height, WARP);

/**
 * A shared access: `words` is the 4-byte word each lane asks for. A bank serves one word a pass,
 * however many lanes want it.
 * @param {number[]} words
 */
export function sharedAccess(words) {
  const banks = Array.from({ length: BANKS }, () => /** @type {number[]} */ ([]));
  for (const word of words) {
    const bank = banks[word % BANKS];
    if (!bank.includes(word)) bank.push(word);
  }
  const passes = Math.max(...banks.map((bank) => bank.length));
  return { banks, passes, conflicts: Math.max(0, passes - 1) };
}

/** A global access: one request, and as many 32-byte sectors as its floats lie in. */
export function globalAccess(indices) {
  const sectors = [...new Set(indices.map((i) => Math.floor(i / FLOATS_PER_SECTOR)))];
  sectors.sort((a, b) => a - b);
  return { requests: indices.length > 0 ? 1 : 0, sectors, floats: new Set(indices).size };
}

/**
 * The accesses of figure 5. `index` gives the float that a lane asks for at step p of the inner
 * loop; in global memory, `at` gives the element of C that the lane works on.
 */
export const PATTERNS = {
  row: { space: "shared", code: "tileB[p][x]", index: ({ x }, p, { tile }) => p * tile + x },
  column: { space: "shared", code: "tileB[x][p]", index: ({ x }, p, { tile }) => x * tile + p },
  padded: {
    space: "shared",
    code: "tileB[x][p], rows one float longer",
    index: ({ x }, p, { tile }) => x * (tile + 1) + p,
  },
  a: {
    space: "global",
    code: "a[row * k + p]",
    at: ({ x, y }) => ({ row: y, col: x }),
    index: ({ row }, p, { k }) => row * k + p,
  },
  b: {
    space: "global",
    code: "b[p * n + col]",
    at: ({ x, y }) => ({ row: y, col: x }),
    index: ({ col }, p, { n }) => p * n + col,
  },
  swapped: {
    space: "global",
    code: "a[row * k + p], x and y swapped",
    at: ({ x, y }) => ({ row: x, col: y }),
    index: ({ row }, p, { k }) => row * k + p,
  },
  "swapped-b": {
    space: "global",
    code: "b[p * n + col], x and y swapped",
    at: ({ x, y }) => ({ row: x, col: y }),
    index: ({ col }, p, { n }) => p * n + col,
  },
};

/**
 * The floats that the lanes of one warp ask for; null for a lane off the edge of C.
 * @param {{name: string, size: Size, tile: number, block: {row: number, col: number}, warp: number, p: number}} access
 * @returns {(number|null)[]}
 */
export function warpIndices({ name, size, tile, block, warp, p }) {
  const pattern = PATTERNS[name];
  const lanes = warpLanes([tile, tile], warp);
  if (pattern.space === "shared") return lanes.map((lane) => pattern.index(lane, p, { tile }));
  return lanes.map((lane) => {
    const at = pattern.at(lane);
    const row = block.row * tile + at.row;
    const col = block.col * tile + at.col;
    return row < size.m && col < size.n ? pattern.index({ row, col }, p, size) : null;
  });
}

/** What all warps of a launch add up to for one access in the inner loop. @param {Size} size */
export function launchTotals(name, size, tile) {
  const totals = { requests: 0, sectors: 0, conflicts: 0 };
  const shared = PATTERNS[name].space === "shared";
  const rounds = shared ? tile * tileSteps(size.k, tile) : size.k;
  for (let row = 0; row < ceilDiv(size.m, tile); row += 1) {
    for (let col = 0; col < ceilDiv(size.n, tile); col += 1) {
      for (let warp = 0; warp < warpsOf([tile, tile]); warp += 1) {
        for (let round = 0; round < rounds; round += 1) {
          const p = shared ? round % tile : round;
          const asked = warpIndices({ name, size, tile, block: { row, col }, warp, p });
          const indices = asked.filter((i) => i !== null);
          if (shared) totals.conflicts += sharedAccess(indices).conflicts;
          else totals.sectors += globalAccess(indices).sectors.length;
          totals.requests += indices.length > 0 ? 1 : 0;
        }
      }
    }
  }
  return totals;
}
