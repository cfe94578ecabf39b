export interface Section {
  /** The name of a bench. */
  readonly bench: string;
  readonly title: string;
  readonly about: string;
  /** Described for people who do not see it. Absent for a section without a plot. */
  readonly plot?: string;
}

/** The parts of the page, in order. */
export const sections: readonly Section[] = [
  {
    bench: "sdk",
    title: "The SDK",
    about:
      "What the SDK costs beside the SDKs of other services: bytes in a browser, the import, the compiler, and a call over loopback.",
    plot: "Costs of @mgmt/sdk beside those of other SDKs",
  },
  {
    bench: "http",
    title: "The reference server",
    about:
      "A request over HTTP with authentication and validation, beside `node:http` that sends the same bytes. The share is what `node:http` costs of it.",
    plot: "Processor time of a request to the reference server beside node:http",
  },
  {
    bench: "engine",
    title: "The engine",
    about: "A full page of databases without HTTP.",
  },
  {
    bench: "msw",
    title: "Tests",
    about:
      "A request in a test that uses `setupMock()`, beside one handler of MSW that returns the same bytes.",
    plot: "Processor time of a request through setupMock beside one handler of MSW",
  },
  {
    bench: "waits",
    title: "Tests that wait",
    about: "A sign-up that waits 32 seconds by the clock of the mock.",
  },
  {
    bench: "size",
    title: "The mock in a page",
    about:
      "Bytes of `@mgmt/mock/browser` that a page loads before its first request, without MSW and the SDK, which it loads, too.",
    plot: "Bytes of the mock in a page beside those of MSW",
  },
  {
    bench: "platform",
    title: "mgmt dev",
    about: "A request to `mgmt dev`, whose records are in Postgres: the processor time of both.",
  },
  {
    bench: "databases",
    title: "Databases",
    about: "From the start of `mgmt dev`, or from a request, to the first `select 1` in a database.",
    plot: "Time to the first select 1 beside the same Postgres by hand",
  },
  {
    bench: "test-databases",
    title: "Test databases",
    about:
      "How long a test waits for a database of its own, with 60 tables and 20 MB, while eight workers run 1,000 tests of a second.",
  },
  {
    bench: "proxy",
    title: "The proxy of mgmt dev",
    about:
      "A query through the proxy that stands between clients and Postgres: the processor time of the proxy.",
  },
  {
    bench: "serve",
    title: "mgmt serve",
    about: "Round trips of a request to the records, and the processor time of the servers and of Postgres.",
  },
  {
    bench: "cli",
    title: "The command line",
    about: "Whole commands, from the start of the process to its end.",
    plot: "Times of commands beside a bare process and other command lines",
  },
];
