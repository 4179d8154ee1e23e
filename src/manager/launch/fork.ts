// A second session that begins where another one is now: on a branch of its own at the same commit, with the same uncommitted
// and untracked files, and where its agent can do that with a copy of the conversation (resume.ts). It is made as an ended session
// whose work is saved, and then restored like any other: killed in between it is rolled back, or can be restored. Of an earlier turn its
// files come from the checkpoint (git/rescue/checkpoint.ts), of a commit from git.
import { existsSync } from 'node:fs'
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import { runtimeName } from '../../contract/ids.ts'
import type { RecordChange, SessionRecord } from '../../contract/record.ts'
import { ADOPTED_WORKSPACE } from '../../contract/record-values.ts'
import type { Session } from '../../contract/session.ts'
import { runGit, tryGit } from '../../git/git.ts'
import { commonGitDir } from '../../git/git-dir.ts'
import { gitOn, openRepository } from '../../git/repository.ts'
import { requireCheckpoint } from '../../git/rescue/go-back.ts'
import { createRescueRef, listRescues, rescueRef } from '../../git/rescue/rescue-commit.ts'
import { settleForNewSession } from '../../git/workspace/plan-workspace.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { requireWritable } from '../../lib/process/own-home.ts'
import { copyKept } from '../../store/copied-attachments.ts'
import { readPrompt } from '../../store/session/session-file.ts'
import { type FoundSession, type ManagerContext, requireActive, workspaceOf } from '../context.ts'
import { attachmentDirectory } from '../message/attached-files.ts'
import { NO_OPERATION } from '../operation.ts'
import { ownRecord } from '../own-record.ts'
import { requireTurn } from '../remove/turns.ts'
import type { RestoreOptions } from '../types.ts'
import { restore } from './restore.ts'
import { freeIds } from './task.ts'

export async function fork(
  context: ManagerContext,
  sourceId: string,
  { at, ...options }: ForkOptions = {},
): Promise<Session> {
  const found = requireActive(context, sourceId)
  requireWritable(context.paths)
  const source = await requireSource(context, found, sourceId)
  if (at !== undefined) {
    source.at = await findStart(context, sourceId, source, at)
    source.begins = await findBegin(context, source, source.at.commit)
  }
  const id = await reserveFork(context, found, sourceId, source)
  failpoint('fork.reserved')
  await found.store.withOperation(id, () => saveFork(context, found, { id, sourceId, source }))
  failpoint('fork.saved')
  return restore(context, id, options)
}

export interface ForkOptions extends Pick<RestoreOptions, 'onProgress' | 'onNotice'> {
  /** A turn of it, or a commit of its branch, to begin with, without what came later. */
  at?: string | undefined
}

interface Source {
  project: ProjectConfig
  record: SessionRecord
  worktree: string
  branch: string
  /** Instead of where it is now. */
  at?: Start
  /** Where its own work begins, if that is not where the work of the other does. */
  begins?: string | undefined
}

interface Start {
  /** In words, for its agent. */
  what: string
  commit: string
  /** With the uncommitted files of then; null: only what was committed. */
  checkpoint: string | null
  /** Whose conversation until then is copied, where the agent can do that. */
  turn?: number
}

/** Longer numbers are commits. */
const TURN = /^\d{1,6}$/

async function findStart(context: ManagerContext, sourceId: string, source: Source, at: string): Promise<Start> {
  if (!TURN.test(at)) {
    const commit = await requireCommit(context, sourceId, source, at)
    return { what: `at the commit ${commit}`, commit, checkpoint: null }
  }
  const { commit: checkpoint, turn } = await requireTurn(context, sourceId, Number(at))
  const repository = openRepository(source.project.path, context.env)
  if (commonGitDir(source.worktree) !== repository.commonDir)
    throw new AoError('STATE_REFUSED', `${sourceId} works in a clone, which keeps the files of its turns to itself`, {
      hint: `Take it back there with: ao session rewind ${sourceId} --to ${at}, or fork it as it is: ao session fork ${sourceId}`,
      details: { sessionId: sourceId, at },
    })
  const { parts } = await requireCheckpoint(repository, checkpoint)
  if (parts.head !== null) return { what: `before its turn ${at}`, commit: parts.head, checkpoint, turn }
  throw new AoError(
    'STATE_REFUSED',
    `${sourceId} had no commit yet before turn ${at}: there is nothing to begin a branch at`,
  )
}

async function requireCommit(
  { env }: ManagerContext,
  sourceId: string,
  { worktree }: Source,
  at: string,
): Promise<string> {
  const ask = (args: string[]) => runGit(worktree, args, { env, read: true }).catch(() => null)
  const commit = (await ask(['rev-parse', '--verify', '--quiet', '--end-of-options', `${at}^{commit}`]))?.trim()
  if (commit && (await ask(['merge-base', '--is-ancestor', commit, 'HEAD'])) !== null) return commit
  throw new AoError('USAGE', `${JSON.stringify(at)} is not a commit of the branch of ${sourceId}`, {
    hint: `See its commits with: git -C ${worktree} log --oneline, and its turns with: ao session turns ${sourceId}`,
    details: { sessionId: sourceId, at },
  })
}

/** From before the other's own work it has none of it below. undefined: it begins where that does. */
async function findBegin(
  { env }: ManagerContext,
  { worktree, record }: Source,
  at: string,
): Promise<string | undefined> {
  const begins = record.stack?.at
  if (begins === undefined) return undefined
  const isBelow = await tryGit(worktree, ['merge-base', '--is-ancestor', begins, at], { env, read: true })
  return isBelow.ok ? undefined : at
}

