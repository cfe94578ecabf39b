/** What a command such as `mgmt projects list` loads, besides the table of its group. It becomes a single file. */
export { main } from "../../packages/cli/src/main.js";
import "../../packages/cli/src/run/run.js";
import "../../packages/cli/src/sdk/sdk.js";
