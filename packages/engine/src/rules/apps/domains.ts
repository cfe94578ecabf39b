const appsDomain = "apps.mgmt.example";

/** Returns a name in lower-case letters, digits and single hyphens, as a DNS label allows. */
const toDnsLabel = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replaceAll(/^-|-$/g, "");

const shortenId = (id: string): string => id.slice(id.indexOf("_") + 1).slice(0, 12);

/** Returns the domain that serves the promoted deployment. It does not change when the app is renamed. */
export const buildAppDomain = (appId: string, name: string): string =>
  `${[toDnsLabel(name), shortenId(appId)].filter((part) => part !== "").join("-")}.${appsDomain}`;

/** Returns the domain that serves one deployment. */
export const buildPreviewDomain = (deploymentId: string): string =>
  `dpl-${shortenId(deploymentId)}.${appsDomain}`;
