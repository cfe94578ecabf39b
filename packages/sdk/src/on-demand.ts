// What most calls never need, as one module that is loaded when the first needs it: a bundle starts without it.
export { ensureApp, ensureDatabase, ensureProject } from "./ensure/resources.js";
export { errorFrom, invalidResponse } from "./errors/error-from.js";
export { recover } from "./request/recover.js";
export { sendOnceApproved } from "./request/send-once-approved.js";
export { watch } from "./request/watch.js";
export { waitForApproval, waitForDatabase, waitForDeployment } from "./wait/waiters.js";
