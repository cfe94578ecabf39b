import { prepare } from "../runner/prepare.js";
import { type MeasuredRow, installedVersion, readMeasured, writeMeasured } from "./measured.js";
import type { Row } from "./row.js";
import { loadSdk, ours, peers } from "./sdk.js";
import { sections } from "./sections.js";

/** Measures the SDKs, or with `--ours` only this one, and writes what the page is generated from. */
const onlyOurs = process.argv.includes("--ours");
await prepare();
const last = onlyOurs ? readMeasured() : undefined;
const lastRows = last?.sections.flatMap(({ rows }) => rows) ?? [];
const sdks = await Promise.all([ours, ...peers].map(async (name) => ({ name, sdk: await loadSdk(name) })));

const measure = async ({ title, reason, varies, measure: run }: Row): Promise<MeasuredRow> => {
  const before = lastRows.find((row) => row.title === title);
  const cells = { ...before?.cells };
  for (const { name, sdk } of sdks) {
    // Alone, this SDK keeps what may vary, and the others keep everything.
    const keeps = onlyOurs && (varies === true || name !== ours);
    if (!(keeps && cells[name])) cells[name] = await run(sdk);
  }
  return { title, ...(reason !== undefined && { reason }), cells };
};

const measured = [];
for (const { title, about, rows } of sections) {
  const found: MeasuredRow[] = [];
  for (const row of rows) found.push(await measure(row));
  measured.push({ title, about, rows: found });
}
writeMeasured({
  sdks:
    last?.sdks ??
    sdks.map(({ name, sdk }) => ({
      name,
      package: sdk.name,
      version: name === ours ? "" : installedVersion(sdk.name),
    })),
  sections: measured,
});
