// What the answers to a request mean. By their kind, never by their order: agents list them in any order. Pure.

import type { PermissionChoice, PermissionRequest } from '../../../src/contract/permission.ts'
import { ownValue } from '../../../src/core/text/json-fields.ts'

/** An agent that lists a refusal first recommends it. */
export function advisesNo(options: readonly PermissionChoice[]): boolean {
  return options[0]?.decision?.startsWith('reject') ?? false
}

type AnswerableRequest = Pick<PermissionRequest, 'title' | 'options' | 'input' | 'isCut'>

/** The likely answer; null: none should be suggested, as where not all of it can be read here. */
export function suggested(request: AnswerableRequest): PermissionChoice | null {
  const { options, isCut } = request
  if (isCut || isLong(request) || advisesNo(options)) return null
  return options.find(({ decision }) => decision === 'allow-once') ?? null
}

const MAX_LINES = 60
const MAX_LENGTH = 6_000

/** More than a person reads at a glance: it has to be scrolled. */
export function isLong({ title, input }: Pick<PermissionRequest, 'title' | 'input'>): boolean {
  const text = [input?.text, input?.rest, title].filter((one) => one !== undefined).join('\n')
  return text.length > MAX_LENGTH || text.split('\n').length > MAX_LINES
}

/** It applies to more than this one request. */
export function isStanding({ decision }: PermissionChoice): boolean {
  return decision === 'allow-always' || decision === 'reject-always'
}

/** What a standing answer covers, as far as is known. */
export function scopeOf({ decision, name }: PermissionChoice, kind: string): string {
  const act = ownValue(KINDS, kind) ?? 'does this'
  const effect =
    decision === 'allow-always'
      ? `It will not ask again before it ${act}`
      : `It is refused without asking when it ${act}`
  return `The agent decides what “${name}” covers. ${effect}, for the rest of this session at least.`
}

const KINDS: Readonly<Record<string, string>> = {
  read: 'reads files',
  edit: 'edits files',
  delete: 'deletes files',
  move: 'moves files',
  search: 'searches',
  execute: 'runs commands',
  fetch: 'fetches from the network',
}
