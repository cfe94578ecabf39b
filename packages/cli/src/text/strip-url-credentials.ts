/** Returns the URL of a service as it is printed: without a user name and a password, also if it is not a valid URL. */
export const stripUrlCredentials = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return text.replace(/^(https?:[/\\]*)?.*@/is, "$1");
  if (url.username === "" && url.password === "") return text;
  url.username = "";
  url.password = "";
  return url.href;
};
