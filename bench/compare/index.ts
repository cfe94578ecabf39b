import { prepare } from "../runner/prepare.js";
import { measure } from "./measure.js";
import { readMeasured, writeMeasured } from "./measured.js";
import { ours, peers } from "./sdk.js";

/** Measures the SDKs, or with `--ours` only this one, and writes what the page is generated from. */
const onlyOurs = process.argv.includes("--ours");
await prepare();
const measured = onlyOurs
  ? await measure([ours], readMeasured(), { keepsVarying: true })
  : await measure([ours, ...peers], undefined);
writeMeasured(measured);
