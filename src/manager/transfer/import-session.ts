// Takes an exported session into this machine's archive, from where it can be restored like any other.
import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ATTACHMENTS } from '../../contract/agh/attachment.ts'
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import { isSafeName, sessionNumber } from '../../contract/ids.ts'
import { readRecord } from '../../contract/record.ts'
import { keptName } from '../../core/message/attachment.ts'
import { type Manifest, travellingRecord } from '../../core/session/export-manifest.ts'
import { parsePairs } from '../../core/text/key-value.ts'
import { isExportName } from '../../core/text/tar.ts'
import { gitOn, hasCommit, openRepository, type Repository, resolveRef, tryGitOn } from '../../git/repository.ts'
import { listRescues, rescueRef } from '../../git/rescue/rescue-commit.ts'
import { takeBundle } from '../../git/transfer/bundle.ts'
import { settleForNewSession } from '../../git/workspace/plan-workspace.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { requireWritable } from '../../lib/process/own-home.ts'
import { adoptSession, isUsed } from '../../store/session/adopt-session.ts'
import type { SessionStore } from '../../store/session/session-store.ts'
import type { StoreContext } from '../../store/store-context.ts'
import { type ManagerContext, requireProject, workspaceOf } from '../context.ts'
import { freeIds } from '../launch/task.ts'
import type { Imported } from '../types.ts'
import {
  announceImport,
  bundleFile,
  creationOf,
  finishImport,
  type ImportIntent,
  onlyImport,
  settleImports,
  undoImport,
} from './import-intent.ts'
import { type ReadExport, readEvents, readExport, textOf } from './read-export.ts'

export async function importSession(
  context: ManagerContext,
  file: string,
  { projectId }: { projectId: string },
): Promise<Imported> {
  const exported = readExport(file)
  const project = requireProject(context, projectId)
  requireWritable(context.paths)
  const store = context.store(project.id)
  store.ensure()
  const repository = openRepository(project.path, context.env)
  return onlyImport(repository, async () => {
    await settleImports(store, repository)
    for await (const { sessionId, path } of candidates(context, project, store, exported.manifest)) {
      const imported = await store.withOperation(sessionId, () =>
        importAs({ context, project, store, repository, exported, sessionId, path }),
      )
      if (imported) return imported
    }
    throw new AoError('INTERNAL', 'No free session number was found')
  })
}

/** Its own id if nobody here has or had it, then new ones. */
async function* candidates(context: ManagerContext, project: ProjectConfig, store: SessionStore, manifest: Manifest) {
  const workspace = await workspaceOf(context, project, undefined)
  const { id } = manifest.session
  const fits = isSafeName(id) && sessionNumber(id, project.sessionPrefix) !== null
  if (fits && !isUsed(store, id)) {
    yield { sessionId: id, path: workspace.pathFor({ projectId: project.id, sessionId: id }) }
  }
  yield* freeIds(project, store, workspace)
}

interface Job {
  context: ManagerContext
  project: ProjectConfig
  store: SessionStore
  repository: Repository
  exported: ReadExport
  sessionId: string
  path: string
}

/** null: the id is taken. */
async function importAs(job: Job): Promise<Imported | null> {
  const { store, repository, sessionId, exported } = job
  if (isUsed(store, sessionId)) return null
  const branch = await chooseBranch(job)
  await settleForNewSession(repository, sessionId)
  const refs = [...(branch ? [branch] : []), ...(await rescuesOf(job))].map(({ ref, commit }) => ({
    ref,
    commit,
  }))
  const intent = announceImport(store, sessionId, refs)
  if (!intent) return null
  failpoint('import.announced')
  try {
    await takeWork(job, intent)
    writeState(job)
    failpoint('import.state')
    const isOurs = await adoptSession(storeContext(job), sessionId, {
      record: recordFor(job, branch?.name ?? null),
      history: readEvents(textOf(exported.files.get('history.jsonl'))),
      event: {
        type: 'session.imported',
        from: exported.manifest.session.id,
        exportedAt: exported.manifest.exportedAt,
      },
    })
    if (!isOurs) throw new AoError('SESSION_BUSY', `Another process has just created ${sessionId}; import it again`)
  } catch (error) {
    await undoImport(store, repository, intent)
    throw error
  }
  failpoint('import.archived')
  await finishImport(store, repository, intent)
  const { project } = job
  return { sessionId, projectId: project.id, from: exported.manifest.session.id, branch: branch?.name ?? null }
}

