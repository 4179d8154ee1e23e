// What the demo agent does, in the protocol's terms: a step that acts is a tool call, with the diff of what it changed.
import { errorText } from '../../../contract/errors.ts'
import { readPlainText } from '../../../lib/plain-file.ts'
import type { Outcome } from '../script/perform-step.ts'
import type { Step } from '../script/script.ts'
import { confinePath } from './confine-path.ts'

export type SendUpdate = (update: Record<string, unknown>) => void

interface Watcher {
  sendUpdate: SendUpdate
  workspace: string
}

let calls = 0

export async function showStep(step: Step, act: () => Promise<Outcome>, watcher: Watcher): Promise<Outcome> {
  const call = describeCall(step)
  if (!call) return act()
  const { sendUpdate, workspace } = watcher
  const toolCallId = `call-${++calls}`
  const file = 'path' in step ? step.path : null
  const before = file === null ? null : readText(workspace, file)
  const locations = file === null ? [] : [{ path: file }]
  sendUpdate({ sessionUpdate: 'tool_call', toolCallId, ...call, status: 'in_progress', locations })
  try {
    const outcome = await act()
    const after = file === null ? null : readText(workspace, file)
    const isChanged = file !== null && after !== before
    const content = isChanged ? [{ type: 'diff', path: file, oldText: before, newText: after ?? '' }] : []
    sendUpdate({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed', content })
    return outcome
  } catch (error) {
    const content = [{ type: 'content', content: { type: 'text', text: errorText(error) } }]
    sendUpdate({ sessionUpdate: 'tool_call_update', toolCallId, status: 'failed', content })
    throw error
  }
}

/** Reports the plan of a turn as it progresses: completed steps stay in it. */
export function createPlanReporter(sendUpdate: SendUpdate): (left: readonly Step[]) => void {
  let all: readonly Step[] = []
  return (left) => {
    const done = all.length - left.length
    const goesOn = done >= 0 && left.every((step, index) => step === all[done + index])
    if (!goesOn) all = left
    const position = goesOn ? done : 0
    if (all.length > 0)
      sendUpdate({ sessionUpdate: 'plan', entries: all.map((step, index) => planEntry(step, index - position)) })
  }
}

/** `ahead`: how many steps before this one are still to be done. */
function planEntry(step: Step, ahead: number) {
  const status = ahead < 0 ? 'completed' : ahead === 0 ? 'in_progress' : 'pending'
  return { content: describeCall(step)?.title ?? describeOther(step), priority: 'medium', status }
}

/** null: it is text or time, not an act. */
function describeCall(step: Step): { title: string; kind: string } | null {
  switch (step.verb) {
    case 'write':
    case 'append':
    case 'edit':
      return { title: `Edit ${step.path}`, kind: 'edit' }
    case 'delete':
      return { title: `Delete ${step.path}`, kind: 'delete' }
    case 'run':
      return { title: `Run ${step.argv.join(' ')}`, kind: 'execute' }
    case 'commit':
      return { title: 'Commit', kind: 'execute' }
    case 'push':
      return { title: 'Push the branch', kind: 'execute' }
    case 'merge-base':
      return { title: 'Merge the base branch', kind: 'execute' }
    case 'review':
      return { title: 'Review the change', kind: 'read' }
    case 'pr':
      return { title: `Open a pull request: ${step.title}`, kind: 'execute' }
    default:
      return null
  }
}

function describeOther(step: Step): string {
  if (step.verb === 'ask') return `Ask: ${step.question}`
  if (step.verb === 'permission') return `Ask for permission: ${step.what}`
  if (step.verb === 'think' || step.verb === 'wait')
    return `${step.verb === 'think' ? 'Think' : 'Wait'} ${step.seconds} s`
  return step.verb
}

/** null: there is no such text file, or we may not read it. */
function readText(workspace: string, path: string): string | null {
  const confined = confinePath(workspace, path)
  if ('refused' in confined) return null
  try {
    return readPlainText(confined.path)
  } catch {
    // Missing, or a directory: there is nothing to compare.
    return null
  }
}
