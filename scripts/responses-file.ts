import { fileURLToPath } from "node:url";

/** File where tests record the responses of the reference server. */
export const responsesFile = fileURLToPath(
  new URL("../node_modules/.cache/mgmt/responses.txt", import.meta.url),
);