async function requireSource(
  context: ManagerContext,
  { project, stored }: FoundSession,
  sourceId: string,
): Promise<Source> {
  const { record } = await ownRecord(context, project, sourceId, stored)
  const refuse = (why: string, hint?: string) =>
    new AoError('STATE_REFUSED', `${sourceId} cannot be forked: ${why}`, { hint, details: { sessionId: sourceId } })
  if (record.role === 'orchestrator') throw refuse('an orchestrator has no work of its own')
  if (record.place !== undefined)
    throw refuse('its files are elsewhere', `Bring them home first with: ao session move ${sourceId} --here`)
  const { worktree, branch } = record
  if (branch === undefined || worktree === undefined || worktree === project.path || !existsSync(worktree))
    throw refuse('it has no workspace now', `Bring it back first with: ao session restore ${sourceId}`)
  return { project, record, worktree, branch }
}

/** A worktree that was adopted is not ao's, but its copy is. */
function copyKind({ workspace }: SessionRecord): string | undefined {
  return workspace === ADOPTED_WORKSPACE ? undefined : workspace
}

/** Rolled back like any spawn until its work is saved. */
async function reserveFork(
  context: ManagerContext,
  { project, store }: FoundSession,
  sourceId: string,
  { record, branch, at, begins }: Source,
): Promise<string> {
  const workspace = await workspaceOf(context, project, copyKind(record))
  const { agent, account, issue, issueTitle, issueLabels, userPrompt, wantedModel, startMode } = record
  const { baseBranch, forge, runtime, stack } = record
  for (const { sessionId, path } of freeIds(project, store, workspace)) {
    const own = `${branch.replace(/-fork-[^/]*$/, '')}-fork-${sessionId}`
    const change: RecordChange = {
      ...{ project: project.id, agent, account, issue, issueTitle, issueLabels, userPrompt, wantedModel, startMode },
      ...{ baseBranch, forge, runtime, workspace: workspace.name, worktree: path, branch: own, forkedFrom: sourceId },
      // What it stands on is below the copy, too, and lands first.
      stack: stack && { on: stack.on, at: begins ?? stack.at, dead: stack.dead },
      ...{ role: 'worker', createdAt: context.clock.now(), tmuxName: runtimeName(context.paths.hash, sessionId) },
      // As of any new session: a crash must not look like a delivered prompt.
      promptDelivered: 'no',
      // The conversation knows what came after a commit.
      forkConversation: at === undefined || at.turn ? undefined : 'new',
      conversationTo: at?.turn,
      ...{ operation: 'spawn', operationData: { branchIsNew: true } },
    }
    const event = { type: 'session.reserved', project: project.id, agent: agent ?? '', role: 'worker' } as const
    if (await store.reserve(sessionId, change, { ...event, branch: own, issue: issue ?? null })) return sessionId
  }
  throw new AoError('INTERNAL', `No session of ${project.id} could be reserved`)
}

async function saveFork(
  context: ManagerContext,
  { project, store }: FoundSession,
  { id, sourceId, source }: { id: string; sourceId: string; source: Source },
): Promise<void> {
  const { branch } = store.read(id)!.record
  const workspace = await workspaceOf(context, project, copyKind(source.record))
  if (!workspace.snapshot || !workspace.applyRescue)
    throw new AoError('STATE_REFUSED', `Workspaces of ${workspace.name} cannot be copied`)
  const repository = openRepository(project.path, context.env)
  await settleForNewSession(repository, id)
  // Of this very worktree: its repository has a HEAD of its own.
  const now = () => runGit(source.worktree, ['rev-parse', 'HEAD'], { env: context.env, read: true })
  await gitOn(repository, ['branch', '--no-track', branch!, source.at?.commit ?? (await now()).trim()])
  if (source.at === undefined) await workspace.snapshot(source.worktree, id)
  else if (source.at.checkpoint !== null) {
    const number = ((await listRescues(repository, id)).at(-1)?.number ?? 0) + 1
    await createRescueRef(repository, rescueRef(id, number), source.at.checkpoint)
  }
  failpoint('fork.work-saved')
  const paths = context.paths.project(project.id)
  const task = (readPrompt(paths.stateDir(sourceId)) ?? source.record.userPrompt ?? null)?.replace(
    `on branch ${source.branch},`,
    () => `on branch ${branch},`,
  )
  const where = whereItBegins(sourceId, {
    branch: branch!,
    path: store.read(id)!.record.worktree!,
    at: source.at?.what,
  })
  store.savePrompt(id, [...(task ? [task] : []), where].join('\n\n'))
  const attachments = copyKept(
    attachmentDirectory(paths, sourceId),
    attachmentDirectory(paths, id),
    source.record.attachments ?? [],
  )
  failpoint('fork.files-kept')
  const change = {
    ...NO_OPERATION,
    endedAs: 'killed' as const,
    attachments: attachments.length > 0 ? attachments : undefined,
  }
  await store.update(id, change, [], [`it was forked from ${sourceId}`])
}

/** Whether the conversation came along is known when it starts, and to the agent then. */
function whereItBegins(
  sourceId: string,
  { branch, path, at }: { branch: string; path: string; at?: string | undefined },
): string {
  const copied = at === undefined ? 'with everything it had changed, committed or not' : `as it was ${at}`
  return [
    '## Where you begin',
    '',
    `This worktree, ${path}, began as a copy of that of the session ${sourceId}, ${copied}, on a branch of its own, ${branch}.`,
    'From now on you work here and on this branch only, whatever was said about another one before. If you do not have the conversation so far, read git log, git status and git diff first. Then continue the task from there.',
  ].join('\n')
}
