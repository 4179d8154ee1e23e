import { expect, it } from 'vitest'
import type { Session } from '../../contract/session.ts'
import { silentLog } from '../../lib/log.ts'
import type { Agent } from '../../slots/agent.ts'
import type { LoopContext } from '../loop/loop-context.ts'
import { watchScreens, watchStates } from './watch-screens.ts'

const session = (id: string, agent: string) =>
  ({
    id,
    status: 'working',
    workspacePath: '/w',
    runtimeHandle: { id, runtimeName: 'fake', data: {} },
    metadata: { agent },
  }) as unknown as Session

function worldOf(screens: Record<string, string>) {
  const noted: string[] = []
  const requests: string[][] = []
  const agent = (more: Partial<Agent> = {}) => ({
    activitySource: 'screen',
    detectActivity: (text: string) => (text.startsWith('asks') ? 'waiting_input' : 'active'),
    recordActivity: async ({ id }: Session, text: string) => void noted.push(`${id}: ${text}`),
    ...more,
  })
  const plugins: Record<string, unknown> = {
    plain: agent(),
    recording: agent({ watchPaths: async () => [] }),
    fake: {
      getOutputs: async (handles: Array<{ id: string }>) => {
        requests.push(handles.map(({ id }) => id))
        return new Map(handles.map(({ id }) => [id, screens[id] ?? '']))
      },
    },
  }
  const find = async (_slot: string, name: string) => plugins[name] ?? null
  const context = { registry: { find, load: find }, log: silentLog, clock: { now: () => new Date(0) } }
  return { loop: { context } as unknown as LoopContext, noted, requests }
}

it('reads the screens of agents without files of their own, and reports only those that changed', async () => {
  const screens = { 'app-1': 'one', 'app-2': 'two' }
  const { loop, noted, requests } = worldOf(screens)
  const changed: string[] = []
  const read = watchScreens(
    loop,
    () => [session('app-1', 'plain'), session('app-2', 'recording')],
    (id) => changed.push(id),
  )
  await read()
  await read()
  screens['app-1'] = 'another'
  await read()
  expect(requests).toEqual([['app-1'], ['app-1'], ['app-1']])
  expect(noted).toEqual(['app-1: one', 'app-1: another'])
  expect(changed).toEqual(['app-1', 'app-1'])
})

it('an empty screen is no news', async () => {
  const { loop, noted } = worldOf({ 'app-1': '  ' })
  await watchScreens(
    loop,
    () => [session('app-1', 'plain')],
    () => expect.fail('nothing changed'),
  )()
  expect(noted).toEqual([])
})

it('a screen whose state matters is news when its state changes, once more when it stays, not when it is only redrawn', async () => {
  const screens = { 'app-1': 'works 1' }
  const { loop, noted } = worldOf(screens)
  const changed: string[] = []
  const read = watchStates(
    loop,
    () => [session('app-1', 'recording')],
    (id) => changed.push(id),
  )
  for (const screen of ['works 1', 'works 2', 'works 3', 'asks', 'works 4', 'works 5', 'works 6']) {
    screens['app-1'] = screen
    await read()
  }
  const expected = ['works 1', 'works 2', 'asks', 'works 4', 'works 5']
  expect(noted).toEqual(expected.map((screen) => `app-1: ${screen}`))
  expect(changed).toHaveLength(expected.length)
})

it('no screen is read by both', async () => {
  const { loop, requests } = worldOf({ 'app-1': 'one', 'app-2': 'two' })
  const both = () => [session('app-1', 'plain'), session('app-2', 'recording')]
  await watchScreens(loop, both, () => undefined)()
  await watchStates(loop, both, () => undefined)()
  expect(requests).toEqual([['app-1'], ['app-2']])
})
