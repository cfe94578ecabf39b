import { setupWorker } from "msw/browser";
import { WorkerMock, type WorkerMockOptions } from "./worker-mock.js";

/**
 * Creates a reference server for a web page. Await `mock.start()` before the page sends requests. Requires `msw` 2 or 3, and the worker
 * script that `npx msw init` writes.
 *
 * @throws TypeError when `baseUrl` or `settings.authUrl` is not valid, and for an option that does not exist.
 */
export const setupMockWorker = (options: WorkerMockOptions = {}): WorkerMock =>
  new WorkerMock(options, setupWorker);
