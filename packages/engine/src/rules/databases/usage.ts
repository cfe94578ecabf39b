import { databaseErrors } from "./database-errors.js";
import { type OperationCall, preparedHandler } from "../../context/operation-handler.js";
import { timestamp } from "../../values/clock.js";
import { requireAccess } from "../../request/resource-access.js";
import type { Usage } from "../../generated/schemas.js";
import type { DatabaseRow } from "../../store/rows.js";

const day = 86_400_000;
const gibibyte = 1024 ** 3;

export interface Period {
  start: number;
  end: number;
}

const isDay = (date: string): boolean => !date.includes(":");

/** Reads the period. A date without a time means its first millisecond in `startDate` and its last in `endDate`. */
const readPeriod = ({ context, query }: OperationCall<"databases.usage.get">): Period => {
  const { startDate, endDate } = query;
  const end =
    endDate === undefined ? context.clock.now() : readTime(endDate) + (isDay(endDate) ? day - 1 : 0);
  return { start: startDate === undefined ? firstOfMonth(end) : readTime(startDate), end };
};

const leapSecond = /:60(?=\.\d|[zZ+-]|$)/;

/**
 * Reads a date or time of [RFC 3339](https://www.rfc-editor.org/rfc/rfc3339#section-5.6). JavaScript has no leap second;
 * one is read as the second after it.
 */
const readTime = (text: string): number =>
  leapSecond.test(text) ? Date.parse(text.replace(leapSecond, ":59")) + 1_000 : Date.parse(text);

const firstOfMonth = (time: number): number => {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
};

/**
 * Returns whether the database existed in the period. If so, the period reports all usage, because engines store no
 * history.
 */
const isMeasured = (call: OperationCall, { made, createdAt }: DatabaseRow, { start, end }: Period): boolean =>
  made && createdAt <= end && start <= call.context.clock.now();

const checkUsage = (
  call: OperationCall<"databases.usage.get">,
): { period: Period; database: DatabaseRow } => {
  const period = readPeriod(call);
  if (period.end < period.start) throw databaseErrors.invalidUsageRange("The period ends before it starts");
  return { period, database: requireAccess(call, "database", call.path.databaseId) };
};

export const usageHandlers = {
  "databases.usage.get": preparedHandler("databases.usage.get", {
    prepare: {
      plan: (call) => {
        const { period, database } = checkUsage(call);
        return isMeasured(call, database, period) ? database.id : null;
      },
      work: ({ databases }, databaseId) =>
        databaseId === null ? Promise.resolve({ bytes: 0, operations: 0 }) : databases.usage(databaseId),
    },
    check: (call, measured) => ({ ...checkUsage(call), measured }),
    act: ({ context }, { period, measured: { bytes, operations } }) => {
      const usage: Usage = {
        period: { start: timestamp(period.start), end: timestamp(period.end) },
        metrics: {
          operations: { used: operations, unit: "ops" },
          storage: { used: bytes / gibibyte, unit: "GiB" },
        },
        generatedAt: timestamp(context.clock.now()),
      };
      return { status: 200, body: usage };
    },
  }),
};
