import { type Interrupted, type Interruptions, words } from "../interrupted.js";
import { withProfiles, withoutCredential } from "../preparations.js";
import { asks, choices, reads, type Shot } from "../shot.js";

export const accountShots: Readonly<Record<string, readonly Shot[]>> = {
  "mgmt login": [
    asks("without a browser", "login --no-browser", /Paste the URL/, { prepare: withoutCredential }),
    asks("with a token", "login --with-token", /token/i, { prepare: withoutCredential }),
  ],
  "mgmt logout": [
    reads("a profile", "logout", { prepare: withProfiles }),
    reads("without a profile", "logout", { prepare: withoutCredential }),
  ],
  "mgmt version": [reads("the version", "version")],
  "mgmt whoami": [
    reads("a user", "whoami"),
    reads("without a credential", "whoami", { prepare: withoutCredential }),
    reads("a service that cannot be reached", "whoami", {
      prepare: ({ variables }) => void (variables["MGMT_BASE_URL"] = "http://127.0.0.1:1"),
    }),
  ],
  "mgmt auth login": [
    asks("without a browser", "auth login --no-browser", /Paste the URL/, { prepare: withoutCredential }),
  ],
  "mgmt auth logout": [reads("a profile", "auth logout", { prepare: withProfiles })],
  "mgmt auth list": [
    reads("profiles", "auth list", { prepare: withProfiles }),
    reads("no profiles", "auth list", { prepare: withoutCredential }),
  ],
  "mgmt auth status": [
    reads("with a token", "auth status"),
    reads("with a profile", "auth status", { prepare: withProfiles }),
  ],
  "mgmt auth token": [reads("without a credential", "auth token", { prepare: withoutCredential })],
  "mgmt auth switch": [
    reads("a profile", "auth switch staging", { prepare: withProfiles }),
    asks("a picker", "auth switch", choices, { prepare: withProfiles }),
    reads("an unknown profile", "auth switch stagin", { prepare: withProfiles }),
  ],
  "mgmt config list": [reads("settings", "config list", { prepare: withProfiles })],
  "mgmt config get": [
    reads("a setting", "config get output", { prepare: withProfiles }),
    reads("an unknown setting", "config get colour", { prepare: withProfiles }),
  ],
  "mgmt config set": [reads("a setting", "config set output json", { prepare: withProfiles })],
  "mgmt config unset": [reads("a setting", "config unset output", { prepare: withProfiles })],
};

const login = (line: string): Interrupted => ({
  line: words(`${line} --no-browser`),
  prepare: withoutCredential,
  shows: /Paste the URL/,
});

export const accountInterruptions: Interruptions = {
  "mgmt login": login("login"),
  "mgmt auth login": login("auth login"),
  "mgmt auth switch": "passive",
};
