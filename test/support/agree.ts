// A user who agrees to everything that a configuration asks for, as `ao config trust --yes` does.
import { loadConfig } from '../../src/config/load-config.ts'
import { trust, untrustedItems } from '../../src/config/trust/trust.ts'
import type { OrchestratorConfig } from '../../src/contract/config.ts'

export async function agreeToAll(
  config: OrchestratorConfig | string,
  place: { home: string; env: NodeJS.ProcessEnv },
): Promise<void> {
  const loaded = typeof config === 'string' ? loadConfig({ path: config, ...place }) : config
  await trust(untrustedItems(loaded, place), { ...place, now: new Date() })
}
