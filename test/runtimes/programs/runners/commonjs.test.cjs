const { defineTests } = require("./use.cjs");

defineTests(globalThis.test ?? require("node:test").test, {
  sdk: require("@mgmt/sdk"),
  partial: require("@mgmt/sdk/partial"),
  node: require("@mgmt/sdk/node"),
  auth: require("@mgmt/sdk/auth"),
  mock: require("@mgmt/mock"),
  server: require("@mgmt/mock/server"),
});
