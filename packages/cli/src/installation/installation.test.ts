import { expect, it } from "vitest";
import { describeStandaloneUpdate } from "./installation.js";

it.each([
  ["/opt/homebrew/Cellar/mgmt/0.1.0/bin/mgmt", "To update, run: brew upgrade mgmt"],
  ["C:\\Users\\ada\\scoop\\apps\\mgmt\\current\\mgmt.exe", "To update, run: scoop update mgmt"],
  [
    "C:\\Users\\ada\\AppData\\Local\\Microsoft\\WinGet\\Packages\\MgmtSdk.Mgmt_Source\\mgmt.exe",
    "To update, run: winget upgrade MgmtSdk.Mgmt",
  ],
  ["/usr/local/bin/mgmt", "Download it from https://github.com/mgmt-sdk/mgmt/releases/tag/v99.0.0"],
])("updates the standalone program with the package manager whose folder it is in: %s", (file, sentence) => {
  expect(describeStandaloneUpdate(file, "99.0.0")).toBe(sentence);
});
