// Spans as OpenTelemetry's protocol writes them in JSON (OTLP/HTTP, POST /v1/traces). Pure.

export type AttributeValue = string | number | boolean

export interface Span {
  /** 32 and 16 hexadecimal digits. */
  traceId: string
  spanId: string
  name: string
  kind: 'internal' | 'client'
  /** Milliseconds since 1970. */
  startMs: number
  endMs: number
  outcome: 'success' | 'failure'
  /** Why it failed. */
  reason?: string | undefined
  /** Undefined values are left out. */
  attributes: Readonly<Record<string, AttributeValue | undefined>>
}

export interface TelemetrySource {
  version: string
  /** Which configuration. */
  repository: string
}

const KINDS = { internal: 1, client: 3 } as const
const STATUS_OK = 1
const STATUS_ERROR = 2
const LONGEST = 1_000

export function toOtlp(spans: readonly Span[], { version, repository }: TelemetrySource): object {
  const resource = { 'service.name': 'ao', 'service.version': version, 'ao.repository': repository }
  return {
    resourceSpans: [
      {
        resource: { attributes: toAttributes(resource) },
        scopeSpans: [{ scope: { name: 'ao', version }, spans: spans.map(toSpan) }],
      },
    ],
  }
}

function toSpan({ traceId, spanId, name, kind, startMs, endMs, outcome, reason, attributes }: Span): object {
  const status =
    outcome === 'success' ? { code: STATUS_OK } : { code: STATUS_ERROR, message: (reason ?? '').slice(0, LONGEST) }
  return {
    traceId,
    spanId,
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanoseconds(Math.min(startMs, endMs)),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: toAttributes(attributes),
    status,
  }
}

function toAttributes(attributes: Readonly<Record<string, AttributeValue | undefined>>): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: toValue(value) }],
  )
}

/** Whole numbers are strings: JSON has no room for 64 bits. */
function toValue(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value.slice(0, LONGEST) }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: Number.isFinite(value) ? value : 0 }
}

/** Times of other processes come from files: one that is none must not keep the others from being sent. */
function nanoseconds(ms: number): string {
  return Number.isFinite(ms) ? String(BigInt(Math.round(ms * 1_000)) * 1_000n) : '0'
}
