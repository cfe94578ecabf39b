import { fileURLToPath } from "node:url";

/** File where the reference server records its responses during a test run. */
export const responsesFile = fileURLToPath(
  new URL("../node_modules/.cache/mgmt/responses.txt", import.meta.url),
);
