import * as sdk from "@mgmt/sdk";
import * as auth from "@mgmt/sdk/auth";
import * as node from "@mgmt/sdk/node";
import * as partial from "@mgmt/sdk/partial";
import * as mock from "@mgmt/mock";
import * as server from "@mgmt/mock/server";
import { defineTests } from "./use.cjs";

const { test } = "test" in globalThis ? globalThis : await import("node:test");
defineTests(test, { sdk, auth, node, partial, mock, server });
