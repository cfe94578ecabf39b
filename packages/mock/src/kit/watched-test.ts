import type { LoggedRequest } from "@mgmt/engine";
import type { MockError } from "../errors/mock-error.js";
import * as mockErrors from "../errors/mock-errors.js";

/** Maximum number of requests in the report of a failed test. */
const maxRequestLines = 50;

/** The requests of one test. */
export class WatchedTest {
  readonly #requests: LoggedRequest[] = [];
  readonly #unmatchedLines: string[] = [];
  readonly #notes: string[] = [];
  #failure: Error | undefined;
  #failureIfPassed: Error | undefined;
  #isUnmatchedAllowed = false;

  constructor(readonly name: string) {}

  /** The requests that the test has sent to the mock, oldest first. */
  get requests(): readonly LoggedRequest[] {
    return this.#requests;
  }

  /** Lets the test pass although it sends requests that the mock has no operation for, or that go to other hosts. */
  allowUnmatched(): void {
    this.#isUnmatchedAllowed = true;
  }

  get isUnmatchedAllowed(): boolean {
    return this.#isUnmatchedAllowed;
  }

  /** Adds a request that the mock has handled. */
  addRequest(request: LoggedRequest): void {
    this.#requests.push(request);
    if (isUnmatched(request)) this.addUnmatchedLine(renderRequest(request));
  }

  /** Adds a line about a request that the mock has no operation for, or that went to another host. */
  addUnmatchedLine(line: string): void {
    if (!this.#unmatchedLines.includes(line)) this.#unmatchedLines.push(line);
  }

  /** Adds a sentence to the report of a failed test. */
  addNote(note: string): void {
    this.#notes.push(note);
  }

  /** Lets the test fail when it ends. The first error counts. */
  failAtEnd(error: Error): void {
    this.#failure ??= error;
  }

  /** Lets the test fail when it ends, unless something else has made it fail. */
  failIfPassed(error: Error): void {
    this.#failureIfPassed ??= error;
  }

  /** Returns the requests as lines of text, for the report of a failed test. */
  describe(): string {
    return [this.#describeRequests(), ...this.#notes].join("\n");
  }

  #describeRequests(): string {
    if (this.#requests.length === 0) return `The test "${this.name}" sent no requests to the mock.`;
    const reportedRequests = this.#requests.slice(-maxRequestLines);
    const omittedCount = this.#requests.length - reportedRequests.length;
    return [
      `Requests of the test "${this.name}":`,
      ...(omittedCount > 0 ? [`  (${String(omittedCount)} earlier requests)`] : []),
      ...reportedRequests.map((request) => `  ${renderRequest(request)}${renderBody(request)}`),
    ].join("\n");
  }

  /** Returns the error that makes the test fail when it ends, or that is added to the errors of a failed test. */
  errorAtEnd(hasFailed: boolean): Error | undefined {
    const error = this.#failure ?? this.unmatchedError();
    return error ?? (hasFailed ? mockErrors.failedTest(this.describe()) : this.#failureIfPassed);
  }

  /**
   * Returns the error for requests that the mock has no operation for, or that went to other hosts; undefined if there are none or they
   * are allowed.
   */
  unmatchedError(): MockError | undefined {
    if (this.#unmatchedLines.length === 0 || this.#isUnmatchedAllowed) return undefined;
    return mockErrors.unmatchedRequests(this.name, this.#unmatchedLines, this.describe());
  }
}

const routeErrorCodes: readonly (string | null)[] = ["route:not_found", "route:method_not_allowed"];

const isUnmatched = ({ operationId, code }: LoggedRequest): boolean =>
  operationId === null && routeErrorCodes.includes(code);

const renderRequest = ({ method, path, query, status, code }: LoggedRequest): string => {
  const parameters = new URLSearchParams(
    Object.entries(query ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const search = parameters.size === 0 ? "" : `?${parameters.toString()}`;
  const outcome =
    status === null ? "connection dropped" : `${String(status)}${code === null ? "" : ` ${code}`}`;
  return `${method} ${path}${search} → ${outcome}`;
};

/** Maximum length of a request body in the report. */
const maxBodyLength = 300;

/** Bodies in the log contain no secrets. */
const renderBody = ({ body }: LoggedRequest): string => {
  if (body === null || body === undefined) return "";
  const bodyJson = JSON.stringify(body);
  if (bodyJson === "{}") return "";
  return ` ${bodyJson.length > maxBodyLength ? `${bodyJson.slice(0, maxBodyLength)}…` : bodyJson}`;
};
