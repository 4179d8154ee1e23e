// A base branch that is red after something landed: a person and the agent whose work it is hear of it, once, and a pull
// request takes it back where that is configured. Each step can be repeated: what is done is found.
import { join } from 'node:path'
import { errorText } from '../../contract/errors.ts'
import { brokenBaseMessage } from '../../core/reactions/messages.ts'
import type { LocalPull } from '../../forge/pulls/pull-events.ts'
import { treeOf } from '../../landing/train/build-cars.ts'
import { readLog } from '../../landing/train/read-departure.ts'
import { openTrainFile } from '../../landing/train/train-file.ts'
import { openRevert } from '../../landing/watch/open-revert.ts'
import { type WatchOptions, watchBase } from '../../landing/watch/watch-base.ts'
import { type Red, readWatch, writeWatch } from '../../landing/watch/watch-file.ts'
import type { LoopContext } from './loop-context.ts'

/** true: something boarded that repairs it. */
export async function keepWatch(loop: LoopContext, options: WatchOptions): Promise<boolean> {
  const { forge } = options
  const red = (await watchBase(options))?.red
  if (!red) return false
  const pull = red.pull === null ? null : forge.pulls.read(red.pull)
  await notifyRed(loop, options, red, pull)
  if (pull === null || red.commit === null) return false
  const broken: Broken = { red: { ...red, commit: red.commit }, pull }
  if (!red.sent) await send(loop, options, broken)
  if (forge.project.landing?.watch !== 'revert' || red.revert !== undefined) return false
  return revert(loop, options, broken)
}

interface Broken {
  red: Red & { commit: string }
  pull: LocalPull
}

async function notifyRed(
  loop: LoopContext,
  { forge }: WatchOptions,
  { commit, check, pull: number }: Red,
  pull: LocalPull | null,
): Promise<void> {
  const { id, name, defaultBranch } = forge.project
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

async function send(loop: LoopContext, options: WatchOptions, { red, pull }: Broken): Promise<void> {
  const { forge, projectDir } = options
  const { id, defaultBranch } = forge.project
  const { session } = pull
  if (session !== null && !wasSent(loop, id, session, red.commit)) {
    const directory = join(projectDir, 'landing')
    const logTail = readLog(forge, directory, await treeOf(forge, red.commit), red.check)
    const { commit, check } = red
    const text = brokenBaseMessage({ number: pull.number, commit, check, logTail, baseBranch: defaultBranch })
    try {
      const receipt = await loop.deliver(session, text, 'landing-failed', { interrupt: false })
      if (receipt.level === 'undelivered') loop.say(`${session}: it could not be told: ${receipt.why ?? ''}`)
    } catch (error) {
      // Its agent has ended; the person knows.
      loop.say(`${session}: its agent could not hear that ${defaultBranch} is red: ${errorText(error)}`)
    }
  }
  note(options, red, { sent: true })
}

/** A process that died before it could note it has sent it all the same. */
function wasSent(loop: LoopContext, projectId: string, session: string, commit: string): boolean {
  const { events } = loop.manager.store(projectId).readHistory(session)
  return events.some((one) => one.type === 'message.queued' && one.text.includes(commit))
}

async function revert(loop: LoopContext, options: WatchOptions, { red, pull }: Broken): Promise<boolean> {
  const { forge, projectDir } = options
  try {
    const { number, headSha, state } = await openRevert(forge, { commit: red.commit, pull, check: red.check })
    const boards = state === 'open' && forge.project.landing?.mode === 'train'
    const file = openTrainFile({ projectDir, clock: loop.manager.clock })
    if (boards) await file.append({ type: 'boarded', pull: number, headSha, by: 'ao, to repair', first: true })
    loop.say(`${forge.project.id}: #${number} takes back #${pull.number}${boards ? ' and boards first' : ''}`)
    note(options, red, { revert: number })
    return boards
  } catch (error) {
    note(options, red, { revert: 0 })
    await loop.notify({
      type: 'landing.broken',
      projectId: forge.project.id,
      priority: 'urgent',
      message: `${forge.project.name}: #${pull.number} could not be taken back: ${errorText(error)}`,
      dedupeKey: `revert-failed ${forge.project.id} ${red.commit}`,
    })
    return false
  }
}

/** Of this very failure; the branch may have moved meanwhile. */
function note({ projectDir }: WatchOptions, red: Red, done: Partial<Red>): void {
  const directory = join(projectDir, 'landing')
  const now = readWatch(directory)
  if (now.red && now.red.commit === red.commit && now.red.check === red.check)
    writeWatch(directory, { ...now, red: { ...now.red, ...done } })
}
