/** The part of autocannon that the load generator uses. The package is installed by the first `npm run bench`. */
declare module "autocannon" {
  interface Options {
    url: string;
    method: "GET" | "POST";
    headers: Readonly<Record<string, string>>;
    connections: number;
    /** Seconds. */
    duration: number;
    /** Milliseconds between checks whether the time is over. */
    sampleInt: number;
    maxOverallRequests: number;
    body?: string;
    expectBody?: string;
  }
  interface Result {
    "2xx": number;
    non2xx: number;
    errors: number;
    timeouts: number;
    mismatches: number;
    requests: { total: number };
  }
  function autocannon(options: Options): Promise<Result>;
  export = autocannon;
}
