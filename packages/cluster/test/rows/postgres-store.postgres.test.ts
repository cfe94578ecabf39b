import { describe } from "vitest";
import { describeLookups } from "../../../engine/test/store/lookup-conformance.js";
import { describeModel } from "../../../engine/test/store/model-properties.js";
import { describePages } from "../../../engine/test/store/page-conformance.js";
import { describeRows } from "../../../engine/test/store/store-conformance.js";
import { StoreCluster } from "./store-cluster.js";

const cluster = new StoreCluster();

describe("the Postgres store", () => {
  describeRows(cluster.open);
  describeLookups(cluster.open);
  describePages(cluster.open);
  describeModel(cluster.open, 3);
});
