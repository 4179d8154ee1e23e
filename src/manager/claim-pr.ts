// A session takes over an existing pull request: its workspace switches to that branch, its record names it.

import { existsSync } from 'node:fs'
import type { ProjectConfig } from '../contract/config.ts'
import { AoError } from '../contract/errors.ts'
import { isOrchestrator } from '../contract/ids.ts'
import type { PullRef } from '../contract/pull.ts'
import { recordOf } from '../contract/record.ts'
import type { ClaimResult } from '../contract/session.ts'
import { isTerminalSession } from '../contract/status.ts'
import { pullUrls, withoutPull } from '../core/status/recorded-facts.ts'
import type { SessionStore } from '../store/session/session-store.ts'
import { type ManagerContext, requireActive, scmOf } from './context.ts'
import { enrichOne, list } from './observe/enrich.ts'
import { recoverSession, withSettledOperation } from './remove/recover.ts'

export async function claimPr(
  context: ManagerContext,
  sessionId: string,
  reference: string,
  options: { takeover?: boolean } = {},
): Promise<ClaimResult> {
  await recoverSession(context, sessionId)
  const found = requireActive(context, sessionId)
  const { project, store } = found
  if (isOrchestrator(sessionId, found.stored.record.role ?? '')) {
    throw new AoError('USAGE', `${sessionId} is an orchestrator; it never owns a pull request`)
  }
  const session = await enrichOne(context, found)
  if (isTerminalSession(session) || session.workspacePath === null) {
    throw new AoError('SESSION_NOT_RUNNING', `Session ${sessionId} is not running: its status is ${session.status}`)
  }
  const { pr, checkout } = await resolve(context, project, reference)
  return withSettledOperation(context, { project, store, sessionId }, async () => {
    const owners = await ownersOf(context, pr, sessionId)
    if (owners.length > 0 && !options.takeover) {
      throw new AoError('SESSION_BUSY', `${pr.url} belongs to session ${owners.join(', ')}`, {
        hint: howToTakeOver(context, owners, pr, `ao session claim-pr ${reference} ${sessionId}`),
      })
    }
    const branchChanged = await checkout(session.workspacePath!)
    for (const owner of owners) await release(context, owner, pr)
    await record(store, sessionId, pr, owners)
    return { sessionId, projectId: project.id, pr, branchChanged, takenOverFrom: owners }
  })
}

/**
 * Git allows a branch in one worktree only: an owner that has it checked out must be removed first, which saves its work.
 */
function howToTakeOver(context: ManagerContext, owners: string[], pr: PullRef, claim: string): string {
  const takeover = `Take it over with: ${claim} --takeover`
  const holder = owners.find((owner) => {
    const { worktree, branch } = requireActive(context, owner).stored.pairs
    return branch === pr.branch && worktree !== undefined && existsSync(worktree)
  })
  return holder === undefined
    ? takeover
    : `${takeover}; a worktree must let go of it first: ao session kill ${holder} --purge`
}

async function resolve(context: ManagerContext, project: ProjectConfig, reference: string) {
  const scm = await scmOf(context, project)
  if (!scm?.resolvePR || !scm.checkoutPR) {
    throw new AoError('PLUGIN_NOT_FOUND', `Project ${project.id} has no forge that can look up pull requests`, {
      hint: `Choose one with projects.${project.id}.scm in ${context.config.configPath}`,
    })
  }
  const pr = await scm.resolvePR(reference, project)
  return { pr, checkout: (path: string) => scm.checkoutPR!(pr, path, project) }
}

async function ownersOf(context: ManagerContext, pr: PullRef, except: string): Promise<string[]> {
  const sessions = await list(context)
  return sessions.filter((one) => one.id !== except && pullUrls(recordOf(one)).includes(pr.url)).map(({ id }) => id)
}

/** The former owner forgets the pull request and does not find it again by its branch. */
async function release(context: ManagerContext, owner: string, { url }: PullRef): Promise<void> {
  const { store } = requireActive(context, owner)
  await store.update(
    owner,
    (record) => ({ ...withoutPull(record, url), prAutoDetect: 'off', alarm: null }),
    [],
    ['another session claimed its pull request'],
  )
}

async function record(store: SessionStore, sessionId: string, pr: PullRef, from: string[]): Promise<void> {
  await store.update(
    sessionId,
    { pr: pr.url, prAutoDetect: 'on', alarm: null, branch: pr.branch },
    [{ type: 'session.claimed_pr', url: pr.url, from }],
    [`it claimed ${pr.url}`],
  )
}
