// `ao doctor --verify`: everything that ao keeps is read to its end, once, and compared with its hashes. Nothing is repaired.
import { resolve } from 'node:path'
import { errorText } from '../../../contract/errors.ts'
import { plural } from '../../../core/text/format-age.ts'
import { readExport } from '../../../manager/transfer/read-export.ts'
import type { Finding } from '../../print/findings.ts'
import type { Io } from '../../print/io.ts'
import { createProgress } from '../../print/progress.ts'
import { openAo } from '../open-ao.ts'
import { type Ledger, openLedger } from './ledger.ts'
import { aghTasks } from './verify-agh.ts'
import { checkTasks, goneLogs } from './verify-checks.ts'
import { fileTasks, goneFindings, type Task, wasRemovedSince } from './verify-files.ts'
import { gitTasks } from './verify-git.ts'

export async function verifyHome(io: Io, exports: readonly string[]): Promise<Finding[]> {
  const beganAt = io.clock.now()
  const ao = await openAo(io)
  const ledger = openLedger(ao.paths)
  const projects = Object.values(ao.config.projects)
  const tasks = [
    ...projects.flatMap(({ id }) => fileTasks(ao.paths.project(id), ao.context.store(id).list(), ledger)),
    ...projects.flatMap(({ id }) => checkTasks(ao.paths.project(id), ledger)),
    ...aghTasks(io, ledger),
    ...exports.map(exportTask(io)),
    ...gitTasks(projects, io, { paths: ao.paths, ledger }),
  ]
  const findings: Finding[] = []
  const counts = new Map<string, { all: number; damaged: number }>()
  // Where there is no terminal it would be a line for every file.
  const progress = io.noteIsTerminal ? createProgress(io) : null
  for (const [n, { kind, verify }] of tasks.entries()) {
    progress?.step(`${n + 1} of ${tasks.length}: ${kind}`)
    const found = await verify()
    const count = counts.get(kind) ?? { all: 0, damaged: 0 }
    counts.set(kind, { all: count.all + 1, damaged: count.damaged + (found.length > 0 ? 1 : 0) })
    findings.push(...found)
  }
  progress?.end()
  const gone = goneFindings(ledger, (path, id) =>
    projects.some((project) => {
      const paths = ao.paths.project(project.id)
      return path === paths.sessionFile(id) && wasRemovedSince(paths, id, ledger.at)
    }),
  )
  gone.push(
    ...goneLogs(
      projects.map(({ id }) => ao.paths.project(id)),
      ledger,
    ),
  )
  ledger.save(beganAt)
  return [...summary(counts), ...ledgerFinding(ledger), ...findings, ...gone]
}

function exportTask(io: Io): (file: string) => Task {
  return (file) => ({
    kind: 'export',
    verify: async () => {
      try {
        readExport(resolve(io.cwd, file))
        return []
      } catch (error) {
        const fix = 'Make it anew where the session still is: ao session export <session>'
        return [{ level: 'fail', name: 'export', detail: errorText(error), fix }]
      }
    },
  })
}

function summary(counts: ReadonlyMap<string, { all: number; damaged: number }>): Finding[] {
  return [...counts].map(([kind, { all, damaged }]) => ({
    level: damaged === 0 ? 'pass' : 'fail',
    name: 'verified',
    detail: `${plural(all, kind, kind === 'history' ? 'histories' : undefined)}${damaged === 0 ? '' : `, ${damaged} damaged`}`,
  }))
}

function ledgerFinding({ at, problem, isNewer }: Pick<Ledger, 'at' | 'problem' | 'isNewer'>): Finding[] {
  if (isNewer)
    return [{ level: 'fail', name: 'hashes', detail: `${problem}`, fix: 'Update this program; how: ao upgrade' }]
  if (problem !== null)
    return [{ level: 'warn', name: 'verified', detail: `${problem}: nothing could be compared with the last time` }]
  const since = at === null ? 'hashes were noted for the first time' : `compared with the hashes of ${at}`
  return [{ level: 'pass', name: 'verified', detail: since }]
}
