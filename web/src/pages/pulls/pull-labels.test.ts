import { expect, it } from 'vitest'
import type { PullRow } from '../../../../src/contract/dashboard/answers.ts'
import type { BoardColumn } from '../../../../src/contract/dashboard/columns.ts'
import { groupOf } from './pull-labels.ts'

const row = { state: 'open', isDraft: false, ci: 'passing', review: 'pending', hasConflicts: false } as PullRow

it.each<[Partial<PullRow>, BoardColumn | undefined, string]>([
  [{}, 'in_review', 'Needs review'],
  [{ review: 'approved' }, 'ready_to_merge', 'Ready to merge'],
  [{ ci: 'failing' }, 'working', 'With its author'],
  [{ ci: 'failing' }, undefined, 'With its author'],
  [{ ci: 'failing' }, 'needs_you', 'Needs your help'],
  [{ hasConflicts: true }, 'done', 'Needs your help'],
  [{ ci: 'pending' }, 'needs_you', 'Checks are running'],
])('%j of a session in %s is listed under %s', (change, column, group) => {
  expect(groupOf({ ...row, ...change }, column)).toBe(group)
})
