// What a turn is about: the message's own script, the block that waits for such a message, the rest of the plan, or
// something small.
import { parseScript } from './parse-script.ts'
import { chooseReaction, planReaction } from './plan-reaction.ts'
import { planTask, type TaskContext } from './plan-task.ts'
import type { Reaction, Step } from './script.ts'

export interface Plan {
  steps: Step[]
  reactions: Reaction[]
}

export interface TurnContext extends TaskContext {
  role: 'worker' | 'orchestrator'
  /** Nothing was asked of it before. */
  isFirst: boolean
}

export function planTurn(message: string, plan: Plan, context: TurnContext): Plan {
  const script = parseScript(message)
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
export function continuePlan(message: string, plan: Plan): Plan {
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
  return [
    {
      verb: 'say',
      text: 'I am only a demo: I cannot coordinate other agents. Send me a demo script, or choose another agent for the orchestrator.',
    },
  ]
}
