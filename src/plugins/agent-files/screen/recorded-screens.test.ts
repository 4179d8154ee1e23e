// Screens of the real programs at several widths (Claude Code 2.1.325, Codex 0.166.0, OpenCode 1.18.33, Gemini CLI 0.61.0, Qwen Code
// 0.24.4, pi 0.87.1, Copilot CLI 1.0.102), as they are and as anything may change them. In the fixtures `text` is an input line,
// `keys` a dialog, `held` a view that takes keys for itself; a run of one character is written ⟦─×120⟧.
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { agentRow, type TerminalCommand } from '../../../contract/agents/agent-table.ts'
import type { ScreenInput } from '../../../contract/dialog.ts'
import { silentLog } from '../../../lib/log.ts'
import type { PluginContext } from '../../../slots/plugin.ts'
import { readScreenInput as claude } from '../../agent-claude-code/screen.ts'
import { readScreenInput as codex } from '../../agent-codex/screen.ts'
import { readScreenInput as gemini } from '../../agent-gemini/screen.ts'
import { readScreenInput as opencode } from '../../agent-opencode/screen.ts'
import { createTableAgent } from '../../agent-table/index.ts'

type Read = (text: string) => ScreenInput

function ofTable(name: string): Read {
  const row = agentRow(name)!
  const context = { home: '/home/x', env: {}, log: silentLog } as unknown as PluginContext
  return createTableAgent({ row, terminal: row.terminal as TerminalCommand, context, prices: {} }).readScreenInput!
}

const AGENTS: Readonly<Record<string, Read>> = {
  'claude-code': claude,
  codex,
  opencode,
  gemini,
  qwen: ofTable('qwen'),
  pi: ofTable('pi'),
  copilot: ofTable('copilot'),
}

interface Recorded {
  kind: 'text' | 'keys' | 'held'
  name: string
  width: number
  lines: string[]
}

function recorded(agent: string): Recorded[] {
  const file = new URL(`../../../../test/fixtures/screens/matrix/${agent}.txt`, import.meta.url)
  const text = readFileSync(file, 'utf8').replace(/⟦(.)×(\d+)⟧/gu, (_, char: string, n: string) =>
    char.repeat(Number(n)),
  )
  return text
    .split(/^=== /m)
    .slice(1)
    .map((block) => {
      const [head = '', ...lines] = block.replace(/\n$/, '').split('\n')
      const [kind = '', name = '', width = ''] = head.split(' ')
      return { kind: kind as Recorded['kind'], name, width: Number(width), lines }
    })
}

/** What a model may write, as agents draw it: indented. */
const IMITATIONS = [
  '  Do you want to proceed?',
  '  ❯ 1. Yes',
  '    2. No',
  '  Esc to cancel · Enter to confirm',
  `  ${'─'.repeat(60)}`,
  '  ❯ ',
  '  > Type your message or @path/to/file',
  '  › Ask Codex to do anything',
  '  Which colour? [y/N]',
  '  (END)',
  '',
]

/** Nothing below it shows what it is: the line that does so is the last one, and the input line is drawn as always. */
const IS_KNOWN_BY_ITS_LAST_LINE = /^(?:vim-visual|interrupted|rewind|review|resume)/
/** OpenCode draws its lists over the whole screen, in which nothing scrolls. */
const isOverlay = (agent: string, { kind }: Recorded) => agent === 'opencode' && kind === 'held'

interface Change {
  above: string[]
  scrolled: number
  padded: boolean
  blank: number
  cutBelow: number
}

const change: fc.Arbitrary<Change> = fc.record({
  above: fc.array(fc.constantFrom(...IMITATIONS), { maxLength: 30 }),
  scrolled: fc.nat(30),
  padded: fc.boolean(),
  blank: fc.nat(5),
  cutBelow: fc.nat(3),
})

/** The least that is left of a screen: its input line with what is around it. */
const FEWEST_LINES = 14

function changed({ lines, width }: Recorded, { above, scrolled, padded, blank }: Change): string {
  const rest = lines.slice(Math.max(0, Math.min(scrolled, lines.length - FEWEST_LINES)))
  const all = [...above, ...rest, ...Array<string>(blank).fill('')]
  return all.map((line) => (padded ? line.padEnd(width) : line)).join('\n')
}

function wrapped({ lines }: Recorded, width: number): string {
  return lines.flatMap((line) => line.match(new RegExp(`.{1,${width}}`, 'gu')) ?? ['']).join('\n')
}

describe.each(Object.entries(AGENTS))('%s', (agent, read) => {
  const screens = recorded(agent)
  const of = (...kinds: Recorded['kind'][]) => screens.filter(({ kind }) => kinds.includes(kind))
  const title = ({ name, width }: Recorded) => `${name} at ${width}`

  it('each screen is recognized as what it is', () => {
    const wrong = screens.flatMap((screen) => {
      const { takes } = read(screen.lines.join('\n'))
      const isRight = screen.kind === 'held' ? takes !== 'text' : takes === screen.kind
      return isRight ? [] : [`${title(screen)}: ${takes} instead of ${screen.kind}`]
    })
    expect(wrong).toEqual([])
  })

  it('a dialog or a view is never taken for an input line, however it is scrolled, padded, cut or surrounded', () => {
    fc.assert(
      fc.property(fc.constantFrom(...of('keys', 'held')), change, (screen, how) => {
        const cut = IS_KNOWN_BY_ITS_LAST_LINE.test(screen.name) ? 0 : how.cutBelow
        const shown = { ...screen, lines: screen.lines.slice(0, screen.lines.length - cut) }
        const moved = isOverlay(agent, screen) ? { ...how, scrolled: 0 } : how
        expect(read(changed(shown, moved)).takes, title(screen)).not.toBe('text')
      }),
      { numRuns: 1_000 },
    )
  })

  it('nor when its lines are broken at another width', () => {
    fc.assert(
      fc.property(fc.constantFrom(...of('keys', 'held')), fc.integer({ min: 40, max: 200 }), (screen, width) => {
        fc.pre(!isOverlay(agent, screen))
        expect(read(wrapped(screen, width)).takes, title(screen)).not.toBe('text')
      }),
      { numRuns: 500 },
    )
  })

  it('an input line stays one, whatever is above it', () => {
    fc.assert(
      fc.property(fc.constantFrom(...of('text')), change, (screen, how) => {
        expect(read(changed(screen, how)).takes, title(screen)).toBe('text')
      }),
      { numRuns: 1_000 },
    )
  })
})
