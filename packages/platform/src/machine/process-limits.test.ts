import { describe, expect, it } from "vitest";
import { assertLimits } from "./process-limits.js";

/** Soft limits as `/proc/self/limits` has them. The hard ones decide nothing. */
const limits = ({ files = "1024", processes = "4096", size = "unlimited" }): string =>
  [
    "Limit                     Soft Limit           Hard Limit           Units     ",
    `Max file size             ${size}            1                    bytes     `,
    `Max processes             ${processes}                 1                    processes `,
    `Max open files            ${files}                 1                    files     `,
  ].join("\n");

describe("the limits of a process", () => {
  it.each([
    limits({ files: "256" }),
    limits({ processes: "64" }),
    limits({ size: String(1024 ** 3) }),
    limits({ files: "unlimited", processes: "unlimited" }),
    "",
  ])("are enough: %j", (limitsText) => {
    expect(() => assertLimits(limitsText)).not.toThrow();
  });

  it.each([
    [{ files: "255" }, "platform:open_files_limit"],
    [{ processes: "63" }, "platform:process_limit"],
    [{ size: String(1024 ** 3 - 1) }, "platform:file_size_limit"],
  ])("are too low: %j", (changed, code) => {
    expect(() => assertLimits(limits(changed))).toThrow(expect.objectContaining({ code }));
  });
});
