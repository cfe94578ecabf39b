import { fileURLToPath } from "node:url";

/** File where the reference server records its responses during a test run. */
export const answersFile = fileURLToPath(new URL("../node_modules/.cache/mgmt/answers.txt", import.meta.url));
