/**
 * A block in time: what its warps do when a barrier is missing, and what they then read.
 * The model: a warp writes its rows of B's tile at the end of its load, and reads the rows of the
 * whole tile one after the other while it multiplies.
 */

export const WARPS = 8; // of a 16 × 16 block, two rows each
export const TILE = 16;
export const STEPS = 2;
const ROWS_PER_WARP = TILE / WARPS;
const LOAD = 2;
const MULTIPLY = 4;

/** How much longer than the others a warp takes. */
export const PACES = {
  alike: () => 1,
  slow: (warp, slow) => (warp === slow ? 2 : 1),
  own: (warp) => [1, 1.5, 1, 2, 1.5, 1, 2, 1][warp],
};

/**
 * @typedef {{kind: "load"|"wait"|"multiply"|"gone", step: number, from: number, to: number}} Span
 * @typedef {{warp: number, row: number, step: number, at: number, saw: number}} Hazard
 *   `saw` is the step whose float was read, -1 for a cell that nobody had written
 */

/**
 * Run the block. `barriers` says which stand: "both", "no-first", "no-second", or "in-branch",
 * where the threads below `rowsInside` go through the loop and the others have left.
 * @param {{barriers: string, pace: string, slow: number, rowsInside: number}} plan
 * @returns {{spans: Span[][], hazards: Hazard[], end: number}}
 */
export function runBlock({ barriers, pace, slow, rowsInside }) {
  const inside = barriers === "in-branch" ? rowsInside : TILE;
  const warps = Array.from({ length: WARPS }, (_, warp) => warp);
  const stays = warps.filter((warp) => warp * ROWS_PER_WARP < inside);
  const now = warps.map(() => 0);
  const spans = warps.map(() => /** @type {Span[]} */ ([]));
  const written = []; // by step and row, the time from which a float stands there
  const reads = [];

  const work = (warp, kind, step, ticks) => {
    const to = now[warp] + ticks * PACES[pace](warp, slow);
    spans[warp].push({ kind, step, from: now[warp], to });
    now[warp] = to;
  };
  const barrier = (step) => {
    const release = Math.max(...stays.map((warp) => now[warp]));
    for (const warp of stays) {
      if (now[warp] < release)
        spans[warp].push({ kind: "wait", step, from: now[warp], to: release });
      now[warp] = release;
    }
  };

  for (let step = 0; step < STEPS; step += 1) {
    for (const warp of stays) work(warp, "load", step, LOAD);
    written[step] = Array.from({ length: TILE }, (_, row) =>
      row < inside ? now[Math.floor(row / ROWS_PER_WARP)] : Infinity,
    );
    if (barriers !== "no-first") barrier(step);
    for (const warp of stays) {
      const from = now[warp];
      work(warp, "multiply", step, MULTIPLY);
      for (let row = 0; row < TILE; row += 1) {
        reads.push({ warp, row, step, at: from + ((now[warp] - from) * row) / TILE });
      }
    }
    if (barriers !== "no-second") barrier(step);
  }
  const end = Math.max(...now);
  for (const warp of warps) {
    if (!stays.includes(warp)) spans[warp].push({ kind: "gone", step: 0, from: 0, to: end });
  }
  return { spans, hazards: hazardsIn(reads, written), end };
}

/** The reads that met another step's float, or none. @returns {Hazard[]} */
function hazardsIn(reads, written) {
  return reads
    .map((read) => ({ ...read, saw: written.findLastIndex((rows) => rows[read.row] <= read.at) }))
    .filter((read) => read.saw !== read.step);
}
