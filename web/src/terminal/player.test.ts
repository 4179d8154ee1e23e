import { describe, expect, it } from 'vitest'
import type { RecordingAnswer } from '../../../src/contract/dashboard/answers.ts'
import type { Canvas } from './draw-recording.ts'
import { createPlayer } from './player.ts'

const EVENTS: RecordingAnswer['events'] = [
  ['o', 'a', 0],
  ['o', 'b', 1_000],
  ['r', '100x30', 1_500],
  ['m', 'not recorded for 9 s: the disk is full', 2_000],
  // Somebody had lunch.
  ['o', 'c', 3_602_000],
  ['m', 'ended: exit code 0', 3_602_500],
]

function open(events = EVENTS) {
  const screen = { text: '', size: '80x24', held: [] as string[] }
  const canvas: Canvas = {
    async write(text) {
      screen.held.push(...(text.match(/\?2026[hl]/g) ?? []))
      screen.text += text.replaceAll('\u001b[?2026h', '').replaceAll('\u001b[?2026l', '').replaceAll('\u001b[?25l', '')
    },
    resize({ cols, rows }) {
      screen.size = `${cols}x${rows}`
    },
    clear({ cols, rows }) {
      screen.text = ''
      screen.size = `${cols}x${rows}`
    },
  }
  let now = 0
  let frame: ((now: number) => void) | null = null
  const player = createPlayer({ events, size: { cols: 80, rows: 24 } }, canvas, (act) => {
    frame = act
    return () => {
      frame = null
    }
  })
  /** Frames of 100 ms; everything is drawn after it. */
  const pass = async (ms: number) => {
    for (let left = ms; left >= 0 && frame; left -= 100) {
      const act: (now: number) => void = frame
      frame = null
      act(now)
      now += 100
    }
    await settle()
  }
  return { player, screen, pass, isWaiting: () => frame !== null }
}

/** The canvas answers in microtasks. */
const settle = () => new Promise((resolve) => setTimeout(resolve))

describe('a recording that is played', () => {
  it('begins with its last screen, and plays from the beginning, pauses cut', async () => {
    const { player, screen, pass, isWaiting } = open()
    await settle()
    expect(screen).toMatchObject({ text: 'abc', size: '100x30' })
    expect(player.state()).toMatchObject({ isPlaying: false, position: 4_500, length: 4_500 })
    player.play()
    await pass(500)
    expect(screen).toMatchObject({ text: 'a', size: '80x24' })
    await pass(1_000)
    expect(screen).toMatchObject({ text: 'ab', size: '100x30' })
    await pass(600)
    expect(player.state().remark).toBe('not recorded for 9 s: the disk is full')
    await pass(5_000)
    expect(screen.text).toBe('abc')
    expect([player.state().isPlaying, player.state().position, isWaiting()]).toEqual([false, 4_500, false])
  })

  it('pauses, jumps both ways, and is faster at a higher speed', async () => {
    const { player, screen, pass } = open()
    player.play()
    await pass(1_200)
    player.pause()
    await pass(5_000)
    expect(screen.text).toBe('ab')
    player.seek(4_400)
    await settle()
    expect(screen.text).toBe('abc')
    player.seek(-5)
    await settle()
    expect([screen.text, player.state().position]).toEqual(['a', 0])
    player.setSpeed(8)
    player.play()
    await pass(400)
    expect(screen.text).toBe('ab')
  })

  it('is as long as it took when pauses stay, at the same moment', async () => {
    const { player, screen } = open()
    player.seek(1_200)
    player.cutPauses(false)
    await settle()
    expect(player.state()).toMatchObject({ position: 1_000, length: 3_602_500, cutsPauses: false })
    expect(screen.text).toBe('ab')
  })

  it('paints a jump once, whatever the recording itself holds back', async () => {
    const { player, screen } = open([
      ['o', '\u001b[?2026hx\u001b[?2026l', 0],
      ['o', 'y', 500],
    ])
    await settle()
    player.seek(0)
    await settle()
    expect(screen.text).toBe('x')
    expect(screen.held).toEqual(['?2026h', '?2026l', '?2026h', '?2026l'])
  })

  it('draws nothing more after it was closed', async () => {
    const { player, screen } = open()
    player.close()
    await settle()
    player.seek(0)
    await settle()
    expect(screen.text).not.toContain('c')
  })
})
