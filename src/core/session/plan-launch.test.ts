import { describe, expect, it } from 'vitest'
import { shortCommand } from '../text/command-line.ts'
import { type LaunchKind, type PlanRequest, planLaunch, promptAtStart } from './plan-launch.ts'

const REQUEST: PlanRequest = {
  kind: 'spawn',
  project: 'app',
  session: 'app-1',
  spawnId: 's',
  launch: 1,
  role: 'worker',
  agent: 'demo',
  place: null,
  runtime: 'tmux',
  permissions: 'default',
  model: undefined,
  workspacePlugin: 'worktree',
  path: '/w/app-1',
  base: 'main',
  branch: 'session/app-1',
  issue: null,
  prompt: 'do it',
  takesPrompt: 'inline',
  command: ['demo', 'do it'],
  environment: { TOKEN: 'secret', AO_SESSION: 'app-1' },
  hasPostLaunchSetup: false,
}
const plan = (change: Partial<PlanRequest> = {}) => planLaunch({ ...REQUEST, ...change })

describe('the plan of a launch', () => {
  it('names the environment and never shows a value of it', () => {
    expect(plan().environment).toEqual(['AO_SESSION', 'TOKEN'])
    expect(JSON.stringify(plan())).not.toContain('secret')
  })

  it('is plain data: it survives JSON', () => {
    expect(JSON.parse(JSON.stringify(plan()))).toEqual(plan())
  })

  it.each<[LaunchKind, string | null, string[]]>([
    ['spawn', 'worktree', ['create workspace', 'prepare workspace']],
    ['orchestrator', null, []],
    ['restore', 'worktree', ['restore workspace', 'destroy old runtime', 'find the launch command']],
    ['restore', null, ['destroy old runtime', 'find the launch command']],
  ])('of a %s in %s begins with %j and ends like every other', (kind, workspacePlugin, first) => {
    const last = ['prepare agent', 'start runtime', 'write metadata']
    expect(plan({ kind, workspacePlugin }).steps).toEqual([...first, ...last])
    expect(plan({ kind, workspacePlugin, hasPostLaunchSetup: true }).steps.at(-1)).toBe('post-launch setup')
  })

  it.each<[Partial<PlanRequest>, string, string | null]>([
    [{}, 'command', 'unconfirmed'],
    [{ takesPrompt: 'post-launch' }, 'message', 'no'],
    [{ prompt: null }, 'none', null],
    [{ kind: 'restore' }, 'unless_resumed', 'no'],
  ])('with %j delivers the prompt by %s', (change, delivery, delivered) => {
    expect(plan(change).promptDelivery).toBe(delivery)
    expect(promptAtStart(plan(change))).toBe(delivered)
  })
})

it('shortens only what is long in a command', () => {
  expect(shortCommand(['a', 'x'.repeat(201)])).toEqual(['a', `${'x'.repeat(200)}…`])
})
