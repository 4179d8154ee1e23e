import { expect, it } from 'vitest'
import { type FoundWork, findAdoptable, isSameAdoption, planAdoption } from './plan-adoption.ts'

const NOTHING: FoundWork = {
  main: { path: '/app', branch: 'main' },
  defaultBranch: 'main',
  worktrees: [{ path: '/mine', branch: 'fix' }],
  branches: [],
  conversations: [],
  running: [],
  taken: { paths: new Set(), branches: new Set(), conversations: new Set() },
}
const agent = (pid: number) => ({
  ...{ agent: 'claude-code', pid, directory: '/mine', terminal: { name: '%3', where: 'tmux session x' } },
})
const talk = (id: string) => ({ agent: 'codex', id, directory: '/mine', at: new Date(0), title: null })
const planned = (name: string, found: Partial<FoundWork>) =>
  findAdoptable(planAdoption({ ...NOTHING, ...found }), name)!

it.each<[string, string, Partial<FoundWork>, Partial<FoundWork>]>([
  ['a newer conversation would be continued', '/mine', { conversations: [talk('a')] }, { conversations: [talk('b')] }],
  ['another branch is checked out there', '/mine', {}, { worktrees: [{ path: '/mine', branch: 'other' }] }],
  ['another agent has the pane', '%3', { running: [agent(7)] }, { running: [agent(8)] }],
  [
    'the worktree is gone and a branch has its name',
    'fix',
    {},
    { worktrees: [], branches: [{ name: 'fix', at: null }] },
  ],
])('is not what a person agreed to when %s', (_what, name, shown, now) => {
  expect(isSameAdoption(planned(name, shown), planned(name, shown))).toBe(true)
  expect(isSameAdoption(planned(name, shown), planned(name, now))).toBe(false)
})

it('names a terminal only in a checkout, and the newest conversation of a worktree with it', () => {
  const elsewhere = { ...agent(8), directory: '/elsewhere' }
  const without = { ...agent(9), terminal: null }
  const newer = { ...talk('b'), at: new Date(1_000), title: 'Newer' }
  const planned = planAdoption({
    ...NOTHING,
    conversations: [talk('a'), newer],
    running: [agent(7), elsewhere, without] as FoundWork['running'],
  })
  expect(planned.map(({ kind, name, pid, conversation }) => [kind, name, pid, conversation])).toEqual([
    ['terminal', '%3', 7, null],
    ['checkout', '/mine', null, 'b'],
    ['conversation', 'a', null, 'a'],
  ])
  expect(planned.find(({ kind }) => kind === 'checkout')).toMatchObject({ agent: 'codex', title: 'Newer' })
  expect(planned.find(({ kind }) => kind === 'checkout')!.refusal).not.toBeNull()
  expect(planAdoption({ ...NOTHING, running: [{ ...agent(7), directory: '/app' }] })[1]!.refusal).toBeNull()
})
