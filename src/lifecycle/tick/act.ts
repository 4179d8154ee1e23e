// Carries out decisions, one at a time, and records how each went.

import { errorText } from '../../contract/errors.ts'
import {
  intentOf,
  type Priority,
  type ReactionDecision,
  type ReactionRecord,
  type ReactionRule,
} from '../../contract/reactions.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { escalationOf } from '../../core/reactions/decide-reactions.ts'
import type { PullNews } from '../../core/reactions/pull-news.ts'
import { readHead } from '../../git/git-dir.ts'
import { mergePull } from '../../landing/merge.ts'
import { measure } from '../../lib/measures.ts'
import { scmOf } from '../../manager/context.ts'
import { mergeContext } from '../../manager/pulls/merge-context.ts'
import type { Acted, ActRequest, LoopContext } from '../loop/loop-context.ts'
import { findAnswers } from '../notify/answer-actions.ts'

export async function act(loop: LoopContext, request: ActRequest): Promise<Acted[]> {
  const acted: Acted[] = []
  for (const decision of request.decisions) {
    const { memory: key } = decision.condition
    const record = request.memory[key]
    if (!record) continue
    const started = performance.now()
    const failure = await carryOut(loop, request, decision, record)
    const seconds = (performance.now() - started) / 1_000
    acted.push({ key, record, succeeded: failure === null, at: loop.context.clock.now().getTime() })
    await remember(loop, request, { decision, failure, seconds, intent: intentOf(record) })
  }
  return acted
}

/** null: it worked; otherwise why not. */
async function carryOut(
  loop: LoopContext,
  request: ActRequest,
  decision: ReactionDecision,
  record: ReactionRecord,
): Promise<string | null> {
  try {
    if (decision.kind === 'escalate') {
      const message = `${decision.condition.summary}, and ${decision.reason}`
      const about = escalationOf(decision.condition, record)
      await notify(loop, request, decision, { message, priority: 'urgent', about })
      return null
    }
    return await doAction(loop, request, decision)
  } catch (error) {
    return errorText(error)
  }
}

async function doAction(
  loop: LoopContext,
  request: ActRequest,
  decision: Extract<ReactionDecision, { kind: 'act' }>,
): Promise<string | null> {
  const { session, project } = request
  const { condition, rule } = decision
  switch (decision.action) {
    case 'notify':
      if (condition.key === 'agent-exited' && request.lostTogether.length > 0 && rule.message === undefined)
        return notifyLost(loop, request, rule)
      await notify(loop, request, decision, {
        message: rule.message ?? condition.summary,
        priority: rule.priority,
        about: `${condition.fingerprint} ${rule.priority}`,
      })
      return null
    case 'send-to-agent': {
      // A silent agent would read it only after its current turn.
      const interrupt = condition.key === 'agent-stuck'
      const how = { source: condition.memory, interrupt, reached: request.reached }
      const receipt = await loop.manager.react(session.id, rule.message ?? condition.message, how)
      // Handed over counts: an agent that keeps no records can never confirm more, and nothing is sent twice.
      return receipt.level === 'undelivered' ? (receipt.why ?? 'it was not delivered') : null
    }
    case 'restart-agent':
      await loop.manager.restart(session.id, `the reaction ${condition.key}`)
      return null
    case 'review': {
      const { headSha: head = '', pull = '' } = condition
      const reviewer = await loop.manager.startReview(session.id, { pull, head, round: decision.attempt })
      loop.say(`${session.id}: ${reviewer} reviews ${head.slice(0, 10)}`)
      return null
    }
    case 'switch-account':
      return continueElsewhere(loop, request, decision)
    case 'pause':
    case 'stop': {
      await loop.manager.endSpending(session.id, { action: decision.action, why: condition.summary })
      const done = decision.action === 'pause' ? 'it was paused where it is' : 'its agent was ended, its work is kept'
      const more = `Give it more with: ao session budget ${session.id} <amount>`
      await notify(loop, request, decision, {
        message: `${condition.summary}; ${done}. ${more}`,
        priority: rule.priority,
        about: condition.fingerprint,
      })
      return null
    }
    case 'auto-merge': {
      // It boards the train by itself.
      if (project.landing?.mode === 'train') return null
      const scm = await scmOf(loop.context, project)
      const news = request.pulls.find(({ facts }) => facts.url === condition.pull)
      if (!scm?.mergePR || !news || !condition.headSha) return 'the forge cannot merge'
      const stranger = foreignBranch(session, news)
      if (stranger !== null) return stranger
      const { pull } = news
      const order = { project, scm, pr: pull.pr, pull, head: condition.headSha, sessionId: session.id }
      await mergePull(mergeContext(loop.context, project, scm), order)
      return null
    }
  }
}

