import type { NetworkInterfaceInfo } from "node:os";
import { expect, it } from "vitest";
import { rejectMissingLoopback } from "./loopback.js";

const interfaceAt = (address: string, family: "IPv4" | "IPv6"): NetworkInterfaceInfo[] => {
  const common = { address, netmask: "", mac: "", internal: true, cidr: null };
  return [family === "IPv4" ? { ...common, family } : { ...common, family, scopeid: 0 }];
};

it.each([
  ["that is down", {}],
  ["that has only IPv6", { lo: interfaceAt("::1", "IPv6") }],
  ["beside another interface", { eth0: interfaceAt("192.0.2.1", "IPv4") }],
])("refuses a loopback interface %s", (_, interfaces) => {
  expect(() => rejectMissingLoopback(() => interfaces)).toThrow(
    expect.objectContaining({
      code: "platform:unsupported_system",
      message: expect.stringContaining("127.0.0.1"),
      hint: expect.stringContaining("ip link set lo up"),
    }),
  );
});

it("accepts this machine, and a sandbox that does not tell", () => {
  rejectMissingLoopback();
  rejectMissingLoopback(() => {
    throw new Error("uv_interface_addresses returned EPERM");
  });
});
