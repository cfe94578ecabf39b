import { describe, expect, it } from "vitest";
import type { Binaries } from "./binaries.js";
import { type SettingsOptions, buildServerParameters } from "./settings.js";

const settingsOf = (major: number, options: Partial<SettingsOptions> = {}): Record<string, string> => {
  // The settings depend on nothing else.
  const binaries = { major } as Partial<Binaries> as Binaries;
  const parameters = buildServerParameters(binaries, { port: 5432, isDurable: true, ...options });
  const flags = parameters.filter((_, index) => index % 2 === 0);
  expect(new Set(flags)).toEqual(new Set(["-c"]));
  return Object.fromEntries(
    parameters
      .filter((_, index) => index % 2 === 1)
      .map((setting) => {
        const end = setting.indexOf("=");
        return [setting.slice(0, end), setting.slice(end + 1)];
      }),
  );
};

describe("the settings of Postgres", () => {
  it("listen on loopback only, and print no secrets", () => {
    expect(settingsOf(18)).toMatchObject({
      port: "5432",
      listen_addresses: "127.0.0.1",
      unix_socket_directories: ".",
      password_encryption: "scram-sha-256",
      log_min_error_statement: "panic",
      log_error_verbosity: "terse",
    });
  });

  it.each([
    [true, { fsync: "on", full_page_writes: "on", synchronous_commit: "on", temp_file_limit: "10GB" }],
    [false, { fsync: "off", full_page_writes: "off", synchronous_commit: "on", temp_file_limit: "1GB" }],
  ])("follow whether data must survive a power failure: %s", (isDurable, settings) => {
    expect(settingsOf(18, { isDurable })).toMatchObject(settings);
  });

  it.each([
    ["max_notify_queue_pages", 17],
    ["io_method", 18],
    ["log_startup_progress_interval", 15],
  ])("have %s from version %s on", (name, major) => {
    expect(settingsOf(major)).toHaveProperty(name);
    expect(settingsOf(major - 1)).not.toHaveProperty(name);
  });

  it("clone files only where the file system can", () => {
    expect(settingsOf(18, { copyMethod: "clone" })).toMatchObject({ file_copy_method: "clone" });
    expect(settingsOf(18, { copyMethod: "copy" })).not.toHaveProperty("file_copy_method");
  });

  it("name the folder with control files of extensions, if there is one", () => {
    expect(settingsOf(18, { extensionDirectory: "/x" })).toMatchObject({
      extension_control_path: "/x:$system",
    });
    expect(settingsOf(18)).not.toHaveProperty("extension_control_path");
  });
});
