import type { EngineLists } from "../programs/calls.js";
import { startProgram } from "../runner/program.js";
import type { Measurement } from "./measurement.js";

const databases = 100;
const requests = 1_500;

/** A full page of databases, without HTTP. */
export const engineList: Measurement = {
  rows: [{ title: `databases.list of ${String(databases)} in the engine`, unit: "µs" }],
  measure: async (build) => {
    const program = await startProgram<EngineLists>("engine-lists", [], build.programs);
    try {
      await program.calls.start(databases);
      await program.calls.time(requests / 2);
      return [(await program.calls.time(requests)).processorMicroseconds];
    } finally {
      await program.stop();
    }
  },
};
