import { describe, expect, it } from 'vitest'
import { notePath, planTask } from './plan-task.ts'
import { chooseReaction, continuePlan, messageKind, planTurn, type TurnContext } from './plan-turn.ts'
import type { Step } from './script.ts'

const say = (text: string): Step => ({ verb: 'say', text })
const first: TurnContext = { issueId: '12', sessionId: 'app-1', role: 'worker', isFirst: true }
const later: TurnContext = { ...first, isFirst: false }
const empty = { steps: [], reactions: [] }

describe('planTurn', () => {
  it('follows the script of the task and keeps its blocks for later', () => {
    const plan = planTurn('```demo\nsay a\non message:\nsay b\n```', empty, first)
    expect(plan).toEqual({ steps: [say('a')], reactions: [{ on: 'message', steps: [say('b')] }] })
  })

  it('makes the same modest plan every time when the task has no script', () => {
    const verbs = planTurn('Fix the login', empty, first).steps.map((step) => step.verb)
    expect(verbs).toEqual(['say', 'think', 'write', 'think', 'commit', 'pr', 'finish'])
    expect(planTask('Fix the login', first)).toEqual(planTask('Fix the login', first))
  })

  it('plans the task itself when its script has only blocks for later', () => {
    const plan = planTurn('Fix it\n```demo\non ci-failed:\nsay fix\n```', empty, first)
    expect(plan.steps.map((step) => step.verb)).toContain('commit')
    expect(plan.reactions).toEqual([{ on: 'ci-failed', steps: [say('fix')] }])
  })

  it('uses the block for the kind of message once, then the next of that kind', () => {
    const reactions = [
      { on: 'message', steps: [say('any')] },
      { on: 'ci-failed', steps: [say('first')] },
      { on: 'ci-failed', steps: [say('second')] },
    ]
    const one = planTurn('CI failed on lint', { steps: [], reactions }, later)
    expect(one.steps).toEqual([say('first')])
    const two = planTurn('CI failed on lint', { ...one, steps: [] }, later)
    expect(two.steps).toEqual([say('second')])
    expect(planTurn('CI failed on lint', { ...two, steps: [] }, later).steps).toEqual([say('any')])
  })

  it('continues with what is left of the plan when it is only nudged', () => {
    expect(planTurn('please go on', { steps: [say('rest')], reactions: [] }, later).steps).toEqual([say('rest')])
  })

  it('replaces what is left when a message brings a script', () => {
    expect(planTurn('demo: say new', { steps: [say('rest')], reactions: [] }, later).steps).toEqual([say('new')])
  })

  it.each([
    ['CI failed: lint', ['append', 'think', 'commit', 'push', 'finish']],
    ['A review has comments', ['append', 'think', 'commit', 'push', 'finish']],
    ['There are merge conflicts', ['merge-base', 'push', 'finish']],
    ['hello', ['append', 'think', 'commit', 'push', 'finish']],
  ])('does something sensible about %j without a script', (message, verbs) => {
    expect(planTurn(message, empty, later).steps.map((step) => step.verb)).toEqual(verbs)
  })

  it('answers in the threads of a review with the commands that the message brings', () => {
    const message =
      'A review of #7\nTo answer: ao pr reply 7 t1 --body "…"\nTo answer: ao pr reply 7 t-2 --body "…"\nTo answer: ao pr reply 7 --x --body "…"'
    const steps = planTurn(message, empty, later).steps
    expect(steps.flatMap((step) => (step.verb === 'run' ? [step.argv.slice(0, 5)] : []))).toEqual([
      ['ao', 'pr', 'reply', '7', 't1'],
      ['ao', 'pr', 'reply', '7', 't-2'],
    ])
  })

  it('does not pretend to orchestrate', () => {
    expect(planTurn('Coordinate', empty, { ...first, role: 'orchestrator' }).steps.map((step) => step.verb)).toEqual([
      'say',
    ])
  })

  it('puts the script of an answer before the rest', () => {
    expect(continuePlan('demo: say more', { steps: [say('rest')], reactions: [] }).steps).toEqual([
      say('more'),
      say('rest'),
    ])
  })
})

describe('words', () => {
  it.each([
    ['CI failed on your pull request', 'ci-failed'],
    ['2 checks are failing: lint', 'ci-failed'],
    ['The failing check is build', 'ci-failed'],
    ['alice requested changes on src/a.ts', 'changes-requested'],
    ['Review comments: ...', 'changes-requested'],
    ['Your branch has merge conflicts', 'merge-conflicts'],
    ['What do you think?', 'message'],
  ])('%j is %s', (text, kind) => {
    expect(messageKind(text)).toBe(kind)
  })

  it('lets a block name any word of the message', () => {
    expect(chooseReaction('please use the Blue Theme', [{ on: 'blue-theme', steps: [] }])).toBe(0)
    expect(chooseReaction('please', [{ on: 'blue-theme', steps: [] }])).toBe(-1)
  })

  it.each([
    ['12', 'demo/12.md'],
    ['INT-1343', 'demo/int-1343.md'],
    ['../../etc/passwd', 'demo/etc-passwd.md'],
    ['///', 'demo/notes.md'],
  ])('names the note of issue %j', (issueId, path) => {
    expect(notePath({ issueId, sessionId: undefined })).toBe(path)
  })
})
