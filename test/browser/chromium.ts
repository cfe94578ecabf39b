import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const candidates = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** Launches the Chromium that `CHROMIUM` names, or the system's. Throws if there is none. */
export const launchChromium = (): Promise<Browser> => {
  const executablePath = process.env["CHROMIUM"] ?? candidates.find((path) => existsSync(path));
  if (executablePath === undefined) {
    throw new Error("Chromium not found: install the Debian package chromium, or set CHROMIUM to its path");
  }
  // Chromium's sandbox does not work for root.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath, args });
};
