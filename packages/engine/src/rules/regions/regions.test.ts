import { beforeEach, expect, it } from "vitest";
import { Api, unseenResponses } from "../../../test/rules/api.js";

let api: Api;
beforeEach(async () => {
  api = await Api.open();
});

const ids = ["us-east-1", "us-west-1", "eu-west-3", "eu-central-1", "ap-northeast-1", "ap-southeast-1"];

it("lists the regions for Postgres, without pagination", async () => {
  const answer = await api.ok("regions.listPostgres");
  expect(Object.keys(answer)).toEqual(["data"]);
  expect(answer.data.map(({ id }) => id)).toEqual(ids);
  expect(answer.data[3]).toEqual({
    id: "eu-central-1",
    type: "region",
    name: "Europe (Frankfurt)",
    status: "available",
  });
});

it("lists the regions for Accelerate, without a status", async () => {
  const { data } = await api.ok("regions.listAccelerate");
  expect(data.map(({ id }) => id)).toEqual(ids);
  expect(data[3]).toEqual({ id: "eu-central-1", type: "region", name: "Europe (Frankfurt)" });
});

it("lists the regions of all products, or of one", async () => {
  const all = await api.ok("regions.list");
  expect(Object.keys(all)).toEqual(["data"]);
  expect(all.data).toHaveLength(2 * ids.length);
  for (const product of ["postgres", "accelerate"] as const) {
    const { data } = await api.ok("regions.list", { query: { product } });
    expect(data.map(({ id }) => id)).toEqual(ids);
    expect(new Set(data.map((region) => region.product))).toEqual(new Set([product]));
  }
});

it("places databases in every region that it lists", async () => {
  for (const region of ids) {
    const { project, database } = await api.project({ region });
    expect([project.defaultRegion, database.region.id]).toEqual([region, region]);
  }
});

it.each(["product=mysql", "product=", "product=postgres&product=accelerate"])(
  "rejects ?%s with 422",
  async (query) => {
    expect(await api.issues("regions.list", { query })).toEqual(["query/product"]);
  },
);

it("returns every response that the contract lists for regions", () => {
  expect(unseenResponses("regions.list", "regions.listPostgres", "regions.listAccelerate")).toEqual([]);
});
