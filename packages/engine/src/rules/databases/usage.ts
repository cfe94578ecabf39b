import { type Call, behavior } from "../../request/behavior.js";
import { timestamp } from "../../time/clock.js";
import { errors } from "../../request/errors.js";
import { reach } from "../../request/reach.js";
import type { Usage } from "../../generated/schemas.js";
import type { DatabaseRow } from "../../store/rows.js";

const day = 86_400_000;
const gibibyte = 1024 ** 3;

export interface Period {
  start: number;
  end: number;
}

const isDay = (date: string): boolean => !date.includes(":");

/** A day stands for its first instant as a start, and for its last one as an end. */
const readPeriod = ({ world, query }: Call<"databases.usage.get">): Period => {
  const { startDate, endDate } = query;
  const end =
    endDate === undefined ? world.clock.now() : Date.parse(endDate) + (isDay(endDate) ? day - 1 : 0);
  return { start: startDate === undefined ? firstOfMonth(end) : Date.parse(startDate), end };
};

const firstOfMonth = (time: number): number => {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
};

/**
 * The database engine counts from the database's beginning, and keeps no history: a period that the database lived in has
 * all of it, any other nothing. A database that has not been made has used nothing.
 */
const measure = async (
  { world }: Call,
  { id, made, createdAt }: DatabaseRow,
  { start, end }: Period,
): Promise<{ bytes: number; operations: number }> =>
  made && createdAt <= end && start <= world.clock.now()
    ? world.databaseEngine.usage(id)
    : { bytes: 0, operations: 0 };

export const usageBehaviors = {
  "databases.usage.get": behavior("databases.usage.get", {
    check: (call) => {
      const period = readPeriod(call);
      if (period.end < period.start) throw errors.invalidUsageRange("The period ends before it starts");
      return { period, database: reach(call, "database", call.path.databaseId) };
    },
    act: async (call, { period, database }) => {
      const { bytes, operations } = await measure(call, database, period);
      const usage: Usage = {
        period: { start: timestamp(period.start), end: timestamp(period.end) },
        metrics: {
          operations: { used: operations, unit: "ops" },
          storage: { used: bytes / gibibyte, unit: "GiB" },
        },
        generatedAt: timestamp(call.world.clock.now()),
      };
      return { status: 200, body: usage };
    },
  }),
};
