import assert from "node:assert/strict";
import { test } from "node:test";
import { PACES, STEPS, TILE, WARPS, runBlock } from "../../docs/assets/figures/schedule.js";

const plan = (barriers, pace, slow = 3) => ({ barriers, pace, slow, rowsInside: 3 });
const paces = Object.keys(PACES);

test("with both barriers no read goes wrong, whatever the pace", () => {
  for (const pace of paces) {
    for (let slow = 0; slow < WARPS; slow += 1) {
      assert.deepEqual(runBlock(plan("both", pace, slow)).hazards, []);
    }
  }
});

test("with both barriers nobody multiplies before the slowest has loaded", () => {
  const { spans } = runBlock(plan("both", "own"));
  const all = spans.flat();
  for (let step = 0; step < STEPS; step += 1) {
    const of = (kind) => all.filter((span) => span.kind === kind && span.step === step);
    const loaded = Math.max(...of("load").map((span) => span.to));
    assert.ok(of("multiply").every((span) => span.from >= loaded));
  }
});

test("without the first barrier a quick warp reads what is not there yet", () => {
  const { hazards } = runBlock(plan("no-first", "slow"));
  assert.ok(hazards.length > 0);
  assert.ok(hazards.every(({ row, saw, step }) => Math.floor(row / 2) === 3 && saw < step));
});

test("without the second barrier a quick warp overwrites what is still needed", () => {
  const { hazards } = runBlock(plan("no-second", "slow"));
  assert.ok(hazards.length > 0);
  assert.ok(hazards.every(({ warp, saw, step }) => warp === 3 && saw === step + 1));
});

test("at one pace a missing barrier does not show", () => {
  for (const barriers of ["no-first", "no-second"]) {
    assert.deepEqual(runBlock(plan(barriers, "alike")).hazards, []);
  }
});

test("inside the branch the rows of those who left are never written", () => {
  const { spans, hazards } = runBlock(plan("in-branch", "alike"));
  assert.equal(spans.filter(([span]) => span.kind === "gone").length, WARPS - 2);
  assert.equal(hazards.length, 2 * STEPS * (TILE - 3));
  assert.ok(hazards.every(({ row, saw }) => row >= 3 && saw === -1));
});

test("inside the branch of a full block all come", () => {
  const { hazards } = runBlock({ ...plan("in-branch", "own"), rowsInside: TILE });
  assert.deepEqual(hazards, []);
});
