import { createClient } from "@mgmt/sdk";
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, ConsoleSpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { traceClient } from "./trace-client.js";

/** Prints the spans of two calls, of which one fails. An app sends them to its collector with another exporter. */
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
const provider = new BasicTracerProvider({
  spanProcessors: [new SimpleSpanProcessor(new ConsoleSpanExporter())],
});
trace.setGlobalTracerProvider(provider);
const stop = traceClient();

const client = createClient();
await client.projects.list({ limit: 10 });
await client.projects.get("proj_gone").catch(() => undefined); // its span has the error

stop();
await provider.shutdown();
