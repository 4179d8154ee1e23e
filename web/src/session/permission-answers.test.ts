import { describe, expect, it } from 'vitest'
import type { PermissionChoice, PermissionDecision } from '../../../src/contract/permission.ts'
import { isStanding, scopeOf, suggested } from './permission-answers.ts'

const options = (...decisions: Array<PermissionDecision | null>): PermissionChoice[] =>
  decisions.map((decision, index) => ({ optionId: `${index}`, name: `${decision}`, decision }))

describe('the suggested answer', () => {
  it.each([
    ['the one-time yes', options('allow-once', 'allow-always', 'reject-once'), '0'],
    ['the one-time yes, also behind a standing one', options('allow-always', 'allow-always', 'allow-once'), '2'],
    ['none when only a standing yes is offered', options('allow-always', 'reject-once'), undefined],
    ['none when the agent advises no', options('reject-once', 'allow-once', 'allow-always'), undefined],
    ['none when nothing is known of the answers', options(null, null), undefined],
    ['none without answers', options(), undefined],
  ])('is %s', (_what, given, expected) => {
    expect(suggested({ title: 'x', options: given })?.optionId).toBe(expected)
  })

  it.each([
    ['is cut', { title: 'x', isCut: true }],
    ['has many lines', { title: 'x', input: { kind: 'command' as const, text: 'x\n'.repeat(100) } }],
    ['is long', { title: 'x'.repeat(10_000) }],
  ])('is none for what %s', (_what, request) => {
    expect(suggested({ ...request, options: options('allow-once', 'reject-once') })).toBe(null)
  })
})

it('a standing answer says what it covers', () => {
  const [always, never, once] = options('allow-always', 'reject-always', 'allow-once')
  expect([always, never, once].map((one) => isStanding(one!))).toEqual([true, true, false])
  expect(scopeOf(always!, 'execute')).toContain('runs commands')
  expect(scopeOf(never!, 'edit')).toContain('edits files')
  expect(scopeOf(never!, 'constructor')).toContain('does this')
})
