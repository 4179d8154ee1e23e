// A base branch that is red after something landed: a person and the agent whose work it is hear of it, once, and a pull
// request reverts it where that is configured. Each step can be repeated: what is done is found.
import { join } from 'node:path'
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import type { PullRef } from '../../contract/pull.ts'
import { brokenBaseMessage } from '../../core/reactions/messages.ts'
import type { OwnBase } from '../../landing/own-train.ts'
import { openTrainFile } from '../../landing/train/train-file.ts'
import { type Red, readWatch, writeWatch } from '../../landing/watch/watch-file.ts'
import type { LoopContext } from './loop-context.ts'

/** A base branch, on whichever forge. */
export interface WatchedBase extends OwnBase {
  project: ProjectConfig
  projectDir: string
}

/** true: something boarded that repairs it. */
export async function keepWatch(loop: LoopContext, base: WatchedBase): Promise<boolean> {
  const red = (await base.watch())?.red
  if (!red) return false
  const pull = red.pull === null ? null : base.pullOf(red.pull)
  await notifyRed(loop, base, red, pull)
  if (pull === null || red.commit === null) return false
  const broken: Broken = { red: { ...red, commit: red.commit }, pull }
  if (!red.sent) await send(loop, base, broken)
  if (base.project.landing?.watch !== 'revert' || red.revert !== undefined || !mayTryAgain(loop, red)) return false
  return revert(loop, base, broken)
}

const TRY_AGAIN_MS = 10 * 60_000

function mayTryAgain(loop: LoopContext, { revertFailedAt }: Red): boolean {
  const since = loop.context.clock.now().getTime() - Date.parse(revertFailedAt ?? '')
  return !(since < TRY_AGAIN_MS)
}

interface Broken {
  red: Red & { commit: string }
  pull: PullRef & { number: number }
}

async function notifyRed(
  loop: LoopContext,
  { project }: WatchedBase,
  { commit, check, pull: number }: Red,
  pull: PullRef | null,
): Promise<void> {
  const { id, name, defaultBranch } = project
  const by = pull?.session ? ` of ${pull.session}` : ''
  const since =
    commit === null
      ? ''
      : number === null
        ? ` since ${commit.slice(0, 10)} was pushed`
        : ` since #${number}${by} landed`
  await loop.notify({
    type: 'landing.broken',
    projectId: id,
    sessionId: pull?.session ?? undefined,
    priority: 'urgent',
    message: `${name}: ${defaultBranch} fails ${check}${since}`,
    url: pull?.url,
    dedupeKey: `base-red ${id} ${commit ?? 'unknown'} ${check}`,
  })
}

async function send(loop: LoopContext, base: WatchedBase, { red, pull }: Broken): Promise<void> {
  const { id, defaultBranch } = base.project
  const { session } = pull
  if (session && !wasSent(loop, id, session, red.commit)) {
    const { commit, check } = red
    const logTail = await base.logOf(commit, check)
    const text = brokenBaseMessage({ number: pull.number, commit, check, logTail, baseBranch: defaultBranch })
    try {
      const receipt = await loop.manager.deliver(session, text, { source: 'landing-failed' })
      if (receipt.level === 'undelivered')
        loop.say(`${session}: the message that ${defaultBranch} is red was not delivered: ${receipt.why ?? ''}`)
    } catch (error) {
      // Its agent has ended; the person knows.
      loop.say(`${session}: its agent could not be informed that ${defaultBranch} is red: ${errorText(error)}`)
    }
  }
  note(base, red, { sent: true })
}

/** A process that died before it could note it has sent it all the same. */
function wasSent(loop: LoopContext, projectId: string, session: string, commit: string): boolean {
  const { events } = loop.context.store(projectId).readHistory(session)
  return events.some((one) => one.type === 'message.queued' && one.text.includes(commit))
}

async function revert(loop: LoopContext, base: WatchedBase, { red, pull }: Broken): Promise<boolean> {
  const { project, projectDir } = base
  try {
    const { number, headSha, isOpen } = await base.revert({ commit: red.commit, pull, check: red.check })
    const boards = isOpen && project.landing?.mode === 'train'
    const file = openTrainFile({ projectDir, clock: loop.context.clock })
    if (boards) await file.append({ type: 'boarded', pull: number, headSha, by: 'ao, to repair', first: true })
    loop.say(`${project.id}: #${number} reverts #${pull.number}${boards ? ' and boards first' : ''}`)
    note(base, red, { revert: number })
    return boards
  } catch (error) {
    // What came after it needs it: that stays so. A forge that did not answer may answer later.
    const isFinal = error instanceof AoError && error.code === 'PR_NOT_MERGEABLE'
    const why = errorText(error)
    note(base, red, isFinal ? { revert: 0 } : { revertFailedAt: loop.context.clock.now().toISOString() })
    loop.say(`${project.id}: #${pull.number} was not reverted${isFinal ? '' : '; it is tried again'}: ${why}`)
    await loop.notify({
      type: 'landing.broken',
      projectId: project.id,
      priority: 'urgent',
      message: `${project.name}: #${pull.number} could not be reverted: ${why}`,
      dedupeKey: `revert-failed ${project.id} ${red.commit}`,
    })
    return false
  }
}

/** Of this very failure; the branch may have moved meanwhile. */
function note({ projectDir }: WatchedBase, red: Red, done: Partial<Red>): void {
  const directory = join(projectDir, 'landing')
  const now = readWatch(directory)
  if (now.red && now.red.commit === red.commit && now.red.check === red.check)
    writeWatch(directory, { ...now, red: { ...now.red, ...done } })
}
