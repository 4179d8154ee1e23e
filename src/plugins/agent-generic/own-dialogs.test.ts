import { describe, expect, it } from 'vitest'
import { cpuMs } from '../../../test/support/cpu-time.ts'
import { type OwnDialog, ownDialogSchema } from '../agent-files/screen/own-dialogs.ts'
import { detectState, readScreenInput } from '../agent-files/screen/plain-screen.ts'

const DIALOGS: OwnDialog[] = [
  { question: 'Shall I * now', approve: ['a', 'enter'], deny: ['escape'] },
  { question: 'Only shown', approve: undefined, deny: undefined },
]

describe('a dialog of the configuration', () => {
  it('is recognised by its words, and answered by its keys', () => {
    const screen = 'working on it\n\nSHALL I rename 3 files now\n'
    expect(readScreenInput(screen)).toEqual({ takes: 'unknown' })
    expect(readScreenInput(screen, DIALOGS)).toEqual({
      takes: 'keys',
      dialog: {
        title: 'SHALL I rename 3 files now',
        above: 'working on it',
        reachesTop: true,
        choices: [
          { label: 'Yes', decision: 'allow-once', keys: ['a', '\r'] },
          { label: 'No', decision: 'reject-once', keys: ['\x1b'] },
        ],
      },
    })
    expect(detectState(screen, DIALOGS)).toBe('waiting_input')
  })

  it('is over when something else is below it', () => {
    const screen = 'Shall I rename 3 files now\nrenamed 3 files\n'
    expect(readScreenInput(screen, DIALOGS)).toEqual({ takes: 'unknown' })
    expect(detectState(screen, DIALOGS)).toBeNull()
  })

  it('without keys holds messages and takes no answer', () => {
    expect(readScreenInput('Only shown', DIALOGS)).toEqual({
      takes: 'keys',
      dialog: { title: 'Only shown', reachesTop: true, choices: [] },
    })
  })

  it('takes no time on a long line', () => {
    const dialogs = [{ question: 'a*'.repeat(99), approve: ['y'], deny: undefined }]
    const started = cpuMs()
    readScreenInput('a'.repeat(100_000), dialogs)
    expect(cpuMs() - started).toBeLessThan(1_000)
  })
})

it.each([
  { question: '*' },
  { question: '  ' },
  { question: 'x', approve: [] },
  { question: 'x', approve: ['yes'] },
  { question: 'x', approve: ['\x1b'] },
  { question: 'x', deny: ['enter', '\r'] },
  { question: 'x', always: ['y'] },
])('refuses %j', (dialog) => {
  expect(ownDialogSchema.safeParse(dialog).success).toBe(false)
})
