import { fileURLToPath } from "node:url";

/** Where the reference server notes what it has answered in a run of the tests. */
export const answersFile = fileURLToPath(new URL("../node_modules/.cache/mgmt/answers.txt", import.meta.url));
