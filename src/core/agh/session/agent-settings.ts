// The settings an agent offers (modes, models, other options), and the requests that choose them.

import type { AgentOffers, OfferedOption, SessionSettings } from '../../../contract/agh/session-meta.ts'
import { AoError } from '../../../contract/errors.ts'
import { isObject } from '../../text/json-fields.ts'
import type { Json } from '../transcript/read-content.ts'

export type SettingStep =
  | { method: 'session/set_mode'; params: { modeId: string } }
  | { method: 'session/set_config_option'; params: { configId: string; value: string } }
  | { method: 'session/set_config_option'; params: { configId: string; type: 'boolean'; value: boolean } }

/** From the response to session/new, session/load or session/resume. */
export function readOffers(answer: { modes?: unknown; configOptions?: unknown } | null | undefined): AgentOffers {
  const modes = isObject(answer?.modes) ? answer.modes : {}
  return {
    current_mode: typeof modes.currentModeId === 'string' ? modes.currentModeId : null,
    modes: listOf(modes.availableModes).map(readValue),
    options: listOf(answer?.configOptions).map(optionOf),
  }
}

/** The agent may change them on its own, and reports it. */
export function updateOffers(offers: AgentOffers, update: Json): AgentOffers {
  if (update.sessionUpdate === 'current_mode_update' && typeof update.currentModeId === 'string') {
    return { ...offers, current_mode: update.currentModeId }
  }
  if (update.sessionUpdate !== 'config_option_update') return offers
  return { ...offers, options: listOf(update.configOptions).map(optionOf) }
}

/** One request per setting; refused when the agent does not offer it. */
export function planSettings(offers: AgentOffers, wanted: SessionSettings): SettingStep[] {
  const steps: SettingStep[] = []
  if (wanted.mode !== undefined) steps.push(planMode(offers, wanted.mode))
  if (wanted.model !== undefined) steps.push(planOption(offers, 'model', wanted.model))
  for (const [name, value] of Object.entries(wanted.options ?? {})) steps.push(planOption(offers, name, value))
  return steps
}

export function offersMode(offers: AgentOffers, mode: string): boolean {
  const values = offers.modes.length > 0 ? offers.modes : (findOption(offers, 'mode')?.values ?? [])
  return findValue(values, mode) !== undefined
}

function planMode(offers: AgentOffers, wanted: string): SettingStep {
  const option = findOption(offers, 'mode')
  if (offers.modes.length === 0 && option) return planOption(offers, 'mode', wanted)
  const mode = findValue(offers.modes, wanted)
  if (!mode) throw notOffered('mode', wanted, offers.modes)
  return { method: 'session/set_mode', params: { modeId: mode.id } }
}

function planOption(offers: AgentOffers, name: string, wanted: string): SettingStep {
  const option = findOption(offers, name)
  if (!option) {
    throw new AoError('USAGE', `The agent has no setting ${name}`, {
      hint: `It has: ${offers.options.map(({ id }) => id).join(', ') || 'none'}`,
    })
  }
  if (option.type === 'boolean') {
    if (wanted !== 'true' && wanted !== 'false') throw notOffered(name, wanted, BOOLEANS)
    return {
      method: 'session/set_config_option',
      params: { configId: option.id, type: 'boolean', value: wanted === 'true' },
    }
  }
  const value = findValue(option.values, wanted)
  if (!value) throw notOffered(name, wanted, option.values)
  return { method: 'session/set_config_option', params: { configId: option.id, value: value.id } }
}

const BOOLEANS = [
  { id: 'true', name: 'true' },
  { id: 'false', name: 'false' },
]

/** By its id or its category: agents name their model option differently. */
function findOption(offers: AgentOffers, name: string): OfferedOption | undefined {
  return offers.options.find(({ id }) => id === name) ?? offers.options.find(({ category }) => category === name)
}

interface Value {
  id: string
  name: string
}

function findValue(values: readonly Value[], wanted: string): Value | undefined {
  const small = wanted.toLowerCase()
  return (
    values.find(({ id }) => id === wanted) ??
    values.find(({ id, name }) => [id, name].some((one) => one.toLowerCase() === small))
  )
}

function notOffered(name: string, wanted: string, values: readonly Value[]): AoError {
  return new AoError('USAGE', `The agent does not offer the ${name} ${wanted}`, {
    hint: `It offers: ${values.map(({ id }) => id).join(', ') || 'none'}`,
  })
}

function optionOf(option: Json): OfferedOption {
  const groups = listOf(option.options)
  return {
    id: String(option.id ?? ''),
    name: String(option.name ?? option.id ?? ''),
    category: typeof option.category === 'string' ? option.category : null,
    type: option.type === 'boolean' ? 'boolean' : 'select',
    current: String(option.currentValue ?? ''),
    values: groups.flatMap((one) => (Array.isArray(one.options) ? listOf(one.options) : [one])).map(readValue),
  }
}

function readValue(value: Json): Value {
  const id = String(value.id ?? value.value ?? '')
  return { id, name: String(value.name ?? id) }
}

function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}
