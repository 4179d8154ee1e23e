// The text of `/metrics`, written by prom-client, which is loaded when a server starts to count. Metrics of the process itself
// begin with the first scrape: nobody who does not scrape pays for sampling the event loop.
import type { ServerResponse } from 'node:http'
import type { Registry } from 'prom-client'

export type Prometheus = typeof import('prom-client')

/** How often the delay of the event loop is sampled. */
const SAMPLE_MS = 100

export interface MetricsText {
  text(): Promise<string>
  /** The response to a scrape. */
  send(response: ServerResponse): Promise<void>
  /** Stops counting. */
  close(): void
}

export async function loadPrometheus(): Promise<Prometheus> {
  return (await import('prom-client')).default
}

export type Metrics = ReturnType<typeof metricsOf>

/** Makes metrics of a registry. `labels`: their names, separated by blanks. */
export function metricsOf({ Counter, Gauge, Histogram }: Prometheus, registry: Registry) {
  const common = (name: string, help: string, labels: string) => ({
    name,
    help,
    labelNames: labels.split(' '),
    registers: [registry],
  })
  return {
    counter: (name: string, help: string, labels: string) => new Counter(common(name, help, labels)),
    gauge: (name: string, help: string, labels: string) => new Gauge(common(name, help, labels)),
    histogram: (name: string, help: string, labels: string, buckets: number[]) =>
      new Histogram({ ...common(name, help, labels), buckets }),
  }
}

export interface MetricsOptions {
  registry: Registry
  /** Sets what is read rather than counted. */
  refresh(): Promise<void>
  /** Ends what counts. */
  ends: ReadonlyArray<() => void>
}

export function createMetricsText(
  { collectDefaultMetrics }: Prometheus,
  { registry, refresh, ends }: MetricsOptions,
): MetricsText {
  let isFirst = true
  const text = async () => {
    if (isFirst) collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: SAMPLE_MS })
    isFirst = false
    await refresh()
    return registry.metrics()
  }
  return {
    text,
    async send(response) {
      const body = await text()
      response.writeHead(200, { 'content-type': registry.contentType, 'cache-control': 'no-store' })
      response.end(body)
    },
    close() {
      for (const end of ends) end()
      registry.clear()
    },
  }
}
