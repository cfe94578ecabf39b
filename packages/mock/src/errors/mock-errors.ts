import { MockError } from "./mock-error.js";

const mswOptionalNote = "`mock.fetch` and `@mgmt/mock/server` work without it.";

const oneServerHint = "Let both use one server, with createTest({ server }) or mock.listen({ server })";

const oneWorkerHint = "pass your handlers to mock.start({ handlers }), or mock.handlers to yours";

const describeCause = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const isModuleMissingError = (error: unknown): boolean =>
  error instanceof Object &&
  "code" in error &&
  (error.code === "ERR_MODULE_NOT_FOUND" || error.code === "MODULE_NOT_FOUND");

/** @param cause the error of the import. */
export const mswMissing = (cause: unknown): MockError =>
  isModuleMissingError(cause)
    ? new MockError(
        "mock:msw_missing",
        `msw is not installed. @mgmt/mock intercepts requests with it: npm install --save-dev msw. ${mswOptionalNote}`,
        { cause },
      )
    : new MockError(
        "mock:msw_unusable",
        `msw could not be loaded: ${describeCause(cause)} ${mswOptionalNote}`,
        {
          cause,
        },
      );

/** @param cause the error of the import. */
export const sdkMissing = (cause: unknown): MockError =>
  isModuleMissingError(cause)
    ? new MockError(
        "mock:sdk_missing",
        "@mgmt/sdk is not installed. `mock.client` creates clients of it: npm install @mgmt/sdk. `mock.fetch` works without it.",
        { cause },
      )
    : new MockError("mock:sdk_unusable", `@mgmt/sdk could not be loaded: ${describeCause(cause)}`, { cause });

/** Shows the call that makes a server listen. */
const renderSetupServerCall = (handlers: readonly string[]): string =>
  `setupServer(${[...handlers.slice(0, 3), ...(handlers.length > 3 ? ["…"] : [])].join(", ")}).listen()`;

/** @param handlers names of the handlers of the other server. */
export const secondServer = (handlers: readonly string[]): MockError =>
  new MockError(
    "mock:second_server",
    `Another MSW server of this process receives its requests, so the mock cannot intercept them: ${renderSetupServerCall(handlers)}. ` +
      `${oneServerHint}, or close the other one first`,
  );

/** @param handlers names of the handlers of the rejected server. */
export const rejectedServer = (handlers: readonly string[]): MockError =>
  new MockError(
    "mock:second_server",
    `An MSW server would receive the requests of this process in place of the mock, which listens already: ${renderSetupServerCall(handlers)}. ` +
      `Call close() of that server. ${oneServerHint}, or close the mock before the server listens`,
  );

export const mocksListen = (): MockError =>
  new MockError(
    "mock:second_server",
    "A mock listens already, in the server of all mocks, so none can listen in yours. Close that mock first, or listen in your server from the start",
  );

export const closedBySecondServer = (): MockError =>
  new MockError(
    "mock:second_server",
    `Another MSW server of this process has listened beside the mock, and has ended the interception of both when it was closed. ${oneServerHint}`,
  );

export const shadowedHandler = (handlers: readonly string[], bases: readonly string[]): MockError =>
  new MockError(
    "mock:shadowed_handler",
    `The mock responds at ${bases.join(" and ")}, so these handlers would never run: ${handlers.join(", ")}. ` +
      "Remove them. To replace a response in one test, call server.use() in it or mock.faults.add()",
  );

export const mockClosed = (method: string, path: string): MockError =>
  new MockError(
    "mock:closed",
    `${method} ${path} was not handled, because the mock is closed. Await what the client does before you close the mock. A mock of setupMock() opens again with mock.listen()`,
  );

export const nodeRequired = (member: string): MockError =>
  new MockError(
    "mock:needs_node",
    `mock.${member} needs Node.js, and this program was loaded or bundled for a runtime without it. Send requests with mock.fetch, and ` +
      "create clients with createClient(mock.clientOptions()). In a web page, setupMockWorker() of @mgmt/mock/browser receives the requests of the page",
  );

export const notStarted = (): MockError =>
  new MockError(
    "mock:not_started",
    "mock.client() needs the SDK, which mock.start() loads. Await mock.start() first, or call createClient(mock.clientOptions())",
  );

export const insecurePage = (origin: string): MockError =>
  new MockError(
    "mock:insecure_page",
    `${origin} is not a secure context, so the browser neither registers workers nor signs tokens. Open the page at https: or at localhost`,
  );

export const workerMissing = (url: string, cause: unknown): MockError =>
  new MockError(
    "mock:worker_missing",
    `The worker script ${url} could not be registered: ${describeCause(cause).split("\n\n", 2).join(" ")} Write it into the folder of public ` +
      "files with npx msw init, or pass its URL: mock.start({ workerUrl })",
    { cause },
  );

export const workersBlocked = (cause: unknown): MockError =>
  new MockError(
    "mock:workers_blocked",
    "Something prevents this page from registering workers, and says nothing. In a test with Playwright, that is the option " +
      'serviceWorkers: "block": leave it out',
    { cause },
  );

export const workerSilent = (url: string, seconds: number): MockError =>
  new MockError(
    "mock:worker_silent",
    `The worker script ${url} has not answered for ${String(seconds)} seconds. Check that it is the script that npx msw init has written, ` +
      "and not a worker of your own",
  );

export const notIntercepted = (baseUrl: string, page: string, cause?: unknown): MockError =>
  new MockError(
    "mock:not_intercepted",
    `Requests of this page to ${baseUrl} do not reach the mock. Check that the page does not start another setupWorker(): ${oneWorkerHint}. ` +
      `Check that ${page} is in the scope of the worker script, and that npx msw init has written the script of the installed MSW. ` +
      'If the page has worked before, close its other tabs and load it again, and turn off "Bypass for network" in the developer tools',
    { cause },
  );

