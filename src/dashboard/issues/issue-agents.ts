// Which agents a session can be started with on this machine.
import type { ProjectConfig } from '../../contract/config.ts'
import { resolveLaunch } from '../../core/session/plan-launch.ts'
import { sleep } from '../../lib/clock.ts'
import type { PluginRegistry } from '../../slots/registry.ts'
import type { DashboardContext } from '../server/context.ts'

/** Tools are not installed every minute, and each has to be queried. */
const KEEP_MS = 5 * 60_000
const TIMEOUT_MS = 1_500

const detected = new WeakMap<PluginRegistry, { until: number; names: Promise<string[]> }>()

export async function agentsFor(
  context: DashboardContext,
  project: ProjectConfig,
): Promise<{ agents: string[]; defaultAgent: string }> {
  const { agent } = resolveLaunch(context.config, project, 'worker')
  const others = (await detectAgents(context)).filter((name) => name !== agent)
  return { agents: [agent, ...others], defaultAgent: agent }
}

async function detectAgents(context: DashboardContext): Promise<string[]> {
  const now = context.clock.now().getTime()
  const cached = detected.get(context.registry)
  const names = cached && now < cached.until ? cached.names : detect(context.registry)
  if (names !== cached?.names) detected.set(context.registry, { until: now + KEEP_MS, names })
  return Promise.race([names, all(context.registry)])
}

/** `generic` needs its own command and is offered only where the project has one. */
async function detect(registry: PluginRegistry): Promise<string[]> {
  const found = await registry.detect('agent')
  return found.flatMap(({ name, ok }) => (ok && name !== 'generic' ? [name] : []))
}

/** A tool that does not answer must not hold up the page. */
async function all(registry: PluginRegistry): Promise<string[]> {
  await sleep(TIMEOUT_MS, { ref: false })
  const plugins = await registry.list()
  return plugins.flatMap(({ manifest }) =>
    manifest?.slot === 'agent' && manifest.name !== 'generic' ? [manifest.name] : [],
  )
}
