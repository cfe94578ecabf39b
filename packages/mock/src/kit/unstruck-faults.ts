import { FaultNotStruckError, type MemoryServer } from "@mgmt/engine";

/** Returns the error for installed faults that have applied to no request, and removes them; undefined if there are none. */
export const removeUnstruckFaults = (faults: MemoryServer["faults"]): FaultNotStruckError | undefined => {
  try {
    faults.assertStruck();
    return undefined;
  } catch (error) {
    if (!(error instanceof FaultNotStruckError)) throw error;
    for (const { id } of error.faults) faults.remove(id);
    return error;
  }
};
