import { existsSync } from "node:fs";
import type { Context } from "../run/context.js";

/** What systems of containers leave in each of theirs. */
const markers = ["/.dockerenv", "/run/.containerenv"];

/** Why no browser on this machine can come back to this process; undefined when one should. */
export const whyNoBrowser = (
  env: NodeJS.ProcessEnv,
  system: NodeJS.Platform = process.platform,
  isThere: (path: string) => boolean = existsSync,
): string | undefined => {
  if (env["SSH_CONNECTION"] || env["SSH_TTY"] || env["SSH_CLIENT"]) return "this is an SSH session";
  const isContainer = env["container"] || env["KUBERNETES_SERVICE_HOST"] || markers.some(isThere);
  if (isContainer) return "this is a container";
  const hasDisplay = env["DISPLAY"] || env["WAYLAND_DISPLAY"] || env["WSL_DISTRO_NAME"] || env["BROWSER"];
  return system === "linux" && !hasDisplay ? "there is no display" : undefined;
};

/** Opens the address, and prints it too: whether a browser has really come up cannot be told. */
export const openBrowser = async (url: string, { output }: Pick<Context, "output">): Promise<void> => {
  const message = `Opening your browser. If it does not come up, go to:\n\n  ${url}\n\nWaiting for it to come back…`;
  output.notice({ code: "login:address", message, url });
  try {
    const { default: open } = await import("open");
    const child = await open(url);
    child.on("error", () => undefined);
  } catch {
    // The address stands there.
  }
};
