import { expect, it } from 'vitest'
import type { decideLine } from './decide-line.ts'
import { driveLine, type LinePorts } from './drive-line.ts'
import { type LineEvent, type LineMemory, newLine } from './line-state.ts'

const STARTED: LineEvent = { type: 'started' }

/** What happened at home, in order, for a decision with or without something to keep. */
function drive(keep: Partial<LineMemory> | null, onKeep: () => void = () => undefined): string[] {
  const happened: string[] = []
  const ports: LinePorts = {
    memory: () => ({}) as LineMemory,
    keep(change) {
      onKeep()
      happened.push(`kept ${JSON.stringify(change)}`)
    },
    act: () => happened.push('acted'),
    giveUp: (error) => happened.push(`gave up: ${(error as Error).message}`),
    now: () => 0,
  }
  const decide = (() => ({ line: newLine(), keep, acts: [{}, {}] })) as unknown as typeof decideLine
  driveLine(ports, decide)(STARTED)
  return happened
}

it('what must not be forgotten is kept before anything is done', () => {
  expect(drive({ connected: true })).toEqual(['kept {"connected":true}', 'acted', 'acted'])
})

it('where nothing is to be kept, nothing is written', () => {
  expect(drive(null)).toEqual(['acted', 'acted'])
})

it('where it cannot be kept, nothing is done', () => {
  const full = () => {
    throw new Error('no space left')
  }
  expect(drive({ connected: true }, full)).toEqual(['gave up: no space left'])
})
