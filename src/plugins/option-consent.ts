// Before a plugin gets its options: are they known, and has the user agreed to where they send something?
import { isDeepStrictEqual } from 'node:util'
import { refuseUntrusted, type TrustPlace, untrustedItems } from '../config/trust/trust.ts'
import type { TrustItem } from '../config/trust/trust-item.ts'
import type { OrchestratorConfig, PluginChoice } from '../contract/config.ts'
import { AoError } from '../contract/errors.ts'
import type { SlotName } from '../contract/slot-names.ts'
import { builtinOptions } from '../core/consent/find-consent.ts'

export interface OptionQuestion {
  slot: SlotName
  name: string
  choice: PluginChoice
  options: Record<string, unknown>
}

/** An option that contract/config-consent.ts does not list is refused: so none can be added without a verdict. */
export function refuseUnlisted({ slot, name, options }: OptionQuestion): void {
  const known = builtinOptions(slot, name)
  const stray = known && Object.keys(options).find((option) => !(option in known))
  if (!stray) return
  const there = Object.keys(known).join(', ')
  throw new AoError('CONFIG_INVALID', `Options of the ${slot} plugin ${name}: it knows no option ${stray}`, {
    hint: there === '' ? 'It has no options' : `Its options are: ${there}`,
    details: { plugin: name, option: stray },
  })
}

/** Slots that talk to somebody. Commands of agents, CI and workspaces are asked about where they would run. */
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
