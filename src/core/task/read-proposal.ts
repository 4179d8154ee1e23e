// A proposal to split work into parts, as an agent or a person wrote it: data that is checked, and does nothing by itself. Pure.
import { AoError } from '../../contract/errors.ts'
import { findCycle } from './find-cycle.ts'
import type { SplitChild } from './shared-task.ts'

const MOST_CHILDREN = 20
const LONGEST_PROPOSAL = 500_000
const LONGEST_TITLE = 200
const LONGEST_BODY = 20_000
const KEY = /^[a-z0-9][a-z0-9-]{0,39}$/
const FIELDS = ['key', 'title', 'body', 'project', 'needs']

export interface ProposalNames {
  /** Of parts that name none. */
  project: string
  isProject(id: string): boolean
}

/** In an order in which everything comes after what it needs. Throws USAGE. */
export function readProposal(text: string, names: ProposalNames): SplitChild[] {
  if (text.length > LONGEST_PROPOSAL) throw refuse(`it is longer than ${LONGEST_PROPOSAL} characters`)
  const children = childrenIn(text)
  if (children.length === 0 || children.length > MOST_CHILDREN)
    throw refuse(`it has ${children.length} parts, and 1 to ${MOST_CHILDREN} are possible`)
  const read = children.map((child, at) => readChild(child, at + 1, names))
  const byKey = new Map(read.map((child) => [child.key, child]))
  if (byKey.size < read.length) throw refuse('two of its parts have the same key')
  for (const { key, needs } of read) {
    const missing = needs.find((one) => !byKey.has(one))
    if (missing !== undefined) throw refuse(`${key} needs ${missing}, which is not one of its parts`)
    const cycle = findCycle(key, (one) => byKey.get(one)?.needs ?? [])
    if (cycle) throw refuse(`${cycle.join(' needs ')}, so that none of them could begin`)
  }
  return inOrder(read)
}

function childrenIn(text: string): unknown[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw refuse('it is not valid JSON')
  }
  const list = Array.isArray(value) ? value : (value as { children?: unknown } | null)?.children
  if (Array.isArray(list)) return list
  throw refuse('it has no list of children')
}

function readChild(value: unknown, number: number, names: ProposalNames): SplitChild {
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  const { key, title, body = '', project = names.project, needs = [] } = fields
  const where = `part ${number}`
  const unknown = Object.keys(fields).find((name) => !FIELDS.includes(name))
  if (unknown !== undefined) throw refuse(`${where} has a field ${JSON.stringify(unknown.slice(0, 40))}`)
  if (typeof key !== 'string' || !KEY.test(key)) throw refuse(`the key of ${where} is not a word of a-z, 0-9 and -`)
  if (typeof title !== 'string' || title.trim() === '' || title.length > LONGEST_TITLE || /\p{C}/u.test(title))
    throw refuse(`the title of ${key} is not one line of at most ${LONGEST_TITLE} characters`)
  if (typeof body !== 'string' || body.length > LONGEST_BODY)
    throw refuse(`the body of ${key} is not a text of at most ${LONGEST_BODY} characters`)
  if (typeof project !== 'string' || !names.isProject(project))
    throw refuse(`${key} names the project ${JSON.stringify(project).slice(0, 60)}, which is not configured`)
  if (!Array.isArray(needs) || needs.length > MOST_CHILDREN || !needs.every((one) => typeof one === 'string'))
    throw refuse(`the needs of ${key} are not a list of keys`)
  return { key, title: title.trim(), body: body.replaceAll('\0', ''), project, needs: [...new Set<string>(needs)] }
}

function inOrder(children: readonly SplitChild[]): SplitChild[] {
  const ordered: SplitChild[] = []
  while (ordered.length < children.length) {
    const done = new Set(ordered.map(({ key }) => key))
    const next = children.find(({ key, needs }) => !done.has(key) && needs.every((one) => done.has(one)))
    if (!next) break
    ordered.push(next)
  }
  return ordered
}

function refuse(why: string): AoError {
  return new AoError('USAGE', `The proposal is refused: ${why}`, {
    hint: 'It looks like: {"children":[{"key":"api","title":"…","body":"…","needs":[]},{"key":"ui","title":"…","needs":["api"]}]}',
  })
}

/** What an agent is asked for. */
export function proposalRequest(issue: string): string {
  return [
    `Propose how to split this work into parts that can be done and reviewed one by one, each by an agent of its own. Read the repository as far as you need to; change nothing and open no pull request.`,
    `Hand in the proposal as JSON, at most ${MOST_CHILDREN} parts, with: ao plan propose ${issue} --file -`,
    '{"children":[{"key":"api","title":"One line","body":"What to do, and how to tell that it is done","needs":[]},{"key":"ui","title":"…","body":"…","needs":["api"]}]}',
    '`needs` names parts that have to land first; leave it empty wherever parts can be done side by side. A person reads it, changes it and decides whether it happens.',
  ].join('\n')
}
