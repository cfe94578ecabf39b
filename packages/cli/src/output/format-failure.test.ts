import { expect, it } from "vitest";
import { formatFailure } from "./format-failure.js";
import { plainStyle } from "./style.js";

it.each([
  [
    "platform:test_setup_failed",
    "It failed: it exited with status 1: migrate\nline 1\n\u001b[2Jhint: none\n  at line 3",
    "error: It failed: it exited with status 1: migrate (platform:test_setup_failed)\n  line 1\n  \\u001b[2Jhint: none\n    at line 3",
  ],
  ["platform:test_setup_timeout", "It timed out", "error: It timed out (platform:test_setup_timeout)"],
  ["database:failed", "It failed\nhint: none", "error: It failed hint: none (database:failed)"],
])("keeps the lines of the output of a program only, for %s", (code, message, text) => {
  expect(formatFailure({ code, message }, plainStyle)).toBe(text);
});
