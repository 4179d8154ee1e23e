// ao's own files: are they writable, are they intact, was a command interrupted.

import { existsSync, readdirSync, statfsSync } from 'node:fs'
import { type AoError, errorText } from '../../../contract/errors.ts'
import { newerBy } from '../../../contract/formats.ts'
import { EMPTY_RECORD } from '../../../contract/record.ts'
import { plural } from '../../../core/text/format-age.ts'
import { nearestExisting, requireWritable } from '../../../lib/process/own-home.ts'
import { isReturnLeft, readOperation } from '../../../manager/operation.ts'
import { findMovedData } from '../../../store/moved-data.ts'
import type { AoPaths } from '../../../store/paths.ts'
import { type Finding, guarded } from '../../print/findings.ts'
import type { Io } from '../../print/io.ts'
import { describeMovedData } from '../note-moved-data.ts'
import type { Ao } from '../open-ao.ts'
import { checkOddFiles } from './check-odd-files.ts'
import { checkPrivate } from './check-private.ts'

export async function checkData(ao: Ao, io: Io, options: { fix: boolean }): Promise<Finding[]> {
  const records = await Promise.all(
    Object.keys(ao.config.projects).map((id) => guarded(`records of ${id}`, () => checkRecords(ao, id))),
  )
  return [
    checkWritable(ao.paths),
    ...checkSpace(ao.paths.dataDir),
    ...(await guarded('access', async () => checkPrivate(ao, io, options))),
    ...records.flat(),
    ...(await guarded('files', () => checkOddFiles(ao, io))),
    ...checkMoved(ao),
    ...(await guarded('interrupted commands', () => checkInterrupted(ao, options))),
  ]
}

function checkMoved({ config, paths }: Ao): Finding[] {
  return findMovedData(paths, Object.keys(config.projects)).map((data) => ({
    level: 'warn',
    name: 'moved',
    detail: describeMovedData(data),
    fix: 'If it was moved here: ao config relink',
  }))
}

function checkWritable(paths: AoPaths): Finding {
  try {
    requireWritable(paths)
    return { level: 'pass', name: 'data', detail: `${paths.dataDir} is writable` }
  } catch (error) {
    return { level: 'fail', name: 'data', detail: errorText(error), fix: (error as AoError).hint }
  }
}

const MIB = 1024 ** 2
const LITTLE_SPACE = 1024 * MIB
const TOO_LITTLE_SPACE = 64 * MIB

/** A full disk loses nothing, but nothing continues either. */
function checkSpace(directory: string): Finding[] {
  const existing = nearestExisting(directory)
  const { bavail, bsize } = statfsSync(existing)
  const free = bavail * bsize
  if (free >= LITTLE_SPACE) return []
  return [
    {
      level: free < TOO_LITTLE_SPACE ? 'fail' : 'warn',
      name: 'disk',
      detail: `only ${Math.floor(free / MIB)} MiB are free where ${existing} is`,
      fix: 'Make room: ao session cleanup removes the worktrees of finished sessions',
    },
  ]
}

async function checkRecords(ao: Ao, projectId: string): Promise<Finding[]> {
  const store = ao.context.store(projectId)
  const ids = store.list()
  const findings: Finding[] = []
  for (const id of ids) {
    const { problems = [], newer } = store.read(id) ?? {}
    if (problems.length === 0) continue
    if (newer !== undefined) {
      findings.push({
        ...{ level: 'warn', name: `session ${id}`, detail: `${store.paths.sessionFile(id)}: ${newerBy(newer, 'ao')}` },
        fix: 'Update this program; how: ao upgrade',
      })
      continue
    }
    findings.push({
      level: 'fail',
      name: `session ${id}`,
      detail: `its record is damaged: ${problems.slice(0, 3).join('; ')}`,
      fix: `Correct ${store.paths.sessionFile(id)}; the next change keeps a copy of it and continues with what is readable`,
    })
  }
  const quarantined = existsSync(store.paths.damaged) ? readdirSync(store.paths.damaged).length : 0
  if (quarantined > 0) {
    findings.push({
      level: 'warn',
      name: `records of ${projectId}`,
      detail: `${plural(quarantined, 'damaged record')} kept in ${store.paths.damaged}`,
      fix: 'Look at them, then remove them',
    })
  }
  if (findings.length > 0) return findings
  return [{ level: 'pass', name: `records of ${projectId}`, detail: plural(ids.length, 'session') }]
}

async function checkInterrupted(ao: Ao, { fix }: { fix: boolean }): Promise<Finding[]> {
  const { recovered, failures } = fix ? await recoverAll(ao) : { recovered: [], failures: new Map<string, string>() }
  const done = recovered.map(
    ({ sessionId, outcome }): Finding => ({
      level: 'pass',
      name: `session ${sessionId}`,
      detail: `an interrupted command was ${outcome === 'finished' ? 'finished' : 'rolled back'}`,
    }),
  )
  const left = Object.keys(ao.config.projects).flatMap((projectId) => {
    const store = ao.context.store(projectId)
    return store.list().flatMap((id): Finding[] => {
      const { record } = store.read(id) ?? { record: EMPTY_RECORD }
      const operation = readOperation(record)
      const kind = isReturnLeft(id, record) ? 'rewind' : operation?.ownerAlive === false && operation.kind
      if (!kind) return []
      const why = failures.has(id) ? `, and could not be settled: ${failures.get(id)}` : ''
      const how = `Finish it or roll it back with: ao doctor --fix${fix ? ', once that is mended' : ''}`
      return [{ level: 'warn', name: `session ${id}`, detail: `its ${kind} was interrupted${why}`, fix: how }]
    })
  })
  return [...done, ...left]
}

/** Twice where something was in the way: on a busy machine that may be nothing but time. */
async function recoverAll(ao: Ao) {
  const failures = new Map<string, string>()
  const attempt = () => ao.manager.recover(undefined, (id, why) => void failures.set(id, why))
  const recovered = await attempt()
  if (failures.size > 0) recovered.push(...(await attempt()))
  return { recovered, failures }
}
