import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from "vitest";
import { bin, ensureBuilt } from "../../packages/cli/test/bin.js";
import { type Result, run } from "../../packages/cli/test/terminal.js";
import { launchChromium } from "./chromium.js";
import { accessibilityProblems, browserErrorsOf, saveScreenshot, overflow } from "./page-checks.js";

describe("mgmt login in Chromium against mgmt dev", () => {
  let browser: Browser;
  let page: Page;
  let folder: string;
  let urlFile: string;
  let signInKey: string;
  let end: () => Promise<unknown>;
  beforeAll(async () => {
    await ensureBuilt();
    browser = await launchChromium();
    folder = mkdtempSync(join(tmpdir(), "mgmt-login-"));
    urlFile = join(folder, "address");
    // The program that BROWSER names: it passes the URL to this test's Chromium.
    writeFileSync(
      join(folder, "browser.sh"),
      `#!/bin/sh\nprintf %s "$1" > "${urlFile}.part" && mv "${urlFile}.part" "${urlFile}"\n`,
      { mode: 0o700 },
    );
    const dev = spawn(process.execPath, [bin, "dev", "--ephemeral", "--port", "0", "-o", "json"], {
      env: { PATH: process.env["PATH"], HOME: process.env["HOME"], MGMT_CONFIG_DIR: folder },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const closed = new Promise((resolve) => dev.once("close", resolve));
    end = () => (dev.kill("SIGTERM"), closed);
    const line = await Promise.race([
      new Promise<string>((resolve) => dev.stdout.setEncoding("utf8").once("data", resolve)),
      closed.then(() => "{}"),
    ]);
    // The ready line.
    const { signInKeyFile = "" } = JSON.parse(line) as { signInKeyFile?: string };
    signInKey = readFileSync(signInKeyFile, "utf8");
  });
  beforeEach(async () => {
    rmSync(urlFile, { force: true });
    page = await browser.newPage();
  });
  afterEach(() => page.context().close());
  afterAll(async () => {
    await browser.close();
    await end();
    rmSync(folder, { recursive: true });
  });

  const mgmt = (...words: string[]): Promise<Result> =>
    run(words, { env: { MGMT_CONFIG_DIR: folder, BROWSER: join(folder, "browser.sh") } });
  const address = async (): Promise<string> => {
    await expect.poll(() => existsSync(urlFile), { timeout: 30_000 }).toBe(true);
    return readFileSync(urlFile, "utf8");
  };

  it("stores a profile that mgmt whoami can use", async () => {
    const login = mgmt("login", "--browser", "-o", "json");
    const errors = browserErrorsOf(page);
    const sent: string[] = [];
    page.on("request", (request) => sent.push(JSON.stringify([request.url(), request.headers()])));
    await page.goto(await address());
    await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
    // The page that the command opened sent the key. It stays neither in the address nor in a header.
    expect(page.url()).not.toContain("signInKey");
    expect(sent.filter((request) => request.includes(signInKey))).toEqual([]);
    await saveScreenshot(page, "login-sign-in");
    await page.getByRole("button", { name: "Grace Hopper" }).click();
    await page.getByRole("heading", { name: /asks for access/ }).waitFor();
    await saveScreenshot(page, "login-consent");
    await page.getByRole("button", { name: "Allow" }).click();
    await page.waitForURL(/^http:\/\/127\.0\.0\.1:\d+\/(?!authorize)/);
    await saveScreenshot(page, "login-closing");
    expect(await overflow(page)).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(errors).toEqual([]);

    const { status, json, stdout, stderr } = await login;
    expect({ status, json }).toMatchObject({
      status: 0,
      json: {
        profile: expect.stringMatching(/^ephemeral-\d+$/),
        user: "grace@example.com",
        workspace: "Compilers",
      },
    });
    const file = join(folder, "config.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    // The command's own file.
    const { active, profiles } = JSON.parse(readFileSync(file, "utf8")) as {
      active: string;
      profiles: Record<string, { login?: { accessToken: string; refreshToken: string } }>;
    };
    const stored = profiles[active]?.login;
    const code = new URL(page.url()).searchParams.get("code");
    for (const secret of [stored?.accessToken ?? "", stored?.refreshToken ?? "", code]) {
      if (secret === null) continue;
      expect(secret.length).toBeGreaterThan(20);
      expect(stdout + stderr).not.toContain(secret);
    }
    const who = await mgmt("whoami", "-o", "json");
    expect(who).toMatchObject({
      status: 0,
      json: { user: { email: "grace@example.com" }, credential: { type: "oauth" } },
    });
  });

  it("asks a browser that another program sent for the key, once", async () => {
    const login = mgmt("login", "--browser", "-o", "json");
    const redirect = readFileSync(fileURLToPath(await address()), "utf8");
    const [, target = ""] = /href="([^"]*)"/.exec(redirect) ?? [];
    const [url = ""] = target.replaceAll("&#38;", "&").split("#");
    await page.goto(url);
    expect(await page.locator("input").count()).toBe(1);
    expect(await accessibilityProblems(page)).toEqual([]);
    for (const width of [320, 1440]) {
      await page.setViewportSize({ width, height: 768 });
      expect(await overflow(page)).toBe(0);
      await saveScreenshot(page, `sign-in-key-${String(width)}`);
    }
    await page.getByLabel("Sign-in key").fill("wrong");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("This is not the sign-in key").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await saveScreenshot(page, "sign-in-key-wrong");
    await page.getByLabel("Sign-in key").fill(signInKey);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Grace Hopper" }).waitFor();
    // A browser that is signed in does not need the key in the address, and removes it.
    await page.goto("about:blank");
    await page.goto(`${url}#signInKey=${signInKey}`);
    await page.getByRole("button", { name: "Cancel" }).waitFor();
    expect(page.url()).toBe(url);
    await page.getByRole("button", { name: "Cancel" }).click();
    expect((await login).status).toBe(4);
  });

  it("reports a denial in the browser and the terminal, and keeps the previous login", async () => {
    const file = join(folder, "config.json");
    const before = readFileSync(file, "utf8");
    const login = mgmt("login", "--browser", "-o", "json");
    await page.goto(await address());
    await page.getByRole("button", { name: "Ada Lovelace" }).click();
    await page.getByRole("button", { name: "Deny" }).click();
    await page.waitForURL(/^http:\/\/127\.0\.0\.1:\d+\/(?!authorize)/);
    await saveScreenshot(page, "login-denied");
    expect(await accessibilityProblems(page)).toEqual([]);
    const { status, stderr } = await login;
    expect({ status, stderr }).toEqual({ status: 4, stderr: expect.stringContaining("auth:denied") });
    expect(readFileSync(file, "utf8")).toBe(before);
  });
});
