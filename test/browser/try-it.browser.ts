import { type Server, createServer } from "node:http";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ensureBuilt } from "../../packages/cli/test/bin.js";
import { withPolicy } from "../../site/.vitepress/policy.mjs";
import { readmeProgram } from "../../site/.vitepress/theme/try-it.data.mjs";
import { launchChromium } from "./chromium.js";
import { accessibilityProblems, browserErrorsOf, overflow, saveScreenshot } from "./page-checks.js";

const folder = fileURLToPath(new URL("../../site/try-it", import.meta.url));

const login = `import { createClient } from "@mgmt/sdk";
import { cliLogin } from "@mgmt/sdk/auth/node";
const client = createClient(await cliLogin());
`;

/** Builds the page without the rest of the website. Returns its files by their paths. */
const buildPage = async (): Promise<Map<string, string>> => {
  const page = `
    import { mountTryIt } from "./page/try-it.ts";
    const program = ${JSON.stringify(readmeProgram())};
    await mountTryIt(document.querySelector("main"), { program, runner: new URL("/runner.js", location.href) });
  `;
  const { outputFiles } = await build({
    // The root's tsconfig would resolve the packages to their sources.
    tsconfigRaw: {},
    entryPoints: { page: "try-it-page", runner: join(folder, "worker/runner.ts") },
    plugins: [
      {
        name: "page",
        setup: ({ onResolve, onLoad }) => {
          onResolve({ filter: /^try-it-page$/ }, () => ({ path: "page", namespace: "page" }));
          onLoad({ filter: /./, namespace: "page" }, () => ({ contents: page, resolveDir: folder }));
        },
      },
    ],
    outdir: "/",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    write: false,
    logLevel: "error",
  });
  const files = outputFiles.map(({ path, text }): [string, string] => [`/${basename(path)}`, text]);
  const html = withPolicy(
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Try it</title><link rel="icon" href="data:,"><meta name="viewport" content="width=device-width">' +
      '<link rel="stylesheet" href="/style.css"><script type="module" src="/page.js"></script></head><body><main><h1>Try it</h1></main></body></html>',
  );
  return new Map([...files, ["/", html], ["/style.css", readFileSync(join(folder, "style.css"), "utf8")]]);
};

