import { describe, expect, it } from 'vitest'
import { type CarCheck, judgeChecks, requiredChecks } from './judge-checks.ts'

const check = (name: string, status: CarCheck['status']): CarCheck => ({ name, status })

describe("a forge's checks on a car", () => {
  it.each([
    ['nothing has started', [], ['unit'], 'running', ['unit']],
    ['the only one passed', [check('unit', 'passed')], ['unit'], 'passed', []],
    [
      'one passed, and another one that has to has not started',
      [check('lint', 'passed')],
      ['unit', 'lint'],
      'running',
      ['unit'],
    ],
    [
      'one is unfinished that nobody named',
      [check('unit', 'passed'), check('docs', 'running')],
      ['unit'],
      'running',
      [],
    ],
    ['one is red that nobody named', [check('unit', 'running'), check('docs', 'failed')], ['unit'], 'failed', []],
    ['one was skipped', [check('unit', 'skipped')], ['unit'], 'passed', []],
  ] as const)('%s', (_what, checks, required, state, missing) => {
    expect(judgeChecks(checks, required)).toMatchObject({ state, missing })
  })

  it('decide nothing when the configuration names others', () => {
    const checks = [check('unit', 'passed'), check('docs', 'failed'), check('deploy', 'running')]
    expect(judgeChecks(checks, ['unit'], { only: true })).toMatchObject({ state: 'passed' })
  })

  it('have to be those that passed on the head, without gates of ao, unless they are named', () => {
    const head = [
      { ...check('unit', 'passed'), id: 'check:1' },
      { ...check('optional', 'skipped'), id: 'check:2' },
      { ...check('gate: size', 'passed'), id: 'gate:abc/size' },
    ]
    expect([requiredChecks(head, []), requiredChecks(head, ['build', 'build'])]).toEqual([['unit'], ['build']])
  })
})
