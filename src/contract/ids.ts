// Names that become paths, tmux targets and git refs. One pattern each, checked where they enter.
import type { PullRef } from './pull.ts'

const SAFE_NAME = /^[A-Za-z0-9_-]+$/

/** Session ids, project ids and prefixes: no dot, slash or space, so that no name can escape its directory. */
export function isSafeName(name: string): boolean {
  return name.length <= 128 && SAFE_NAME.test(name)
}

export const ORCHESTRATOR_SUFFIX = '-orchestrator'

export function isOrchestratorId(sessionId: string): boolean {
  return sessionId.endsWith(ORCHESTRATOR_SUFFIX)
}

/** The number of `{prefix}-{n}`, or null when the id has another prefix or no number. */
export function sessionNumber(sessionId: string, prefix: string): number | null {
  if (!sessionId.startsWith(`${prefix}-`)) return null
  const digits = sessionId.slice(prefix.length + 1)
  return /^[1-9][0-9]*$/.test(digits) ? Number(digits) : null
}

/** A runtime's name for a session: unique on the machine, with the hash of its configuration. */
export function runtimeName(hash: string, sessionId: string): string {
  return `${hash}-${sessionId}`
}

/** The same as people know it: the id alone. */
export function shownName(name: string): string {
  return name.replace(/^[0-9a-f]{12}-(?=.)/, '')
}

export function isOrchestrator(sessionId: string, role: string): boolean {
  return role === 'orchestrator' || isOrchestratorId(sessionId)
}

/** The runtime of a session in a place has the place's name; `acp@name` where its agent is spoken to over the protocol. */
const OVER_PROTOCOL = 'acp@'

export function runtimeInPlace(place: string, overProtocol: boolean): string {
  return overProtocol ? `${OVER_PROTOCOL}${place}` : place
}

/** Whether that place exists is for the configuration to say. */
export function readRuntimeName(runtime: string): { place: string; overProtocol: boolean } {
  const overProtocol = runtime.startsWith(OVER_PROTOCOL)
  return { place: overProtocol ? runtime.slice(OVER_PROTOCOL.length) : runtime, overProtocol }
}

/** The prefix of a project's session ids. */
export function deriveSessionPrefix(projectId: string): string {
  if (projectId.length <= 4) return projectId
  const uppercase = projectId.match(/[A-Z]/g) ?? []
  if (uppercase.length > 1) return uppercase.join('').toLowerCase()
  const initials = initialsOfParts(projectId)
  if (initials !== '') return initials
  return projectId.slice(0, 3).toLowerCase()
}

/** '' when there are no parts. A dash separates more strongly than an underscore. */
function initialsOfParts(projectId: string): string {
  const separator = ['-', '_'].find((one) => projectId.includes(one))
  if (separator === undefined) return ''
  const initials = projectId.split(separator).map((part) => part.replace(/^[-_]+/, '').charAt(0))
  return initials.join('').toLowerCase()
}

const WHOLE_AGH_ID = /^sess-[0-9a-f]{16}$/

/** The id of a session of agh, not only the beginning of one. */
export function isWholeAghId(reference: string): boolean {
  return WHOLE_AGH_ID.test(reference)
}

const PULL_URL = /^https?:\/\/[^/]+\/(.+)\/((?!-\/)[^/]+)\/(?:-\/)?(?:pulls?|merge_requests)\/([0-9]+)\/?(?:[?#].*)?$/

/** Whatever the rest of the address is; null: it ends with none. */
export function pullNumber(url: string): number | null {
  const last = /\/(\d+)\/?$/.exec(url)
  return last ? Number(last[1]) : null
}

/** What the address of a pull request says about it, on any forge. Here, because lists need it, and no schema. */
export function pullRef(url: string): PullRef {
  const [, owner, repo, number] = PULL_URL.exec(url) ?? []
  return number === undefined ? { url } : { url, number: Number(number), owner, repo }
}

/** The slots a plugin can fill: naming one loads no validator. */
export const SLOT_NAMES = ['runtime', 'agent', 'workspace', 'tracker', 'scm', 'notifier', 'terminal'] as const
export type SlotName = (typeof SLOT_NAMES)[number]
