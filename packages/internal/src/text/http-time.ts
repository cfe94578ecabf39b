/**
 * Reads an HTTP date in one of the three forms that a recipient has to accept. See
 * https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7. Returns milliseconds since 1970, or NaN for any other text.
 */
export const parseHttpDate = (headerValue: string): number => {
  const date = headerValue
    .replace(
      /^(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (\d\d)-(\w{3})-(\d\d) /,
      (_, weekday: string, day: string, month: string, year: string) =>
        `${weekday.slice(0, 3)}, ${day} ${month} ${String(expandYear(Number(year)))} `,
    )
    .replace(
      /^(\w{3}) (\w{3}) ([ \d]\d) ([\d:]{8}) (\d{4})$/,
      (_, weekday: string, month: string, day: string, time: string, year: string) =>
        `${weekday}, ${day.replace(" ", "0")} ${month} ${year} ${time} GMT`,
    );
  const time = Date.parse(date);
  // `Date.parse` accepts nearly everything; the preferred form is exactly the output of `toUTCString`.
  return new Date(time).toUTCString() === date ? time : NaN;
};

/**
 * Returns the year for its last two digits. The year is at most 50 years in the future. See
 * https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7.
 */
const expandYear = (twoDigitYear: number): number => {
  const thisYear = new Date().getUTCFullYear();
  const year = thisYear - (thisYear % 100) + twoDigitYear;
  return year > thisYear + 50 ? year - 100 : year;
};

/**
 * Reads `Retry-After`: a number of seconds, which may have a fraction, or a date. A header that was sent more than once asks for
 * the longest time. Returns whole seconds from now, at least the time that was asked for, or undefined for any other text.
 */
export const parseRetryAfter = (headerValue: string): number | undefined => {
  // The comma in a date stands before its day.
  const values = headerValue.split(/,(?!\s*\d\d[ -]\w)/).map((value) => value.trim());
  const seconds = values.map((value) =>
    /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : (parseHttpDate(value) - Date.now()) / 1_000,
  );
  const maxSeconds = Math.ceil(Math.max(0, ...seconds));
  return Number.isNaN(maxSeconds) ? undefined : maxSeconds;
};
