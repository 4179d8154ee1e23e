// Before a plugin gets its options: has the user consented to where they send something?
import { isDeepStrictEqual } from 'node:util'
import { refuseUntrusted, type TrustPlace, untrustedItems } from '../config/trust/trust.ts'
import type { TrustItem } from '../config/trust/trust-item.ts'
import type { OrchestratorConfig, PluginChoice } from '../contract/config.ts'
import type { SlotName } from '../contract/slot-names.ts'

export interface OptionQuestion {
  slot: SlotName
  name: string
  choice: PluginChoice
}

/** Slots that talk to somebody. Consent to commands of agents, CI and workspaces is checked where they would run. */
const TALKING: readonly SlotName[] = ['tracker', 'scm', 'notifier']

export function requireOptionConsent(config: OrchestratorConfig, question: OptionQuestion, place: TrustPlace): void {
  if (!TALKING.includes(question.slot)) return
  const items = untrustedItems(config, { ...place, kinds: ['send', 'environment'] })
  const concerned = items.filter((item) => item.kind === 'environment' || concerns(config, item, question))
  refuseUntrusted(config.configPath, concerned)
}

function concerns(config: OrchestratorConfig, { at }: TrustItem, { slot, name, choice }: OptionQuestion): boolean {
  const [group, owner = '', key] = at
  if (group === 'plugins') return owner === slot && config.plugins[slot]?.name === name
  if (group === 'notifiers') return slot === 'notifier' && isDeepStrictEqual(config.notifiers?.[owner], choice)
  const project = config.projects[owner] as Record<string, unknown> | undefined
  return key === slot && isDeepStrictEqual(project?.[slot], choice)
}