describe("the page Try it", () => {
  let browser: Browser;
  let server: Server;
  let origin: string;
  let page: Page;
  let errors: string[];
  /** Addresses of all requests of the page and of its workers that the policy let through. */
  let asked: string[];
  beforeAll(async () => {
    await ensureBuilt();
    const files = await buildPage();
    const types: Record<string, string> = { "/": "text/html", "/style.css": "text/css" };
    server = createServer(({ url = "" }, response) => {
      const text = files.get(url);
      response.writeHead(text === undefined ? 404 : 200, { "content-type": types[url] ?? "text/javascript" });
      response.end(text);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    // It listens on a port.
    origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser.close();
    server.close();
  });

  const open = async (options: Parameters<Browser["newPage"]>[0] = {}): Promise<void> => {
    page = await browser.newPage(options);
    errors = browserErrorsOf(page);
    asked = [];
    page.on("requestfinished", (request) => asked.push(request.url()));
    page.on("requestfailed", (request) => {
      if (request.failure()?.errorText !== "csp") asked.push(request.url());
    });
    await page.goto(origin);
    await page.getByRole("button", { name: "Run" }).waitFor();
  };
  beforeEach(() => open());
  afterEach(async () => {
    // A violation of the policy is an error of the browser.
    expect(errors).toEqual([]);
    expect(asked.filter((url) => !/^blob:/.test(url) && !url.startsWith(`${origin}/`))).toEqual([]);
    await page.close();
  });

  const editor = () => page.getByRole("textbox", { name: "Program" });
  const click = (name: string) => page.getByRole("button", { name }).click();
  const output = () => page.getByRole("log", { name: "Output" });
  const ended = (status: string) =>
    page
      .getByRole("status")
      .filter({ hasText: new RegExp(`^${status}$`) })
      .waitFor({ timeout: 10_000 });
  const requests = async (): Promise<string[]> =>
    (await page.getByRole("region", { name: "Requests" }).locator("tbody tr").allInnerTexts()).map((row) =>
      row.replace(/[\d.]+ ms/, "").replaceAll(/\s+/g, " "),
    );
  const run = async (program: string): Promise<void> => {
    await editor().fill(program);
    await click("Run");
  };

  it("runs the README's program, and shows its output and its request", async () => {
    await click("Run");
    await ended("Done");
    expect(await output().innerText()).toMatch(/^proj_\w+ provisioning$/);
    expect(await requests()).toEqual([expect.stringMatching(/^POST \/v1\/projects 201/)]);
  });

  it("shows the code, the message, the hint, and the line of the error that a fault causes, until it is switched off", async () => {
    await click("503 Service Unavailable");
    await click("Run");
    await ended("Failed");
    expect(await output().innerText()).toMatch(/^internal:unavailable in line 5\n+.+\n+Hint: .+/);
    expect((await requests()).at(-1)).toMatch(/^POST \/v1\/projects 503 internal:unavailable/);
    await click("503 Service Unavailable");
    await click("Run");
    await ended("Done");
  });

  it("says that a connection was lost", async () => {
    await click("Lost connection");
    await click("Run");
    await ended("Failed");
    expect(await output().innerText()).toMatch(/^connection:failed[^]+Hint: /);
    expect(await requests()).toEqual([expect.stringMatching(/connection lost/)]);
  });

  it("ends a wait when the clock is moved beyond the life of other tokens", async () => {
    await page.getByRole("combobox", { name: "Program" }).selectOption("Wait for a database");
    await click("Run");
    await output()
      .getByText(/^provisioning/)
      .first()
      .waitFor();
    await click("+1 hour");
    await ended("Done");
    expect(await output().innerText()).toMatch(/ ready$/);
  });

  it("stops an endless loop, and runs the next program", async () => {
    await run("console.log('before'); for (;;);");
    await output().getByText("before").waitFor();
    await click("Stop");
    await ended("Stopped");
    expect(await page.getByRole("button", { name: "Stop" }).isDisabled()).toBe(true);
    await run("console.log('after');");
    await ended("Done");
    expect(await output().innerText()).toBe("after");
  });

  it("resets the program, the state, the faults, and the log", async () => {
    await click("503 Service Unavailable");
    await run(`${login}await client.projects.list();`);
    await ended("Failed");
    await click("Reset");
    await page.getByRole("button", { name: "503", pressed: false }).waitFor();
    expect(await requests()).toEqual([]);
    expect(await output().innerText()).toBe("");
    await click("Run");
    await ended("Done");
    await run(`${login}const { data } = await client.projects.list(); console.log(data.length);`);
    await ended("Done");
    expect(await output().innerText()).toBe("1");
  });

  it.each([
    ["a syntax error", "const one = 1;\nconst = 2;\n", /^SyntaxError in line 2\n+Unexpected/],
    ["a name that is declared twice", "let a;\n\nlet a;", /^SyntaxError\n+.*already been declared/],
    ["a thrown error", "\n\nthrow new TypeError('no');", /^TypeError in line 3\n+no$/],
    ["a thrown value", "throw { no: 1 };", /^Thrown\n+\{\n {2}"no": 1\n\}$/],
    [
      "an error in a timer",
      "setTimeout(() => {\n  missing();\n}, 1);",
      /^ReferenceError in line 2\n+missing is not defined$/,
    ],
    ["a promise that nothing handles", "Promise.reject(new Error('lost'));", /^Error in line 1\n+lost$/],
    [
      "a module that is missing",
      'import "node:fs";',
      /^try-it:unknown_module in line 1\n+.*"node:fs"[^]+Hint: Import from @mgmt\/sdk/,
    ],
    [
      "an export that is missing",
      'import { nothing } from "@mgmt/sdk";',
      /^SyntaxError.*\n+.*'@mgmt\/sdk'.*'nothing'/,
    ],
    [
      "a token that is missing",
      'import { createClient } from "@mgmt/sdk";\nawait createClient().projects.list();',
      /Hint: /,
    ],
    [
      "a request to another server",
      "await fetch('https://example.com/');",
      /^TypeError in line 1\n+This page sends no request to https:\/\/example\.com\. Its mock responds at /,
    ],
    ["an argument that is not valid", `${login}await client.projects.create({ name: "" });`, /Hint: /],
  ])("shows %s", async (_what, program, expected) => {
    await run(program);
    await ended("Failed");
    expect(await output().innerText()).toMatch(expected);
  });

  it("lets no program send anything", async () => {
    const attempts = [
      "import('https://example.com/' + 1)",
      `import(${JSON.stringify("data:text/javascript,")} + 1)`,
      "new Promise((done, fail) => { const socket = new WebSocket('wss://example.com'); socket.onopen = done; socket.onerror = fail; })",
      "(async () => eval('1'))()",
      "(async () => new Function('return 1')())()",
    ];
    for (const attempt of attempts) {
      await run(`await ${attempt}.then(() => console.log("done"), () => console.log("refused"));`);
      await ended("Done");
      expect([attempt, await output().innerText()]).toEqual([attempt, "refused"]);
    }
    expect(errors.splice(0).filter((text) => !/Content Security Policy/.test(text))).toEqual([]);
  });

  it("masks secrets in printed objects, and shows none in the requests", async () => {
    await run(
      `${login}const { database } = await client.projects.create({ name: "blog" });
const connection = await client.databases.connections.create(database.id, { name: "app" });
console.log(connection);`,
    );
    await ended("Done");
    expect(await output().innerText()).toContain('"connectionString": "[redacted]"');
    expect(await page.locator("body").innerText()).not.toMatch(/postgres(?:ql)?:\/\/|Bearer|eyJ/);
  });

  it("is used with the keyboard alone", async () => {
    await editor().focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("console.log('typed');");
    await page.keyboard.press("Control+Enter");
    await ended("Done");
    expect(await output().innerText()).toBe("typed");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("Output");
  });

  it("shows at most 1000 lines of a program that prints without end", async () => {
    await run("for (let line = 0; line < 5_000; line += 1) console.log(line);");
    await ended("Done");
    expect(await output().locator("pre").count()).toBe(1_001);
    expect(await output().locator("pre").last().innerText()).toContain("has printed more");
  });

  it("fits a phone and has no accessibility problem", async () => {
    await page.close();
    for (const width of [360, 1280]) {
      await open({ viewport: { width, height: 800 } });
      await run(
        `${login}console.log("x".repeat(200));\nawait client.projects.get("proj_${"x".repeat(24)}");`,
      );
      await ended("Failed");
      expect(await overflow(page)).toBe(0);
      expect(await accessibilityProblems(page)).toEqual([]);
      await saveScreenshot(page, `try-it-${String(width)}`);
      if (width === 360) await page.close();
    }
  });
});
