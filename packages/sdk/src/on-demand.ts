// What most calls never need, as one module that is loaded when the first needs it: a bundle starts without it.
export { ensureResource } from "./ensure/ensure.js";
export { errorFrom, invalidResponse } from "./errors/error-from.js";
export { ensurables } from "./generated/ensurables.js";
export { recover } from "./request/recover.js";
export { sendOnceApproved } from "./request/send-once-approved.js";
export { watch } from "./request/watch.js";
export { waitForApproval, waitForDatabase, waitForDeployment } from "./wait/waiters.js";
