/** Returns the URL of a service as it is printed: without a user name and a password, also if it is not a valid URL. */
export const stripAddressCredentials = (address: string): string => {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return address.replace(/^(https?:[/\\]*)?.*@/is, "$1");
  if (url.username === "" && url.password === "") return address;
  url.username = "";
  url.password = "";
  return url.href;
};
