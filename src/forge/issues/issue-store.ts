// Issues without a server: `issues/{n}.md` in the project's data directory. Numbers are never reused.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AoError, errorText } from '../../contract/errors.ts'
import { createFileExclusive, writeFileAtomic } from '../../lib/atomic-write.ts'
import type { Clock } from '../../lib/clock.ts'
import { withLock } from '../../lib/lock.ts'
import { readIfThere } from '../../lib/plain-file.ts'
import { listIssueNumbers, reserveNumber } from '../reserve-number.ts'
import { formatIssue, type LocalIssue, parseIssue, type Yaml } from './issue-file.ts'

export interface LocalIssueStore {
  directory: string
  /** In numeric order. Unreadable files are listed, not dropped. */
  list(): Promise<{ issues: LocalIssue[]; damaged: Array<{ file: string; why: string }> }>
  /** null: there is no such issue. Throws METADATA_DAMAGED when it exists but is unreadable. */
  read(number: number): Promise<LocalIssue | null>
  create(issue: NewLocalIssue): Promise<LocalIssue>
  /** null: there is no such issue. `change` sees what is stored now. */
  update(number: number, change: (issue: LocalIssue) => LocalIssue): Promise<LocalIssue | null>
}

export type NewLocalIssue = Pick<LocalIssue, 'title' | 'body' | 'labels'> &
  Partial<Pick<LocalIssue, 'assignees' | 'author'>>

export function createLocalIssues(options: { projectDir: string; clock: Clock }): LocalIssueStore {
  const directory = join(options.projectDir, 'issues')
  const locked = <T>(work: (yaml: Yaml) => T): Promise<T> => {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    return withLock(join(directory, '.lock'), async () => work(await loadYaml()))
  }
  return {
    directory,
    async list() {
      const numbers = listIssueNumbers(options.projectDir)
      if (numbers.length === 0) return { issues: [], damaged: [] }
      return readAll(directory, numbers, await loadYaml())
    },
    read: async (number) => readOne(directory, number, await loadYaml()),
    async create(issue) {
      for (;;) {
        const number = await reserveNumber(options.projectDir)
        const now = options.clock.now()
        const created = await locked((yaml) => createIssue(directory, { ...issue, number }, { yaml, now }))
        if (created) return created
      }
    },
    update: (number, change) =>
      locked((yaml) => {
        const before = readOne(directory, number, yaml)
        if (before === null) return null
        const after = { ...change(before), number }
        writeFileAtomic(fileOf(directory, number), formatIssue(after, yaml))
        return after
      }),
  }
}

function loadYaml(): Promise<Yaml> {
  return import('./issue-yaml.ts')
}

/** null: somebody put a file of this number there by hand just now. */
function createIssue(
  directory: string,
  given: NewLocalIssue & { number: number },
  { yaml, now }: { yaml: Yaml; now: Date },
): LocalIssue | null {
  const createdAt = now.toISOString()
  const issue: LocalIssue = { assignees: [], ...given, state: 'open', createdAt, comments: [], others: {} }
  return createFileExclusive(fileOf(directory, issue.number), formatIssue(issue, yaml)) ? issue : null
}

function readAll(directory: string, numbers: number[], yaml: Yaml): Awaited<ReturnType<LocalIssueStore['list']>> {
  const issues: LocalIssue[] = []
  const damaged: Array<{ file: string; why: string }> = []
  for (const number of numbers) {
    const file = fileOf(directory, number)
    try {
      const text = readIfThere(file)
      if (text === null) continue
      const issue = parseIssue(number, text, yaml)
      if (typeof issue === 'string') damaged.push({ file, why: issue })
      else issues.push(issue)
    } catch (error) {
      damaged.push({ file, why: errorText(error) })
    }
  }
  return { issues, damaged }
}

function readOne(directory: string, number: number, yaml: Yaml): LocalIssue | null {
  const file = fileOf(directory, number)
  const text = readIfThere(file)
  if (text === null) return null
  const issue = parseIssue(number, text, yaml)
  if (typeof issue !== 'string') return issue
  throw new AoError('METADATA_DAMAGED', `The issue ${file} cannot be read: ${issue}`, {
    hint: `Correct it by hand: ${file}`,
    details: { file },
  })
}

function fileOf(directory: string, number: number): string {
  return join(directory, `${number}.md`)
}
