import { vi } from "vitest";

/** Milliseconds. A wait ends as soon as its condition holds, so that only failures take this long. */
const patience = 60_000;

const { waitFor } = vi;

const waitForPatiently: typeof waitFor = (callback, options = {}) =>
  waitFor(callback, typeof options === "number" ? options : { timeout: patience, ...options });

// This file is evaluated for each test file, and `vi` is the same for those of a process.
if (waitFor.name !== waitForPatiently.name) vi.waitFor = waitForPatiently;
