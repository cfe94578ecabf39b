import * as sdk from "@mgmt/sdk";
import { type FromWorker, type Printed, type Start, providedModules } from "../messages.js";
import { failureOf } from "./failure.js";
import { mockFetch } from "./mock-fetch.js";
import { printedText } from "./printed-text.js";

/** More output would fill the memory of the page. */
const limits = { lines: 1_000, characters: 10_000 };

/** The page sets it before it loads this module. */
declare const mgmtStart: Start;
const { program, baseUrl, authUrl, token } = mgmtStart;

const send = (message: FromWorker): void => self.postMessage(message);

let lines = 0;
const printer =
  (level: Printed["level"]) =>
  (...values: unknown[]): void => {
    lines += 1;
    if (lines > limits.lines + 1) return;
    const all = values.map(printedText).join(" ");
    const text = all.length > limits.characters ? `${all.slice(0, limits.characters)}…` : all;
    const last = `This page shows ${String(limits.lines)} lines. The program has printed more.`;
    send({ type: "print", printed: { level, text: lines > limits.lines ? last : text } });
  };
const log = printer("log");
Object.assign(console, { log, info: log, debug: log, warn: printer("warn"), error: printer("error") });
Object.assign(globalThis, { fetch: mockFetch([baseUrl, authUrl]) });

/** What a program can import. */
const modules: Record<(typeof providedModules)[number], object> = {
  "@mgmt/sdk": sdk,
  "@mgmt/sdk/auth/node": {
    cliLogin: async () => ({ baseUrl, allowInsecureHttp: false, token: async () => token }),
  },
};
Object.assign(globalThis, { mgmtModules: modules });

const moduleUrl = (text: string): string =>
  URL.createObjectURL(new Blob([text], { type: "text/javascript" }));

/** The address of each module. A bundle has no module of that name. */
const urls = Object.entries(modules).map(([name, exported]): [string, string] => {
  const lines = Object.keys(exported).map((each) => `export const ${each} = module.${each};`);
  return [name, moduleUrl([`const module = mgmtModules[${JSON.stringify(name)}];`, ...lines].join("\n"))];
});

/** The source with the addresses of the modules in place of their names. No line moves. */
const source = program.imports.reduceRight((text, { name, from, to }) => {
  const [, url = name] = urls.find(([each]) => each === name) ?? [];
  return text.slice(0, from) + JSON.stringify(url) + text.slice(to);
}, program.source);
const programUrl = moduleUrl(source);

const fail = (error: unknown): void => {
  const failure = failureOf(error, programUrl, program.mistakeAt);
  const message = urls.reduce((text, [name, url]) => text.replaceAll(url, name), failure.message);
  send({ type: "end", failure: { ...failure, message } });
};
addEventListener("error", (event) => {
  event.preventDefault();
  fail(event.error);
});
addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  fail(event.reason);
});
import(/* @vite-ignore */ programUrl).then(() => send({ type: "end" }), fail);
