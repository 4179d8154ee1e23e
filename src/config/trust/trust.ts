// What the user has consented to run, in `~/.ao/trust.json`: outside every repository, so that none can approve itself.
import { createHash } from 'node:crypto'
import { mkdirSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { CONSENT_KINDS, type ConsentKind } from '../../contract/config/consent.ts'
import { type OrchestratorConfig, type PluginChoice, pluginName } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import { readRuntimeName, type SlotName } from '../../contract/ids.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { createFileMemory } from '../../lib/file-memory.ts'
import { withLock } from '../../lib/lock.ts'
import { readPlainText, readWithStats } from '../../lib/plain-file.ts'
import { globalConfigPaths } from '../find-config.ts'
import { type TrustItem, trustItems } from './trust-items.ts'

export interface TrustLocation {
  home: string
  /** Names the user's own configuration directory. */
  env?: NodeJS.ProcessEnv
}

export interface TrustQuestion extends TrustLocation {
  /** Only what concerns this project. */
  projectId?: string
  kinds?: readonly ConsentKind[]
}

interface TrustRecord {
  kind: ConsentKind
  configPath: string
  what: string
  trustedAt: string
}

/** What `ao start` does on its own: listen and send, with values from the environment; start agents and merge. */
export const SERVICE_KINDS: readonly ConsentKind[] = ['listen', 'send', 'environment', 'automatic']

const MOST_RECORDS = 2_000

/** Throws CONFIG_UNTRUSTED when anything would happen that the user has not consented to. */
export function requireTrust(config: OrchestratorConfig, question: TrustQuestion): void {
  refuseUntrusted(config.configPath, untrustedItems(config, question))
}

export function refuseUntrusted(configPath: string, items: readonly TrustItem[], hint?: string): void {
  if (items.length === 0) return
  const list = items.map(({ what }) => `\n  ${what}`).join('')
  throw new AoError('CONFIG_UNTRUSTED', `${configPath} asks for what you have not agreed to yet:${list}`, {
    details: { configPath, items: items.map(({ lines: _, ...item }) => item) },
    hint,
  })
}

interface PluginOptions {
  slot: SlotName
  choice: PluginChoice
}

/** What they send may hold values of the environment from any key, such as the name of the repository. */
const TALKING: readonly SlotName[] = ['tracker', 'scm', 'notifier']

/**
 * Checked where it happens: CI and gates before they run, directories outside before a session starts. A plugin's code is
 * checked before it is loaded.
 */
const NOT_OPTIONS: readonly ConsentKind[] = ['ci', 'outside', 'plugin', 'agent-files']
const OPTION_KINDS = CONSENT_KINDS.filter((kind) => !NOT_OPTIONS.includes(kind))

/**
 * Before a plugin gets options that a repository's file gives it: so no command can meet a program, a machine or an address that a
 * repository names.
 */
export function requireOptionConsent(
  config: OrchestratorConfig,
  question: PluginOptions,
  location: TrustLocation,
): void {
  const isTalking = TALKING.includes(question.slot)
  // Asked for every session that is observed; most configurations give no options.
  if (!isTalking && !hasOptions(config, question)) return
  const concerned = trustItems(config, { home: location.home, kinds: OPTION_KINDS }).filter(
    (item) => (isTalking && item.kind === 'environment') || concerns(config, item, question),
  )
  const untrusted = withoutTrusted(concerned, location)
  if (untrusted.length > 0 && !isTrustedByLocation(config.configPath, location))
    refuseUntrusted(config.configPath, untrusted)
}

function hasOptions(config: OrchestratorConfig, { slot, choice }: PluginOptions): boolean {
  if (typeof choice !== 'string') return true
  return placeName(config, { slot, choice }) !== null || config.plugins[slot]?.name === choice
}

function concerns(config: OrchestratorConfig, { at, kind }: TrustItem, { slot, choice }: PluginOptions): boolean {
  const [group, owner = '', key] = at
  const place = placeName(config, { slot, choice })
  if (group === 'places' || place !== null) return group === 'places' && owner === place
  if (group === 'plugins') return owner === slot && config.plugins[slot]?.name === pluginName(choice)
  if (group === 'notifiers') return slot === 'notifier' && isDeepStrictEqual(config.notifiers?.[owner], choice)
  const project = config.projects[owner] as Record<string, unknown> | undefined
  // The repository that it asks a forge about.
  if (group === 'projects' && at.length === 2 && kind === 'send')
    return (
      (slot === 'scm' || slot === 'tracker') && isDeepStrictEqual(project?.[slot] ?? config.plugins[slot]?.name, choice)
    )
  return group === 'projects' && key === slot && isDeepStrictEqual(project?.[slot], choice)
}

/** A place is a runtime with a name of its own. null: it is a plugin. */
function placeName({ places = {} }: OrchestratorConfig, { slot, choice }: PluginOptions): string | null {
  const { place } = readRuntimeName(pluginName(choice))
  return slot === 'runtime' && Object.hasOwn(places, place) ? place : null
}

/** What the user has not consented to yet. */
export function untrustedItems(config: OrchestratorConfig, question: TrustQuestion): TrustItem[] {
  if (isTrustedByLocation(config.configPath, question)) return []
  const { home, kinds = CONSENT_KINDS } = question
  const required = trustItems(config, { home, kinds }).filter(
    ({ project }) => question.projectId === undefined || project === undefined || project === question.projectId,
  )
  return withoutTrusted(required, question)
}

/** Those that the user has not consented to yet. */
export function withoutTrusted(items: readonly TrustItem[], location: TrustLocation): TrustItem[] {
  if (items.length === 0) return []
  const trusted = readConsents(location)
  return items.filter(({ hash }) => !trusted.has(hash))
}

/** The user's own configuration belongs to no repository: anyone who can write it can do anything anyway. */
export function isTrustedByLocation(configPath: string, location: TrustLocation): boolean {
  return globalConfigPaths({ home: location.home, env: location.env ?? process.env }).some((path) => {
    try {
      return realpathSync(path) === configPath
    } catch {
      // There is no such file, so it is not this one.
      return false
    }
  })
}

export function isTrusted(item: TrustItem, location: TrustLocation): boolean {
  return isTrustedByLocation(item.configPath, location) || readConsents(location).has(item.hash)
}

export async function trust(items: readonly TrustItem[], location: TrustLocation & { now: Date }): Promise<void> {
  if (items.length === 0) return
  await changeTrust(location, (records) => {
    for (const { hash, kind, configPath, what } of items) {
      records.delete(hash)
      records.set(hash, { kind, configPath, what, trustedAt: location.now.toISOString() })
    }
  })
}

/** Revokes all consent given for this configuration. Returns how many items that were. */
export async function revokeTrust(configPath: string, location: TrustLocation): Promise<number> {
  let revoked = 0
  await changeTrust(location, (records) => {
    for (const [hash, record] of records) {
      if (record.configPath === configPath && records.delete(hash)) revoked++
    }
  })
  return revoked
}

async function changeTrust(
  location: TrustLocation,
  change: (records: Map<string, TrustRecord>) => void,
): Promise<void> {
  const file = trustFile(location)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  await withLock(`${file}.lock`, () => {
    const records = new Map(readConsents(location))
    change(records)
    const newest = [...records].slice(-MOST_RECORDS)
    writeFileAtomic(file, `${JSON.stringify({ version: 1, trusted: Object.fromEntries(newest) }, null, 2)}\n`)
  })
}

/** By the hash of what was agreed to, oldest first. */
export type Consents = ReadonlyMap<string, TrustRecord>

const memory = createFileMemory<Consents>()
const NO_CONSENT: Consents = new Map()

/**
 * The same object for as long as the file is the same, so that whoever asked before can tell whether to ask again. An
 * unreadable file means no consent: asking again is the safe mistake.
 */
export function readConsents(location: TrustLocation): Consents {
  const file = trustFile(location)
  const cached = memory.recall(file)
  if (cached) return cached
  try {
    const { bytes, stats } = readWithStats(file)
    const { trusted } = JSON.parse(bytes.toString('utf8')) as { trusted: Record<string, TrustRecord> }
    const given = new Map(Object.entries(trusted).filter(([, record]) => typeof record?.configPath === 'string'))
    memory.keep(file, given, stats)
    return given
  } catch {
    return NO_CONSENT
  }
}

/** Changes whenever the user gives or revokes consent. */
export function trustDigest(home: string): string {
  try {
    return createHash('sha256')
      .update(readPlainText(trustFile({ home })))
      .digest('hex')
  } catch {
    // No consent was ever given, or the file is unreadable now.
    return ''
  }
}

function trustFile({ home }: TrustLocation): string {
  return join(home, '.ao', 'trust.json')
}