interface ChosenBranch {
  name: string
  ref: string
  commit: string
}

/** The same name where it is free, else one with a number: a branch that is here may be another session's. */
async function chooseBranch({ repository, exported }: Job): Promise<ChosenBranch | null> {
  const { branch } = exported.manifest
  if (!branch) return null
  const isName = (await tryGitOn(repository, ['check-ref-format', '--branch', branch.name], { read: true })).ok
  if (!isName || branch.name.startsWith('-')) {
    throw new AoError('ARCHIVE_INVALID', `Its branch ${JSON.stringify(branch.name)} has no name that git takes`)
  }
  for (let number = 1; ; number++) {
    const name = number === 1 ? branch.name : `${branch.name}-${number}`
    const ref = `refs/heads/${name}`
    if ((await resolveRef(repository, ref)) === null) return { name, ref, commit: branch.commit }
  }
}

/** Under its id here; numbers go on after those that an earlier session of this name left. */
async function rescuesOf({ repository, exported, sessionId }: Job): Promise<Array<{ ref: string; commit: string }>> {
  const before = (await listRescues(repository, sessionId)).at(-1)?.number ?? 0
  const rescues = exported.manifest.rescues.toSorted((a, b) => a.number - b.number)
  return rescues.flatMap(({ commit, settled }, index) => {
    const number = before + index + 1
    const settledRef = `refs/ao/settled/${sessionId}/${number}`
    return [{ ref: rescueRef(sessionId, number), commit }, ...(settled ? [{ ref: settledRef, commit }] : [])]
  })
}

/** Objects first, then all refs in one step. */
async function takeWork({ store, repository, exported, sessionId }: Job, intent: ImportIntent): Promise<void> {
  const bundle = exported.files.get('work.bundle')
  if (bundle) {
    writeFileAtomic(bundleFile(store, sessionId), Buffer.from(bundle), { mode: 0o600, durable: false })
    await takeBundle(repository, bundleFile(store, sessionId))
  }
  failpoint('import.objects')
  for (const commit of new Set(intent.refs.map((one) => one.commit))) {
    if (await hasCommit(repository, commit)) continue
    throw new AoError('ARCHIVE_INVALID', `This clone lacks the commit ${commit} of the session`, {
      hint: 'Fetch it first with: git fetch --all',
    })
  }
  const input = creationOf(intent)
  if (input !== '') await gitOn(repository, ['update-ref', '--stdin'], { input })
  failpoint('import.refs')
}

/** Prompt, conversation, recording and the files of messages. Names are those of the short list. */
function writeState({ store, exported, sessionId }: Job): void {
  const stateDir = store.paths.stateDir(sessionId)
  mkdirSync(join(stateDir, 'terminal'), { recursive: true, mode: 0o700 })
  for (const [name, bytes] of exported.files) {
    const isState = /^(?:prompt\.md|transcript\.json|terminal\/)/.test(name) && isExportName(name)
    if (isState) writeFileAtomic(join(stateDir, name), Buffer.from(bytes), { mode: 0o600, isForeign: true })
  }
  keepImported(join(stateDir, ATTACHMENTS), attachmentsIn(exported))
}

function attachmentsIn({ files }: ReadExport): Map<string, Uint8Array> {
  const own = [...files].filter(([name]) => name.startsWith(`${ATTACHMENTS}/`))
  return new Map(own.map(([name, bytes]) => [basename(name), bytes]))
}

function keepImported(directory: string, files: ReadonlyMap<string, Uint8Array>): void {
  if (files.size > 0) mkdirSync(directory, { recursive: true, mode: 0o700 })
  for (const [name, bytes] of files) {
    writeFileAtomic(join(directory, name), Buffer.from(bytes), { mode: 0o600, isForeign: true })
  }
}

function recordFor({ project, path, exported }: Job, branch: string | null) {
  const { pairs } = parsePairs(textOf(exported.files.get('record')))
  const record = readRecord(pairs)
  const files = attachmentsIn(exported)
  const attachments = record.attachments?.filter((one) => files.has(keptName(one)))
  return {
    ...travellingRecord(record),
    attachments: attachments?.length ? attachments : undefined,
    project: project.id,
    branch: branch ?? undefined,
    worktree: path,
  }
}

function storeContext({ context, project, store }: Job): StoreContext {
  const { clock, log, config } = context
  return { projectId: project.id, paths: store.paths, configPath: config.configPath, clock, log }
}
