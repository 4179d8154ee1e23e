// What a turn is about: the message's own script, the block that waits for such a message, the rest of the plan, or
// something small.
import type { Role } from '../../../contract/record-values.ts'
import { parseScript } from './parse-script.ts'
import { notePath, planReview, planTask, type TaskContext } from './plan-task.ts'
import type { Reaction, Script, Step } from './script.ts'

export interface TurnContext extends TaskContext {
  role: Role
  /** Nothing was asked of it before. */
  isFirst: boolean
}

export function planTurn(message: string, plan: Script, context: TurnContext): Script {
  // A script in what it reviews is the author's, not its own.
  const script = context.role === 'reviewer' ? null : parseScript(message)
  if (script && script.steps.length > 0) {
    return { steps: script.steps, reactions: [...script.reactions, ...plan.reactions] }
  }
  const reactions = [...(script?.reactions ?? []), ...plan.reactions]
  if (context.isFirst) return { steps: firstSteps(message, context), reactions }
  const continued = continuePlan(message, { steps: plan.steps, reactions })
  if (continued.steps.length > 0) return continued
  return { steps: planReaction(message, context), reactions }
}

/** A message in the middle of a plan: a script or a waiting block goes first, then the rest. */
export function continuePlan(message: string, plan: Script): Script {
  const script = parseScript(message)
  if (script) {
    return { steps: [...script.steps, ...plan.steps], reactions: [...script.reactions, ...plan.reactions] }
  }
  const chosen = chooseReaction(message, plan.reactions)
  if (chosen === -1) return plan
  return {
    steps: [...plan.reactions[chosen]!.steps, ...plan.steps],
    reactions: plan.reactions.filter((_, index) => index !== chosen),
  }
}

function firstSteps(message: string, context: TurnContext): Step[] {
  if (context.role === 'worker') return planTask(message, context)
  if (context.role === 'reviewer') return planReview(message)
  return [
    {
      verb: 'say',
      text: 'I am only a demo: I cannot coordinate other agents. Send me a demo script, or choose another agent for the orchestrator.',
    },
  ]
}

// What to do about a message without a script of its own.

/** The position of the block meant for this message: its own keyword first, `on message:` after that; -1: none. */
export function chooseReaction(message: string, reactions: Reaction[]): number {
  const kind = messageKind(message)
  const text = message.toLowerCase()
  const own = reactions.findIndex(
    ({ on }) => on === kind || (on !== 'message' && text.includes(on.replaceAll('-', ' '))),
  )
  return own === -1 ? reactions.findIndex(({ on }) => on === 'message') : own
}

/** The key of the reaction that would send such a message, judging by its wording. */
export function messageKind(message: string): 'ci-failed' | 'changes-requested' | 'merge-conflicts' | 'message' {
  if (/merge[ -]conflict|conflicts? with/i.test(message)) return 'merge-conflicts'
  if (/\b(ci|checks?|build|pipeline)\b[^.\n]*\bfail|\bfail\w*\b[^.\n]*\b(ci|checks?|build|pipeline)\b/i.test(message)) {
    return 'ci-failed'
  }
  if (/changes[ -]requested|requested changes|review/i.test(message)) return 'changes-requested'
  return 'message'
}

function planReaction(message: string, context: TaskContext): Step[] {
  const path = notePath(context)
  const about = firstLine(message)
  const note = (what: string): Step => ({ verb: 'append', path, text: `\n- ${what}: ${about}\n` })
  switch (messageKind(message)) {
    case 'merge-conflicts':
      return [{ verb: 'merge-base' }, { verb: 'push' }, finish('I merged the base branch and kept our side.')]
    case 'ci-failed':
      return [note('After a CI failure'), ...deliver('Address the CI failure')]
    case 'changes-requested':
      return [note('After a review'), ...deliver('Address the review', answers(message))]
    case 'message':
      return [note('After a message'), ...deliver('Note a message')]
  }
}

/** The message brings the command for each thread. */
function answers(message: string): Step[] {
  const commands = [...message.matchAll(/^To answer: ao pr reply (\d+) ([A-Za-z0-9][\w=-]*) /gm)]
  return commands.map(([, pr, thread]) => ({
    verb: 'run',
    argv: ['ao', 'pr', 'reply', pr!, thread!, '--body', 'I am only a demo: I noted it in my last commit.'],
  }))
}

function deliver(message: string, after: Step[] = []): Step[] {
  return [
    { verb: 'think', seconds: 1 },
    { verb: 'commit', message },
    { verb: 'push' },
    ...after,
    finish(`${message}: done. I have no script for this message, so it is only a note.`),
  ]
}

function finish(text: string): Step {
  return { verb: 'finish', text }
}

function firstLine(message: string): string {
  const line = message.split('\n').find((one) => /[\p{L}\p{N}]/u.test(one)) ?? 'no words'
  return line.trim().slice(0, 120)
}