/** @param script URL of the other script, if any. */
export const workerReplaced = (baseUrl: string, script = "nothing"): MockError =>
  new MockError(
    "mock:worker_replaced",
    `Requests of this page to ${baseUrl} are refused, because ${script} controls the page now, and not the worker script of MSW. Do not ` +
      "register a service worker of the app while the mock runs, and load the page again",
  );

const policySubject = "The Content-Security-Policy of this page";

export const requestsBlocked = (bases: readonly string[], cause: unknown): MockError =>
  new MockError(
    "mock:blocked_by_policy",
    `${policySubject} blocks requests to the mock. Add to connect-src: ${[...new Set(bases.map((base) => new URL(base).origin))].join(" ")}`,
    { cause },
  );

export const workerBlocked = (script: string, cause: unknown): MockError =>
  new MockError(
    "mock:blocked_by_policy",
    `${policySubject} blocks the worker script ${script}. Add the origin of the script to worker-src, such as worker-src 'self'`,
    { cause },
  );

export const workerUntrusted = (script: string, cause: unknown): MockError =>
  new MockError(
    "mock:blocked_by_policy",
    `${policySubject} requires trusted types, and MSW registers the worker script ${script} without one. Before mock.start(), call ` +
      'trustedTypes.createPolicy("default", { createHTML: (html) => html, createScriptURL: (url) => url }), and allow "default" in a trusted-types ' +
      "directive, or leave require-trusted-types-for out during development",
    { cause },
  );

export const secondWorker = (baseUrl: string, cause: unknown): MockError =>
  new MockError(
    "mock:second_worker",
    `Requests of this page to ${baseUrl} are refused, because the page has started another setupWorker(), which receives them. ` +
      `Start only one: ${oneWorkerHint}`,
    { cause },
  );

export const loginNotKept = (): MockError =>
  new MockError(
    "mock:login_not_kept",
    "The page has not left for the login, because a mock without persist forgets the login when the browser loads the page again. " +
      'Pass setupMockWorker({ persist: "session" })',
  );

export const loginUnsupported = (): MockError =>
  new MockError(
    "mock:login_unsupported",
    "This browser lacks the Navigation API, so the mock cannot show its authorization page, and a login leaves for the network. " +
      "Update the browser, or create clients with token: () => mock.tokens.user()",
  );

export const pageNotLoaded = (cause: unknown): MockError =>
  new MockError(
    "mock:page_not_loaded",
    "The authorization page of the mock could not be loaded. Reload the page: its server may have replaced the files",
    { cause },
  );

export const storageDenied = (cause?: unknown): MockError =>
  new MockError(
    "mock:storage_denied",
    "The browser denies this page its storage, so a reload loses the state of the mock. Allow the site to store data, or leave persist out",
    { cause },
  );

export const storageFull = (cause: unknown): MockError =>
  new MockError(
    "mock:storage_full",
    `The state of the mock could not be stored, so a reload loses the latest changes: ${describeCause(cause)} Remove rows, or call mock.reset()`,
    { cause },
  );

export const keptStateUnusable = (key: string, cause: unknown): MockError =>
  new MockError(
    "mock:kept_state_unusable",
    `The state that an earlier page has stored as "${key}" cannot be used, so the mock starts with a new one: ${describeCause(cause)}`,
    { cause },
  );

export const badFlag = (problem: string): MockError =>
  new MockError("mock:bad_flag", `${problem}. Run with --help for the flags`);

export const unknownFlag = (flag: string): MockError =>
  new MockError("mock:bad_flag", `There is no flag ${flag}. Run with --help for the flags`);

export const badSeed = (path: string, problem: string, cause?: unknown): MockError =>
  new MockError("mock:bad_seed", `The seed file ${path} cannot be used: ${problem}`, { cause });

export const portInUse = (port: number, host: string): MockError =>
  new MockError(
    "mock:port_in_use",
    `Port ${String(port)} of ${host} is in use. Stop the other server, or choose a port: --port 0 picks a free one`,
  );

export const badRecording = (path: string, problem: string, cause?: unknown): MockError =>
  new MockError("mock:bad_recording", `The recording ${path} cannot be used: ${problem}`, { cause });

export const stillRecording = (): MockError =>
  new MockError("mock:recording", "The mock is recording. Call stop() of the recording before replay()");

export const upstreamUnreachable = (upstream: string, cause: unknown): MockError =>
  new MockError(
    "mock:upstream_unreachable",
    `${upstream} cannot be reached. Check its URL, and that it is running`,
    { cause },
  );

export const upstreamIsNotTheApi = (
  upstream: string,
  status: number,
  contentType: string | null,
): MockError =>
  new MockError(
    "mock:upstream_not_the_api",
    `${upstream} is not the API: GET /v1/projects returned ${String(status)} with ${contentType ?? "no content type"}, not a JSON result or error`,
  );

export const unmatchedRequests = (test: string, requests: readonly string[], log: string): MockError =>
  new MockError(
    "mock:unmatched_request",
    `The test "${test}" sent requests that the mock has no operation for:\n${requests.map((request) => `  ${request}`).join("\n")}\n` +
      `Correct the URL, or call requestLog.allowUnmatched() if the test expects them.\n${log}`,
  );

/** An error beside the test's own failure. It shows the requests of the test. */
export const failedTest = (log: string): MockError => new MockError("mock:failed_test", log);
