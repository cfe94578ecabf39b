import { createProcessView } from "@mgmt/internal/processes/process-liveness";

/** Returns the content of a lock of this process, with other values. */
export const lockText = (fields: object = {}): string =>
  JSON.stringify({
    ...createProcessView().self,
    ...{ directory: 1, id: "0123456789ab", isLocal: true },
    ...fields,
  });

/** No process has this id. */
export const endedPid = 999_999_999;

/** What the lock of a process says that runs in another container. */
export const elsewhere = { place: "elsewhere", machine: null };
