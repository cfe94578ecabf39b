import { describe, expect, it } from "vitest";
import { findNoBrowserReason } from "./browser.js";

const display = { DISPLAY: ":0" };

describe("a browser on this machine", () => {
  it.each<[NodeJS.ProcessEnv, NodeJS.Platform, string[], string | undefined]>([
    [display, "linux", [], undefined],
    [{ WAYLAND_DISPLAY: "wayland-0" }, "linux", [], undefined],
    [{ WSL_DISTRO_NAME: "Debian" }, "linux", [], undefined],
    [{ BROWSER: "firefox" }, "linux", [], undefined],
    [{}, "linux", [], "there is no display"],
    [{ DISPLAY: "" }, "linux", [], "there is no display"],
    [{}, "darwin", [], undefined],
    [{}, "win32", [], undefined],
    [{ ...display, SSH_CONNECTION: "a" }, "linux", [], "this is an SSH session"],
    [{ SSH_TTY: "/dev/pts/1" }, "darwin", [], "this is an SSH session"],
    [{ SSH_CLIENT: "a" }, "win32", [], "this is an SSH session"],
    [{ ...display, container: "podman" }, "linux", [], "this is a container"],
    [{ ...display, KUBERNETES_SERVICE_HOST: "10.0.0.1" }, "linux", [], "this is a container"],
    [display, "linux", ["/.dockerenv"], "this is a container"],
    [display, "linux", ["/run/.containerenv"], "this is a container"],
    [display, "linux", ["/etc/hosts"], undefined],
  ])("with %j on %s, where %j exist: %s", (env, platform, files, reason) => {
    expect(findNoBrowserReason(env, platform, (path) => files.includes(path))).toBe(reason);
  });
});
