// Answers questions to the figures' arithmetic: [[function, ...arguments], ...] in, JSON out.
import { readFileSync } from "node:fs";
import * as arithmetic from "../../docs/assets/figures/arithmetic.js";
import * as schedule from "../../docs/assets/figures/schedule.js";

const { PATTERNS, ceilDiv, sharedAccess, tileSteps, warpLanes, warpsOf } = arithmetic;

/** Bank conflicts of the stores that fill a tile: lane (x, y) writes the cell of p = y. */
function storeConflicts(name, { m, n, k }, tile) {
  const block = [tile, tile];
  const launches = ceilDiv(m, tile) * ceilDiv(n, tile) * tileSteps(k, tile);
  const warps = Array.from({ length: warpsOf(block) }, (_, warp) => warpLanes(block, warp));
  const words = (lanes) => lanes.map((lane) => PATTERNS[name].index(lane, lane.y, { tile }));
  return launches * warps.reduce((sum, lanes) => sum + sharedAccess(words(lanes)).conflicts, 0);
}

const functions = { ...arithmetic, ...schedule, storeConflicts };
const questions = JSON.parse(readFileSync(0, "utf-8"));
console.log(JSON.stringify(questions.map(([name, ...given]) => functions[name](...given))));
