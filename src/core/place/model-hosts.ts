// Which servers an agent with `network: model-only` may reach: those of models, and no others. The words come from inside the
// cage, so a name that is not exactly on the list is refused.

/** Of the models whose keys go along (travelling-variables.ts). */
const MODEL_HOSTS = [
  ...['api.anthropic.com', 'api.openai.com', 'generativelanguage.googleapis.com', 'aiplatform.googleapis.com'],
  ...['openrouter.ai', 'api.mistral.ai', 'api.deepseek.com', 'api.x.ai', 'api.groq.com', 'chatgpt.com'],
] as const

/** `host:port`: the known ones, those of the agent's own settings (`ANTHROPIC_BASE_URL` and the like), and `named`. */
export function modelHosts(environment: Readonly<Record<string, string>>, named: readonly string[] = []): string[] {
  const configured = Object.entries(environment).flatMap(([name, value]) =>
    /_(?:BASE_URL|API_BASE|ENDPOINT)$/.test(name) ? (hostOfUrl(value) ?? []) : [],
  )
  const all = [...MODEL_HOSTS, ...named].map((host) => (host.includes(':') ? host : `${host}:443`))
  return [...new Set([...all.map((one) => one.toLowerCase()), ...configured])]
}

function hostOfUrl(text: string): string | null {
  if (!URL.canParse(text)) return null
  const { protocol, hostname, port } = new URL(text)
  if (hostname === '' || (protocol !== 'https:' && protocol !== 'http:')) return null
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`
}

export interface Target {
  host: string
  port: number
}

/** null: not one of the allowed, or no `host:port` at all. */
export function allowedTarget(target: unknown, allowed: readonly string[]): Target | null {
  if (typeof target !== 'string' || !allowed.includes(target.toLowerCase())) return null
  const [, host, port] = /^([a-z0-9.-]+):(\d{1,5})$/.exec(target.toLowerCase()) ?? []
  return host === undefined ? null : { host, port: Number(port) }
}
