// Records, archive, histories, recordings and the files of the local forge: each is read to its end.
import { closeSync, fstatSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { errorText } from '../../../contract/errors.ts'
import type { SessionEvent } from '../../../contract/events.ts'
import type { Nature } from '../../../core/text/judge-seal.ts'
import { linesAfter } from '../../../lib/file-lines.ts'
import { namesIn, openPlain } from '../../../lib/plain-file.ts'
import type { ProjectPaths } from '../../../store/paths.ts'
import { listParts, recordingDirectory } from '../../../store/recording/recording-files.ts'
import { listHistories, readHistory } from '../../../store/session/history.ts'
import { listArchived, readStored } from '../../../store/session/session-file.ts'
import type { Finding } from '../../print/findings.ts'
import type { Ledger } from './ledger.ts'

/** One thing to verify; `verify` returns what is wrong with it. */
export interface Task {
  kind: string
  verify(): Promise<Finding[]>
}

interface Watched {
  kind: string
  name: string
  path: string
  nature: Nature
  /** What is wrong with what it says; null: nothing. */
  flaw(): string | null
  /** What can still be had, and how. */
  rest: string
}

/** What nobody but its owner ever removes, by where it is. */
const KEPT: ReadonlyArray<[pattern: RegExp, kind: string, rest?: (name: string) => string]> = [
  [/\/history\/([^/]+)\.jsonl$/, 'history of'],
  [/\/sessions\/archive\/([^/]+)_[^/_]+$/, 'archive of', savedWork],
  [/\/sessions\/([^/]+)$/, 'record of', savedWork],
  [/\/pulls\/([^/]+)\/events\.jsonl$/, 'pull request'],
  [/\/issues\/([^/]+)\.md$/, 'issue'],
  [/\/sessions\/([^/]+)\/meta\.json$/, 'agh session'],
  [/\/sessions\/([^/]+)\/events\.db$/, 'event log of'],
]

/** These are never removed, but for the record of a session that is over; and nothing takes the place of a file but a file. */
export function goneFindings(ledger: Ledger, isOver: (path: string, id: string) => boolean): Finding[] {
  return ledger.unseen().flatMap((path): Finding[] => {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    const kept = KEPT.find(([pattern]) => pattern.test(path))
    const id = kept?.[0].exec(path)?.[1] ?? ''
    const [, kind, rest] = kept ?? []
    if (stats === undefined ? kind === undefined || (kind === 'record of' && isOver(path, id)) : stats.isFile())
      return []
    ledger.keep(path)
    const what = stats === undefined ? `is gone; it was there at ${ledger.at}` : 'is no longer a plain file'
    const fix = `Bring it back from a copy of your home directory${rest ? `. ${rest(id)}` : ''}. To forget what was verified: rm '${ledger.file}'`
    return [{ level: 'fail', name: kind === undefined ? 'file' : `${kind} ${id}`, detail: `${path} ${what}`, fix }]
  })
}

/** Each of these says that a record was removed on purpose. */
const ENDS: ReadonlySet<SessionEvent['type']> = new Set(['session.archived', 'operation.failed', 'operation.recovered'])

/** Of a record that was there then: a command has removed it since. */
export function wasRemovedSince(paths: ProjectPaths, id: string, at: string | null): boolean {
  const [last] = readHistory(paths, id, { last: 1, types: ENDS }).events
  return last !== undefined && at !== null && last.at >= at
}

function savedWork(id: string): string {
  return `Its work is on its branch, in its worktree and in git for-each-ref refs/ao/rescue/${id}; ao events ${id} has what happened to it`
}

export function fileTasks(paths: ProjectPaths, ids: readonly string[], ledger: Ledger): Task[] {
  const watched: Watched[] = [
    ...ids.map((id) => recordOf('record', id, paths.sessionFile(id), paths)),
    ...listArchived(paths).map(({ id, file }) => recordOf('archive', id, join(paths.archive, file), paths)),
    ...listHistories(paths).map((id) => historyOf(id, paths.historyFile(id))),
    ...namesIn(join(paths.dir, 'state')).flatMap((id) => recordingsOf(id, paths.stateDir(id))),
    ...forgeFiles(paths.dir),
  ]
  return watched.map((one) => ({ kind: one.kind, verify: async () => verifyOne(one, ledger) }))
}

function verifyOne({ name, path, nature, flaw, rest }: Watched, ledger: Ledger): Finding[] {
  try {
    const changed = ledger.check(path, nature)
      ? `was changed since ${ledger.at}, and not by ao: another program wrote to it, or the disk lost it`
      : null
    const problem = flaw() ?? changed
    return problem === null ? [] : [{ level: 'fail', name, detail: `${path} ${problem}`, fix: rest }]
  } catch (error) {
    // Gone while the others were read: ended, archived or restored meanwhile.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    return [{ level: 'fail', name, detail: `${path} cannot be read: ${errorText(error)}`, fix: rest }]
  }
}

function recordOf(kind: 'record' | 'archive', id: string, path: string, paths: ProjectPaths): Watched {
  return {
    ...{ kind, name: `${kind} of ${id}`, path, nature: 'replaced' },
    flaw() {
      const problems = readStored(id, path)?.problems ?? []
      return problems.length === 0 ? null : `is damaged: ${problems.slice(0, 3).join('; ')}`
    },
    rest: `Its history has what happened to it: ${paths.historyFile(id)}; its work is on its branch and in git for-each-ref refs/ao/rescue/${id}`,
  }
}

function historyOf(id: string, path: string): Watched {
  return {
    ...{ kind: 'history', name: `history of ${id}`, path, nature: 'grows' },
    flaw: () =>
      flawInLines(path, (value, before) => {
        const { seq } = value as { seq?: unknown }
        if (typeof seq !== 'number') return 'is not an event'
        return before === null || seq === (before as { seq: number }).seq + 1 ? null : 'does not follow the one before'
      }),
    rest: `Read the rest with: ao events ${id} --last 1000`,
  }
}

function recordingsOf(id: string, stateDir: string): Watched[] {
  return listParts(recordingDirectory(stateDir)).map(({ path }) => ({
    ...{ kind: 'recording', name: `recording of ${id}`, path, nature: 'grows' as const },
    flaw: () => flawInLines(path, (value) => (typeof value === 'object' && value !== null ? null : 'is not a frame')),
    rest: `Read the rest with: ao session log ${id}`,
  }))
}

function forgeFiles(directory: string): Watched[] {
  const pulls = namesIn(join(directory, 'pulls')).map((number): Watched => {
    const path = join(directory, 'pulls', number, 'events.jsonl')
    const flaw = () =>
      flawInLines(path, (value) => (typeof value === 'object' && value !== null ? null : 'is not an event'))
    const rest = `Read the rest with: ao pr show ${number}; its commits are on its branch`
    return { kind: 'pull request', name: `pull request ${number}`, path, nature: 'grows', flaw, rest }
  })
  const issues = namesIn(join(directory, 'issues')).filter((name) => /^\d+\.md$/.test(name))
  return [
    ...pulls,
    ...issues.map((name): Watched => {
      const path = join(directory, 'issues', name)
      const rest = `Read the rest with: ao issue show ${name.replace('.md', '')}`
      return {
        kind: 'issue',
        name: `issue ${name.replace('.md', '')}`,
        path,
        nature: 'replaced',
        flaw: () => null,
        rest,
      }
    }),
  ]
}

/** The first line that is not what it should be; a last one that is not whole is being written. */
function flawInLines(path: string, judge: (value: unknown, before: unknown) => string | null): string | null {
  const fd = openPlain(path)
  try {
    let number = 0
    let before: unknown = null
    for (const line of linesAfter(fd, 0, fstatSync(fd).size)) {
      number += 1
      if (!line.isWhole) return null
      const value = line.bytes === null ? undefined : parsed(line.bytes)
      const flaw = value === undefined ? 'cannot be read' : judge(value, before)
      if (flaw) return `is damaged: line ${number} ${flaw}`
      before = value
    }
    return null
  } finally {
    closeSync(fd)
  }
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    // It is not valid JSON: that is the finding.
    return undefined
  }
}
