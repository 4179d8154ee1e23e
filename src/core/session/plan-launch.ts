// What starting an agent will do, decided before anything is done: plain data that can be printed and compared. Spawn,
// orchestrator and restore differ only in this plan; one executor runs the steps.
import type { PermissionMode } from '../../contract/config.ts'
import type { RecordChange } from '../../contract/record.ts'
import type { Role } from './resolve-launch.ts'

export type LaunchKind = 'spawn' | 'orchestrator' | 'restore'

export type LaunchStep =
  | 'create workspace'
  | 'prepare workspace'
  | 'restore workspace'
  | 'destroy old runtime'
  | 'find the launch command'
  | 'prepare agent'
  | 'start runtime'
  | 'write metadata'
  | 'post-launch setup'

/**
 * `command`: on the command line. `message`: sent once the agent is running. `unless_resumed`: only if the agent cannot
 * continue its own conversation.
 */
export type PromptDelivery = 'none' | 'command' | 'message' | 'unless_resumed'

export interface PlanRequest {
  kind: LaunchKind
  project: string
  session: string
  spawnId: string
  /** How many times its agent has been started, including this time. */
  launch: number
  role: Role
  agent: string
  runtime: string
  /** null: on this machine. */
  place: string | null
  permissions: PermissionMode
  model: string | undefined
  /** null: the session works in the project's own directory. */
  workspacePlugin: string | null
  path: string
  branch: string | null
  issue: string | null
  prompt: string | null
  takesPrompt: 'inline' | 'post-launch'
  /** If known before the agent is prepared; null: the agent decides by then. */
  command: readonly string[] | null
  /** Variables set in addition to the user's own environment. */
  environment: Readonly<Record<string, string>>
  hasPostLaunchSetup: boolean
}

export interface LaunchPlan {
  kind: LaunchKind
  project: string
  session: string
  spawnId: string
  launch: number
  role: Role
  agent: string
  runtime: string
  /** null: on this machine. */
  place: string | null
  permissions: PermissionMode
  model: string | null
  workspace: { kind: string; path: string; branch: string | null }
  issue: string | null
  prompt: string | null
  promptDelivery: PromptDelivery
  command: string[] | null
  /** Names only: values may be secrets. */
  environment: string[]
  steps: LaunchStep[]
}

/** The kind of workspace of a session that has none of its own. */
const PROJECT_DIRECTORY = 'project directory'

export function planLaunch(request: PlanRequest): LaunchPlan {
  const { kind, project, session, spawnId, launch, role, agent, runtime, place, permissions } = request
  return {
    kind,
    project,
    session,
    spawnId,
    launch,
    role,
    agent,
    runtime,
    place,
    permissions,
    model: request.model ?? null,
    workspace: {
      kind: request.workspacePlugin ?? PROJECT_DIRECTORY,
      path: request.path,
      branch: request.branch,
    },
    issue: request.issue,
    prompt: request.prompt,
    promptDelivery: deliveryOf(request),
    command: request.command === null ? null : [...request.command],
    environment: Object.keys(request.environment).sort(),
    steps: stepsOf(request),
  }
}

function deliveryOf({ kind, prompt, takesPrompt }: PlanRequest): PromptDelivery {
  if (prompt === null) return 'none'
  if (kind === 'restore') return 'unless_resumed'
  return takesPrompt === 'inline' ? 'command' : 'message'
}

function stepsOf({ kind, workspacePlugin, hasPostLaunchSetup }: PlanRequest): LaunchStep[] {
  const hasWorkspace = workspacePlugin !== null
  const before: Record<LaunchKind, LaunchStep[]> = {
    spawn: hasWorkspace ? ['create workspace', 'prepare workspace'] : [],
    orchestrator: [],
    restore: [
      ...(hasWorkspace ? (['restore workspace'] as const) : []),
      'destroy old runtime',
      'find the launch command',
    ],
  }
  const after: LaunchStep[] = hasPostLaunchSetup ? ['post-launch setup'] : []
  return [...before[kind], 'prepare agent', 'start runtime', 'write metadata', ...after]
}

/** What is known about the prompt once the agent of a fresh start is running; null: there is none. */
export function promptAtStart({ promptDelivery }: LaunchPlan): RecordChange['promptDelivered'] {
  if (promptDelivery === 'none') return null
  return promptDelivery === 'command' ? 'unconfirmed' : 'no'
}

/** For people and the history: a prompt of many kilobytes already has a file of its own. */
export function shortCommand(command: readonly string[]): string[] {
  return command.map((argument) => (argument.length > 200 ? `${argument.slice(0, 200)}…` : argument))
}
