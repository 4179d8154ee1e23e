// What a GraphQL id refers to.
import { unresolved } from './field.ts'

export type NodeName =
  | { kind: 'repository' }
  | Numbered<'pull'>
  | Numbered<'issue'>
  | InPull<'thread'>
  | InPull<'comment'>
  | InPull<'review'>
  | InPull<'conversation'>
  | { kind: 'issueComment'; id: number }
  | Named<'user'>
  | Named<'label'>

interface Numbered<K> {
  kind: K
  number: number
}

interface InPull<K> extends Numbered<K> {
  id: string
}

interface Named<K> {
  kind: K
  name: string
}

const PATTERNS: ReadonlyArray<readonly [RegExp, (match: string[]) => NodeName]> = [
  [/^R_/, () => ({ kind: 'repository' })],
  [/^PR_(\d{1,9})$/, ([number]) => ({ kind: 'pull', number: Number(number) })],
  [/^I_(\d{1,9})$/, ([number]) => ({ kind: 'issue', number: Number(number) })],
  [/^PRRT_(\d{1,9})_(.+)$/, ([number, id = '']) => ({ kind: 'thread', number: Number(number), id })],
  [/^PRRC_(\d{1,9})_(.+)$/, ([number, id = '']) => ({ kind: 'comment', number: Number(number), id })],
  [/^PRR_(\d{1,9})_(.+)$/, ([number, id = '']) => ({ kind: 'review', number: Number(number), id })],
  [/^IC_PR(\d{1,9})_(.+)$/, ([number, id = '']) => ({ kind: 'conversation', number: Number(number), id })],
  [/^IC_(\d{1,15})$/, ([id]) => ({ kind: 'issueComment', id: Number(id) })],
  [/^U_(.+)$/, ([name = '']) => ({ kind: 'user', name })],
  [/^LA_(.+)$/, ([name = '']) => ({ kind: 'label', name })],
]

export function parseNodeId(id: string): NodeName {
  for (const [pattern, read] of PATTERNS) {
    const match = pattern.exec(id)
    if (match) return read(match.slice(1))
  }
  throw unresolved(`a node with the global id of '${id}'`)
}

/** An id of this kind, or a refusal. */
export function requireNode<K extends NodeName['kind']>(id: unknown, ...kinds: K[]): Extract<NodeName, { kind: K }> {
  const name = parseNodeId(String(id))
  if ((kinds as string[]).includes(name.kind)) return name as Extract<NodeName, { kind: K }>
  throw unresolved(`a ${kinds.join(' or ')} with the global id of '${id}'`)
}
