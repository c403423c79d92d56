import { type Span as OpenTelemetrySpan, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { Operation, Span, Spans } from "./createObserver.ts";

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

/**
 * Opens the export of spans over OTLP. The SDK reads its standard environment variables: endpoint, headers, sampler,
 * service name, batches. Only this file loads it, and only a process with traces imports this file.
 *
 * The provider is not registered globally: libraries that use OpenTelemetry on their own add no spans, whose attributes
 * this service does not control.
 */
export function openSpans(): Spans {
  const resource = defaultResource()
    .merge(resourceFromAttributes({ "service.name": "slipway" }))
    .merge(detectResources({ detectors: [envDetector] }));
  const provider = new BasicTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const tracer = provider.getTracer("slipway");
  const opened = new WeakMap<Span, OpenTelemetrySpan>();
  return {
    start: ({ kind, name, attributes = {} }: Operation, parent) => {
      const above = parent === null ? undefined : opened.get(parent);
      const context = above === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, above);
      const started = tracer.startSpan(name, { kind: kinds[kind], attributes }, context);
      const span: Span = {
        end: ({ name: finalName, attributes: more = {}, failure }) => {
          if (finalName !== undefined) started.updateName(finalName);
          started.setAttributes(more);
          if (failure !== null) {
            started.setAttribute("error.type", failure);
            started.setStatus({ code: SpanStatusCode.ERROR });
          }
          started.end();
        },
      };
      opened.set(span, started);
      return span;
    },
    stop: async () => await provider.shutdown(),
  };
}
