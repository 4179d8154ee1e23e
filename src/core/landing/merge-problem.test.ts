import { expect, it } from 'vitest'
import { samplePull } from '../../../test/support/sample-pull.ts'
import type { Pull, Review } from '../../contract/pull.ts'
import { boardingProblem, forkProblem, isHeadApproved, type MergeRules, mergeProblem } from './merge-problem.ts'

type Changes = Parameters<typeof samplePull>[0]
const checks = [
  { name: 'lint', status: 'passed' },
  { name: 'docs', status: 'skipped' },
  { name: 'test', status: 'failed' },
  { name: 'e2e', status: 'running' },
] as Pull['checks']

it.each<[string, Changes, MergeRules | undefined, string | null]>([
  ['that is fine', {}, undefined, null],
  ['that nobody has to approve', { review: 'pending' }, undefined, null],
  ['of which the forge knows nothing', { mergeable: null }, undefined, null],
  ['that is merged', { state: 'merged' }, { force: true }, 'it is merged'],
  ['that is closed', { state: 'closed' }, undefined, 'it is closed'],
  ['that is a draft', { pr: { isDraft: true } }, { force: true }, 'it is a draft'],
  [
    'of an agent, not approved',
    { review: 'none', headSha: '0123456789abc' },
    { needsApproval: true },
    'nobody has approved 0123456789',
  ],
  [
    'of an agent, not approved, by force',
    { review: 'pending' },
    { needsApproval: true, force: true },
    'nobody has approved abc',
  ],
  ['of an agent, approved', {}, { needsApproval: true }, null],
  ['with conflicts', { hasConflicts: true }, { force: true }, 'it conflicts with its base branch'],
  [
    'with conflicts with its base',
    { hasConflicts: true, pr: { baseBranch: 'next' } },
    undefined,
    'it conflicts with next',
  ],
  ['with requested changes', { review: 'changes_requested' }, undefined, 'changes are requested'],
  ['with requested changes, by force', { review: 'changes_requested' }, { force: true }, null],
  ['with failed checks', { ci: 'failing', checks }, undefined, 'checks have not passed: test (failed), e2e (running)'],
  ['with running checks', { ci: 'pending', checks }, undefined, 'checks have not passed: test (failed), e2e (running)'],
  ['with failed checks, by force', { ci: 'failing', checks }, { force: true }, null],
  ['that the forge does not merge', { mergeable: false }, undefined, 'the forge says that it cannot be merged yet'],
])('what keeps a pull request %s from being merged', (_which, changes, rules, problem) => {
  expect(mergeProblem(samplePull(changes), rules)).toBe(problem)
})

const rule = { name: 'size', status: 'failed', isRule: true }
it.each<[string, Changes, string | null]>([
  ['that is fine', {}, null],
  ['to this very branch', { pr: { baseBranch: 'main' } }, null],
  ['that is closed', { state: 'closed' }, 'it is closed'],
  ['that is a draft', { pr: { isDraft: true } }, 'it is a draft'],
  ['with requested changes', { review: 'changes_requested' }, 'changes are requested'],
  ['to another branch', { pr: { baseBranch: 'next' } }, 'its base is next, and the train goes to main'],
  ['that a rule does not allow', { checks: [rule] as never }, 'size does not allow it'],
  ['that a rule allows', { checks: [{ ...rule, status: 'passed' }] as never }, null],
  [
    'with a check that failed, which the train runs itself',
    { checks: [{ ...rule, isRule: undefined }] as never },
    null,
  ],
])('what keeps a pull request %s from the train', (_which, changes, problem) => {
  expect(boardingProblem(samplePull(changes), 'main')).toBe(problem)
})

it('a branch is judged from the one commit where it left its base', () => {
  const of = (...bases: string[]) => forkProblem(bases, { base: 'main', head: 'feat' })
  expect(of('a')).toBeNull()
  expect(of()).toEqual({
    why: expect.stringContaining('no history in common with main'),
    hint: expect.stringContaining('branch of main'),
  })
  expect(of('a', 'b')).toEqual({
    why: expect.stringContaining('crosses that of main'),
    hint: expect.stringContaining('Merge main into feat'),
  })
})

it.each<[string, Array<[author: string, state: Review['state'], commit: string]>, boolean]>([
  ['nobody', [], false],
  ['somebody', [['ann', 'approved', 'h']], true],
  ['somebody, before it moved', [['ann', 'approved', 'g']], false],
  [
    'somebody who only commented later',
    [
      ['ann', 'approved', 'h'],
      ['ann', 'commented', 'h'],
    ],
    true,
  ],
  [
    'somebody who took it back',
    [
      ['ann', 'approved', 'h'],
      ['ann', 'changes_requested', 'h'],
    ],
    false,
  ],
  [
    'somebody who first wanted changes',
    [
      ['ann', 'changes_requested', 'h'],
      ['ann', 'approved', 'h'],
    ],
    true,
  ],
  [
    'one of two',
    [
      ['ann', 'approved', 'h'],
      ['ken', 'changes_requested', 'h'],
    ],
    false,
  ],
  [
    'one, after another wanted changes of an older head',
    [
      ['ken', 'changes_requested', 'g'],
      ['ann', 'approved', 'h'],
    ],
    true,
  ],
  ['nobody who only commented', [['ann', 'commented', 'h']], false],
])('a head is approved by %s', (_who, reviews, expected) => {
  const given = reviews.map(([login, state, commit]) => ({ author: { login }, state, commit }) as Review)
  expect(isHeadApproved(given, 'h')).toBe(expected)
})
