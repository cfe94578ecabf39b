import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";
import { platformErrors } from "../errors/platform-error.js";

/**
 * Refuses to start without the IPv4 loopback address, on which the databases listen: the interface is down, or has only IPv6.
 *
 * @param readInterfaces returns the interfaces that are up. Default: the network interfaces of this machine.
 * @throws PlatformError `platform:unsupported_system`.
 */
export const rejectMissingLoopback = (
  readInterfaces: () => NodeJS.Dict<NetworkInterfaceInfo[]> = networkInterfaces,
): void => {
  let addresses: string[];
  try {
    addresses = Object.values(readInterfaces()).flatMap(
      (interfaces) => interfaces?.map(({ address }) => address) ?? [],
    );
  } catch {
    // A sandbox may hide the interfaces.
    return;
  }
  if (!addresses.some((address) => address.startsWith("127."))) throw platformErrors.noLoopback();
};
