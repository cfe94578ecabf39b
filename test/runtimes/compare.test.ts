import { describe, expect, it } from "vitest";
import { readMeasured } from "../../bench/compare/measured.js";
import { loadSdk, peers } from "../../bench/compare/sdk.js";
import { sections } from "../../bench/compare/sections.js";
import { prepare } from "../../bench/runner/prepare.js";

// Installs the other SDKs unless those of the lockfile are present.
await prepare();

const measured = readMeasured().sections.flatMap(({ rows }) => rows);
const rows = sections.flatMap((section) => section.rows).filter(({ varies }) => !varies);

describe.each(peers)("the comparison with other SDKs is true for %s", (name) => {
  it.each(rows)("$title", async (row) => {
    const last = measured.find(({ title }) => title === row.title);
    expect(await row.measure(await loadSdk(name))).toEqual(last?.cells[name]);
  });
});
