// The labels of a project: those that are described, in `labels.json`, and those that issues and pull requests carry.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../contract/errors.ts'
import { requireOwnVersion, writeFileAtomic } from '../lib/atomic-write.ts'
import { withLock } from '../lib/lock.ts'
import { readIfThere } from '../lib/plain-file.ts'
import { requireNames, sameName } from './pulls/name-list.ts'

export interface LocalLabel {
  name: string
  /** Six hexadecimal digits. */
  color: string
  description: string
}

export interface LabelStore {
  list(): LocalLabel[]
  /** Runs `work` while nothing else changes the labels, and writes what it returns. */
  change(work: (labels: LocalLabel[]) => LocalLabel[]): Promise<LocalLabel[]>
}

/** For a label without a description: GitHub's own grey. */
export const PLAIN_COLOR = 'ededed'
const COLOR = /^[0-9a-f]{6}$/
const MOST_LABELS = 1_000

export function createLabelStore(projectDir: string): LabelStore {
  const file = join(projectDir, 'labels.json')
  return {
    list: () => readLabels(file),
    change(work) {
      mkdirSync(projectDir, { recursive: true, mode: 0o700 })
      return withLock(join(projectDir, '.labels.lock'), () => {
        const after = work(readLabels(file))
        if (after.length > MOST_LABELS) throw new AoError('USAGE', `A project may have ${MOST_LABELS} labels at most`)
        writeFileAtomic(file, `${JSON.stringify({ labels: after }, null, 2)}\n`)
        return after
      })
    },
  }
}

export function describeLabel(given: {
  name: string
  color?: string | undefined
  description?: string | undefined
}): LocalLabel {
  const [name = ''] = requireNames([given.name])
  const color = (given.color ?? PLAIN_COLOR).replace(/^#/, '').toLowerCase()
  if (!COLOR.test(color)) throw new AoError('USAGE', `${JSON.stringify(given.color)} is not a color such as d73a4a`)
  const description = given.description ?? ''
  if (description.length > 100) throw new AoError('USAGE', 'The description of a label may have 100 characters at most')
  return { name, color, description }
}

/** Labels that are only in use follow the described ones, without duplicates. */
export function allLabels(described: readonly LocalLabel[], used: Iterable<string>): LocalLabel[] {
  const all = new Map(described.map((label) => [sameName(label.name), label]))
  for (const name of [...used].sort())
    if (!all.has(sameName(name))) all.set(sameName(name), { name, color: PLAIN_COLOR, description: '' })
  return [...all.values()]
}

export function findLabel<L extends { name: string }>(labels: readonly L[], name: string): L | undefined {
  return labels.find((one) => sameName(one.name) === sameName(name))
}

function readLabels(file: string): LocalLabel[] {
  const text = readIfThere(file)
  if (text === null) return []
  try {
    const { labels } = JSON.parse(text) as { labels: unknown }
    if (!Array.isArray(labels)) throw new Error('it has no list of labels')
    return labels.map((one: Partial<LocalLabel>) => describeLabel({ ...one, name: String(one.name ?? '') }))
  } catch (error) {
    requireOwnVersion(file)
    throw new AoError('METADATA_DAMAGED', `The labels in ${file} cannot be read: ${(error as Error).message}`, {
      hint: `Correct it by hand, or move it away: ${file}`,
      details: { file },
      cause: error,
    })
  }
}
