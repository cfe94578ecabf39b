import { errors } from "../../values/errors.js";
import { type OperationCall, definePreparedHandler } from "../../context/operation-handler.js";
import { formatTimestamp } from "../../values/clock.js";
import { requireAccess } from "../../request/resource-access.js";
import type { Usage } from "../../generated/schemas.js";
import type { DatabaseRow } from "../../store/rows.js";

const dayMs = 86_400_000;
const gibibyte = 1024 ** 3;

/** The period that a usage report is about. Times are in milliseconds since 1970. */
export interface UsagePeriod {
  start: number;
  end: number;
}

const isDateOnly = (date: string): boolean => !date.includes(":");

/** Reads the period. A date without a time means its first millisecond in `startDate` and its last in `endDate`. */
const parsePeriod = ({ context, query }: OperationCall<"databases.usage.get">): UsagePeriod => {
  const { startDate, endDate } = query;
  const end =
    endDate === undefined ? context.clock.now() : parseTime(endDate) + (isDateOnly(endDate) ? dayMs - 1 : 0);
  return { start: startDate === undefined ? computeStartOfMonth(end) : parseTime(startDate), end };
};

const leapSecondPattern = /:60(?=\.\d|[zZ+-]|$)/;

/**
 * Reads a date or time of [RFC 3339](https://www.rfc-editor.org/rfc/rfc3339#section-5.6). JavaScript has no leap second;
 * one is read as the second after it.
 */
const parseTime = (isoTime: string): number =>
  leapSecondPattern.test(isoTime)
    ? Date.parse(isoTime.replace(leapSecondPattern, ":59")) + 1_000
    : Date.parse(isoTime);

const computeStartOfMonth = (time: number): number => {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
};

/**
 * Returns whether the database existed in the period. If so, the period reports all usage, because engines store no
 * history.
 */
const existedInPeriod = (
  call: OperationCall,
  { made, createdAt }: DatabaseRow,
  { start, end }: UsagePeriod,
): boolean => made && createdAt <= end && start <= call.context.clock.now();

const checkUsage = (
  call: OperationCall<"databases.usage.get">,
): { period: UsagePeriod; database: DatabaseRow } => {
  const period = parsePeriod(call);
  if (period.end < period.start) throw errors["usage:invalid_range"]();
  return { period, database: requireAccess(call, "database", call.path.databaseId) };
};

/** The handler of the operation that reports the usage of a database. */
export const usageHandlers = {
  "databases.usage.get": definePreparedHandler("databases.usage.get", {
    prepare: {
      plan: (call) => {
        const { period, database } = checkUsage(call);
        return existedInPeriod(call, database, period) ? database.id : null;
      },
      work: ({ databases }, databaseId) =>
        databaseId === null ? Promise.resolve({ bytes: 0, operations: 0 }) : databases.readUsage(databaseId),
    },
    check: (call, measuredUsage) => ({ ...checkUsage(call), measured: measuredUsage }),
    execute: ({ context }, { period, measured: { bytes, operations } }) => {
      const usage: Usage = {
        period: { start: formatTimestamp(period.start), end: formatTimestamp(period.end) },
        metrics: {
          operations: { used: operations, unit: "ops" },
          storage: { used: bytes / gibibyte, unit: "GiB" },
        },
        generatedAt: formatTimestamp(context.clock.now()),
      };
      return { status: 200, body: usage };
    },
  }),
};
