// Sessions that wait start once everything they need has landed, or on top of it where that is allowed; when neither will
// happen, a person is asked once.
import { isWaiting } from '../../contract/blocker.ts'
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { decideStart } from '../../core/task/decide-start.ts'
import { findOwnCycle } from '../../manager/launch/blockers.ts'
import { type Answers, observeBlockers } from '../../manager/launch/observe-blockers.ts'
import type { LoopContext } from './loop-context.ts'

export async function startWaiting(
  loop: LoopContext,
  project: ProjectConfig,
  sessions: readonly Session[],
): Promise<void> {
  const questions = askSeldom(loop, project)
  for (const session of sessions.filter((one) => isWaiting(recordOf(one)))) {
    const { blockers = [], heldBack } = recordOf(session)
    // A person was asked: nobody else starts it, so trackers and forges are not asked about it either.
    if (heldBack !== undefined) continue
    const cycle = findOwnCycle(loop.context, project, { id: session.id, record: recordOf(session) })
    if (cycle !== null) {
      await holdBack(loop, session, `it waits for itself: ${cycle.join(' needs ')}`)
      continue
    }
    const observed = await observeBlockers(loop.context, project, blockers, questions)
    const decision = decideStart(observed, { project: project.id, speculate: project.speculate === true })
    if (decision.act === 'ask') await holdBack(loop, session, decision.reason)
    else if (decision.act === 'start') await start(loop, session, decision.on?.session)
  }
}

const ANSWER_MS = 30_000

/** However many wait and however often they are observed, each question is put to a tracker or forge once in this time. */
function askSeldom({ blockerAnswers, context }: LoopContext, project: ProjectConfig): Answers {
  const now = context.clock.now().getTime()
  const own = blockerAnswers.get(project.id)
  const isFresh = own !== undefined && now >= own.since && now - own.since < ANSWER_MS
  const answers = isFresh ? own.answers : new Map<string, Promise<unknown>>()
  if (!isFresh) blockerAnswers.set(project.id, { since: now, answers })
  return {
    ask<T>(question: string, answer: () => Promise<T>): Promise<T> {
      const given = answers.get(question) ?? answer()
      answers.set(question, given)
      return given as Promise<T>
    },
  }
}

/** What is configured, installed or agreed to does not change by itself. */
const NOT_BY_ITSELF = 2

async function start(loop: LoopContext, session: Session, on: string | undefined): Promise<void> {
  const { id } = session
  const why = on === undefined ? 'because everything it needs has landed' : `on the branch of ${on}`
  try {
    await loop.manager.startWaiting(id, { by: 'the loop', on })
    loop.say(`${id}: started, ${why}`)
  } catch (error) {
    loop.say(`${id} could not be started: ${errorText(error)}`)
    const record = loop.context.store(session.projectId).read(id)?.record
    // What failed in between is in its record, and in the queue. A place without room has some later, a forge answers later.
    if (!record || !isWaiting(record) || record.heldBack !== undefined) return
    if (error instanceof AoError && error.exitCode === NOT_BY_ITSELF)
      await holdBack(loop, session, `its start failed: ${errorText(error)}`)
  }
}

/** Written down, so that it is asked once; a person starts it or ends it. */
async function holdBack(loop: LoopContext, { id, projectId }: { id: string; projectId: string }, reason: string) {
  await loop.context.store(projectId).update(id, { heldBack: reason }, [], [reason])
  loop.say(`${id} does not start by itself: ${reason}`)
}
