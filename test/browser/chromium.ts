import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Browser, type BrowserContext, chromium } from "playwright-core";

/** Chromium without windows, in which a page costs a third of the processor time. */
const shell = "/usr/bin/chromium-headless-shell";

const candidates = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** Variable with the address of the Chromium that the files of a run share. */
export const endpointVariable = "MGMT_TEST_CHROMIUM";

/**
 * Connects to the Chromium of this run, or launches the one that `CHROMIUM` names, or the system's, without windows where it can. Throws if
 * there is none.
 */
export const launchChromium = (): Promise<Browser> => {
  const endpoint = process.env[endpointVariable];
  return endpoint === undefined ? chromium.launch(launchOptions()) : chromium.connect(endpoint);
};

/** Launches Chromium in which only the tab in front is visible. Playwright tells each page of a Chromium that it launches that it is. */
export const launchWithHiddenTabs = async (): Promise<BrowserContext> => {
  const profile = await mkdtemp(join(tmpdir(), "mgmt-profile-"));
  const { executablePath, args } = windowOptions();
  const debugging = ["--headless", "--remote-debugging-port=0", `--user-data-dir=${profile}`];
  const program = spawn(executablePath, [...args, ...debugging], { stdio: ["ignore", "ignore", "pipe"] });
  program.once("exit", () => void rm(profile, { recursive: true, force: true, maxRetries: 20 }));
  let address: string | undefined;
  for await (const line of createInterface({ input: program.stderr })) {
    [, address] = /^DevTools listening on (\S+)$/.exec(line) ?? [];
    if (address !== undefined) break;
  }
  if (address === undefined) throw new Error("Chromium has ended before it listened");
  program.stderr.resume();
  const browser = await chromium.connectOverCDP(address, { noDefaults: true });
  const [context] = browser.contexts();
  if (!context) throw new Error("Chromium has no window");
  context.on("close", () => void program.kill());
  return context;
};

/** Launches Chromium with a profile whose user blocks cookies, and with them the storage of every page. */
export const launchWithBlockedStorage = async (): Promise<BrowserContext> => {
  const profile = await mkdtemp(join(tmpdir(), "mgmt-profile-"));
  await mkdir(join(profile, "Default"));
  const preferences = { profile: { default_content_setting_values: { cookies: 2 } } };
  await writeFile(join(profile, "Default/Preferences"), JSON.stringify(preferences));
  const context = await chromium.launchPersistentContext(profile, windowOptions());
  // Processes of the browser may outlive its window, and still write.
  context.on("close", () => void rm(profile, { recursive: true, force: true, maxRetries: 20 }));
  return context;
};

/** Returns the path of the Chromium that `CHROMIUM` names, or of the system's, without windows where it can. Throws if there is none. */
export const chromiumPath = (): string => findProgram([shell, ...candidates]);

/** Returns how to launch the Chromium of {@link chromiumPath}. */
export const launchOptions = () => optionsOf(chromiumPath());

/** Returns how to launch a Chromium with windows, whose tabs can be hidden, and which reads the preferences of a profile. */
const windowOptions = () => optionsOf(findProgram(candidates));

const findProgram = (paths: readonly string[]): string => {
  const path = process.env["CHROMIUM"] ?? paths.find((each) => existsSync(each));
  if (path !== undefined) return path;
  throw new Error("Chromium not found: install the Debian package chromium, or set CHROMIUM to its path");
};

const optionsOf = (executablePath: string) => {
  // Chromium's sandbox does not work for root.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return { executablePath, args };
};
