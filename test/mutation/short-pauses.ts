import { beforeEach, vi } from "vitest";

// Pauses between retries are random, up to half a second. The tests of the pauses choose their own numbers.
beforeEach(() => {
  vi.spyOn(Math, "random").mockReturnValue(0.01);
});