/** A person hears of it either way: it is another conversation, and perhaps another bill. */
async function continueElsewhere(
  loop: LoopContext,
  request: ActRequest,
  decision: ReactionDecision,
): Promise<string | null> {
  const { condition, rule } = decision
  const { fallback } = condition
  if (!fallback) return 'it cannot be done from here'
  const { name, account, limit, why } = fallback
  const about = condition.fingerprint
  try {
    await loop.manager.switchAccount(request.session.id, { account, why, limit, by: `the reaction ${condition.key}` })
  } catch (error) {
    const message = `${condition.summary}, and it could not be continued with ${name}: ${errorText(error)}`
    await notify(loop, request, decision, { message, priority: 'warning', about: `${about} failed` })
    return errorText(error)
  }
  const message = `${condition.summary}; it continues with ${name}`
  await notify(loop, request, decision, { message, priority: rule.priority, about })
  return null
}

/** The record's `pr` can be written from inside the session: only a pull request of its own branches is merged for it. */
function foreignBranch({ workspacePath }: Session, { pull: { pr }, facts }: PullNews): string | null {
  const own = workspacePath === null ? null : readHead(workspacePath).branch
  if (facts.isOwn || own === null || pr.branch === undefined || own === pr.branch) return null
  return `${pr.url} is of branch ${pr.branch}, but the session works on ${own}`
}

async function notify(
  loop: LoopContext,
  { session, project }: ActRequest,
  { condition }: ReactionDecision,
  { message, priority, about }: { message: string; priority: Priority; about: string },
): Promise<void> {
  const asks = condition.key === 'agent-needs-input' ? await findAnswers(loop, session.id) : undefined
  await loop.notify({
    type: NOTIFICATION_TYPES[condition.key],
    sessionId: session.id,
    projectId: project.id,
    priority,
    message: `${session.id}: ${asks?.question ? `it asks: ${asks.question}` : message}`,
    url: asks?.url ?? condition.pull ?? session.pr?.url,
    actions: asks?.actions,
    ...(asks?.onPage && { onPage: asks.onPage }),
    dedupeKey: `${session.id} ${condition.memory} ${about}`,
  })
}

/** One crash is one notification, however many agents it ended: each of them sends the same. */
async function notifyLost(loop: LoopContext, { project, lostTogether }: ActRequest, rule: ReactionRule): Promise<null> {
  const ids = lostTogether.map(({ id }) => id).sort()
  const launches = lostTogether.map((one) => `${one.id}:${recordOf(one).launch ?? 1}`).sort()
  const what = 'are no longer running, and how they ended is unknown; restore them with: ao next'
  await loop.notify({
    type: NOTIFICATION_TYPES['agent-exited'],
    projectId: project.id,
    priority: rule.priority,
    message: `${project.name}: ${ids.length} agents ${what} (${ids.join(', ')})`,
    dedupeKey: `agents-lost ${project.id} ${launches.join(' ')} ${rule.priority}`,
  })
  return null
}

const NOTIFICATION_TYPES = {
  'ci-failed': 'ci.failing',
  'changes-requested': 'review.changes_requested',
  'bugbot-comments': 'automated_review.found',
  'merge-conflicts': 'merge.conflicts',
  review: 'review.rounds_over',
  'review-findings': 'review.findings',
  'approved-and-green': 'merge.ready',
  'agent-stuck': 'session.stuck',
  'agent-needs-input': 'session.needs_input',
  'agent-exited': 'session.exited',
  'agent-idle': 'session.idle',
  'pr-closed': 'pr.closed',
  'landing-failed': 'landing.failed',
  collision: 'work.collision',
  'over-budget': 'budget.reached',
  'limit-reached': 'limit.reached',
  'limit-reset': 'limit.reset',
  'all-complete': 'summary.all_complete',
} as const

interface Outcome {
  decision: ReactionDecision
  failure: string | null
  seconds: number
  intent: string
}

async function remember(
  loop: LoopContext,
  { session, project }: ActRequest,
  { decision, failure, seconds, intent }: Outcome,
): Promise<void> {
  const what = decision.kind === 'escalate' ? 'escalate' : decision.action
  measure('reaction', {
    repository: loop.context.paths.hash,
    project: project.id,
    session: session.id,
    reaction: decision.condition.key,
    action: what,
    outcome: failure === null ? 'success' : 'failure',
    seconds,
  })
  loop.say(`${session.id}: ${decision.condition.key} → ${what}${failure === null ? '' : ` failed: ${failure}`}`)
  await loop.context.store(project.id).appendEvents(session.id, [
    {
      type: 'reaction',
      key: decision.condition.key,
      action: what,
      outcome: failure === null ? 'done' : 'failed',
      why: decision.kind === 'escalate' ? decision.reason : decision.condition.summary,
      error: failure ?? undefined,
      intent,
      pull: decision.condition.pull,
    },
  ])
}
