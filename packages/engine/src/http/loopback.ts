import { BlockList, isIP } from "node:net";

const loopbackAddresses = new BlockList();
loopbackAddresses.addSubnet("127.0.0.0", 8);
loopbackAddresses.addAddress("::1", "ipv6");

/**
 * Returns whether only this machine can reach a server that listens on the host: `localhost`, an address of 127.0.0.0/8, `::1`
 * or the IPv4-mapped form of either, with or without brackets. Every other name is rejected without being resolved.
 */
export const isLoopbackHost = (host: string): boolean => {
  const name = host.toLowerCase();
  if (name === "localhost") return true;
  const address = /^\[(.*)\]$/.exec(name)?.[1] ?? name;
  const version = isIP(address);
  return version !== 0 && loopbackAddresses.check(address, version === 4 ? "ipv4" : "ipv6");
};
